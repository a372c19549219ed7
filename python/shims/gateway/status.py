"""Locks and life signs."""
import json
import os
import time

from talaria_host import link


def _path(scope, identity):
    import hashlib

    folder = link.home() / "locks"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / ("%s-%s.json" % (scope, hashlib.sha256(str(identity).encode()).hexdigest()[:16]))


def acquire_scoped_lock(scope, identity, metadata=None):
    """(True, None), or (False, who holds it)."""
    path = _path(scope, identity)
    for _ in range(2):
        try:
            descriptor = os.open(str(path), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        except FileExistsError:
            try:
                held = json.loads(path.read_text())
                os.kill(held["pid"], 0)
                if held["pid"] != os.getpid():
                    return False, held
            except PermissionError:
                return False, held
            except (ValueError, KeyError, OSError):
                pass  # its owner is gone
            path.unlink()
            continue
        with os.fdopen(descriptor, "w") as file:
            json.dump({"pid": os.getpid(), "since": time.time(), "metadata": metadata or {}}, file)
        return True, None
    return False, {}


def release_scoped_lock(scope, identity):
    path = _path(scope, identity)
    if path.exists():
        path.unlink()


def is_gateway_running():
    return bool(link.ask("gateway.running"))


def write_runtime_status(**_):
    return None
