import json
from pathlib import Path

from .entries import entry, last

SCHEMA = {
    "name": "diary_read",
    "description": "Reads the last entries of the diary of tool calls.",
    "parameters": {"type": "object", "properties": {"count": {"type": "integer"}}},
}


def register(ctx):
    from hermes_constants import get_hermes_home

    diary = Path(get_hermes_home()) / "diary.txt"

    def lines():
        return diary.read_text().splitlines() if diary.exists() else []

    def write(tool_name="", duration_ms=0, **kwargs):
        with open(diary, "a") as file:
            file.write(entry(tool_name, duration_ms) + "\n")

    def read(args, **kwargs):
        return json.dumps({"entries": last(lines(), args.get("count", 10))})

    ctx.register_hook("post_tool_call", write)
    ctx.register_tool(name="diary_read", toolset="diary", schema=SCHEMA, handler=read)
    ctx.register_command("diary", handler=lambda raw_args: "\n".join(last(lines(), 10)), description="Show the diary.")
