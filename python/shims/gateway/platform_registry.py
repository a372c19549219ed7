"""Chat platforms that Python plugins registered in this process."""
from dataclasses import dataclass, field
from typing import Any, Callable, List, Optional


@dataclass
class PlatformEntry:
    name: str
    label: str
    adapter_factory: Callable
    check_fn: Callable
    validate_config: Optional[Callable] = None
    is_connected: Optional[Callable] = None
    required_env: List[str] = field(default_factory=list)
    install_hint: str = ""
    setup_fn: Optional[Callable] = None
    source: str = "plugin"
    plugin_name: str = ""
    allowed_users_env: str = ""
    allow_all_env: str = ""
    max_message_length: int = 0
    pii_safe: bool = False
    emoji: str = "🌐"
    allow_update_command: bool = True
    platform_hint: str = ""
    env_enablement_fn: Optional[Callable] = None
    apply_yaml_config_fn: Optional[Callable] = None
    cron_deliver_env_var: str = ""
    standalone_sender_fn: Optional[Callable] = None
    extra: Any = None


class PlatformRegistry:
    def __init__(self):
        self._entries = {}

    def register(self, entry):
        self._entries[entry.name] = entry

    def unregister(self, name):
        return self._entries.pop(name, None) is not None

    def get(self, name):
        return self._entries.get(name)

    def all_entries(self):
        return list(self._entries.values())

    plugin_entries = all_entries

    def is_registered(self, name):
        return name in self._entries

    def create_adapter(self, name, config):
        entry = self._entries.get(name)
        return entry.adapter_factory(config) if entry and entry.check_fn() else None


platform_registry = PlatformRegistry()
