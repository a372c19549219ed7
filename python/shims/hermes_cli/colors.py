import os
import sys


class Colors:
    RESET = "\033[0m"
    BOLD = "\033[1m"
    DIM = "\033[2m"
    RED = "\033[31m"
    GREEN = "\033[32m"
    YELLOW = "\033[33m"
    BLUE = "\033[34m"
    MAGENTA = "\033[35m"
    CYAN = "\033[36m"


def should_use_color():
    return not os.environ.get("NO_COLOR") and sys.stdout.isatty()


def color(text, *codes):
    return "".join(codes) + text + Colors.RESET if should_use_color() else text
