"""The plugins of the running program."""
from talaria_host import link
from talaria_host.context import PluginContext, PluginManifest
from talaria_host.manager import PluginManager
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


def has_hook(hook_name):
    return get_plugin_manager().has_hook(hook_name)


def has_middleware(kind):
    return get_plugin_manager().has_middleware(kind)


def get_plugin_context_engine():
    return get_plugin_manager()._context_engine


def get_plugin_commands():
    return dict(get_plugin_manager()._plugin_commands)


def get_plugin_command_handler(name):
    found = get_plugin_manager()._plugin_commands.get(name)
    return found and found["handler"]


def get_plugin_auxiliary_tasks():
    tasks = get_plugin_manager()._aux_tasks
    return [tasks[key] for key in sorted(tasks)]


def get_plugin_toolsets():
    return [tuple(one) for one in link.ask("plugins.toolsets") or []]


def set_thread_tool_whitelist(allowed, deny_msg_fmt="Tool '{tool_name}' denied: not in this thread's tool whitelist"):
    link.ask("plugins.whitelist", allowed=sorted(allowed) if allowed is not None else None, message=deny_msg_fmt)


def clear_thread_tool_whitelist():
    link.ask("plugins.whitelist", allowed=None, message="")


def get_pre_tool_call_block_message(tool_name, args, **ids):
    for answer in invoke_hook("pre_tool_call", tool_name=tool_name, args=args if isinstance(args, dict) else {}, **ids):
        if isinstance(answer, dict) and answer.get("action") == "block":
            message = answer.get("message")
            if isinstance(message, str) and message:
                return message
    return None


seal_module(__name__)
