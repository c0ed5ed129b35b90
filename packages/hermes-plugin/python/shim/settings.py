"""The operator's two settings for the process that serves the calls. (design.md section 6)

A setting that cannot be used is never replaced in silence: a bad ``node`` refuses, since another Node than the one that
the operator named would then read the notes; a bad deadline gives the default one, and the log says so.
"""

import logging
import os
from typing import Any

from .refusal import Refused

DEFAULT_DEADLINE_SECONDS = 20.0
_SHORTEST, _LONGEST = 1.0, 300.0


class Settings:
    def __init__(self, ctx: Any, logger: logging.Logger) -> None:
        self._ctx = ctx
        self._logger = logger

    def _get(self, key: str) -> Any:
        get_config = getattr(self._ctx, "get_config", None)
        return get_config(key, None) if callable(get_config) else None

    def node(self) -> str | None:
        """The Node that the operator named, or None where none is."""
        try:
            value = self._get("node")
        except Exception:
            raise Refused("node_setting_unreadable") from None
        if value is None or value == "":
            return None
        if not isinstance(value, str) or not os.path.isabs(value) or "\0" in value:
            raise Refused("node_setting_invalid")
        return value

    def deadline_seconds(self) -> float:
        try:
            value = self._get("deadline_seconds")
        except Exception:
            value = "unreadable"
        if value is None:
            return DEFAULT_DEADLINE_SECONDS
        if isinstance(value, (int, float)) and not isinstance(value, bool) and _SHORTEST <= value <= _LONGEST:
            return float(value)
        self._logger.warning("code=deadline_setting_invalid")
        return DEFAULT_DEADLINE_SECONDS
