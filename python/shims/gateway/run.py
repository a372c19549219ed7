"""The gateway as far as a handler may reach into it."""
from talaria_host import link
from talaria_host.seal import Sealed, seal_module, sealed


def _resolve_gateway_model(config=None):
    return (link.ask("model.route") or {}).get("model") or ""


def _resolve_runtime_agent_kwargs():
    """What AIAgent needs to reach the program's model; keys stay in the program."""
    route = link.ask("model.route") or {}
    return {
        "api_key": None,
        "base_url": route.get("baseUrl") or None,
        "provider": route.get("provider"),
        "api_mode": route.get("apiMode"),
    }


class _Adapter:
    """A connected platform."""

    def __init__(self, platform):
        self.platform = platform
        self.name = str(platform)

    def send(self, chat_id, content, reply_to=None, metadata=None):
        """Works as it is and awaited: `adapter.send(…)` starts it, `await adapter.send(…)` waits for what came of it."""
        return _Sending({
            "platform": self.name, "chatId": str(chat_id), "content": str(content), "replyTo": reply_to,
            "metadata": metadata,
        })  # fmt: skip


class _Sending:
    def __init__(self, values):
        import threading

        self._answer = None
        self._done = threading.Event()
        self._listeners = []
        self._lock = threading.Lock()
        link.host().ask_later("gateway.send", values, self._settle)

    def _settle(self, answer):
        with self._lock:
            self._answer = answer
            listeners, self._listeners = self._listeners, []
            self._done.set()
        for listener in listeners:
            listener()

    def result(self, timeout=30.0):
        from gateway.platforms.base import SendResult

        if not self._done.wait(timeout):
            return SendResult(success=False, error="the platform did not answer in time")
        if "error" in self._answer:
            return SendResult(success=False, error=str(self._answer["error"].get("message")))
        made = self._answer.get("ok") or {}
        return SendResult(success=made.get("success", True), message_id=made.get("messageId"), error=made.get("error"))

    def __await__(self):
        import asyncio

        loop = asyncio.get_running_loop()
        waiting = loop.create_future()
        with self._lock:
            over = self._done.is_set()
            if not over:
                self._listeners.append(
                    lambda: loop.call_soon_threadsafe(lambda: waiting.done() or waiting.set_result(None))
                )
        if not over:
            yield from waiting
        return self.result()

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.result(), name)


class _Adapters(dict):
    """Adapters by platform, whether it is named by text or as Platform.X."""

    def __missing__(self, platform):
        return _Adapter(self._known(platform))

    @staticmethod
    def _known(platform):
        name = str(getattr(platform, "value", platform))
        if name not in (link.ask("gateway.platforms") or []):
            raise KeyError(platform)
        return name

    def get(self, platform, default=None):
        try:
            return self[platform]
        except KeyError:
            return default

    def __contains__(self, platform):
        return self.get(platform) is not None

    def keys(self):
        return list(link.ask("gateway.platforms") or [])

    def items(self):
        return [(name, _Adapter(name)) for name in self.keys()]

    def values(self):
        return [_Adapter(name) for name in self.keys()]

    def __iter__(self):
        return iter(self.keys())

    def __len__(self):
        return len(self.keys())


@sealed
class GatewayRunner(metaclass=Sealed):
    def __init__(self):
        from gateway.session import SessionStore

        self.adapters = _Adapters()
        self.session_store = SessionStore()

    @property
    def config(self):
        from gateway.config import load_gateway_config

        return load_gateway_config()


_runner = []


def _gateway_runner_ref():
    if not link.ask("gateway.running"):
        return None
    if not _runner:
        _runner.append(GatewayRunner())
    return _runner[0]


def runner():
    """The one that hooks are handed, gateway or not."""
    if not _runner:
        _runner.append(GatewayRunner())
    return _runner[0]


seal_module(__name__)
