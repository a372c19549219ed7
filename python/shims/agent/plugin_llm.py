"""ctx.llm: the model of the person who runs the program, without their keys."""
import base64
from dataclasses import dataclass, field
from typing import Any, Dict, Optional

from talaria_host import link


class PluginLlmTrustError(PermissionError):
    """The configuration does not allow this plugin to choose that."""


@dataclass
class PluginLlmUsage:
    input_tokens: int = 0
    output_tokens: int = 0
    total_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_usd: Optional[float] = None


@dataclass
class PluginLlmCompleteResult:
    text: str = ""
    provider: str = ""
    model: str = ""
    agent_id: str = "default"
    usage: PluginLlmUsage = field(default_factory=PluginLlmUsage)
    audit: Dict[str, Any] = field(default_factory=dict)


@dataclass
class PluginLlmStructuredResult(PluginLlmCompleteResult):
    parsed: Any = None
    content_type: str = "text"


_NAMES = {"max_tokens": "maxTokens", "timeout": "timeoutSeconds", "agent_id": "agentId"}


def _options(values):
    return {_NAMES.get(name, name): value for name, value in values.items() if value is not None and value != ""}


def _result(kind, answer, **more):
    usage = answer.get("usage") or {}
    audit = answer.get("audit") or {}
    return kind(
        text=answer.get("text", ""),
        provider=answer.get("provider", ""),
        model=answer.get("model", ""),
        agent_id=answer.get("agentId", "default"),
        usage=PluginLlmUsage(
            usage.get("inputTokens", 0),
            usage.get("outputTokens", 0),
            usage.get("totalTokens", 0),
            usage.get("cacheReadTokens", 0),
            usage.get("cacheWriteTokens", 0),
            usage.get("costUsd"),
        ),
        audit={
            "plugin_id": audit.get("pluginId"),
            "purpose": audit.get("purpose"),
            "profile": audit.get("profile"),
            **({"schema_name": audit["schemaName"]} if "schemaName" in audit else {}),
        },
        **more
    )


def _block(block):
    if isinstance(block, str):
        return {"type": "text", "text": block}
    kind = block.get("type") if isinstance(block, dict) else None
    if kind == "text" and isinstance(block.get("text"), str):
        return {"type": "text", "text": block["text"]}
    if kind == "image" and block.get("url"):
        return {"type": "image", "url": str(block["url"])}
    if kind == "image" and block.get("data"):
        data = block["data"]
        if isinstance(data, (bytes, bytearray, memoryview)):
            data = base64.b64encode(bytes(data)).decode("ascii")
        mime = block.get("mime_type") or block.get("mimeType") or block.get("media_type")
        return {"type": "image", "data": data, **({"mimeType": mime} if mime else {})}
    raise ValueError("an input block is {type: text, text} or {type: image, data or url}, not %r" % (block,))


class PluginLlm:
    def __init__(self, plugin_id):
        self._plugin = plugin_id

    def _complete(self, messages, options):
        return {"plugin": self._plugin, "messages": list(messages), "options": _options(options)}

    def _structured(self, instructions, input, options):
        if not isinstance(instructions, str) or not instructions.strip():
            raise ValueError("instructions are empty")
        blocks = [_block(one) for one in ([input] if isinstance(input, (str, dict)) else input or [])]
        if not blocks:
            raise ValueError("input is empty")
        names = {"json_schema": "jsonSchema", "json_mode": "jsonMode", "schema_name": "schemaName"}
        names["system_prompt"] = "systemPrompt"
        values = {names.get(name, name): value for name, value in options.items()}
        return {"plugin": self._plugin, "options": dict(_options(values), instructions=instructions, input=blocks)}

    @staticmethod
    def _parsed(answer):
        return _result(
            PluginLlmStructuredResult, answer, parsed=answer.get("parsed"), content_type=answer.get("contentType", "text")
        )

    def complete(self, messages, *, provider=None, model=None, temperature=None, max_tokens=None, timeout=None,
                 agent_id=None, profile=None, purpose=None, task=None):  # fmt: skip
        options = {name: value for name, value in locals().items() if name not in ("self", "messages")}
        return _result(PluginLlmCompleteResult, link.ask("llm.complete", **self._complete(messages, options)))

    async def acomplete(self, messages, *, provider=None, model=None, temperature=None, max_tokens=None, timeout=None,
                        agent_id=None, profile=None, purpose=None, task=None):  # fmt: skip
        options = {name: value for name, value in locals().items() if name not in ("self", "messages")}
        return _result(PluginLlmCompleteResult, await link.ask_async("llm.complete", **self._complete(messages, options)))

    def complete_structured(self, *, instructions, input, json_schema=None, json_mode=False, schema_name=None,
                            system_prompt=None, provider=None, model=None, temperature=None, max_tokens=None,
                            timeout=None, agent_id=None, profile=None, purpose=None, task=None):  # fmt: skip
        options = {name: value for name, value in locals().items() if name not in ("self", "instructions", "input")}
        return self._parsed(link.ask("llm.structured", **self._structured(instructions, input, options)))

    async def acomplete_structured(self, *, instructions, input, json_schema=None, json_mode=False, schema_name=None,
                                   system_prompt=None, provider=None, model=None, temperature=None, max_tokens=None,
                                   timeout=None, agent_id=None, profile=None, purpose=None, task=None):  # fmt: skip
        options = {name: value for name, value in locals().items() if name not in ("self", "instructions", "input")}
        return self._parsed(await link.ask_async("llm.structured", **self._structured(instructions, input, options)))


