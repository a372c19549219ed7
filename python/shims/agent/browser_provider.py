import abc

from agent.provider_base import ProviderBase
from talaria_host.seal import sealed


@sealed
class BrowserProvider(ProviderBase):
    @property
    def display_name(self):
        return self.name

    @abc.abstractmethod
    def is_available(self):
        """Whether keys and programs are there, without the network."""

    @abc.abstractmethod
    def create_session(self, task_id):
        """{"session_name", "bb_session_id", "cdp_url", "features"}."""

    @abc.abstractmethod
    def close_session(self, session_id):
        """True when it is closed."""

    @abc.abstractmethod
    def emergency_cleanup(self, session_id):
        """At the end of the program; raises nothing."""

    def is_configured(self):
        return self.is_available()

    def provider_name(self):
        return self.display_name
