#!/usr/bin/env python3
"""Refuses to write files that hold secrets (PreToolUse, matcher Write|Edit)."""
import json
import sys
from pathlib import PurePath

call = json.load(sys.stdin)
name = PurePath(call["tool_input"].get("file_path", "")).name
if name == ".env" or name.endswith((".pem", ".key")):
    print(f"{name} holds secrets: ask the person to change it", file=sys.stderr)
    sys.exit(2)
