"""Brings the sidecar's log lines into the host's log. (design.md sections 3 and 6)

The lines are JSON objects with a level and a code. Anything else on standard error (Node's own report of a crash) may
contain paths: of that the log gets the length, and the text only at debug level, which the host does not keep.
Lines are bounded in length and in number, so a sidecar in trouble cannot fill the host's disk.
"""

import json
import logging
import time
from collections.abc import Callable

from .wire import Lines

MAX_LINE_BYTES = 8 * 1024
LINES_PER_MINUTE = 300

_LEVELS = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
    "critical": logging.CRITICAL,
}


def _printable(text: str) -> str:
    """One line of log stays one line."""
    return "".join(char if char.isprintable() else "?" for char in text[:500])


class LogForwarder:
    """Takes one process's standard error as it comes. Never raises, whatever the host's log handlers do."""

    def __init__(self, logger: logging.Logger, clock: Callable[[], float] = time.monotonic) -> None:
        self._logger = logger
        self._clock = clock
        self._lines = Lines(MAX_LINE_BYTES)
        self._minute = clock()
        self._count = 0

    def feed(self, chunk: bytes) -> None:
        try:
            try:
                for line in self._lines.feed(chunk):
                    self._forward(line)
            except ValueError:
                self._log(logging.WARNING, "code=stderr_line_too_long")
        except Exception:
            pass  # The host's logging is broken; a call must not fail for it.

    def ended(self, reason: str, status: int | None) -> None:
        """The process is gone: forwards what it left unfinished, and says why and how it ended."""
        try:
            rest = self._lines.rest()
            if rest:
                self._forward(rest)
            level = logging.INFO if reason == "closed" else logging.WARNING
            self._log(level, f"code=ended reason={reason} status={status}")
        except Exception:
            pass

    def _forward(self, line: bytes) -> None:
        try:
            fields = json.loads(line)
            level = _LEVELS[fields.pop("level")]
            text = _printable(" ".join(f"{key}={value}" for key, value in fields.items()))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            self._log(logging.WARNING, f"code=stderr_not_json bytes={len(line)}")
            self._logger.debug("sidecar stderr: %r", line[:500])
            return
        self._log(level, text)

    def _log(self, level: int, text: str) -> None:
        now = self._clock()
        if now - self._minute >= 60:
            self._minute, self._count = now, 0
        self._count += 1
        if self._count < LINES_PER_MINUTE:
            self._logger.log(level, "sidecar: %s", text)
        elif self._count == LINES_PER_MINUTE:
            self._logger.warning("sidecar: code=log_lines_dropped")
