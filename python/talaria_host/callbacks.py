"""What plugins registered to be called, by number."""
import functools
import inspect
import types


class Callback:
    __slots__ = ("function", "plugin", "name", "accepts", "positional")

    def __init__(self, function, plugin):
        self.function = function
        self.plugin = plugin
        self.name = name_of(function)
        self.accepts = accepted(function)
        self.positional = None


def name_of(function):
    inner = function
    while isinstance(inner, functools.partial):
        inner = inner.func
    return getattr(inner, "__qualname__", None) or getattr(inner, "__name__", None) or type(inner).__name__


def accepted(function):
    """Names of the keyword arguments that a signature takes; None: all of them."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (ValueError, TypeError):
        return None
    if any(one.kind is one.VAR_KEYWORD for one in parameters):
        return None
    return frozenset(one.name for one in parameters if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY))


def refuse_generator(function, what):
    """A generator function would never run: calling it gives a generator and nothing else."""
    inner = function
    while isinstance(inner, functools.partial):
        inner = inner.func
    if not inspect.isroutine(inner) and callable(inner):
        inner = getattr(inner, "__call__", inner)
    if inspect.isgeneratorfunction(inner) or inspect.isasyncgenfunction(inner):
        raise TypeError(
            "%s %s is a generator: it contains `yield` and would never run. Return the value, or use `async def` with `await`."
            % (what, name_of(function))
        )


def refuse_generator_value(value, name):
    if isinstance(value, (types.GeneratorType, types.AsyncGeneratorType)):
        raise TypeError("%s returned a generator; return the value itself" % name)


class Callbacks:
    """Numbers are given per plugin and in order, so that a plugin loaded again in a new process has the same ones."""

    def __init__(self):
        self._by_number = {}

    def add(self, number, function, plugin):
        callback = Callback(function, plugin)
        self._by_number[number] = callback
        return callback

    def __getitem__(self, number):
        found = self._by_number.get(number)
        if found is None:
            raise LookupError("the plugin that registered this was unloaded")
        return found

    def forget(self, plugin):
        for number in [number for number, one in self._by_number.items() if one.plugin == plugin]:
            del self._by_number[number]


def select(accepts, keywords):
    return keywords if accepts is None else {name: keywords[name] for name in accepts if name in keywords}
