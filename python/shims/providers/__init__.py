"""Model providers that plugins describe."""
from .base import OMIT_TEMPERATURE, ProviderProfile  # noqa: F401

_profiles = {}
_aliases = {}


def register_provider(profile):
    """The last one of a name counts. Talaria's own models are those of config.yaml: this is for code that asks here."""
    _profiles[profile.name] = profile
    for alias in profile.aliases or ():
        _aliases[alias] = profile.name


def get_provider_profile(name):
    return _profiles.get(_aliases.get(name, name))


def list_providers():
    return list(_profiles.values())
