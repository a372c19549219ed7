"""Errors on their way over the wire."""
import builtins
import os
import sys
import traceback

from . import parts, wire

_MOST_TEXT = 4_000
_MOST_TRACE = 16_000


class TalariaError(RuntimeError):
    """What Talaria answered instead of a value. `name` is its kind there."""

    def __init__(self, message, name="Error"):
        super().__init__(message)
        self.name = name


class DownstreamError(Exception):
    """What `next_call` raises: `original` is what really happened below."""

    def __init__(self, original, token):
        super().__init__(str(original))
        self.original = original
        self.token = token


DownstreamError.__name__ = DownstreamError.__qualname__ = "_DownstreamExecutionError"


def told(error, folder=""):
    """An exception as Talaria is told of it."""
    try:
        text = str(error)
    except Exception:
        text = "<no text>"
    fact = {"type": type(error).__name__, "message": text[:_MOST_TEXT]}
    if isinstance(error, ModuleNotFoundError) and error.name:
        fact["hint"] = _hint(error.name)
    try:
        fact["traceback"] = "".join(traceback.format_exception(type(error), error, error.__traceback__))[-_MOST_TRACE:]
        place = _place(error, folder)
        if place:
            fact["place"] = place
    except Exception:
        fact["traceback"] = ""
    if isinstance(error, DownstreamError):
        fact["downstream"] = error.token
    return fact


def _hint(module):
    top = module.split(".")[0]
    if top in ("hermes_cli", "agent", "gateway", "tools", "plugins", "cron", "model_tools"):
        return "Talaria offers no module %s; see docs/guide/hermes-plugins.md" % module
    return "install it for this interpreter: %s -m pip install %s" % (sys.executable, top)


def _place(error, folder):
    """The deepest frame that belongs to the plugin."""
    if isinstance(error, SyntaxError) and error.filename:
        return "%s:%s" % (error.filename, error.lineno)
    here = os.path.dirname(os.path.abspath(__file__))
    place = ""
    for frame in traceback.extract_tb(error.__traceback__):
        if folder and frame.filename.startswith(folder) and not frame.filename.startswith(here):
            place = "%s:%s" % (frame.filename, frame.lineno)
    return place


def raised(fact):
    """The exception for an error that Talaria answered with."""
    name = str(fact.get("type") or "Error")
    message = wire.text_of(fact.get("message") or name)
    if name == "PluginLlmTrustError":
        return parts.of(name)(message)
    known = getattr(builtins, name, None)
    if isinstance(known, type) and issubclass(known, Exception) and not issubclass(known, UnicodeError):
        return known(message)
    return TalariaError(message, name)
