"""Adapters of chat platforms that live in this process, behind numbers."""
import inspect

from . import parts, wire

_CALLBACKS = ("adapter_factory", "check_fn", "validate_config", "is_connected", "setup_fn")
_numbers = iter(range(80_000 * 100_000, 90_000 * 100_000))


def register(context, entry):
    values = {}
    callbacks = {}
    for name, value in vars(entry).items():
        if name in _CALLBACKS or callable(value):
            if value is not None:
                function = _factory(context._host, value) if name == "adapter_factory" else value
                callbacks[name] = context._callback(function, "%s of platform %s" % (name, entry.name))
        else:
            values[name] = wire.plain(value)
    context._register("platform", name=entry.name, entry=values, callbacks=callbacks)


def _factory(host, factory):
    def make(config):
        adapter = factory(parts.of("PlatformConfig").of(config))
        number = next(_numbers)
        host.objects[number] = adapter
        methods = [name for name, one in inspect.getmembers(adapter, callable) if not name.startswith("_")]
        return {"object": number, "methods": methods}

    return make
