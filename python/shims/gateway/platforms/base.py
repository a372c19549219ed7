"""The base of chat adapters, and what they exchange."""
import abc
import asyncio
import datetime
import enum
import uuid
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional

from gateway.session import SessionSource
from talaria_host import link, wire
from talaria_host.seal import Sealed, sealed


class MessageType(enum.Enum):
    TEXT = "text"
    LOCATION = "location"
    PHOTO = "photo"
    VIDEO = "video"
    AUDIO = "audio"
    VOICE = "voice"
    DOCUMENT = "document"
    STICKER = "sticker"
    COMMAND = "command"


class ProcessingOutcome(enum.Enum):
    SUCCESS = "success"
    FAILURE = "failure"
    CANCELLED = "cancelled"


@dataclass
class MessageEvent:
    text: str = ""
    message_type: MessageType = MessageType.TEXT
    source: Any = None
    raw_message: Any = None
    message_id: Optional[str] = None
    media_urls: List[str] = field(default_factory=list)
    media_types: List[str] = field(default_factory=list)
    reply_to_message_id: Optional[str] = None
    reply_to_text: Optional[str] = None
    auto_skill: Any = None
    channel_prompt: Optional[str] = None
    internal: bool = False
    metadata: Dict[str, Any] = field(default_factory=dict)
    timestamp: datetime.datetime = field(default_factory=datetime.datetime.now)

    @classmethod
    def of(cls, values):
        known = {name: values[name] for name in cls.__dataclass_fields__ if name in values}
        if isinstance(known.get("source"), dict):
            known["source"] = SessionSource.of(known["source"])
        try:
            known["message_type"] = MessageType(known.get("message_type", "text"))
        except ValueError:
            known["message_type"] = MessageType.TEXT
        made = cls(**known)
        for name, value in values.items():
            if name not in cls.__dataclass_fields__:
                setattr(made, name, value)
        return made

    def is_command(self):
        return self.text.startswith("/")

    def get_command(self):
        return self.text[1:].split(None, 1)[0].split("@", 1)[0].lower() if len(self.text) > 1 and self.is_command() else None

    def get_command_args(self):
        words = self.text.split(None, 1)
        return words[1] if self.is_command() and len(words) > 1 else "" if self.is_command() else self.text


@dataclass
class SendResult:
    success: bool
    message_id: Optional[str] = None
    error: Optional[str] = None
    raw_response: Any = None
    retryable: bool = False


@sealed
class BasePlatformAdapter(metaclass=Sealed):
    supports_code_blocks = False
    typed_command_prefix = "/"
    enforces_own_access_policy = False
    MAX_MESSAGE_LENGTH = 4096

    def __init__(self, config, platform):
        self.config = config
        self.platform = platform
        self._running = False
        self._message_handler = None
        self._background_tasks = set()
        self._active_sessions = {}
        self._pending_messages = {}
        self._session_tasks = {}
        self._fatal = None

    @property
    def name(self):
        return str(getattr(self.platform, "value", self.platform)).title()

    @property
    def is_connected(self):
        return self._running

    @property
    def has_fatal_error(self):
        return self._fatal is not None

    @property
    def fatal_error_message(self):
        return self._fatal and self._fatal["message"]

    @property
    def fatal_error_code(self):
        return self._fatal and self._fatal["code"]

    def set_fatal_error(self, code, message, *, retryable=False):
        self._running = False
        self._fatal = {"code": code, "message": message, "retryable": retryable}

    _set_fatal_error = set_fatal_error

    def _mark_connected(self):
        self._running = True
        self._fatal = None

    def _mark_disconnected(self):
        self._running = False

    def set_message_handler(self, handler):
        self._message_handler = handler

    @abc.abstractmethod
    async def connect(self):
        """True once messages come in."""

    @abc.abstractmethod
    async def disconnect(self):
        """Ends what connect() began."""

    @abc.abstractmethod
    async def send(self, chat_id, content, reply_to=None, metadata=None):
        """A SendResult."""

    @abc.abstractmethod
    async def get_chat_info(self, chat_id):
        """{"name", "type"}."""

    async def handle_message(self, event):
        """A message has come in."""
        if self._message_handler is not None:
            outcome = self._message_handler(event)
            return await outcome if asyncio.iscoroutine(outcome) else outcome
        return await link.ask_async("gateway.message", platform=str(self.platform), event=wire.plain(event))

    def build_source(self, chat_id, chat_name=None, chat_type="dm", user_id=None, user_name=None, thread_id=None, **more):
        known = {name: value for name, value in more.items() if name in SessionSource.__dataclass_fields__}
        return SessionSource(
            platform=self.platform,
            chat_id=str(chat_id),
            chat_name=chat_name,
            chat_type=chat_type,
            user_id=None if user_id is None else str(user_id),
            user_name=user_name,
            thread_id=None if thread_id is None else str(thread_id),
            **known
        )

    def format_message(self, content):
        return content

    @staticmethod
    def truncate_message(content, max_length=4096, **_):
        pieces = []
        while len(content) > max_length:
            cut = content.rfind("\n", 1, max_length)
            cut = cut if cut > max_length // 2 else max_length
            pieces.append(content[:cut])
            content = content[cut:].lstrip("\n")
        return [*pieces, content]


def _cached(folder, data, extension, name=None):
    place = link.home() / "cache" / folder
    place.mkdir(parents=True, exist_ok=True)
    safe = "".join(one if one.isalnum() or one in "._-" else "_" for one in name or "")
    path = place / (safe and "%s_%s" % (uuid.uuid4().hex[:8], safe) or uuid.uuid4().hex + extension)
    path.write_bytes(data)
    return str(path)


def cache_image_from_bytes(data, ext=".jpg"):
    return _cached("images", data, ext)


async def cache_image_from_url(url, ext=".jpg", **_):
    """A picture of the outside, 25 MB at most."""
    import asyncio

    return await asyncio.get_running_loop().run_in_executor(None, _image_of, url)


def _image_of(url):
    from agent.image_gen_provider import save_url_image
    from tools.url_safety import is_safe_url

    if not is_safe_url(url):
        raise ValueError("%s does not lead outside of this machine and its network" % url)
    return str(save_url_image(url, prefix="received"))


def cache_audio_from_bytes(data, ext=".ogg"):
    return _cached("audio", data, ext)


def cache_video_from_bytes(data, ext=".mp4"):
    return _cached("videos", data, ext)


def cache_document_from_bytes(data, filename):
    return _cached("documents", data, "", filename)


def resolve_channel_prompt(*_, **__):
    return None


def resolve_channel_skills(*_, **__):
    return None
