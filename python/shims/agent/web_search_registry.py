"""Search providers that Python plugins registered in this process."""
from talaria_host import adapters, link


def __getattr__(name):
    if name == "_providers":
        return {one.provider.name: one.provider for one in link.host().objects.values() if isinstance(one, adapters.Web)}
    raise AttributeError(name)


def list_providers():
    return list(__getattr__("_providers").values())


def get_provider(name):
    return __getattr__("_providers").get(name)
