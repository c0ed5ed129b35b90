"""What the host shows of a hand-over: its own type where it has one, else one of the same form. (recall-contract 2.1)"""

from typing import Any, NamedTuple

_LABEL = "Memory Bridge"


class _OwnStatus(NamedTuple):
    provider_label: str
    count: int
    glyph: str = "\N{BRAIN}"


def recall_status_of(count: int) -> Any:
    try:
        from agent.memory_provider import RecallStatus
    except Exception:
        return _OwnStatus(_LABEL, count)
    return RecallStatus(provider_label=_LABEL, count=count)
