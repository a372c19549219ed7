"""Places."""
import os
from pathlib import Path

from talaria_host import link


def get_hermes_home():
    return link.home()


def display_hermes_home():
    home, user = str(link.home()), os.path.expanduser("~")
    return "~" + home[len(user) :] if home == user or home.startswith(user + os.sep) else home


def get_hermes_dir(name, *_):
    return link.home() / name


def get_subprocess_home():
    return None


def get_skills_dir():
    return link.home() / "skills"


def get_default_hermes_root():
    return Path(link.home())
