"""Whether an address leads outside, not into this machine or its network."""
import ipaddress
import socket
from urllib.parse import urlparse


def is_safe_url(url):
    try:
        parts = urlparse(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            return False
        found = socket.getaddrinfo(parts.hostname, parts.port or 443, proto=socket.IPPROTO_TCP)
    except (ValueError, OSError):
        return False
    return bool(found) and all(ipaddress.ip_address(one[4][0].split("%")[0]).is_global for one in found)
