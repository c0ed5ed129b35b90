"""Hermes Guardian: allow, approve or block each tool call before it runs. (seed 004, design.md sections 6 and 9)

Registers one hook, and one command where the host takes commands, and starts nothing: a sidecar starts with the first
call of a home and ends with the plugin.
"""

import logging
import os
from typing import Any

from . import commands
from .hook import GuardianHook
from .shim.node import NodeFinder
from .shim.settings import Settings

_HERE = os.path.dirname(os.path.abspath(__file__))


def register(ctx: Any) -> None:
    logger = logging.getLogger(__name__)
    settings = Settings(ctx, logger)
    nodes = NodeFinder(settings.node)
    hook = GuardianHook(ctx, settings, nodes, _HERE, logger)
    ctx.register_hook("pre_tool_call", hook.pre_tool_call)
    commands.register(ctx, nodes, _HERE, logger)

    on_unload = getattr(ctx, "on_unload", None)
    if callable(on_unload):
        on_unload(lambda **_: hook.close())
