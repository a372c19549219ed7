import threading

_interrupted = threading.Event()


def is_interrupted():
    return _interrupted.is_set()


def set_interrupt(active, *_):
    (_interrupted.set if active else _interrupted.clear)()
