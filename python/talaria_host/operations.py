"""What Talaria asks of the host beside calling callbacks."""
import os
import sys
import threading
import time

from . import imports, parts
from .callbacks import refuse_generator
from .context import PluginContext
from .manager import PluginManager

_registering = threading.local()
_FIRST_HANDLER = 90_000 * 100_000


def current_context(what):
    """The context of the plugin whose register() runs in this thread."""
    context = getattr(_registering, "context", None)
    if context is None:
        raise RuntimeError("%s works only while a plugin is being registered" % what)
    return context


class Operations:
    def __init__(self, host):
        self._host = host
        self.manager = PluginManager(host)
        self._modules = {}
        self._handlers = 0

    def start(self, **settings):
        self._host.settings = settings
        home = settings.get("home") or ""
        for name in ("TALARIA_HOME", "HERMES_HOME"):
            os.environ[name] = home

    def load(self, key, number, manifest, fresh=False, folder=None, module=None, attribute=None):
        """Imports a plugin and runs its register(ctx). Tells whether threads or tasks of its own live on."""
        self.unload(key)
        before = self._host.guests()
        if folder:
            loaded, name = imports.load_folder(key, folder, fresh)
            self._modules[key] = name
        else:
            loaded, name = imports.load_entry_point(module, attribute, fresh)
        context = PluginContext(self._host, self.manager, {"key": key, "number": number, "manifest": manifest})
        self.manager._plugins[key] = context
        _registering.context = context
        try:
            _register(loaded, context, manifest.get("kind"))
        except BaseException:
            self.unload(key)
            raise
        finally:
            _registering.context = None
        return {"lives": self._host.guests() > before}

    def unload(self, key):
        context = self.manager._plugins.get(key)
        for number in [number for number in self._host.objects if context is not None and context.owns(number)]:
            del self._host.objects[number]
        self.manager.forget(key)
        self._host.callbacks.forget(key)
        name = self._modules.pop(key, None)
        if name:
            imports.forget(name)

    def handler(self, path, name):
        """Loads a handler.py; the number of its `handle`."""
        module_name = "hermes_hook_%s" % name
        module = imports.load_file(path, module_name)
        handle = getattr(module, "handle", None)
        if handle is None:
            raise AttributeError("%s has no function `handle`" % path)
        if not callable(handle):
            raise TypeError("`handle` of %s is not callable" % path)
        refuse_generator(handle, "the handler")
        self._handlers += 1
        number = _FIRST_HANDLER + self._handlers
        self._host.callbacks.add(number, handle, "hook:%d" % number).name = "%s.handle" % module_name
        return number

    def forget_handler(self, number):
        self._host.callbacks.forget("hook:%d" % number)

    def settle(self, seconds):
        """Waits for what callbacks began: threads and tasks that ask Talaria for something, and those that end soon."""
        idle = 0.0
        until = time.monotonic() + seconds
        while time.monotonic() < until and idle < 3.0:
            if not self._host.guests():
                return
            time.sleep(0.02)
            idle = 0.0 if self._host.is_asking() else idle + 0.02

    def object(self, object, method, a=(), k=None):
        """Calls a method of a provider's adapter."""
        target = self._host.objects.get(object)
        if target is None:
            raise LookupError("the plugin that registered this was unloaded")
        return getattr(target, method)(*a, **(k or {}))


def _register(loaded, context, kind):
    register = getattr(loaded, "register", None)
    if register is None and callable(loaded) and not isinstance(loaded, type(sys)):
        register = loaded
    if callable(register):
        refuse_generator(register, "register")
        outcome = register(context)
        if hasattr(type(outcome), "__await__"):
            context._host.loops.start(outcome).result()
        return
    if kind == "model-provider":
        return
    if kind == "exclusive" and _first_provider(loaded, context):
        return
    raise AttributeError("no register() function")


def _first_provider(module, context):
    """A memory plugin without register(): its first MemoryProvider that can be made without arguments."""
    base = parts.of("MemoryProvider")
    for name in sorted(dir(module)):
        one = getattr(module, name)
        if isinstance(one, type) and issubclass(one, base) and one is not base:
            try:
                made = one()
            except Exception:
                continue
            context.register_memory_provider(made)
            return True
    return False


def install(host):
    operations = Operations(host)
    host.manager = operations.manager
    for name in ("start", "load", "unload", "handler", "forget_handler", "settle", "object"):
        host.operations[name] = getattr(operations, name)
