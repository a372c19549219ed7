import abc

from agent.provider_base import ProviderBase
from talaria_host.seal import sealed


@sealed
class TranscriptionProvider(ProviderBase):
    @abc.abstractmethod
    def transcribe(self, file_path, *, model=None, language=None, **extra):
        """{"success": True, "transcript": …, "provider": …}, or with success False and an error."""
