"""Ways of calling a callback that are more than passing keyword arguments."""
import argparse
import inspect
import json
import os

from . import errors, logs, parts, wire
from .callbacks import refuse_generator_value, select
from .namespace import Namespace

_TWICE = "%s called next_call() more than once; downstream execution is single-use"


def call(host, mode, callback, message, line):
    return _MODES[mode](host, callback, message, line)


def _later(value, turn):
    """`turn(value)`, awaiting the value first where it is to be awaited."""
    if inspect.isawaitable(value):

        async def awaited():
            return turn(await value)

        return awaited()
    return turn(value)


# Tools


def tool_text(value):
    """Text as it is; anything else as JSON, written here so that large numbers keep their digits."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, default=wire._other, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return json.dumps(wire.plain(value), ensure_ascii=False)


def _tool(host, callback, message, line):
    def turn(value):
        refuse_generator_value(value, callback.name)
        return tool_text(value)

    return _later(callback.function(message["a"][0], **select(callback.accepts, message["k"])), turn)


# Request middleware


def _request(host, callback, message, line):
    keywords = message["k"]
    key = "request" if "request" in keywords else "args"
    # Its own copy, since `args` and `original_args` may be one text.
    if key == "args" and "arguments" in keywords:
        keywords["arguments"] = keywords["args"]

    def turn(value):
        if isinstance(value, dict) and isinstance(value.get(key), dict):
            return value
        # What was changed in place counts as returned.
        if keywords[key] != wire.decode(line)["k"][key]:
            return {key: keywords[key]}
        return None

    return _later(callback.function(**select(callback.accepts, keywords)), turn)


# Execution middleware


class _Next:
    def __init__(self, host, callback, message):
        self._host = host
        self._name = callback.name
        self._call = message["id"]
        self._wraps_model = "request" in message["k"]
        self._used = False
        self.given = None

    def __call__(self, payload=None):
        if self._used:
            raise RuntimeError(_TWICE % self._name)
        self._used = True
        values = {} if payload is None else {"payload": payload}
        if self._host.loops.is_own_thread():
            return self._awaited(values)
        return self._opened(self._host.ask("next", values, self._call))

    async def _awaited(self, values):
        return self._opened(await self._host.ask_async("next", values, self._call))

    def _opened(self, answer):
        failure = answer.get("error")
        if failure is not None:
            raise errors.DownstreamError(errors.raised(failure), failure.get("token"))
        value = answer.get("value")
        self.given = wire.encode(value)
        return Namespace.of(value) if self._wraps_model else value

    def returned(self, value):
        if self.given is not None and wire.encode(value) == self.given:
            return {"same": True}
        if not self._wraps_model and not isinstance(value, str):
            return {"value": tool_text(value)}
        return {"value": value}


def _execution(host, callback, message, line):
    following = _Next(host, callback, message)
    keywords = dict(message["k"], next_call=following)

    def turn(value):
        refuse_generator_value(value, callback.name)
        return following.returned(value)

    return _later(callback.function(**select(callback.accepts, keywords)), turn)


# Commands of the command line


def _cli(host, callback, message, line):
    setup, handler = callback.function
    number = message["id"]
    program = os.path.basename(message["k"].get("program") or "hermes")
    parser = argparse.ArgumentParser(prog="%s %s" % (program, message["k"]["name"]), description=message["k"].get("about"))

    def run():
        if setup is not None:
            setup(parser)
        arguments = parser.parse_args(message["k"]["words"])
        function = handler or getattr(arguments, "func", None)
        if function is None:
            parser.print_help()
            return 0
        return function(arguments)

    def status(value):
        return value if isinstance(value, int) and not isinstance(value, bool) else 0

    def say(text, stream="stderr"):
        host.send({"out": number, "text": text, "stream": stream})

    try:
        return _later(logs.captured(say, run), status)
    except SystemExit as leaving:
        if leaving.code is None or isinstance(leaving.code, int):
            return leaving.code or 0
        say("%s\n" % leaving.code)
        return 1


# Odds and ends


def _check(host, callback, message, line):
    return _later(callback.function(), bool)


def _dispatch(host, callback, message, line):
    """A chat message on its way in, with what a hook may do beside answering."""
    keywords = dict(message["k"])
    gateway = parts.of("runner")()
    event = keywords.get("event")
    keywords["event"] = parts.of("MessageEvent").of(event if isinstance(event, dict) else {})
    keywords["gateway"] = gateway
    keywords["session_store"] = gateway.session_store
    return callback.function(**select(callback.accepts, keywords))


def _answered(host, callback, message, line):
    """An answer of the model: the message with attributes, its calls with `name` and `arguments` of their own as well."""
    keywords = message["k"]
    given = keywords.get("assistant_message")
    if isinstance(given, dict):
        calls = [dict(one, **one.get("function") or {}) for one in given.get("tool_calls") or []]
        whole = {"content": None, "reasoning": None, **given, "tool_calls": calls or None}
        keywords["assistant_message"] = Namespace.of(whole)
    return callback.function(**select(callback.accepts, keywords))


def _slack(host, callback, message, line):
    """Slack is told at once that its action has come in; the callback's own `ack` has nothing left to do."""

    async def ack(*_, **__):
        return None

    body, action = message["a"]
    return callback.function(ack, body, action)


_MODES = {
    "tool": _tool,
    "request": _request,
    "execution": _execution,
    "cli": _cli,
    "check": _check,
    "dispatch": _dispatch,
    "answered": _answered,
    "slack": _slack,
}
