"""The plugins of the running program."""
from talaria_host import link
from talaria_host.context import PluginContext, PluginManifest
from talaria_host.manager import PluginManager
from talaria_host.namespace import Namespace
from talaria_host.seal import seal_module

VALID_HOOKS = frozenset(
    """pre_tool_call post_tool_call transform_terminal_output transform_tool_result transform_llm_output pre_llm_call
    post_llm_call pre_api_request post_api_request api_request_error on_session_start on_session_end
    on_session_finalize on_session_reset subagent_start subagent_stop pre_gateway_dispatch pre_approval_request
    post_approval_response""".split()
)
VALID_MIDDLEWARE = frozenset("tool_request tool_execution llm_request llm_execution".split())


def get_plugin_manager():
    return link.host().manager


def discover_plugins(force=False):
    get_plugin_manager().discover_and_load(force=force)


def invoke_hook(hook_name, **kwargs):
    return get_plugin_manager().invoke_hook(hook_name, **kwargs)


def invoke_middleware(kind, **kwargs):
    return get_plugin_manager().invoke_middleware(kind, **kwargs)


def has_hook(hook_name):
    return get_plugin_manager().has_hook(hook_name)


def has_middleware(kind):
    return get_plugin_manager().has_middleware(kind)


def get_plugin_context_engine():
    """The engine in use: the object itself where it lives in Python, else something that has its name."""
    name = link.ask("plugins.contextEngine")
    own = get_plugin_manager()._context_engine
    if name is None or getattr(own, "name", None) == name:
        return own if name is not None else None
    return Namespace(name=name)


def get_plugin_commands():
    own = get_plugin_manager()._plugin_commands
    return {name: own.get(name) or _command(name, one) for name, one in (link.ask("plugins.commands") or {}).items()}


def _command(name, one):
    def handler(raw_args=""):
        return link.ask("plugins.runCommand", name=name, args=raw_args)

    description, hint = one.get("description", ""), one.get("argsHint", "")
    return {"handler": handler, "description": description, "args_hint": hint, "plugin": one.get("plugin", "")}


def get_plugin_command_handler(name):
    found = get_plugin_commands().get(name)
    return found and found["handler"]


def get_plugin_auxiliary_tasks():
    return [
        {
            "key": one["key"],
            "display_name": one["displayName"],
            "description": one["description"],
            "defaults": one.get("defaults") or {},
            "plugin": one["plugin"],
        }
        for one in link.ask("plugins.auxiliaryTasks") or []
    ]


def get_plugin_toolsets():
    return [tuple(one) for one in link.ask("plugins.toolsets") or []]


def set_thread_tool_whitelist(allowed, deny_msg_fmt="Tool '{tool_name}' denied: not in this thread's tool whitelist"):
    link.ask("plugins.whitelist", allowed=sorted(allowed) if allowed is not None else None, message=deny_msg_fmt)


def clear_thread_tool_whitelist():
    link.ask("plugins.whitelist", allowed=None, message="")


def get_pre_tool_call_block_message(tool_name, args, task_id="", session_id="", tool_call_id="", turn_id="",
                                    api_request_id="", middleware_trace=None):  # fmt: skip
    """The whitelist first, then every pre_tool_call hook of the program."""
    ids = {"task_id": task_id, "session_id": session_id, "tool_call_id": tool_call_id, "turn_id": turn_id}
    ids.update(api_request_id=api_request_id, middleware_trace=middleware_trace or [])
    args = args if isinstance(args, dict) else {}
    return link.ask("plugins.blockMessage", tool=str(tool_name), args=args, ids=ids)


seal_module(__name__)
