"""What plugins log and print."""
import contextvars
import io
import logging
import sys
import threading
import time

_MOST_TEXT = 16_000
_MOST_RECORDS = 1_000
_PERIOD = 10.0

_sink = contextvars.ContextVar("talaria_sink", default=None)


class Records(logging.Handler):
    """Sends records of all loggers to Talaria's log; a flood of them is cut off and counted."""

    def __init__(self, send):
        super().__init__()
        self._send = send
        self._since = 0.0
        self._count = 0
        self._dropped = 0
        self._counting = threading.Lock()

    def emit(self, record):
        try:
            if not self._admit():
                return
            text = record.getMessage()
            if record.exc_info:
                text += "\n" + logging.Formatter().formatException(record.exc_info)
            self._send({"log": record.levelname, "name": record.name, "text": text[:_MOST_TEXT]})
        except Exception as error:
            self._send({"log": "WARNING", "name": record.name, "text": "a log record could not be written: %r" % error})

    def _admit(self):
        with self._counting:
            now = time.monotonic()
            if now - self._since > _PERIOD:
                dropped, self._dropped = self._dropped, 0
                self._since, self._count = now, 0
            else:
                dropped = 0
            self._count += 1
            admitted = self._count <= _MOST_RECORDS
            if not admitted:
                self._dropped += 1
        if dropped:
            self._send({"log": "WARNING", "name": "talaria", "text": "%d log records were dropped" % dropped})
        return admitted


class Routed(io.TextIOWrapper):
    """A standard stream whose text goes to the caller of a command while one runs."""

    stream_name = "stdout"

    def write(self, text):
        sink = _sink.get()
        if sink is None:
            return super().write(text)
        sink(str(text), self.stream_name)
        return len(text)


def install(send, debug):
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        stream.flush()
        routed = Routed(stream.detach(), encoding="utf-8", errors="backslashreplace", line_buffering=True)
        routed.stream_name = name
        setattr(sys, name, routed)
        setattr(sys, "__%s__" % name, routed)
    root = logging.getLogger()
    root.setLevel(logging.DEBUG if debug else logging.INFO)
    root.addHandler(Records(send))
    logging.captureWarnings(True)


def captured(sink, function, *args):
    """Runs a function whose printed text goes to `sink`."""
    token = _sink.set(sink)
    try:
        return function(*args)
    finally:
        _sink.reset(token)
