"""What the agent's modules use to reach Talaria."""
import os
from pathlib import Path


def host():
    from .serve import host as current

    return current()


def ask(what, **values):
    return host().ask(what, values)


async def ask_async(what, **values):
    return await host().ask_async(what, values)


def home():
    """The home, also where a module is imported outside of Talaria."""
    return Path(
        os.environ.get("TALARIA_HOME") or os.environ.get("HERMES_HOME") or os.path.expanduser("~/.talaria")
    ).expanduser()
