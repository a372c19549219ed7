"""Which model runs is the agent's to change; a plugin asks for another one with the /model command."""


def switch_model(*_, **__):
    raise NotImplementedError("Talaria has no way for a plugin to switch the model of a running agent")
