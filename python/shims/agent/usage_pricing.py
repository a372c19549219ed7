from dataclasses import dataclass
from typing import Optional


@dataclass
class CanonicalUsage:
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0

    @property
    def prompt_tokens(self):
        return self.input_tokens + self.cache_read_tokens + self.cache_write_tokens

    @property
    def total_tokens(self):
        return self.prompt_tokens + self.output_tokens


def normalize_usage(usage, **_):
    read = usage.get if hasattr(usage, "get") else lambda name, default=0: getattr(usage, name, default)
    cached = read("cache_read_tokens", 0) or read("cache_read_input_tokens", 0) or 0
    prompt = read("prompt_tokens", 0) or 0
    return CanonicalUsage(
        input_tokens=(prompt - cached) if prompt else read("input_tokens", 0) or 0,
        output_tokens=read("completion_tokens", 0) or read("output_tokens", 0) or 0,
        cache_read_tokens=cached,
        cache_write_tokens=read("cache_write_tokens", 0) or 0,
    )


@dataclass
class CostResult:
    amount_usd: Optional[float] = None
    status: str = "unknown"
    source: str = "none"
    label: str = "n/a"


def estimate_usage_cost(*_, **__):
    """Talaria keeps no list of prices: what a call costs is not known here."""
    return CostResult()
