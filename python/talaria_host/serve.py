"""The loop of the host: messages in, callbacks called, answers out. docs/reference/python-host.md tells the protocol."""
import contextvars
import os
import re
import sys
import threading
import traceback
import types

from . import errors, logs, wire
from .callbacks import Callbacks, refuse_generator_value, select
from .loops import Loops
from .threads import Interrupted, Threads

_ID = re.compile(rb'\{"id":(\d+)')
_GRACE = 1.0
_current = contextvars.ContextVar("talaria_call", default=None)


# What may take long, or come back to an asynchronous handler of this very loop.
_LENGTHY = frozenset(
    """next agent.run llm.complete llm.structured auxiliary.complete tools.dispatch dispatchTool plugins.callBack
    plugins.runCommand plugins.blockMessage person.ask""".split()
)


class Host:
    def __init__(self, channel):
        self.channel = channel
        self.callbacks = Callbacks()
        self.objects = {}
        self.loops = Loops()
        self.threads = Threads(channel.read_line, self.receive, _leave)
        self.settings = {}
        self.interpreter = sys.executable
        self._running = {}
        self._asked = {}
        self._last_ask = 0
        self._lock = threading.Lock()
        self.operations = {}

    # Out

    def send(self, message):
        self.channel.write(wire.encode(message) + "\n")

    def answer(self, call, value):
        if value is None:
            self.channel.write('{"id":%d}\n' % call)
        else:
            self.channel.write('{"id":%d,"ok":%s}\n' % (call, wire.encode(value)))

    def fail(self, call, error):
        self.send({"id": call, "error": errors.told(error, self.settings.get("home", ""))})

    def ask(self, what, values, call=None):
        """Asks Talaria and waits for its answer."""
        if what in _LENGTHY and self.loops.is_own_thread():
            raise RuntimeError(
                "%s waits for Talaria and would stop every asynchronous handler: use its awaitable twin, or asyncio.to_thread"
                % what
            )
        done = threading.Lock()
        done.acquire()
        reply = []

        def settle(answer):
            reply.append(answer)
            done.release()

        self.ask_later(what, values, settle, call)
        self.threads.step_down()
        done.acquire()
        return _opened(reply[0])

    def ask_later(self, what, values, settle, call=None):
        with self._lock:
            self._last_ask += 1
            number = self._last_ask
            self._asked[number] = settle
        message = {"ask": number, "do": what, "with": values}
        call = _current.get() if call is None else call
        if call is not None:
            message["in"] = call
        self.send(message)

    async def ask_async(self, what, values, call=None):
        import asyncio

        loop = asyncio.get_running_loop()
        future = loop.create_future()

        def settle(answer):
            loop.call_soon_threadsafe(lambda: future.done() or future.set_result(answer))

        self.ask_later(what, values, settle, call)
        return _opened(await future)

    def is_asking(self):
        return bool(self._asked)

    def guests(self):
        """How many threads and tasks of plugins live here."""
        own = ("talaria-watch", "talaria-worker", "talaria-loop")
        main = threading.main_thread()
        return self.loops.tasks() + sum(one is not main and one.name not in own for one in threading.enumerate())

    # In

    def receive(self, line):
        try:
            message = wire.decode(line)
        except (ValueError, RecursionError) as error:
            found = _ID.match(line)
            if found:
                self.fail(int(found.group(1)), ValueError("the message cannot be read: %s" % error))
            return
        call = message.get("id")
        if call is None:
            self._receive_other(message)
        elif "f" in message:
            self._call(call, message, line)
        else:
            self._operate(call, message)

    def _receive_other(self, message):
        if "re" in message:
            with self._lock:
                settle = self._asked.pop(message["re"], None)
            if settle:
                settle(message)
        elif "ping" in message:
            self.send({"pong": message["ping"]})
        elif "cancel" in message:
            self._cancel(message["cancel"])

    def _cancel(self, call):
        running = self._running.get(call)
        if running is None:
            return
        if callable(running):
            running()
        else:
            self.threads.interrupt(call, running)

    def _call(self, call, message, line):
        """A callback: `k` by name, `a` by place, `mode` how it is called."""
        worker = self.threads.enter(call)
        self._running[call] = worker
        _current.set(call)
        try:
            callback = self.callbacks[message["f"]]
            mode = message.get("mode")
            if mode is None:
                value = callback.function(
                    *message.get("a", ()), **select(callback.accepts, message["k"] if "k" in message else {})
                )
            else:
                from . import modes

                value = modes.call(self, mode, callback, message, line)
        except BaseException as error:
            self._end(call, worker)
            self.fail(call, error)
            return
        self._finish(call, worker, value, callback.name)

    def _finish(self, call, worker, value, name):
        kind = type(value)
        if kind is types.CoroutineType or (value is not None and hasattr(kind, "__await__")):
            self.threads.leave(worker)
            self.wait_for(call, value, name)
            return
        self._end(call, worker)
        try:
            if kind is types.GeneratorType or kind is types.AsyncGeneratorType:
                refuse_generator_value(value, name)
        except TypeError as error:
            self.fail(call, error)
            return
        self.answer(call, value)

    def _end(self, call, worker):
        try:
            self.threads.leave(worker)
        except Interrupted:
            self.threads.leave(worker)
        self._running.pop(call, None)

    def wait_for(self, call, awaitable, name):
        """Answers when the awaitable has come to something. Threads are free meanwhile."""
        loop = self.loops.loop()
        future = self.loops.start(awaitable)

        def cancel():
            future.cancel()
            # A loop that does not get to it is held by code that does not await.
            alive = threading.Event()
            loop.call_soon_threadsafe(alive.set)

            def look():
                if not alive.wait(1.0):
                    self.loops.replace(loop)
                    self.send({"log": "WARNING", "name": "talaria", "text": _STUCK % name})

            threading.Thread(target=look, daemon=True).start()

        self._running[call] = cancel

        def done(ended):
            self._running.pop(call, None)
            if ended.cancelled():
                self.fail(call, TimeoutError("%s was cancelled" % name))
                return
            error = ended.exception()
            if error is None:
                self.answer(call, ended.result())
            else:
                self.fail(call, error)

        future.add_done_callback(done)

    def _operate(self, call, message):
        worker = self.threads.enter(call)
        self._running[call] = worker
        _current.set(call)
        try:
            value = self.operations[message["do"]](**message.get("with", {}))
        except BaseException as error:
            self._end(call, worker)
            self.fail(call, error)
            return
        if hasattr(type(value), "__await__"):
            self.threads.leave(worker)
            self.wait_for(call, value, message["do"])
            return
        self._end(call, worker)
        self.answer(call, value)


_STUCK = "%s holds the event loop without awaiting; asynchronous handlers go on in a new loop"


def _opened(answer):
    if "error" in answer:
        raise errors.raised(answer["error"])
    return answer.get("ok")


_host = None


def host():
    """The host of this process; None where a plugin's modules are imported without Talaria."""
    if _host is None:
        raise RuntimeError("this works only inside Talaria")
    return _host


def main(descriptor):
    global _host
    channel = wire.Channel(descriptor)
    _host = Host(channel)
    from . import operations

    debug = os.environ.get("TALARIA_PLUGINS_DEBUG") or os.environ.get("HERMES_PLUGINS_DEBUG") or ""
    logs.install(_host.send, debug.strip().lower() in ("1", "true", "yes", "on"))
    _install_hooks(_host)
    operations.install(_host)
    _host.send({"hello": {"version": sys.version.split()[0], "executable": sys.executable, "pid": os.getpid()}})
    _host.threads.run()


def _install_hooks(host):
    def told(kind, error, trace, name):
        text = "".join(traceback.format_exception(kind, error, trace))
        host.send({"log": "ERROR", "name": "talaria", "text": "a thread of a plugin ended (%s)\n%s" % (name, text)})

    threading.excepthook = lambda about: told(
        about.exc_type, about.exc_value, about.exc_traceback, getattr(about.thread, "name", "")
    )


def _leave():
    """Talaria is gone: what plugins registered with atexit may run, but not for ever."""
    timer = threading.Timer(_GRACE, lambda: os._exit(0))
    timer.daemon = True
    timer.start()
    import atexit

    atexit._run_exitfuncs()
    os._exit(0)
