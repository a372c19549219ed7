"""Lines of JSON over a socket that is kept apart from the standard streams."""
import dataclasses
import json
import math
import os
import threading
from collections.abc import Mapping

_decode = json.JSONDecoder().raw_decode
_DEEPEST = 100
# A larger one is a mapping of its own each time, which costs more than a short message.
_PIECE = 1 << 16
_LARGE_PIECE = 1 << 20


def decode(line):
    """The value of one line. Raises ValueError or RecursionError."""
    return _decode(line.decode("utf-8", "replace"))[0]


def _other(value):
    """What stands for a value that JSON does not know."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (set, frozenset)):
        return list(value)
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).decode("utf-8", "backslashreplace")
    dump = getattr(value, "model_dump", None)
    if callable(dump) and not isinstance(value, type):
        return dump()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    return text_of(value)


def text_of(value):
    """str(value), whatever its class does."""
    try:
        return str(value)
    except Exception:
        return "<%s>" % type(value).__name__


_encode = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":"), default=_other).encode


def encode(value):
    """JSON of any value: what JSON cannot say becomes text, what is no number null, what is too deep is cut."""
    try:
        return _encode(value)
    except (ValueError, TypeError, RecursionError):
        return _encode(plain(value))
    except Exception:
        return _encode(text_of(value))


def plain(value, depth=0):
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return value if -(1 << 1024) < value < 1 << 1024 else hex(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if depth >= _DEEPEST:
        return "<%s, too deep>" % type(value).__name__
    if isinstance(value, Mapping):
        return {key if isinstance(key, str) else text_of(key): plain(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(inner, depth + 1) for inner in value]
    try:
        return plain(_other(value), depth + 1)
    except Exception:
        return text_of(value)


class Channel:
    """One thread reads, any thread writes."""

    def __init__(self, descriptor):
        os.set_inheritable(descriptor, False)
        os.set_blocking(descriptor, True)
        self._descriptor = descriptor
        self._size = _PIECE
        self._writing = threading.Lock()
        self._lines = []
        self._rest = []
        self._alive = True
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forget)

    def _forget(self):
        # A forked child must not speak in our name.
        self._alive = False
        self._writing = threading.Lock()
        os.close(self._descriptor)

    def read_line(self):
        """The next line without its end; None once the other side is gone."""
        lines = self._lines
        while not lines:
            try:
                piece = os.read(self._descriptor, self._size)
            except OSError:
                return None
            if not piece:
                return None
            end = piece.rfind(b"\n")
            if end < 0:
                self._rest.append(piece)
                self._size = _LARGE_PIECE
                continue
            self._size = _PIECE
            if end + 1 == len(piece) and not self._rest and piece.find(b"\n") == end:
                return piece
            head = piece[:end]
            if self._rest:
                self._rest.append(head)
                head = b"".join(self._rest)
                self._rest = []
            if end + 1 < len(piece):
                self._rest.append(piece[end + 1 :])
            lines.extend(reversed(head.split(b"\n")))
        return lines.pop()

    def write(self, text):
        """One line. Waits while the other side does not read; nothing happens when it is gone."""
        data = text.encode("utf-8")
        with self._writing:
            if not self._alive:
                return
            try:
                written = os.write(self._descriptor, data)
                while written < len(data):
                    data = memoryview(data)[written:]
                    written = os.write(self._descriptor, data)
            except OSError:
                self._alive = False
