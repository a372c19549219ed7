"""Log-in providers of a dashboard. They can be written and registered; Talaria has no dashboard that asks them."""
import abc
from dataclasses import dataclass, field
from typing import Any, Dict, Optional


class ProviderError(Exception):
    pass


class InvalidCodeError(ProviderError):
    pass


class InvalidCredentialsError(ProviderError):
    pass


class RefreshExpiredError(ProviderError):
    pass


@dataclass
class LoginStart:
    redirect_url: str = ""
    cookie_payload: Dict[str, str] = field(default_factory=dict)


@dataclass
class Session:
    user_id: str = ""
    email: str = ""
    display_name: str = ""
    org_id: str = ""
    provider: str = ""
    expires_at: int = 0
    access_token: str = ""
    refresh_token: str = ""
    extra: Optional[Dict[str, Any]] = None


class DashboardAuthProvider(abc.ABC):
    name = ""
    display_name = ""

    def supports_password(self):
        return False
