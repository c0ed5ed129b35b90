"""Memory Bridge: search and read permitted Markdown notes. (seed 000 "Tools", design.md section 6)

Registers two tools and starts nothing: the sidecar starts with the first call and ends with the plugin.
"""

import logging
from pathlib import Path
from typing import Any

from .shim.node import NodeFinder, command
from .shim.settings import Settings
from .shim.sidecar import Sidecar
from .tools import TOOLS, handler_for

_SIDECAR = Path(__file__).resolve().parent / "sidecar.cjs"


def register(ctx: Any) -> None:
    logger = logging.getLogger(__name__)
    settings = Settings(ctx, logger)
    nodes = NodeFinder(settings.node)
    sidecar = Sidecar(lambda: command(nodes.find(), str(_SIDECAR)), logger, in_turns=True)

    for tool in TOOLS:
        ctx.register_tool(
            name=tool.name,
            toolset="memory_bridge",
            schema=tool.schema,
            handler=handler_for(tool, ctx, sidecar, settings, logger),
            description=tool.schema["description"],
        )

    on_unload = getattr(ctx, "on_unload", None)
    if callable(on_unload):
        on_unload(lambda **_: sidecar.close())
