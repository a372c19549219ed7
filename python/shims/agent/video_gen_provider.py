import abc

from agent import media_files
from agent.provider_base import ProviderBase
from talaria_host.seal import sealed

COMMON_ASPECT_RATIOS = ("16:9", "9:16", "1:1", "4:3", "3:4", "3:2", "2:3")
DEFAULT_ASPECT_RATIO = "16:9"
COMMON_RESOLUTIONS = ("480p", "540p", "720p", "1080p")
DEFAULT_RESOLUTION = "720p"
_KINDS = {"video/mp4": "mp4", "video/webm": "webm", "video/quicktime": "mov"}


@sealed
class VideoGenProvider(ProviderBase):
    def capabilities(self):
        return {"modalities": ["text"], "aspect_ratios": list(COMMON_ASPECT_RATIOS)}

    @abc.abstractmethod
    def generate(self, prompt, **kwargs):
        """What success_response() or error_response() makes."""


def save_b64_video(b64_data, *, prefix="video", extension="mp4"):
    return media_files.save_base64("videos", b64_data, prefix, extension)


def save_bytes_video(raw, *, prefix="video", extension="mp4"):
    return media_files.save_bytes("videos", raw, prefix, extension)


def save_url_video(url, *, prefix="video", timeout=180.0, max_bytes=200 * 1024 * 1024):
    return media_files.save_url("videos", url, prefix, _KINDS, timeout=timeout, max_bytes=max_bytes)


def success_response(*, video, model, prompt, modality="text", aspect_ratio="", duration=0, provider, extra=None):
    made = {"success": True, "video": video, "model": model, "prompt": prompt, "modality": modality}
    made.update(aspect_ratio=aspect_ratio, duration=int(duration or 0), provider=provider)
    return {**(extra or {}), **made}


def error_response(*, error, error_type="provider_error", provider="", model="", prompt="", aspect_ratio=""):
    made = {"success": False, "video": None, "error": error, "error_type": error_type}
    made.update(model=model, prompt=prompt, aspect_ratio=aspect_ratio, provider=provider)
    return made
