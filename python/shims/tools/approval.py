"""Whether a command may run, as the program's own permission check says."""
from talaria_host import link


def is_approval_bypass_active(*_):
    return bool(link.ask("approval.bypass"))


def check_dangerous_command(command, env_type="local", approval_callback=None):
    """{"approved": bool, "message": str | None, …}; a person may be asked."""
    return link.ask("approval.check", command=str(command), envType=env_type)


check_all_command_guards = check_dangerous_command


def detect_dangerous_command(command):
    """(is dangerous, pattern key, description), without asking anybody."""
    found = link.ask("approval.detect", command=str(command)) or {}
    return bool(found.get("dangerous")), found.get("key"), found.get("description")


def get_current_session_key(default=""):
    import os

    return os.environ.get("HERMES_SESSION_KEY") or default
