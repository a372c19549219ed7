"""The `ctx` of a plugin's register(ctx)."""
import logging
import os
import re

from .callbacks import name_of, refuse_generator
from . import adapters, parts

logger = logging.getLogger("talaria.plugins")

_PLUGIN_NUMBERS = 100_000
_SKILL_NAME = re.compile(r"[a-zA-Z0-9_-]+")


class PluginManifest:
    def __init__(self, values):
        self.name = values.get("name", "")
        self.version = values.get("version", "")
        self.description = values.get("description", "")
        self.author = values.get("author", "")
        self.kind = values.get("kind", "standalone")
        self.key = values.get("key", self.name)
        self.source = values.get("source", "")
        self.path = values.get("path")
        self.requires_env = values.get("requires_env", [])
        self.provides_tools = values.get("provides_tools", [])
        self.provides_hooks = values.get("provides_hooks", [])

    def __repr__(self):
        return "PluginManifest(%r)" % self.key


class PluginContext:
    """Each method tells Talaria, which checks it as it checks any plugin; what it refuses is raised here."""

    def __init__(self, host, manager, plugin):
        self.manifest = PluginManifest(plugin["manifest"])
        self._key = plugin["key"]
        self._host = host
        self._manager = manager
        self._base = plugin["number"] * _PLUGIN_NUMBERS
        self._count = 0
        self._llm = None
        self.kept = []
        self.tools = set()

    # How a registration goes

    def _callback(self, function, what, name=None):
        if not callable(function):
            raise TypeError("%s of %s is not callable: %r" % (what, self._key, function))
        refuse_generator(function, what)
        return self._add(function, name)

    def _add(self, function, name=None):
        self._count += 1
        number = self._base + self._count
        callback = self._host.callbacks.add(number, function, self._key)
        if name:
            callback.name = name
        return number

    def owns(self, number):
        return self._base < number <= self._base + _PLUGIN_NUMBERS

    def _register(self, kind, **values):
        values.update(kind=kind, plugin=self._key)
        self._host.ask("register", values)

    def _keep(self, table, name, value):
        if table is self._manager._hooks or table is self._manager._middleware:
            table.setdefault(name, []).append(value)
        else:
            table[name] = value
        self.kept.append((table, name, value))

    def _adapted(self, kind, provider, methods):
        self._count += 1
        number = self._base + self._count
        self._host.objects[number] = adapters.make(kind, provider, self._host)
        facts = {
            "name": str(getattr(provider, "name", "") or ""),
            "label": adapters.attempt(lambda: str(provider.display_name), None),
            "methods": [one for one in methods if self._host.objects[number].offers(one)],
        }
        if kind in ("memory", "contextEngine"):
            facts["schemas"] = self._host.objects[number].schemas()
        self._register(kind, object=number, **facts)
        return number

    # Tools, hooks, middleware

    def register_tool(
        self,
        name,
        toolset,
        schema,
        handler,
        check_fn=None,
        requires_env=None,
        is_async=False,
        description="",
        emoji="",
        override=False,
    ):
        number = self._callback(handler, "the handler of tool %s" % name)
        check = None if check_fn is None else self._callback(check_fn, "the check of tool %s" % name)
        self._register(
            "tool",
            name=name,
            toolset=toolset,
            schema=schema,
            callback=number,
            check=check,
            requires_env=list(requires_env or []),
            description=description or "",
            emoji=emoji or "",
            override=bool(override),
        )
        self._manager._plugin_tool_names.add(name)
        self.tools.add(name)

    def register_hook(self, hook_name, callback):
        number = self._callback(callback, "the callback of hook %s" % hook_name)
        self._register("hook", name=hook_name, callback=number, callback_name=name_of(callback))
        self._keep(self._manager._hooks, hook_name, callback)

    def register_middleware(self, kind, callback):
        number = self._callback(callback, "the callback of middleware %s" % kind)
        self._register("middleware", name=kind, callback=number, callback_name=name_of(callback))
        self._keep(self._manager._middleware, kind, callback)

    # Commands

    def register_command(self, name, handler, description="", args_hint=""):
        number = self._callback(handler, "the handler of command %s" % name)
        self._register(
            "command", name=name, callback=number, description=description or "", args_hint=args_hint or ""
        )
        self._keep(self._manager._plugin_commands, str(name).strip().lower().lstrip("/").replace(" ", "-"), {
            "handler": handler, "description": description or "Plugin command", "args_hint": args_hint,
            "plugin": self.manifest.name,
        })  # fmt: skip

    def register_cli_command(self, name, help, setup_fn, handler_fn=None, description=""):
        number = self._add((setup_fn, handler_fn), name_of(handler_fn or setup_fn))
        self._register("cliCommand", name=name, help=help or "", description=description or "", callback=number)
        self._keep(self._manager._cli_commands, name, {"name": name, "help": help, "plugin": self.manifest.name})

    def register_skill(self, name, path, description=""):
        if ":" in name or not _SKILL_NAME.fullmatch(name):
            raise ValueError("invalid skill name %r: letters, digits, _ and - without a namespace" % name)
        if not os.path.exists(path):
            raise FileNotFoundError("SKILL.md not found at %s" % path)
        self._register("skill", name=name, path=os.path.abspath(str(path)), description=description or "")
        self._keep(self._manager._plugin_skills, "%s:%s" % (self.manifest.name, name), {"path": path})

    # Providers

    def register_web_search_provider(self, provider):
        self._provider("web", provider, "WebSearchProvider")

    def register_image_gen_provider(self, provider):
        self._provider("image", provider, "ImageGenProvider")

    def register_video_gen_provider(self, provider):
        self._provider("video", provider, "VideoGenProvider")

    def register_tts_provider(self, provider):
        self._provider("tts", provider, "TTSProvider")

    def register_transcription_provider(self, provider):
        self._provider("transcription", provider, "TranscriptionProvider")

    def register_browser_provider(self, provider):
        self._provider("browser", provider, "BrowserProvider")

    def register_memory_provider(self, provider):
        self._provider("memory", provider, "MemoryProvider")

    def register_context_engine(self, engine):
        if self._provider("contextEngine", engine, "ContextEngine"):
            self._manager._context_engine = engine

    def _provider(self, kind, provider, name):
        base = parts.of(name)
        if not isinstance(provider, base):
            logger.warning(
                "plugin %s: register_%s ignored %s, which is no %s", self._key, kind, type(provider).__name__, name
            )
            return False
        self._adapted(kind, provider, adapters.METHODS[kind])
        return True

    def register_dashboard_auth_provider(self, provider):
        logger.warning("plugin %s: Talaria has no dashboard log-in yet; the provider is not used", self._key)

    # Platforms

    def register_platform(
        self,
        name,
        label,
        adapter_factory,
        check_fn,
        validate_config=None,
        required_env=None,
        install_hint="",
        **entry_kwargs
    ):
        entry = parts.of("PlatformEntry")(
            name=name,
            label=label,
            adapter_factory=adapter_factory,
            check_fn=check_fn,
            validate_config=validate_config,
            required_env=list(required_env or []),
            install_hint=install_hint,
            source="plugin",
            **dict({"plugin_name": self.manifest.name}, **entry_kwargs)
        )
        from . import platforms

        platforms.register(self, entry)
        parts.of("platform_registry").register(entry)

    def register_slack_action_handler(self, action_id, callback):
        if not callable(callback):
            raise ValueError("the Slack action handler of %s is not callable" % self._key)
        if action_id is None or (isinstance(action_id, str) and not action_id.strip()):
            raise ValueError("action_id is empty")
        pattern = getattr(action_id, "pattern", None)
        self._register(
            "slackAction",
            action={"pattern": pattern} if pattern is not None else action_id,
            callback=self._callback(callback, "the Slack action handler"),
        )

    def register_auxiliary_task(self, key, *, display_name, description, defaults=None):
        if not isinstance(key, str) or not key:
            raise ValueError("the key of an auxiliary task is a text that is not empty")
        self._register(
            "auxiliaryTask", key=key, display_name=display_name, description=description, defaults=dict(defaults or {})
        )
        self._keep(self._manager._aux_tasks, key, {"key": key, "display_name": display_name})

    # What a plugin may ask of the program

    def inject_message(self, content, role="user"):
        return bool(self._host.ask("inject", {"plugin": self._key, "content": str(content), "role": role}))

    def dispatch_tool(self, tool_name, args, **kwargs):
        return self._host.ask("dispatchTool", {"plugin": self._key, "name": tool_name, "args": args or {}})

    @property
    def llm(self):
        if self._llm is None:
            self._llm = parts.of("PluginLlm")(self._key)
        return self._llm


