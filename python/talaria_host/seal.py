"""Classes and modules of the agent that cannot be patched, because the agent itself is elsewhere."""
import abc
import sys
import types

_WHY = "%s cannot be patched: the agent does not run in this process. See docs/guide/hermes-plugins.md, \"What cannot work\"."


class Sealed(abc.ABCMeta):
    """Subclasses are free; the class itself cannot be changed."""

    def __setattr__(cls, name, value):
        if cls.__dict__.get("_sealed") and not name.startswith(("_abc_", "__abstractmethods__")):
            raise TypeError(_WHY % cls.__name__)
        super().__setattr__(name, value)

    def __delattr__(cls, name):
        if cls.__dict__.get("_sealed"):
            raise TypeError(_WHY % cls.__name__)
        super().__delattr__(name)


def sealed(cls):
    """Decorator: no attribute of this class can be set from now on."""
    cls._sealed = True
    return cls


class _SealedModule(types.ModuleType):
    def __setattr__(self, name, value):
        if name in self.__dict__ and not isinstance(value, types.ModuleType) and not name.startswith("__"):
            raise TypeError(_WHY % ("%s.%s" % (self.__name__, name)))
        super().__setattr__(name, value)


def seal_module(name):
    """What a module has now cannot be replaced."""
    sys.modules[name].__class__ = _SealedModule
