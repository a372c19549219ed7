from .cli_output import (  # noqa: F401
    print_error, print_header, print_info, print_success, print_warning, prompt, prompt_choice, prompt_yes_no,
)
