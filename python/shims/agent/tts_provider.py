import abc

from agent.provider_base import ProviderBase
from talaria_host.seal import sealed

DEFAULT_OUTPUT_FORMAT = "mp3"
VALID_OUTPUT_FORMATS = frozenset({"mp3", "wav", "ogg", "opus", "flac"})


@sealed
class TTSProvider(ProviderBase):
    voice_compatible = False

    def list_voices(self):
        return []

    def default_voice(self):
        voices = self.list_voices()
        return voices[0].get("id") if voices else None

    @abc.abstractmethod
    def synthesize(self, text, output_path, *, voice=None, model=None, speed=None, format=DEFAULT_OUTPUT_FORMAT, **extra):
        """Writes the sound to `output_path`, or to the path that it gives back."""

    def stream(self, text, **options):
        raise NotImplementedError("%s does not stream" % self.name)


def resolve_output_format(value):
    chosen = value.strip().lower() if isinstance(value, str) else ""
    return chosen if chosen in VALID_OUTPUT_FORMATS else DEFAULT_OUTPUT_FORMAT
