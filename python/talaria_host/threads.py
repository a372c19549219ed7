"""
Who reads the channel. The thread that reads a message also runs it: no hand-over on the way of a quick callback.
A callback that takes longer, or waits for Talaria itself, loses the reading to another thread.
"""
import ctypes
import threading
import time

_PATIENCE = 0.01
_MOST_THREADS = 64
_MOST_IDLE = 4


class Interrupted(BaseException):
    """Raised inside a callback whose time is over. It is no Exception, so that `except Exception` does not keep it."""


class Worker:
    def __init__(self):
        self.wake = threading.Semaphore(0)
        self.since = 0.0
        self.count = 0
        self.call = None
        self.ident = 0
        self.interrupted = False


class Threads:
    """`handle(line)` is run for each line that `read()` gives, `end()` when it gives None: it does not come back."""

    def __init__(self, read, handle, end):
        self._read = read
        self._end = end
        self._handle = handle
        self._lock = threading.Lock()
        self._idle = []
        self._workers = 0
        self._leader = None
        self._watching = False
        self._awake = threading.Event()
        self._local = threading.local()

    def run(self):
        """In the main thread."""
        threading.Thread(target=self._watch, name="talaria-watch", daemon=True).start()
        worker = Worker()
        self._workers = 1
        self._leader = worker
        self._work(worker)

    def _work(self, worker):
        self._local.worker = worker
        worker.ident = threading.get_ident()
        while True:
            line = self._read()
            if line is None:
                self._end()
            worker.count += 1
            worker.since = time.monotonic()
            if not self._watching:
                self._watching = True
                self._awake.set()
            try:
                self._handle(line)
            except Interrupted:
                pass  # it came late, after the callback had ended
            with self._lock:
                worker.since = 0.0
                leads = self._leader is worker
                stays = leads or len(self._idle) < _MOST_IDLE or worker.ident == threading.main_thread().ident
                if not stays:
                    self._workers -= 1
                elif not leads:
                    self._idle.append(worker)
            if not stays:
                return
            if not leads:
                worker.wake.acquire()

    def step_down(self):
        """Called before the current thread waits for something that only a reader can bring."""
        worker = getattr(self._local, "worker", None)
        if worker is not None and self._leader is worker:
            self._promote(worker)

    def _promote(self, old):
        with self._lock:
            if self._leader is not old or not old.since:
                return
            if self._idle:
                self._leader = self._idle.pop()
                self._leader.wake.release()
                return
            if self._workers >= _MOST_THREADS:
                return  # nobody reads any more: Talaria finds that out and replaces this process
            self._workers += 1
            self._leader = Worker()
            threading.Thread(target=self._work, args=(self._leader,), name="talaria-worker", daemon=True).start()

    def _watch(self):
        while True:
            self._awake.wait()
            quiet = 0
            seen = -1
            while quiet < 50:
                time.sleep(_PATIENCE)
                leader = self._leader
                since = leader.since
                if since and time.monotonic() - since >= _PATIENCE:
                    self._promote(leader)
                quiet = 0 if since or leader.count != seen else quiet + 1
                seen = leader.count
            self._awake.clear()
            self._watching = False
            if self._leader.since:
                self._watching = True
                self._awake.set()

    # A call that is being run, and its interruption.

    def enter(self, call):
        worker = getattr(self._local, "worker", None)
        if worker is not None:
            worker.call = call
        return worker

    def leave(self, worker):
        if worker is None:
            return
        with self._lock:
            worker.call = None
            if worker.interrupted:
                worker.interrupted = False
                _raise_in(worker.ident, None)

    def interrupt(self, call, worker):
        """Raises Interrupted in the thread that runs the call, at its next step in Python."""
        with self._lock:
            if worker.call == call:
                worker.interrupted = True
                _raise_in(worker.ident, Interrupted)


def _raise_in(ident, error):
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(ident), ctypes.py_object(error) if error is not None else None
    )
