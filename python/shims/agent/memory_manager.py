import re

_FENCE = re.compile(r"</?\s*memory-context\s*>", re.IGNORECASE)


def sanitize_context(text):
    """Recalled text without the marks that set it apart in a prompt."""
    return _FENCE.sub("", str(text or "")).strip()
