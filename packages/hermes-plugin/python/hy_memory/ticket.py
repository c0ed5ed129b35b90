"""One request on its way to the sidecar. Whoever waits for its answer may leave; it is then not sent any more."""

import threading
from collections.abc import Callable
from typing import Any

from .shim.refusal import Refused

Call = Callable[[str, Any], Any]


class Ticket:
    def __init__(
        self,
        method: str,
        params: Any,
        *,
        slow: bool = False,
        owed: bool = False,
        told: Callable[[Any], None] | None = None,
    ) -> None:
        """``slow``: it waits for a source, so that nothing may wait for it.

        ``owed``: it must reach the sidecar, later if not now.
        ``told``: gets the answer whenever it comes, or None where there is none; nobody waits for it.
        """
        self.method = method
        self.params = params
        self.slow = slow
        self.owed = owed
        self.told = told
        self._lock = threading.Lock()
        self._answered = threading.Event()
        self._left = False
        self._answer: Any = None

    def wait(self, seconds: float) -> Any:
        """The answer, or None when there is none in time."""
        if not self._answered.wait(seconds):
            with self._lock:
                if not self._answered.is_set():
                    self._left = True
                    return None
        return self._answer

    def run(self, call: Call) -> bool:
        """Asks, unless the one who waited has left. False where it could not be asked; what is refused was."""
        if self._left:
            return True
        try:
            answer = call(self.method, self.params)
        except Refused as refusal:
            self.fail()
            return refusal.code.startswith("rpc_error_")
        except Exception:
            self.fail()
            return False
        self._answer = answer
        self._answered.set()
        return True

    def fail(self) -> None:
        self._answered.set()
