from dataclasses import dataclass, field, fields
from typing import Any, Dict, Tuple
from urllib.parse import urlparse

OMIT_TEMPERATURE = object()


@dataclass
class ProviderProfile:
    name: str
    api_mode: str = "chat_completions"
    aliases: Tuple[str, ...] = ()
    display_name: str = ""
    description: str = ""
    signup_url: str = ""
    env_vars: Tuple[str, ...] = ()
    base_url: str = ""
    models_url: str = ""
    auth_type: str = "api_key"
    supports_health_check: bool = True
    supports_vision: bool = False
    supports_vision_tool_messages: bool = True
    fallback_models: Tuple[str, ...] = ()
    hostname: str = ""
    default_headers: Dict[str, str] = field(default_factory=dict)
    fixed_temperature: Any = None
    default_max_tokens: Any = None
    default_aux_model: str = ""

    def told(self):
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        if values["fixed_temperature"] is OMIT_TEMPERATURE:
            values["fixed_temperature"] = "omit"
        return values

    def get_hostname(self):
        return self.hostname or urlparse(self.base_url).hostname or ""

    def prepare_messages(self, messages):
        return messages

    def build_extra_body(self, **_):
        return {}

    def build_api_kwargs_extras(self, **_):
        return {}, {}

    def fetch_models(self, **_):
        return None
