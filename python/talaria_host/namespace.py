"""JSON objects with attributes, as callbacks of the agent know answers of models and events of platforms."""
import copy


class Namespace:
    """`a.b`, `a["b"]`, `a.get("b")`, `dict(a)`. A name that is not there is an AttributeError, as on any object."""

    def __init__(self, **values):
        self.__dict__.update(values)

    @classmethod
    def of(cls, value):
        if isinstance(value, dict):
            return cls(**{str(name): cls.of(inner) for name, inner in value.items()})
        if isinstance(value, list):
            return [cls.of(inner) for inner in value]
        return value

    def __getitem__(self, name):
        return self.__dict__[name]

    def __setitem__(self, name, value):
        self.__dict__[name] = value

    def __contains__(self, name):
        return name in self.__dict__

    def __iter__(self):
        return iter(self.__dict__)

    def keys(self):
        return self.__dict__.keys()

    def get(self, name, default=None):
        return self.__dict__.get(name, default)

    def model_dump(self, **_):
        return _dumped(self.__dict__)

    dict = to_dict = model_dump

    def model_copy(self, update=None, **_):
        made = copy.deepcopy(self)
        made.__dict__.update(update or {})
        return made

    def __eq__(self, other):
        return isinstance(other, Namespace) and self.__dict__ == other.__dict__

    __hash__ = None

    def __repr__(self):
        return "%s(%s)" % (type(self).__name__, ", ".join("%s=%r" % pair for pair in self.__dict__.items()))


def _dumped(value):
    if isinstance(value, Namespace):
        return _dumped(value.__dict__)
    if isinstance(value, dict):
        return {name: _dumped(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_dumped(inner) for inner in value]
    return value
