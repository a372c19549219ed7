"""Slash commands of the running program."""
from talaria_host import link


class CommandDef:
    def __init__(self, name, description="", category="", aliases=(), args_hint="", **_):
        self.name = name
        self.description = description
        self.category = category
        self.aliases = tuple(aliases)
        self.args_hint = args_hint


def __getattr__(name):
    if name == "COMMAND_REGISTRY":
        return [CommandDef(**one) for one in link.ask("commands.list") or []]
    raise AttributeError(name)


def resolve_command(name):
    wanted = name.lower().lstrip("/")
    for one in __getattr__("COMMAND_REGISTRY"):
        if one.name == wanted or wanted in one.aliases:
            return one
    return None
