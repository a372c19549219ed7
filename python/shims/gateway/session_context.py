"""The chat that is being answered."""
import os


def get_session_env(name, default=""):
    return os.environ.get(name) or default
