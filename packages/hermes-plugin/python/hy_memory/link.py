"""One sidecar for each home, and the one thread that speaks to it in order, whatever number of providers there is.

The host makes a provider for each agent and drops it without a word, while what is warm must outlive it: so the sidecar
belongs to the home. Requests are sent in the order in which they were made, by a thread of their own, so that no turn
waits for a start, a pipe or a slow answer. All of it is bounded, and ends some time after the last provider is gone.
(recall-contract T6 and T7, cases/recall.md 5, 25 and 26)
"""

import collections
import logging
import os
import threading
import weakref
from collections.abc import Callable
from typing import Any

from .facts import plugin_directory
from .shelf import Shelf, offer_from
from .shim.node import NodeFinder, command
from .shim.refusal import Refused
from .shim.sidecar import Sidecar
from .ticket import Ticket

STATE_DIRECTORY = ".one-memory"

_logger = logging.getLogger(__name__)

_MOST_HOMES = 8
_MOST_WAITING = 256
_MOST_OWED = 64
_MOST_SLOW = 8
# For requests that are answered at once or within a turn; a start is in it.
_QUICK_SECONDS = 10.0
# A home without providers keeps its sidecar so long: a gateway drops an agent between two messages.
_LINGER_SECONDS = 900.0
_CLOSE_GRACE = 0.3


def _make(state: str) -> None:
    """Before the sidecar is there: were it to make its directory, Node 20 would abort at the start of its worker, which
    reads the flags once more.
    """
    try:
        os.mkdir(state, 0o700)
    except OSError:
        pass  # It is there, or the home cannot be written; the sidecar does without.


def _sidecar(home: str) -> Sidecar:
    nodes = NodeFinder(lambda: None)
    script = os.path.join(plugin_directory(), "sidecar.cjs")
    state = os.path.join(home, STATE_DIRECTORY)

    def start() -> list[str]:
        _make(state)
        return command(nodes.find(), script, home, writable=(state,), recalls=True)

    # Not asked twice: what was stored once would be stored again.
    return Sidecar(start, _logger, retry=False, grace=_CLOSE_GRACE)


class Link:
    def __init__(self, sidecar: Sidecar) -> None:
        self._sidecar = sidecar
        self._changed = threading.Condition()
        self._tickets: collections.deque[Ticket] = collections.deque()
        self._owed: collections.deque[Ticket] = collections.deque(maxlen=_MOST_OWED)
        self._slow = threading.BoundedSemaphore(_MOST_SLOW)
        self._worker: threading.Thread | None = None
        self._closed = False
        self._refusal = ""
        self.shelf = Shelf()
        self.users: weakref.WeakSet[Any] = weakref.WeakSet()

    @property
    def ready(self) -> bool:
        return self._sidecar.running

    def post(self, ticket: Ticket) -> bool:
        """Has it sent after all that came before; comes back at once. False where too much waits."""
        with self._changed:
            if self._closed or (len(self._tickets) >= _MOST_WAITING and not ticket.owed):
                return False
            if self._worker is None:
                worker = threading.Thread(target=self._work, name="hy-memory-link", daemon=True)
                try:
                    worker.start()
                except RuntimeError:
                    return False  # The interpreter is ending.
                self._worker = worker
            self._tickets.append(ticket)
            if len(self._tickets) > 2 * _MOST_WAITING:
                self._tickets.popleft().fail()
            self._changed.notify()
            return True

    def fetch(self, method: str, place: dict[str, Any], **asked: Any) -> bool:
        """Has an offer for a session's next turn made and put on the shelf; comes back at once, like ``post``."""
        session = place["session"]
        age = self.shelf.age(session)

        def told(answer: Any) -> None:
            # Made too early where something has happened to the session since: what is warm is looked at again.
            if answer is not None and not self.shelf.put(session, age, offer_from(answer)):
                self.fetch("recall.offer", place)

        return self.post(Ticket(method, {"place": place, **asked}, told=told))

    def ask(self, method: str, params: Any, seconds: float) -> Any:
        """For a tool, whose thread may wait. Raises Refused, in time."""
        return self._sidecar.call(method, params, seconds)

    def close(self) -> None:
        with self._changed:
            self._closed = True
            left = list(self._tickets)
            self._tickets.clear()
            self._changed.notify_all()
        for ticket in left:
            ticket.fail()
        self._sidecar.close()

    # The worker.

    def _work(self) -> None:
        while (ticket := self._next()) is not None:
            self._pay()
            if ticket.told is not None:
                # While something is owed, an offer would be made of what was known before it.
                if not self._owed:
                    self._tell(ticket, ticket.told)
            elif ticket.slow:
                self._detach(ticket)
            elif not ticket.run(self._quick) and ticket.owed:
                self._owed.append(ticket)

    def _next(self) -> Ticket | None:
        """The next one to send; None when the thread is to end."""
        with self._changed:
            while not self._tickets and not self._closed:
                woken = self._changed.wait(_LINGER_SECONDS)
                if not woken and not self.users and not self._tickets:
                    break  # No provider and nothing to do for so long: the home is left.
            if self._tickets:
                return self._tickets.popleft()
            self._worker = None
        _leave(self)
        return None

    def _pay(self) -> None:
        """What could not be told before is told before anything else."""
        while self._owed and self._owed[0].run(self._quick):
            self._owed.popleft()

    def _quick(self, method: str, params: Any) -> Any:
        return self._reporting(lambda: self._sidecar.call(method, params, _QUICK_SECONDS))

    def _tell(self, ticket: Ticket, told: Callable[[Any], None]) -> None:
        try:
            self._reporting(lambda: self._sidecar.tell(ticket.method, ticket.params, _QUICK_SECONDS, told))
            # A question may take its source's whole time, so that the sidecar is alive is asked apart.
            self._quick("ping", {})
        except Exception:
            pass  # Nothing is warm, then.

    def _reporting(self, ask: Callable[[], Any]) -> Any:
        """A sidecar that is not there is one line in the log, and another when it is back or out for another reason."""
        try:
            answer = ask()
        except Refused as refusal:
            self._report(refusal.code)
            raise
        self._report("")
        return answer

    def _report(self, refusal: str) -> None:
        before, self._refusal = self._refusal, refusal
        if refusal != before and refusal != "":
            _logger.warning("code=recall_not_asked reason=%s", refusal)
        elif refusal != before:
            _logger.info("code=recall_asked_again")

    def _detach(self, ticket: Ticket) -> None:
        if not self._slow.acquire(blocking=False):
            ticket.fail()
            return
        try:
            threading.Thread(target=self._run_slow, args=(ticket,), name="hy-memory-fresh", daemon=True).start()
        except RuntimeError:
            self._slow.release()
            ticket.fail()

    def _run_slow(self, ticket: Ticket) -> None:
        try:
            ticket.run(self._quick)
        finally:
            self._slow.release()


_links: dict[str, Link] = {}
_lock = threading.Lock()
_guarded = False


def _after_fork_in_child() -> None:
    """The parent's threads are not here, and one of them may have held the lock."""
    global _lock
    _lock = threading.Lock()
    _links.clear()


def _guard_forks() -> None:
    global _guarded
    if not _guarded:
        _guarded = True
        os.register_at_fork(after_in_child=_after_fork_in_child)


def link_for(home: str, user: Any) -> Link:
    """The link of a home, made where there is none. Starts nothing. Raises Refused where there are too many homes."""
    with _lock:
        link = _links.get(home)
        dropped = None
        if link is None:
            if len(_links) >= _MOST_HOMES:
                unused = next((known for known, other in _links.items() if not other.users), None)
                if unused is None:
                    raise Refused("too_many_homes")
                dropped = _links.pop(unused)
            _guard_forks()
            link = _links[home] = Link(_sidecar(home))
        link.users.add(user)
    if dropped is not None:
        threading.Thread(target=dropped.close, name="hy-memory-close", daemon=True).start()
    return link


def _leave(link: Link) -> None:
    with _lock:
        if link.users:
            return  # A provider came in the meantime; what it posts starts another worker.
        for home in [home for home, known in _links.items() if known is link]:
            del _links[home]
    link.close()


def close_all() -> None:
    """Ends every sidecar of this process. For whoever unloads the plugin."""
    with _lock:
        links = list(_links.values())
        _links.clear()
    for link in links:
        link.close()
