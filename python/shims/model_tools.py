"""Calls of tools, by way of the program: permission, hooks and middleware count."""
from talaria_host import link
from tools.registry import registry


def handle_function_call(function_name, function_args, task_id=None, **_):
    return link.ask("tools.dispatch", name=function_name, args=function_args or {})


def get_tool_definitions(enabled_toolsets=None, disabled_toolsets=None, quiet_mode=False):
    return registry.get_definitions(quiet=quiet_mode)


def get_all_tool_names():
    return registry.get_all_tool_names()
