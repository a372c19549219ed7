"""Where a message comes from."""
from dataclasses import dataclass
from typing import Any, Optional

from talaria_host import link
from talaria_host.seal import Sealed, seal_module, sealed


@dataclass
class SessionSource:
    platform: Any = "local"
    chat_id: str = ""
    chat_name: Optional[str] = None
    chat_type: str = "dm"
    user_id: Optional[str] = None
    user_name: Optional[str] = None
    thread_id: Optional[str] = None
    chat_topic: Optional[str] = None
    user_id_alt: Optional[str] = None
    chat_id_alt: Optional[str] = None
    is_bot: bool = False
    guild_id: Optional[str] = None
    parent_chat_id: Optional[str] = None
    message_id: Optional[str] = None

    @classmethod
    def of(cls, values):
        made = cls(**{name: values[name] for name in cls.__dataclass_fields__ if name in values})
        for name, value in values.items():
            if name not in cls.__dataclass_fields__:
                setattr(made, name, value)
        return made

    from_dict = of

    def to_dict(self):
        return {name: str(value) if name == "platform" else value for name, value in vars(self).items()}


def build_session_key(source, **_):
    platform = getattr(source.platform, "value", source.platform)
    parts = ["agent:main", str(platform), source.chat_type, source.chat_id]
    if source.thread_id:
        parts.append(str(source.thread_id))
    if source.chat_type != "dm" and source.user_id:
        parts.append(str(source.user_id))
    return ":".join(part for part in parts if part)


@sealed
class SessionStore(metaclass=Sealed):
    """The transcripts of chats, as far as a plugin may touch them."""

    def append_to_transcript(self, session_id, message, skip_db=False):
        link.ask("sessions.append", session=str(session_id), message=message)

    def load_transcript(self, session_id):
        return link.ask("sessions.messages", session=str(session_id)) or []

    def get_or_create_session(self, source, force_new=False):
        from talaria_host.namespace import Namespace

        source = source.to_dict() if hasattr(source, "to_dict") else dict(source)
        return Namespace.of(link.ask("sessions.open", source=source, forceNew=bool(force_new)))


seal_module(__name__)
