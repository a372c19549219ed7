"""What the host needs of the agent's modules. They stand on the host, so it knows none of them: whoever starts it brings them."""

_find = None


def use(find):
    """`find(name)` gives a class or function of the agent's modules."""
    global _find
    _find = find


def of(name):
    if _find is None:
        raise RuntimeError("this works only inside Talaria")
    return _find(name)
