"""Configuration and secrets of this home."""
import copy
import os
import re

from talaria_host import link
from utils import atomic_text_write

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def get_hermes_home():
    return link.home()


def get_config_path():
    return link.home() / "config.yaml"


def get_env_path():
    return link.home() / ".env"


def read_raw_config():
    """What config.yaml says, without defaults."""
    return link.ask("config.read", raw=True) or {}


def load_config():
    """The configuration as it is in force; a copy."""
    return link.ask("config.read", raw=False) or {}


load_config_readonly = load_config


def save_config(config, **_):
    """Writes what differs into config.yaml; comments and everything else stay."""
    link.ask("config.write", config=copy.deepcopy(config))


def cfg_get(config, *keys, default=None):
    value = config
    for key in keys:
        if not isinstance(value, dict) or key not in value:
            return default
        value = value[key]
    return default if value is None else value


def load_env():
    """The variables of the home's .env."""
    try:
        text = get_env_path().read_text(encoding="utf-8-sig", errors="replace")
    except OSError:
        return {}
    values = {}
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("export "):
            line = line[7:].lstrip()
        name, separator, value = line.partition("=")
        if not separator or line.startswith("#") or not _NAME.fullmatch(name.strip()):
            continue
        value = value.strip()
        if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
            value = value[1:-1]
        values[name.strip()] = value
    return values


def get_env_value(key, default=None):
    if key in os.environ:
        return os.environ[key]
    return load_env().get(key, default)


get_env_var = get_env_value


def save_env_value(key, value):
    """Sets a variable in the home's .env, readable by its owner only, and in this process."""
    if not _NAME.fullmatch(key):
        raise ValueError("%r is no name of an environment variable" % key)
    value = str(value).replace("\r", "").replace("\n", "")
    path = get_env_path()
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else []
    pattern = re.compile(r"\s*(?:export\s+)?%s\s*=" % re.escape(key))
    kept = [line for line in lines if not pattern.match(line)]
    text = value if re.fullmatch(r"[^\s#'\"\\]*", value) else '"%s"' % value.replace("\\", "\\\\").replace('"', '\\"')
    atomic_text_write(path, "\n".join([*kept, "%s=%s" % (key, text)]) + "\n", mode=0o600)
    os.environ[key] = value


set_env_var = save_env_value


def remove_env_value(key):
    path = get_env_path()
    os.environ.pop(key, None)
    if not path.exists():
        return False
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    kept = [line for line in lines if not re.match(r"\s*(?:export\s+)?%s\s*=" % re.escape(key), line)]
    if len(kept) == len(lines):
        return False
    atomic_text_write(path, "\n".join(kept) + ("\n" if kept else ""), mode=0o600)
    return True


def ensure_hermes_home():
    link.home().mkdir(parents=True, exist_ok=True)


def is_managed():
    return False
