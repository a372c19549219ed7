"""The plugins of this process, as code that reaches for the agent's own manager expects them."""
import inspect
import logging

from .callbacks import accepted, name_of, select

_OBSERVER = "hermes.observer.v1"
logger = logging.getLogger("talaria.plugins")


class PluginManager:
    """What Python plugins have registered here. The whole truth, TypeScript plugins included, is Talaria's."""

    def __init__(self, host):
        self._host = host
        self._plugins = {}
        self._hooks = {}
        self._middleware = {}
        self._plugin_commands = {}
        self._cli_commands = {}
        self._plugin_tool_names = set()
        self._plugin_skills = {}
        self._aux_tasks = {}
        self._context_engine = None
        self._cli_ref = None

    def list_plugins(self):
        return self._host.ask("plugins.list", {})

    def discover_and_load(self, force=False):
        self._host.ask("plugins.discover", {"force": bool(force)})

    def has_hook(self, name):
        return bool(self._host.ask("plugins.hasHook", {"name": name}))

    def has_middleware(self, kind):
        return bool(self._host.ask("plugins.hasMiddleware", {"kind": kind}))

    def invoke_hook(self, name, **keywords):
        """Calls every callback of this name, of plugins in TypeScript as well, in their order; gives what they returned."""
        keywords.setdefault("telemetry_schema_version", _OBSERVER)
        return self._invoke("hook", name, keywords)

    def invoke_middleware(self, kind, **keywords):
        keywords.setdefault("telemetry_schema_version", _OBSERVER)
        keywords.setdefault("middleware_schema_version", "hermes.middleware.v1")
        return self._invoke("middleware", kind, keywords)

    def _invoke(self, kind, name, keywords):
        results = []
        for label, call in self._calls(kind, name):
            try:
                value = call(keywords)
            except Exception as error:
                logger.warning("%s '%s' callback %s raised: %s", kind.capitalize(), name, label, error)
                continue
            if value is not None:
                results.append(value)
        return results

    def _calls(self, kind, name):
        """What to call, in order. Callbacks here are called here, with the very objects that were given."""
        table = self._hooks if kind == "hook" else self._middleware
        rest = list(table.get(name, ()))
        mine = {}
        for key, context in self._plugins.items():
            mine[key] = [value for kept, what, value in context.kept if kept is table and what == name]
        for at, one in enumerate(self._host.ask("plugins.callbacks", {"kind": kind, "name": name}) or []):
            own = mine.get(one["plugin"])
            if one["language"] != "python":
                yield one["name"], self._elsewhere(kind, name, at)
            elif own:
                callback = own.pop(0)
                if callback in rest:
                    rest.remove(callback)
                    yield name_of(callback), self._here(callback)
        # What somebody has put into the tables by hand.
        for callback in rest:
            yield name_of(callback), self._here(callback)

    def _here(self, callback):
        def call(keywords):
            value = callback(**select(accepted(callback), keywords))
            return self._host.loops.result_of(value) if inspect.isawaitable(value) else value

        return call

    def _elsewhere(self, kind, name, at):
        def call(keywords):
            told = {one: value for one, value in keywords.items() if not callable(value)}
            return self._host.ask("plugins.callBack", {"kind": kind, "name": name, "at": at, "payload": told})

        return call

    def find_plugin_skill(self, name):
        found = self._plugin_skills.get(name)
        return found and found["path"]

    def forget(self, key):
        context = self._plugins.pop(key, None)
        if context is None:
            return
        for table, name, value in context.kept:
            if isinstance(table.get(name), list):
                table[name] = [one for one in table[name] if one is not value]
                if not table[name]:
                    del table[name]
            elif table.get(name) is value:
                del table[name]
        self._plugin_tool_names -= context.tools
