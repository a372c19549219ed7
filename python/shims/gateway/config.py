"""Settings of chat platforms."""
from dataclasses import dataclass, field
from typing import Any, Dict, Optional

_KNOWN = (
    "local telegram discord whatsapp slack signal mattermost matrix homeassistant email sms dingtalk api_server webhook "
    "feishu wecom weixin bluebubbles qqbot yuanbao irc teams line"
).split()


class _Platforms(type):
    def __iter__(cls):
        return iter(cls._members.values())

    def __call__(cls, value):
        if isinstance(value, cls):
            return value
        name = str(value).strip().lower()
        if not name:
            raise ValueError("a platform has a name")
        member = cls._members.get(name)
        if member is None:
            member = super().__call__(name)
            cls._members[name] = member
        return member

    def __getitem__(cls, name):
        return cls._members[name.lower()]


class Platform(metaclass=_Platforms):
    """A platform by name; those of plugins are made when they are first named."""

    _members: Dict[str, "Platform"] = {}

    def __init__(self, value):
        self.value = value
        self.name = value.upper()

    def __eq__(self, other):
        return self.value == (other.value if isinstance(other, Platform) else other)

    def __hash__(self):
        return hash(self.value)

    def __str__(self):
        return self.value

    def __repr__(self):
        return "<Platform.%s>" % self.name


for _name in _KNOWN:
    setattr(Platform, _name.upper(), Platform(_name))


@dataclass
class HomeChannel:
    platform: Any = None
    chat_id: str = ""
    name: str = ""
    thread_id: Optional[str] = None


@dataclass
class PlatformConfig:
    enabled: bool = False
    token: Optional[str] = None
    api_key: Optional[str] = None
    home_channel: Optional[HomeChannel] = None
    reply_to_mode: str = "first"
    extra: Dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, values):
        known = {name: values[name] for name in cls.__dataclass_fields__ if name in (values or {})}
        rest = {name: value for name, value in (values or {}).items() if name not in cls.__dataclass_fields__}
        known["extra"] = {**rest, **(known.get("extra") or {})}
        return cls(**known)

    from_dict = of


@dataclass
class GatewayConfig:
    platforms: Dict[Any, PlatformConfig] = field(default_factory=dict)

    def get_connected_platforms(self):
        return [one for one, config in self.platforms.items() if config.enabled]


def load_gateway_config():
    from hermes_cli.config import load_config

    config = load_config()
    found = dict(config.get("platforms") or {})
    for name, values in ((config.get("gateway") or {}).get("platforms") or {}).items():
        found.setdefault(name, values)
    return GatewayConfig({Platform(one): PlatformConfig.of(values or {}) for one, values in found.items()})
