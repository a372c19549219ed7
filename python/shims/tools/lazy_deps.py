"""Packages that a plugin needs later."""
import importlib.util
import sys


class FeatureUnavailable(ImportError):
    pass


def is_available(name):
    try:
        return importlib.util.find_spec(name.split(".")[0]) is not None
    except (ImportError, ValueError):
        return False


def ensure(*features, prompt=False, **_):
    """Nothing is installed behind anybody's back: what is missing is named."""
    missing = [one for one in features if "." not in one and not is_available(one.replace("-", "_"))]
    if missing:
        raise FeatureUnavailable(
            "not installed: %s. Install it: %s -m pip install %s" % (", ".join(missing), sys.executable, " ".join(missing))
        )
