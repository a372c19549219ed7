"""The event loop of asynchronous callbacks: one thread, which lives on as long as the process."""
import asyncio
import threading


class Loops:
    def __init__(self):
        self._lock = threading.Lock()
        self._loop = None
        self._ident = 0

    def loop(self):
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                thread = threading.Thread(target=self._run, args=(self._loop,), name="talaria-loop", daemon=True)
                thread.start()
                self._ident = thread.ident
            return self._loop

    @staticmethod
    def _run(loop):
        asyncio.set_event_loop(loop)
        loop.run_forever()

    def start(self, awaitable):
        """A concurrent.futures.Future of what the awaitable comes to."""
        return asyncio.run_coroutine_threadsafe(_awaited(awaitable), self.loop())

    def result_of(self, awaitable):
        """Waits, in a thread, for what the awaitable comes to; inside the loop it can only be begun."""
        future = self.start(awaitable)
        return None if self.is_own_thread() else future.result()

    def tasks(self):
        """How many tasks are not done."""
        loop = self._loop
        try:
            return 0 if loop is None else sum(not one.done() for one in asyncio.all_tasks(loop))
        except RuntimeError:
            return 1  # tasks came or went while they were counted

    def is_own_thread(self):
        return threading.get_ident() == self._ident

    def replace(self, loop):
        """Leaves a loop that is stuck to itself; later callbacks get a new one."""
        with self._lock:
            if self._loop is loop:
                self._loop = None


async def _awaited(awaitable):
    return await awaitable
