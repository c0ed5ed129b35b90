"""The sidecar as a plugin sees it: ask it, and it is there; or the call is refused, in time. (design.md section 6)

Decides when a process is started, when it counts as hung, when a call is tried again, how long a failing process is left
alone and how many that do not go may be left behind. Whose turn it is, is decided in ``turns``. One object per loaded
plugin, one process at a time; nothing is started before the first call.
"""

import logging
import os
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

from .logs import LogForwarder
from .process import SidecarProcess
from .refusal import DeadlinePassed, Refused, SidecarDied
from .turns import Turn, Turns

_FIRST_BACKOFF = 0.1
_LONGEST_BACKOFF = 5.0
_CLOSE_GRACE = 1.0
# A fork waits this long for a start that is under way in another thread, a matter of milliseconds.
_FORK_PATIENCE = 5.0
# Processes that were killed and have not gone: a dead disk holds one until it lets go of it, whatever the signal. Each
# keeps a process id, a thread and three pipes, so a disk that holds this many gets no more.
MOST_STUCK = 4


def backoff_after(deaths: int) -> float:
    """Seconds to leave it alone after so many deaths in a row: 0, 0.1, 0.2, 0.4 and so on up to 5."""
    return 0.0 if deaths <= 1 else min(_LONGEST_BACKOFF, _FIRST_BACKOFF * 2.0 ** min(deaths - 2, 16))


class _Host:
    """Everything that belongs to one process id of the host. A forked child has another id, so it gets its own."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        # Held while pipes are made or closed, so that at any fork each open one belongs to a process in `open`.
        self.plumbing = threading.RLock()
        self.process: SidecarProcess | None = None
        # Processes whose pipes are open; one that was replaced stays here until its reader is through.
        self.open: set[SidecarProcess] = set()
        self.deaths = 0
        self.not_before = 0.0
        self.turns = Turns(self._end_hung)

    def _end_hung(self) -> None:
        process = self.process
        if process is not None:
            process.end(Refused("sidecar_hung"))


def _shut_down(hosts: dict[int, _Host], grace: float) -> None:
    host = hosts.get(os.getpid())
    if host is None or not host.lock.acquire(timeout=grace):
        return
    try:
        process, host.process = host.process, None
    finally:
        host.lock.release()
    if process is not None:
        process.close(grace)


class Sidecar:
    def __init__(
        self,
        command: Callable[[], list[str]],
        logger: logging.Logger,
        clock: Callable[[], float] = time.monotonic,
        retry: bool = True,
        grace: float = _CLOSE_GRACE,
        in_turns: bool = False,
    ) -> None:
        """``command`` is asked before each start and may raise Refused.

        ``retry``: whether a call under which the process died is made once more, which is right only where every method
        reads and changes nothing. ``grace``: seconds that each step of closing may take. ``in_turns``: whether the
        process serves one call at a time, and slowly enough that callers take turns.
        """
        self._command = command
        self._logger = logger
        self._clock = clock
        self._retry = retry
        self._in_turns = in_turns
        self._closed = False
        self._guarded = False
        self._forking = threading.local()
        # Keyed by process id: what was inherited through a fork is never found, whichever way the fork was made.
        self._hosts: dict[int, _Host] = {}
        # Also runs when the interpreter ends, and when the plugin is dropped without being unloaded.
        self._finalizer = weakref.finalize(self, _shut_down, self._hosts, grace)

    @property
    def running(self) -> bool:
        """Whether a process is there to be asked. Waits for nothing."""
        host = self._hosts.get(os.getpid())
        process = None if host is None else host.process
        return process is not None and process.running

    def call(self, method: str, params: Any, seconds: float, caller: str = "") -> Any:
        """The method's result. Raises Refused, after ``seconds`` at the latest.

        ``caller``: what the host tells callers apart by. Those that it does not tell apart share their turns.
        """
        until = time.monotonic() + seconds
        if not self._in_turns:
            return self._call(method, params, seconds, until, None)
        turn = self._host().turns.take(caller, until, seconds / 2)
        try:
            return self._call(method, params, seconds, until, turn)
        finally:
            turn.over()

    def _call(self, method: str, params: Any, seconds: float, until: float, turn: Turn | None) -> Any:
        try:
            return self._call_once(method, params, seconds, until, turn)
        except SidecarDied:
            if not self._retry:
                raise
            return self._call_once(method, params, seconds, until, turn)

    def tell(self, method: str, params: Any, seconds: float, told: Callable[[Any], None]) -> None:
        """Sends it within ``seconds`` and waits for no answer. Raises Refused where it could not be sent.

        ``told`` gets the result, or None where there will be none, once and on another thread. It must not wait.
        """
        until = time.monotonic() + seconds
        self._process(self._host(), until).tell(method, params, until, told)

    def _call_once(self, method: str, params: Any, seconds: float, until: float, turn: Turn | None) -> Any:
        host = self._host()
        process = self._process(host, until)
        try:
            result = process.ask(method, params, until, turn)
        except DeadlinePassed:
            # It serves one call at a time. While it answers others it is busy, and killing it would fail them all.
            if process.silent_for() >= seconds / 2:
                process.end(Refused("sidecar_hung"))
            raise
        host.deaths = 0
        return result

    def _host(self) -> _Host:
        pid = os.getpid()
        return self._hosts.get(pid) or self._hosts.setdefault(pid, _Host())

    def _process(self, host: _Host, until: float) -> SidecarProcess:
        if not host.lock.acquire(timeout=max(0.0, until - time.monotonic())):
            raise DeadlinePassed("deadline_passed")
        try:
            if self._closed:
                raise Refused("closed")
            process = host.process
            if process is not None and process.running:
                return process
            if process is not None:
                host.process = None
                # One that hung has taken its time already, and who comes next may want something else.
                if not process.hung:
                    self._count_death(host, process.ended_at)
            if self._clock() < host.not_before:
                raise Refused("sidecar_backoff")
            try:
                host.process = self._start(host)
            except Refused:
                self._count_death(host, None)
                raise
            return host.process
        finally:
            host.lock.release()

    def _count_death(self, host: _Host, at: float | None) -> None:
        host.deaths += 1
        host.not_before = (self._clock() if at is None else at) + backoff_after(host.deaths)

    def _start(self, host: _Host) -> SidecarProcess:
        if os.name != "posix":
            raise Refused("platform_unsupported")
        self._guard_forks()
        if sum(process.stuck for process in list(host.open)) >= MOST_STUCK:
            raise Refused("sidecar_stuck")
        command = self._command()
        with host.plumbing:
            try:
                log = LogForwarder(self._logger)
                process = SidecarProcess(command, log, self._clock, host.open.discard, host.plumbing)
            except (OSError, ValueError):
                raise Refused("sidecar_not_startable") from None
            host.open.add(process)
        if self._closed:
            # Unloaded while this one was starting, for longer than closing waits.
            process.end(Refused("closed"))
        return process

    def close(self) -> None:
        """No call is served any more; the process finishes what it has and is reaped."""
        self._closed = True
        self._finalizer()

    # Forks of the host. A child must neither use the parent's process nor keep its pipes open: the sidecar would then
    # not see its input end when the parent dies.

    def _guard_forks(self) -> None:
        if self._guarded:
            return
        self._guarded = True
        # These hooks cannot be taken back, so they must not keep an unloaded plugin alive.
        reference = weakref.ref(self)

        def hook(name: str) -> Callable[[], None]:
            def run() -> None:
                sidecar = reference()
                if sidecar is not None:
                    getattr(sidecar, name)()

            return run

        os.register_at_fork(
            before=hook("_before_fork"),
            after_in_parent=hook("_after_fork_in_parent"),
            after_in_child=hook("_after_fork_in_child"),
        )

    def _before_fork(self) -> None:
        host = self._hosts.get(os.getpid())
        held = host is not None and host.plumbing.acquire(timeout=_FORK_PATIENCE)
        self._forking.host = host if held else None

    def _after_fork_in_parent(self) -> None:
        host = getattr(self._forking, "host", None)
        self._forking.host = None
        if host is not None:
            host.plumbing.release()

    def _after_fork_in_child(self) -> None:
        self._forking.host = None
        for pid in [pid for pid in self._hosts if pid != os.getpid()]:
            for process in list(self._hosts.pop(pid).open):
                process.forget()
