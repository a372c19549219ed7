"""Small things that plugins borrow from the agent."""
import json
import os
import tempfile


def atomic_replace(source, target):
    """Moves a file over another one, through a link to the file it names."""
    target = os.path.realpath(str(target)) if os.path.islink(str(target)) else str(target)
    os.replace(str(source), target)
    return target


def _write(path, text, mode=None):
    path = str(path)
    folder = os.path.dirname(os.path.abspath(path))
    os.makedirs(folder, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=folder, prefix=".", suffix=".tmp")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(temporary, mode)
        elif os.path.exists(path):
            os.chmod(temporary, os.stat(path).st_mode & 0o7777)
        atomic_replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise


def atomic_json_write(path, data, *, indent=2, mode=None, **dump):
    dump.setdefault("ensure_ascii", False)
    _write(path, json.dumps(data, indent=indent, **dump), mode)


def atomic_text_write(path, text, *, mode=None):
    _write(path, text, mode)


def is_truthy_value(value, default=False):
    if value is None:
        return default
    if isinstance(value, str):
        return value.strip().lower() in ("1", "true", "yes", "on")
    return bool(value)


def env_var_enabled(name, default=""):
    return is_truthy_value(os.environ.get(name, default))


def base_url_hostname(url):
    from urllib.parse import urlparse

    return (urlparse(url if "//" in (url or "") else "//" + (url or "")).hostname or "").lower()
