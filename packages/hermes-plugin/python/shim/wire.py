"""Newline-delimited JSON-RPC 2.0, the host's side: requests to bytes, bytes to answers, both bounded.

(design.md section 6; the other side is packages/hermes-plugin/src/rpc)
"""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

MAX_REQUEST_BYTES = 1024 * 1024
# A read answer has 8,000 characters at most; this bounds what a broken sidecar can make the host hold.
MAX_ANSWER_BYTES = 4 * 1024 * 1024
# What the arguments may take of a request; the rest is for the signals, which are a few paths.
_MAX_ARGUMENT_BYTES = MAX_REQUEST_BYTES - 64 * 1024


class Answer(NamedTuple):
    """One line from the sidecar. ``id`` is None where it could not read the request."""

    id: int | None
    result: Any
    error: int | None


def _no_constant(name: str) -> Any:
    raise ValueError(name)


# Made once: json.dumps and json.loads make one for each call that has settings of its own.
_encoder = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":"))
_decoder = json.JSONDecoder(parse_constant=_no_constant)


def _dump(value: Any) -> bytes:
    return _encoder.encode(value).encode("ascii")


def portable(arguments: Any) -> Any:
    """The model's arguments, or None where they have no bounded JSON form: the core then calls them invalid."""
    try:
        return arguments if len(_dump(arguments)) <= _MAX_ARGUMENT_BYTES else None
    except Exception:
        return None


def request_line(id: int, method: str, params: Any) -> bytes:
    """Raises ValueError where the request has no JSON form or is too long."""
    line = _dump({"jsonrpc": "2.0", "id": id, "method": method, "params": params}) + b"\n"
    if len(line) > MAX_REQUEST_BYTES:
        raise ValueError("request too long")
    return line


def read_answer(line: bytes) -> Answer:
    """Raises ValueError for everything that is not an answer."""
    try:
        message = _decoder.decode(line.decode("utf-8"))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise ValueError("not JSON-RPC")
    if ("result" in message) == ("error" in message):
        raise ValueError("not an answer")
    id = message.get("id")
    if id is not None and (not isinstance(id, int) or isinstance(id, bool)):
        raise ValueError("not an id of ours")
    if "result" in message:
        return Answer(id, message["result"], None)
    error = message["error"]
    code = error.get("code") if isinstance(error, dict) else None
    if not isinstance(code, int):
        raise ValueError("not an error")
    return Answer(id, None, code)


class Lines:
    """Cuts a byte stream into lines. Holds at most ``limit`` bytes of an unfinished one."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held = bytearray()

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Raises ValueError when a line outgrows the limit."""
        start = 0
        while (end := chunk.find(b"\n", start)) != -1:
            self._hold(chunk, start, end)
            line = bytes(self._held)
            self._held.clear()
            start = end + 1
            yield line
        self._hold(chunk, start, len(chunk))

    def rest(self) -> bytes:
        """What came after the last line feed, and forgets it."""
        rest = bytes(self._held)
        self._held.clear()
        return rest

    def _hold(self, chunk: bytes, start: int, end: int) -> None:
        if len(self._held) + end - start > self._limit:
            self._held.clear()
            raise ValueError("line too long")
        self._held += memoryview(chunk)[start:end]
