"""hy_memory: a native memory provider for the Hermes Agent. (seed 003, issue 4)

The host finds a provider by the words MemoryProvider and register_memory_provider near the top of this file, runs every
file beside it, and makes a provider for each agent; so nothing here starts anything.
"""

from typing import Any

from .provider import HyMemoryProvider


def register(ctx: Any) -> None:
    ctx.register_memory_provider(HyMemoryProvider())
