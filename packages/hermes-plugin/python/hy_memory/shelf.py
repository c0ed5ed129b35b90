"""What may go before the model in the next turn of a session: it lies here before that turn begins.

So a turn waits for no other process, whatever that one does. An offer is used once, and only while nothing has happened
to its session since it was asked for: it was made of what the session had seen by then. (recall-contract T5 to T7)
"""

import itertools
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

_MOST_SESSIONS = 128


class Offer(NamedTuple):
    block: str
    count: int
    # The sidecar's own words for it, to be said back when it was used.
    result: int
    marks: list[Any]
    millis: int


def offer_from(answer: Any) -> Offer | None:
    """None for an empty one, and for everything that is none."""
    if not isinstance(answer, dict):
        return None
    block, count, result, marks, millis = (answer.get(name) for name in Offer._fields)
    if not isinstance(block, str) or block == "" or not isinstance(marks, list):
        return None
    if not all(isinstance(number, int) for number in (count, result, millis)):
        return None
    return Offer(block, count, result, marks, millis)


class _Session:
    __slots__ = ("age", "offer", "until")

    def __init__(self, age: int) -> None:
        # Another number whenever something has happened to the session.
        self.age = age
        self.offer: Offer | None = None
        self.until = 0.0


class Shelf:
    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        # Of all sessions, so that one which was dropped and came back is not taken for what it was.
        self._ages = itertools.count()
        # The one that was asked about longest ago comes first.
        self._sessions: dict[str, _Session] = {}

    def age(self, session: str) -> int:
        """To be given back with what is asked for now."""
        with self._lock:
            return self._session(session).age

    def put(self, session: str, age: int, offer: Offer | None) -> bool:
        """Replaces what lay there, also by nothing. False where something has happened since."""
        with self._lock:
            place = self._session(session)
            if place.age != age:
                return False
            place.offer = offer
            if offer is not None:
                place.until = self._clock() + offer.millis / 1000
            return True

    def take(self, session: str, used: Callable[[Offer], object]) -> Offer | None:
        """``used`` is told of the offer before anything else can be asked for the session."""
        with self._lock:
            place = self._sessions.get(session)
            offer = None if place is None else place.offer
            if place is None or offer is None:
                return None
            self._happened(place)
            if self._clock() >= place.until:
                return None
            used(offer)
            return offer

    def clear(self, *sessions: str) -> None:
        """Something has happened to them."""
        with self._lock:
            for session in sessions:
                self._happened(self._session(session))

    def _happened(self, place: _Session) -> None:
        place.offer = None
        place.age = next(self._ages)

    def _session(self, name: str) -> _Session:
        place = self._sessions.pop(name, None) or _Session(next(self._ages))
        self._sessions[name] = place
        if len(self._sessions) > _MOST_SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        return place
