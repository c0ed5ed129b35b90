"""One running sidecar: started, asked by many threads at once, ended, reaped. (design.md section 6)

A writer lock keeps request lines whole; one reader thread takes both outputs, resolves waiting calls by id and, at the
end, reaps the process and closes the pipes. Whatever goes wrong ends the process: a stream that broke its form once
cannot be trusted to match answers to questions again.
"""

import os
import select
import subprocess
import threading
import time
from collections.abc import Callable
from typing import Any

from .environment import sidecar_environment
from .logs import LogForwarder
from .pipes import close_all, make_pipe, write_all
from .refusal import DeadlinePassed, Refused, SidecarDied
from .turns import Turn
from .wire import MAX_ANSWER_BYTES, Answer, Lines, read_answer, request_line

_CHUNK = 65536
# What is still read of standard error after the end, to learn why.
_LAST_WORDS = 65536
# An exit closes the pipes a moment before it leaves its status; a kill in between would be taken for the cause.
_EXIT_GRACE = 0.2


class _Waiter:
    """A thread that waits for its answer."""

    __slots__ = ("answered", "outcome")

    def __init__(self) -> None:
        self.answered = threading.Event()
        self.outcome: Answer | Refused | None = None

    def resolve(self, outcome: Answer | Refused) -> None:
        self.outcome = outcome
        self.answered.set()


class _Listener:
    """Somebody who is told the answer, by the thread that read it."""

    __slots__ = ("_told",)

    def __init__(self, told: Callable[[Any], None]) -> None:
        self._told = told

    def resolve(self, outcome: Answer | Refused) -> None:
        try:
            self._told(outcome.result if isinstance(outcome, Answer) and outcome.error is None else None)
        except Exception:
            pass  # Its own matter; the next answer must be read.


class SidecarProcess:
    """Raises OSError from the constructor where the program cannot be started.

    ``plumbing`` is held by whoever makes one, and here while pipes are closed, so that no fork sees a half of either.
    """

    def __init__(
        self,
        command: list[str],
        log: LogForwarder,
        clock: Callable[[], float],
        on_closed: Callable[["SidecarProcess"], None],
        plumbing: threading.RLock,
    ) -> None:
        self._log = log
        self._clock = clock
        self._on_closed = on_closed
        self._plumbing = plumbing
        # Reentrant: dropping an unloaded plugin ends its process, and the collector may do that on the reader thread.
        self._lock = threading.RLock()
        self._writing = threading.Lock()
        self._waiters: dict[int, _Waiter | _Listener] = {}
        self._last_id = 0
        self._end: Refused | None = None
        self._closing = False
        self.ended_at: float | None = None
        self._last_answer = time.monotonic()
        self._start(command)

    def _start(self, command: list[str]) -> None:
        ours: list[int] = []
        theirs: list[int] = []
        try:
            for writes in (True, False, False):
                read_end, write_end = make_pipe()
                ours.append(write_end if writes else read_end)
                theirs.append(read_end if writes else write_end)
            for descriptor in ours:
                os.set_blocking(descriptor, False)
            self._popen = subprocess.Popen(
                command,
                stdin=theirs[0],
                stdout=theirs[1],
                stderr=theirs[2],
                close_fds=True,
                start_new_session=False,
                cwd="/",
                env=sidecar_environment(),
            )
        except BaseException:
            close_all(ours)
            raise
        finally:
            close_all(theirs)
        self._stdin: int | None = ours[0]
        self._outputs: list[int] = ours[1:]
        self.pid = self._popen.pid
        reader = threading.Thread(target=self._read, name="memory-bridge-sidecar", daemon=True)
        try:
            reader.start()
        except RuntimeError:
            # No thread to be had, as at the end of the interpreter.
            self._finish(Refused("no_thread"))
            raise OSError("no thread") from None
        self._reader = reader

    @property
    def running(self) -> bool:
        return self._end is None

    @property
    def hung(self) -> bool:
        """Whether it was ended for taking too long."""
        return self._end is not None and self._end.code == "sidecar_hung"

    @property
    def stuck(self) -> bool:
        """Whether it was ended and is still there. Waits for nothing."""
        return self._end is not None and self._popen.poll() is None

    def silent_for(self) -> float:
        """Seconds since it last answered anything."""
        return time.monotonic() - self._last_answer

    def ask(self, method: str, params: Any, until: float, turn: Turn | None = None) -> Any:
        """The method's result. Raises Refused; in time, whatever the process does.

        A ``turn`` is kept past that, until the process has answered or is ended.
        """
        waiter = _Waiter()
        id = self._enter(waiter)
        try:
            self._send(self._line(id, method, params), until)
            if not waiter.answered.wait(max(0.0, until - time.monotonic())):
                with self._lock:
                    if turn is not None and id in self._waiters:
                        self._waiters[id] = _Listener(turn.keep())
                raise DeadlinePassed("deadline_passed")
        finally:
            with self._lock:
                if self._waiters.get(id) is waiter:
                    del self._waiters[id]
        outcome = waiter.outcome
        if not isinstance(outcome, Answer):
            raise outcome.again() if outcome is not None else Refused("no_outcome")
        if outcome.error is not None:
            raise Refused(f"rpc_error_{-outcome.error}")
        return outcome.result

    def tell(self, method: str, params: Any, until: float, told: Callable[[Any], None]) -> None:
        """Sends it by ``until`` and comes back. Raises Refused where that fails.

        ``told`` gets the result, whenever it comes, or None where there is none; it must not wait for anything.
        """
        id = self._enter(_Listener(told))
        try:
            self._send(self._line(id, method, params), until)
        except BaseException:
            with self._lock:
                self._waiters.pop(id, None)
            raise

    def _enter(self, waiter: _Waiter | _Listener) -> int:
        with self._lock:
            if self._end is not None:
                raise self._end.again()
            self._last_id += 1
            self._waiters[self._last_id] = waiter
            return self._last_id

    @staticmethod
    def _line(id: int, method: str, params: Any) -> bytes:
        try:
            return request_line(id, method, params)
        except (ValueError, TypeError, RecursionError):
            raise Refused("request_not_sendable") from None

    def _send(self, line: bytes, until: float) -> None:
        if not self._writing.acquire(timeout=max(0.0, until - time.monotonic())):
            raise DeadlinePassed("deadline_passed")
        try:
            if self._stdin is None:
                raise self._end.again() if self._end is not None else SidecarDied("sidecar_died")
            try:
                write_all(self._stdin, line, until)
            except SidecarDied as died:
                # The reader may not have noticed yet; without this the next try would meet the same process.
                self.end(died)
                raise
            except BaseException:
                # Part of the line may be out, and the next one would be read as its rest.
                self.end(Refused("sidecar_hung"))
                raise
        finally:
            self._writing.release()

    def end(self, why: Refused) -> None:
        """Kills it and tells every waiting call, at once. Safe to call from any thread, and twice."""
        self._mark(why)
        self._popen.kill()

    def _mark(self, why: Refused) -> None:
        with self._lock:
            if self._end is None:
                self._end = why
                self.ended_at = self._clock()
            waiters = list(self._waiters.values())
            self._waiters.clear()
        for waiter in waiters:
            waiter.resolve(why)

    def close(self, grace: float) -> None:
        """Lets it finish what it has, then makes sure that it is gone and reaped."""
        self._closing = True
        self._close_stdin(grace)
        if not self._wait(grace):
            self.end(Refused("closed"))
        if self._reader is not threading.current_thread():
            self._reader.join(grace)

    def forget(self) -> None:
        """In a forked child: lets go of the parent's process without touching it.

        Popen does not kill what is not its own child, so nothing else here can either.
        """
        stdin, self._stdin = self._stdin, None
        outputs, self._outputs = self._outputs, []
        close_all(outputs if stdin is None else [stdin, *outputs])

    # The reader thread.

    def _read(self) -> None:
        why = Refused("reader_failed")
        try:
            why = self._read_to_end()
        except Exception:
            pass
        finally:
            self._finish(why)

    def _read_to_end(self) -> Refused:
        lines = Lines(MAX_ANSWER_BYTES)
        stdout, stderr = self._outputs
        poll = select.poll()
        poll.register(stdout, select.POLLIN)
        poll.register(stderr, select.POLLIN)
        while True:
            # Answers before log lines: the host's log handlers may be slow.
            ready = [descriptor for descriptor, _ in poll.poll()]
            for descriptor in ready if len(ready) == 1 else (stdout, stderr):
                chunk = os.read(descriptor, _CHUNK)
                if descriptor == stderr:
                    if chunk:
                        self._log.feed(chunk)
                    else:
                        poll.unregister(stderr)
                elif not chunk:
                    return SidecarDied("sidecar_died")
                else:
                    try:
                        for line in lines.feed(chunk):
                            self._take(read_answer(line))
                    except ValueError:
                        return Refused("sidecar_garbled")

    def _take(self, answer: Answer) -> None:
        self._last_answer = time.monotonic()
        if answer.id is None:
            raise ValueError("the sidecar could not read a request")
        with self._lock:
            waiter = self._waiters.pop(answer.id, None)
        # None: that call has passed its deadline.
        if waiter is not None:
            waiter.resolve(answer)

    def _finish(self, why: Refused) -> None:
        if self._closing:
            why = Refused("closed")
        self._mark(why)
        if isinstance(why, SidecarDied):
            self._wait(_EXIT_GRACE)
        self.end(why)
        self._popen.wait()
        self._read_last_words()
        self._log.ended(self._end.code if self._end is not None else why.code, self._popen.returncode)
        self._close_stdin(None)
        with self._plumbing:
            outputs, self._outputs = self._outputs, []
            close_all(outputs)
            self._on_closed(self)

    def _wait(self, seconds: float) -> bool:
        try:
            self._popen.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def _read_last_words(self) -> None:
        left = _LAST_WORDS
        try:
            while left > 0 and (chunk := os.read(self._outputs[1], _CHUNK)):
                left -= len(chunk)
                self._log.feed(chunk)
        except (OSError, IndexError):
            pass

    def _close_stdin(self, timeout: float | None) -> None:
        # The lock: another thread may be writing, and the number must not be reused under it.
        if not self._writing.acquire(timeout=-1 if timeout is None else timeout):
            return
        try:
            with self._plumbing:
                stdin, self._stdin = self._stdin, None
                if stdin is not None:
                    os.close(stdin)
        finally:
            self._writing.release()
