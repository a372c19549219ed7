import abc

from agent.provider_base import ProviderBase
from talaria_host.seal import sealed


def get_provider_env(name):
    from hermes_cli.config import get_env_value

    return (get_env_value(name) or "").strip()


@sealed
class WebSearchProvider(ProviderBase):
    @abc.abstractmethod
    def is_available(self):
        """Whether keys and programs are there, without the network."""

    def supports_search(self):
        return True

    def supports_extract(self):
        return False

    def search(self, query, limit=5):
        raise NotImplementedError("%s does not search" % self.name)

    def extract(self, urls, **kwargs):
        raise NotImplementedError("%s does not extract" % self.name)
