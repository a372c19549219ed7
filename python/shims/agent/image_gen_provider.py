import abc

from agent import media_files
from agent.provider_base import ProviderBase
from talaria_host.seal import sealed

VALID_ASPECT_RATIOS = ("landscape", "square", "portrait")
DEFAULT_ASPECT_RATIO = "landscape"
_KINDS = {"image/png": "png", "image/jpeg": "jpg", "image/webp": "webp", "image/gif": "gif"}


@sealed
class ImageGenProvider(ProviderBase):
    def capabilities(self):
        return {"modalities": ["text"], "max_reference_images": 0}

    @abc.abstractmethod
    def generate(self, prompt, aspect_ratio=DEFAULT_ASPECT_RATIO, **kwargs):
        """What success_response() or error_response() makes."""


def resolve_aspect_ratio(value):
    chosen = value.strip().lower() if isinstance(value, str) else ""
    return chosen if chosen in VALID_ASPECT_RATIOS else DEFAULT_ASPECT_RATIO


def normalize_reference_images(value):
    values = [value] if isinstance(value, str) else value if isinstance(value, (list, tuple)) else []
    return [one.strip() for one in values if isinstance(one, str) and one.strip()] or None


def save_b64_image(b64_data, *, prefix="image", extension="png"):
    return media_files.save_base64("images", b64_data, prefix, extension)


def save_url_image(url, *, prefix="image", timeout=60.0, max_bytes=25 * 1024 * 1024):
    return media_files.save_url("images", url, prefix, _KINDS, timeout=timeout, max_bytes=max_bytes)


def success_response(*, image, model, prompt, aspect_ratio, provider, modality="text", extra=None):
    made = {"success": True, "image": image, "model": model, "prompt": prompt}
    made.update(aspect_ratio=aspect_ratio, modality=modality, provider=provider)
    return {**(extra or {}), **made}


def error_response(*, error, error_type="provider_error", provider="", model="", prompt="", aspect_ratio=DEFAULT_ASPECT_RATIO):
    made = {"success": False, "image": None, "error": error, "error_type": error_type}
    made.update(model=model, prompt=prompt, aspect_ratio=aspect_ratio, provider=provider)
    return made
