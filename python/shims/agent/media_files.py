"""Made pictures and films in the home's cache."""
import base64
import datetime
import urllib.request
import uuid

from talaria_host import link


def save_bytes(folder, data, prefix, extension):
    place = link.home() / "cache" / folder
    place.mkdir(parents=True, exist_ok=True)
    stamp = datetime.datetime.now().strftime("%Y%m%d_%H%M%S")
    path = place / ("%s_%s_%s.%s" % (prefix, stamp, uuid.uuid4().hex[:8], extension.lstrip(".")))
    path.write_bytes(data)
    return path


def save_base64(folder, text, prefix, extension):
    return save_bytes(folder, base64.b64decode(text), prefix, extension)


def save_url(folder, url, prefix, kinds, **limits):
    timeout, most = limits["timeout"], limits["max_bytes"]
    with urllib.request.urlopen(url, timeout=timeout) as answer:
        kind = (answer.headers.get("Content-Type") or "").split(";", 1)[0].strip().lower()
        data = answer.read(most + 1)
    if len(data) > most:
        raise ValueError("the file at %s is larger than %d bytes" % (url, most))
    if not data:
        raise ValueError("the file at %s is empty" % url)
    ending = url.split("?", 1)[0].rsplit(".", 1)[-1].lower()
    extension = kinds.get(kind) or (ending if ending in kinds.values() else next(iter(kinds.values())))
    return save_bytes(folder, data, prefix, extension)
