def register_env_passthrough(names):
    """Children of tools get the whole environment already."""
    return None
