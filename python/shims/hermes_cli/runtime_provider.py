from gateway.run import _resolve_runtime_agent_kwargs


def resolve_runtime_provider(**_):
    return _resolve_runtime_agent_kwargs()
