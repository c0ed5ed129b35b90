"""Pipe ends as plain descriptors, and a write that cannot hang or kill the host. (design.md section 6)

Python's file objects are left out: after a fork the child must close exactly these descriptors once, and an object that
closes its number again when it is collected could close somebody else's file.
"""

import os
import select
import signal
import time

from .refusal import DeadlinePassed, SidecarDied


def make_pipe() -> tuple[int, int]:
    """Read end, write end. Both are closed by exec."""
    return os.pipe()


def close_all(descriptors: list[int]) -> None:
    for descriptor in descriptors:
        try:
            os.close(descriptor)
        except OSError:
            pass


def _write_some(descriptor: int, data: memoryview) -> int:
    """Like os.write, but a broken pipe is an error even where the host lets SIGPIPE kill it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGPIPE})
    try:
        return os.write(descriptor, data)
    except BrokenPipeError:
        # The signal was raised for this thread alone and waits while it is blocked: take it before it is let through.
        if signal.SIGPIPE not in before and signal.SIGPIPE in signal.sigpending():
            signal.sigwait({signal.SIGPIPE})
        raise
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def write_all(descriptor: int, data: bytes, until: float) -> None:
    """Writes to a non-blocking descriptor. Raises DeadlinePassed at ``until``, SidecarDied when nobody reads."""
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[_write_some(descriptor, rest) :]
        except BlockingIOError:
            wait = select.poll()
            wait.register(descriptor, select.POLLOUT)
            left = until - time.monotonic()
            if left <= 0 or not wait.poll(left * 1000):
                raise DeadlinePassed("deadline_passed") from None
        except OSError:
            raise SidecarDied("sidecar_died") from None
