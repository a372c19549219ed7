"""Calls of the model for side tasks, by way of the program."""
from talaria_host import link
from talaria_host.namespace import Namespace


def _values(task, messages, options):
    names = {"max_tokens": "maxTokens", "timeout": "timeoutSeconds"}
    kept = ("provider", "model", "temperature", "max_tokens", "timeout")
    values = {names.get(name, name): options[name] for name in kept if options.get(name) is not None}
    return {"task": task or None, "messages": list(messages or []), "options": values}


def _answer(made):
    usage = made.get("usage") or {}
    return Namespace.of(
        {
            "model": made.get("model", ""),
            "choices": [
                {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": made.get("text", "")}}
            ],
            "usage": {
                "prompt_tokens": usage.get("inputTokens", 0),
                "completion_tokens": usage.get("outputTokens", 0),
                "total_tokens": usage.get("totalTokens", 0),
            },
        }
    )


def call_llm(task=None, *, messages=None, **options):
    return _answer(link.ask("auxiliary.complete", **_values(task, messages, options)))


async def async_call_llm(task=None, *, messages=None, **options):
    return _answer(await link.ask_async("auxiliary.complete", **_values(task, messages, options)))


def extract_content_or_reasoning(response):
    message = response.choices[0].message
    return (getattr(message, "content", None) or getattr(message, "reasoning", None) or "").strip()
