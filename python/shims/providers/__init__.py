"""Model providers that plugins describe."""
from talaria_host import link

from .base import OMIT_TEMPERATURE, ProviderProfile  # noqa: F401

_profiles = {}
_aliases = {}


def register_provider(profile):
    """The last one of a name counts."""
    _profiles[profile.name] = profile
    for alias in profile.aliases or ():
        _aliases[alias] = profile.name
    link.ask("model.profile", profile=profile.told())


def get_provider_profile(name):
    return _profiles.get(_aliases.get(name, name))


def list_providers():
    return list(_profiles.values())
