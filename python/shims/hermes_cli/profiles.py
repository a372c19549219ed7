"""Profiles: a home under `profiles/<name>` is that profile, every other one is `default`."""
from talaria_host import link


def get_active_profile_name():
    home = link.home()
    return home.name if home.parent.name == "profiles" else "default"


def get_active_profile():
    return get_active_profile_name()


def list_profiles():
    folder = link.home() / "profiles"
    return ["default", *sorted(one.name for one in folder.iterdir() if one.is_dir())] if folder.is_dir() else ["default"]
