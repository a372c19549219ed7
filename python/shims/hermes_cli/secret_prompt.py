from .cli_output import prompt


def masked_secret_prompt(question, **_):
    return prompt(question, password=True)
