"""Bringing the code of plugins and handlers into this process."""
import importlib
import importlib.machinery
import importlib.metadata
import importlib.util
import os
import re
import sys
import types

_PARENT = "hermes_plugins"
_MOST_SCANNED = 400_000

_HOST_CLASSES = r"(?:AIAgent|GatewayRunner|SessionStore|PluginManager)"
_IMPOSSIBLE = (
    (
        re.compile(r"(?:sys\._getframe|inspect\.(?:currentframe|stack)|\bcurrentframe\()[\s\S]*\bf_locals\b"),
        "walks the caller's frames (f_locals): the agent is not in this process, so there is nothing to find",
    ),
    (
        re.compile(
            r"^\s*(?:\w+\.)*%s\.\w+\s*=[^=]|setattr\(\s*(?:\w+\.)*%s\s*," % (_HOST_CLASSES, _HOST_CLASSES), re.MULTILINE
        ),
        "patches classes of the agent (AIAgent, GatewayRunner, …): the agent is not in this process",
    ),
    (
        re.compile(
            r"sys\.meta_path\.(?:insert|append)[\s\S]*[\"'](?:run_agent|gateway|agent|hermes_cli|model_tools)\b"
            r"|[\"'](?:run_agent|gateway|agent|hermes_cli|model_tools)\b[\s\S]*sys\.meta_path\.(?:insert|append)"
        ),
        "hooks the import of the agent's own modules: they are not in this process",
    ),
)


class Refused(ImportError):
    """The code needs what cannot be given to it."""


def refuse_impossible(folder_or_file):
    """Raises for code that can only work inside the agent's own process."""
    for path in _sources(folder_or_file):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                text = file.read(_MOST_SCANNED)
        except OSError:
            continue
        if not any(word in text for word in ("f_locals", "meta_path", "AIAgent", "GatewayRunner", "SessionStore")):
            continue
        for pattern, why in _IMPOSSIBLE:
            found = pattern.search(text)
            if found:
                line = text.count("\n", 0, found.start()) + 1
                raise Refused("%s:%d %s. See docs/guide/hermes-plugins.md, \"What cannot work\"." % (path, line, why))


def _sources(path):
    if os.path.isfile(path):
        return [path]
    try:
        return [os.path.join(path, name) for name in sorted(os.listdir(path)) if name.endswith(".py")][:50]
    except OSError:
        return []


class _Fresh(importlib.machinery.SourceFileLoader):
    """Compiles from the source: a compiled file of the same second and size would be taken for the new one."""

    def get_code(self, fullname):
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


class _FreshFinder:
    """Finds the modules of plugins that are being read anew."""

    def __init__(self):
        self.names = set()

    def find_spec(self, fullname, path=None, target=None):
        if not any(fullname.startswith(name + ".") for name in self.names):
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path)
        if spec is not None and type(spec.loader) is importlib.machinery.SourceFileLoader:
            spec.loader = _Fresh(spec.loader.name, spec.loader.path)
        return spec


_fresh = _FreshFinder()


def slug_of(key):
    return key.replace("/", "__").replace("-", "_")


def _parent():
    parent = sys.modules.get(_PARENT)
    if parent is None:
        parent = types.ModuleType(_PARENT)
        parent.__path__ = []
        parent.__package__ = _PARENT
        sys.modules[_PARENT] = parent
    return parent


def forget(name):
    for one in [one for one in sys.modules if one == name or one.startswith(name + ".")]:
        del sys.modules[one]


def load_folder(key, folder, fresh):
    """The package of a plugin's folder, as hermes_plugins.<slug>."""
    init = os.path.join(folder, "__init__.py")
    if not os.path.isfile(init):
        raise FileNotFoundError("%s: a Python plugin needs an __init__.py with register(ctx)" % folder)
    refuse_impossible(folder)
    parent = _parent()
    slug = slug_of(key)
    name = "%s.%s" % (_PARENT, slug)
    forget(name)
    if fresh:
        importlib.invalidate_caches()
        _fresh.names.add(name)
        if _fresh not in sys.meta_path:
            sys.meta_path.insert(0, _fresh)
    loader = _Fresh(name, init) if fresh else importlib.machinery.SourceFileLoader(name, init)
    spec = importlib.util.spec_from_file_location(name, init, loader=loader, submodule_search_locations=[folder])
    module = importlib.util.module_from_spec(spec)
    module.__package__ = name
    module.__path__ = [folder]
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        forget(name)
        raise
    setattr(parent, slug, module)
    return module, name


def load_entry_point(module, attribute, fresh):
    """What an entry point names. Its `register`, or itself when it is callable."""
    if fresh:
        importlib.invalidate_caches()
        forget(module)
    target = importlib.import_module(module)
    for part in filter(None, (attribute or "").split(".")):
        target = getattr(target, part)
    return target, module


def load_file(path, name):
    """A handler: a top-level module outside of any package. The module itself, under a name that its reload replaces."""
    refuse_impossible(path)
    importlib.invalidate_caches()
    sys.modules.pop(name, None)
    spec = importlib.util.spec_from_file_location(name, path, loader=_Fresh(name, path))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module
