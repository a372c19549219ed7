from hermes_cli.config import get_env_value


def get_secret(name, default=None):
    """The environment, then the home's .env."""
    value = get_env_value(name)
    return default if value is None else value
