"""The tools of the running program."""
import json

from talaria_host import link


def tool_error(message, **extra):
    return json.dumps({"error": str(message), **extra}, ensure_ascii=False)


def tool_result(data=None, **values):
    return json.dumps(values if data is None else data, ensure_ascii=False, default=str)


class _Registry:
    def register(self, name, toolset, schema, handler, check_fn=None, requires_env=None, is_async=False,
                 description="", emoji="", override=False, **_):  # fmt: skip
        """From inside register(ctx) only: a tool belongs to a plugin."""
        from talaria_host.operations import current_context

        current_context("registry.register").register_tool(
            name, toolset, schema, handler, check_fn, requires_env, is_async, description, emoji, override
        )

    def dispatch(self, name, args, **_):
        return link.ask("tools.dispatch", name=name, args=args or {})

    def get_all_tool_names(self):
        return [one["name"] for one in link.ask("tools.list") or []]

    def get_definitions(self, tool_names=None, quiet=False):
        wanted = None if tool_names is None else set(tool_names)
        return [
            {"type": "function", "function": one}
            for one in link.ask("tools.list") or []
            if wanted is None or one["name"] in wanted
        ]

    def get_schema(self, name):
        return next((one for one in link.ask("tools.list") or [] if one["name"] == name), None)

    def has(self, name):
        return name in self.get_all_tool_names()

    def deregister(self, name):
        raise NotImplementedError("a tool goes away with its plugin; it cannot be taken out on its own")


registry = _Registry()
