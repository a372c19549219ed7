"""Output and questions of commands."""
from talaria_host import link

from .colors import Colors, color


def print_header(text):
    print("\n" + color(text, Colors.BOLD, Colors.CYAN))


def print_info(text):
    print(color("  " + text, Colors.DIM))


def print_success(text):
    print(color("✓ " + text, Colors.GREEN))


def print_warning(text):
    print(color("⚠ " + text, Colors.YELLOW))


def print_error(text):
    print(color("✗ " + text, Colors.RED))


def prompt(question, default=None, password=False):
    """Asks the person who ran the command; where nobody can be asked, the default is the answer."""
    shown = "%s [%s]" % (question, default) if default not in (None, "") and not password else str(question)
    answer = link.ask("person.ask", question=shown.rstrip().rstrip(":"), secret=bool(password))
    return answer if answer not in (None, "") else (default or "")


def prompt_yes_no(question, default=True):
    answer = prompt("%s [%s]" % (question, "Y/n" if default else "y/N"))
    return default if not answer else answer.strip().lower() in ("y", "yes")


def prompt_choice(question, choices, default=0):
    for number, choice in enumerate(choices, 1):
        print("  %d. %s" % (number, choice))
    answer = prompt(question, str(default + 1))
    return int(answer) - 1 if answer.isdigit() and 0 < int(answer) <= len(choices) else default
