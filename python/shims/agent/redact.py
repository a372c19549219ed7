"""Secrets out of texts that are shown or logged."""
import re

_PATTERNS = (
    re.compile(r"()\b((?:sk|pk|rk|ghp|gho|ghs|github_pat|xox[abprs]|glpat|hf|AIza)[-_A-Za-z0-9]{16,})"),
    re.compile(r"(?i)(bearer )([A-Za-z0-9._~+/=-]{12,})"),
    re.compile(r"(?i)([?&](?:api_key|token|key|secret)=)([^&\s]{8,})"),
)


def redact_sensitive_text(text, **_):
    if not isinstance(text, str):
        return text
    for pattern in _PATTERNS:
        text = pattern.sub(lambda found: found.group(1) + found.group(2)[:4] + "***", text)
    return text
