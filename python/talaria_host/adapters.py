"""Providers of the agent's kinds, spoken to in the words of Talaria's. See docs/reference/python-host.md, "Providers"."""
import base64
import inspect
import mimetypes
import os
import re
import tempfile

from .callbacks import accepted, select

METHODS = {
    "web": ("search", "extract"),
    "image": ("generate",),
    "video": ("generate",),
    "tts": ("synthesize",),
    "transcription": ("transcribe",),
    "browser": ("cdp",),
    "memory": (
        "system_prompt_block", "prefetch", "queue_prefetch", "sync_turn", "handle_tool_call", "on_turn_start",
        "on_session_switch", "on_delegation", "on_session_end", "shutdown", "sync_messages",
    ),
    "contextEngine": (
        "update_model", "update_from_response", "on_session_start", "on_session_end", "on_session_reset",
        "has_content_to_compress", "handle_tool_call",
    ),
}  # fmt: skip


def attempt(function, otherwise):
    try:
        return function()
    except Exception:
        return otherwise


def later(value, turn):
    if inspect.isawaitable(value):

        async def awaited():
            return turn(await value)

        return awaited()
    return turn(value)


def filtered(function, *args, **keywords):
    return function(*args, **select(accepted(function), keywords))


def is_own(function, base):
    """Whether it says something of its own: what it inherits from the `base` module does nothing, and is not worth a call."""
    return callable(function) and getattr(function, "__module__", None) != base


def snake(name):
    return re.sub("[A-Z]", lambda letter: "_" + letter.group().lower(), name)


class Adapter:
    def __init__(self, provider, host):
        self.provider = provider
        self.host = host

    def offers(self, method):
        return callable(getattr(self.provider, method, None))

    def available(self):
        check = getattr(self.provider, "is_available", None)
        return True if check is None else later(check(), bool)


def _checked(answer):
    """The envelope of most providers: `success` false carries the reason."""
    if isinstance(answer, dict) and answer.get("success") is False:
        raise RuntimeError(str(answer.get("error") or "the provider failed without a reason"))
    return answer


class Web(Adapter):
    def offers(self, method):
        supports = getattr(self.provider, "supports_%s" % method, None)
        return bool(attempt(supports, False)) if callable(supports) else super().offers(method)

    def search(self, query, limit):
        def turn(answer):
            found = _checked(answer)
            if isinstance(found, dict):
                found = found.get("data", found)
                found = found.get("web", []) if isinstance(found, dict) else found
            return [
                {
                    "title": str(one.get("title") or ""),
                    "url": str(one.get("url") or ""),
                    "description": str(one.get("description") or one.get("content") or ""),
                }
                for one in found or []
            ]

        return later(filtered(self.provider.search, query, limit=limit), turn)

    def extract(self, urls):
        def turn(answer):
            found = _checked(answer)
            if isinstance(found, dict):
                found = found.get("data", found.get("results", []))
            return [_page(one) for one in found or []]

        return later(filtered(self.provider.extract, urls, format="markdown"), turn)


def _page(one):
    page = {
        "url": str(one.get("url") or ""),
        "title": str(one.get("title") or ""),
        "content": str(one.get("content") or one.get("raw_content") or ""),
    }
    if one.get("error"):
        page["error"] = str(one["error"])
    return page


class Picture(Adapter):
    key = "image"

    def generate(self, prompt, **options):
        images = options.pop("images", None) or []
        if images:
            options["image_url"] = images[0]
            options["reference_image_urls"] = images[1:] or None
        return later(filtered(self.provider.generate, prompt, **options), self._place)

    def _place(self, answer):
        made = _checked(answer)
        place = made.get(self.key) if isinstance(made, dict) else made
        if not isinstance(place, (str, os.PathLike)) or not str(place):
            raise RuntimeError("the provider gave no %s" % self.key)
        place = str(place)
        return {"url": place} if place.split(":", 1)[0] in ("http", "https", "data") else {"path": os.path.abspath(place)}


class Video(Picture):
    key = "video"


class Speech(Adapter):
    def synthesize(self, text, **options):
        folder = tempfile.mkdtemp(prefix="talaria-tts-")
        wanted = os.path.join(folder, "speech.mp3")

        def turn(answer):
            path = str(answer or wanted)
            with open(path, "rb") as file:
                data = file.read()
            kind = mimetypes.guess_type(path)[0] or "audio/mpeg"
            for one in {path, wanted}:
                if os.path.dirname(one) == folder and os.path.exists(one):
                    os.unlink(one)
            os.rmdir(folder)
            return {"base64": base64.b64encode(data).decode("ascii"), "mediaType": kind}

        return later(filtered(self.provider.synthesize, text, wanted, format="mp3", **options), turn)


class Transcription(Adapter):
    def transcribe(self, file, **options):
        def turn(answer):
            made = _checked(answer)
            if isinstance(made, str):
                return {"text": made}
            text = {"text": str(made.get("transcript", made.get("text")) or "")}
            if made.get("language"):
                text["language"] = str(made["language"])
            return text

        return later(filtered(self.provider.transcribe, file, **options), turn)


class Browser(Adapter):
    def offers(self, method):
        return True

    def cdp(self, session_id):
        def turn(made):
            return {"url": str(made["cdp_url"]), "session": str(made.get("bb_session_id") or "")}

        return later(self.provider.create_session(session_id), turn)

    def close(self, session):
        return self.provider.close_session(session)


class Memory(Adapter):
    def offers(self, method):
        if method == "sync_messages":
            names = attempt(lambda: accepted(self.provider.sync_turn), frozenset())
            return self.offers("sync_turn") and (names is None or "messages" in names)
        function = getattr(self.provider, method, None)
        return callable(function) if method == "handle_tool_call" else is_own(function, "agent.memory_provider")

    def schemas(self):
        return list(attempt(self.provider.get_tool_schemas, None) or [])

    def initialize(self, session_id, options):
        options = {snake(name): value for name, value in options.items()}
        options.setdefault("hermes_home", self.host.settings.get("home"))
        return later(filtered(self.provider.initialize, session_id, **options), lambda _: self.schemas())

    def system_prompt_block(self):
        return later(self.provider.system_prompt_block(), lambda text: str(text or ""))

    def prefetch(self, query, session_id):
        return later(filtered(self.provider.prefetch, query, session_id=session_id), lambda text: str(text or ""))

    def queue_prefetch(self, query, session_id):
        return filtered(self.provider.queue_prefetch, query, session_id=session_id)

    def on_turn_start(self, turn_number, message, session_id):
        return filtered(self.provider.on_turn_start, turn_number, message, session_id=session_id)

    def on_session_switch(self, session_id, **facts):
        return filtered(self.provider.on_session_switch, session_id, **facts)

    def on_delegation(self, task, result, child_session_id):
        return filtered(self.provider.on_delegation, task, result, child_session_id=child_session_id)

    def sync_turn(self, user, assistant, session_id, messages=None):
        known = {} if messages is None else {"messages": messages}
        return filtered(self.provider.sync_turn, user, assistant, session_id=session_id, **known)

    def handle_tool_call(self, name, args):
        from .modes import tool_text

        return later(self.provider.handle_tool_call(name, args), tool_text)

    def on_session_end(self, messages):
        return self.provider.on_session_end(messages)

    def shutdown(self):
        return self.provider.shutdown()


class Context(Adapter):
    def offers(self, method):
        function = getattr(self.provider, method, None)
        return callable(function) if method == "update_model" else is_own(function, "agent.context_engine")

    def available(self):
        return True

    def schemas(self):
        return list(attempt(self.provider.get_tool_schemas, None) or [])

    def handle_tool_call(self, name, args):
        from .modes import tool_text

        return later(self.provider.handle_tool_call(name, args), tool_text)

    def has_content_to_compress(self, messages):
        return later(self.provider.has_content_to_compress(messages), bool)

    def update_model(self, model, context_length, **facts):
        return filtered(self.provider.update_model, model, context_length, api_key="", **facts)

    def on_session_reset(self):
        return self.provider.on_session_reset()

    def update_from_response(self, usage):
        return self.provider.update_from_response(usage)

    def should_compress(self, prompt_tokens, context_length):
        self.provider.context_length = context_length
        if not getattr(self.provider, "threshold_tokens", 0):
            share = getattr(self.provider, "threshold_percent", 0.75)
            attempt(lambda: setattr(self.provider, "threshold_tokens", int(context_length * share)), None)
        return later(self.provider.should_compress(prompt_tokens), bool)

    def compress(self, messages, current_tokens, focus_topic):
        return filtered(self.provider.compress, messages, current_tokens=current_tokens, focus_topic=focus_topic)

    def on_session_start(self, session_id):
        return filtered(self.provider.on_session_start, session_id)

    def on_session_end(self, session_id):
        return filtered(self.provider.on_session_end, session_id, [])


_KINDS = {
    "web": Web,
    "image": Picture,
    "video": Video,
    "tts": Speech,
    "transcription": Transcription,
    "browser": Browser,
    "memory": Memory,
    "contextEngine": Context,
}


def make(kind, provider, host):
    return _KINDS[kind](provider, host)
