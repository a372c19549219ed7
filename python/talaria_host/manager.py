"""The plugins of this process, as code that reaches for the agent's own manager expects them."""
import logging

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
        """Calls the Python callbacks of this name here, one after another, and gives what they returned."""
        from .callbacks import accepted, select

        keywords.setdefault("telemetry_schema_version", "hermes.observer.v1")
        results = []
        for callback in list(self._hooks.get(name, ())):
            try:
                value = callback(**select(accepted(callback), keywords))
            except Exception as error:
                logger.warning("Hook '%s' callback %s raised: %s", name, getattr(callback, "__name__", callback), error)
                continue
            if value is not None:
                results.append(value)
        return results

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
