def entry(tool, milliseconds):
    return f"{tool} took {round(milliseconds or 0)} ms"


def last(lines, count):
    return list(lines)[-count:] if count > 0 else []
