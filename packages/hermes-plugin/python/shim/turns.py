"""Which call is served when, and for how long? (design.md section 6; the MCP server's Turns.ts is the same rule)

For a sidecar that serves one call at a time. Each caller has a line of its own, in order of arrival, and the lines take
turns, the one that was served last behind all others: whoever sends fifty calls holds another caller up for the one under
way and no more.

- A call has its deadline from its arrival, whatever the sidecar does. One that spends it waiting is refused, and has
  looked at nothing.
- The call under way may take as long as its own deadline; half of a deadline where another call waits for it. What takes
  longer hangs, for instance in a system call on a dead mount: its sidecar is ended, and the next call gets another one.
- A call whose deadline passed while it was under way keeps its turn until the sidecar is through with it, so there is
  never a second scan behind the one under way.
- At most so many of one caller wait, and so many of all. One more is refused at once.
"""

import threading
import time
from collections import deque
from collections.abc import Callable

from .refusal import DeadlinePassed, Refused

MOST_OF_ONE = 64
MOST_OF_ALL = 256


class Turn:
    """One call's turn: it waits for it, has it, and gives it back, once."""

    __slots__ = ("caller", "given", "_turns", "_kept")

    def __init__(self, turns: "Turns", caller: str) -> None:
        self.caller = caller
        self.given = threading.Event()
        self._turns = turns
        self._kept = False

    def keep(self) -> Callable[[object], None]:
        """Not over when the call is. What this returns ends it."""
        self._kept = True
        return lambda _: self._turns.give_on(self)

    def over(self) -> None:
        if not self._kept:
            self._turns.give_on(self)


class Turns:
    """``end_under_way`` ends the process that serves. It may be called from any thread that waits, and must not wait."""

    def __init__(self, end_under_way: Callable[[], None]) -> None:
        self._end_under_way = end_under_way
        # Reentrant: ending the process gives on a turn that was kept.
        self._lock = threading.RLock()
        # The lines, in the order in which they came or were served; none is empty.
        self._lines: dict[str, deque[Turn]] = {}
        self._waiting = 0
        self._under_way: Turn | None = None
        self._since = 0.0

    def take(self, caller: str, until: float, patience: float) -> Turn:
        """Returns when it is this call's turn. Raises Refused, at ``until`` at the latest.

        ``patience``: seconds that a call under way may take while this one waits.
        """
        turn = Turn(self, caller)
        with self._lock:
            if self._under_way is None:
                self._begin(turn)
                return turn
            if self._waiting >= MOST_OF_ALL or len(self._lines.get(caller, ())) >= MOST_OF_ONE:
                raise Refused("overloaded")
            self._lines.setdefault(caller, deque()).append(turn)
            self._waiting += 1
        try:
            while not turn.given.wait(self._look(until, patience)):
                if time.monotonic() >= until:
                    raise DeadlinePassed("deadline_passed")
        except BaseException:
            self._leave(turn)
            raise
        return turn

    def _look(self, until: float, patience: float) -> float:
        """Ends what is overdue, and says for how long there is nothing else to do."""
        with self._lock:
            now = time.monotonic()
            overdue = self._since + patience
            if now < overdue:
                return max(0.0, min(until, overdue) - now)
            self._end_under_way()
            return max(0.0, min(until - now, patience))

    def give_on(self, turn: Turn) -> None:
        with self._lock:
            if self._under_way is not turn:
                return
            self._under_way = None
            if self._lines:
                caller = next((other for other in self._lines if other != turn.caller), turn.caller)
                line = self._lines.pop(caller)
                following = line.popleft()
                self._waiting -= 1
                if line:
                    # Behind the others.
                    self._lines[caller] = line
                self._begin(following)

    def _begin(self, turn: Turn) -> None:
        self._under_way = turn
        self._since = time.monotonic()
        turn.given.set()

    def _leave(self, turn: Turn) -> None:
        with self._lock:
            if turn.given.is_set():
                # Between the last look and this one.
                self.give_on(turn)
                return
            line = self._lines[turn.caller]
            line.remove(turn)
            self._waiting -= 1
            if not line:
                del self._lines[turn.caller]
