"""The provider as the host calls it: every hook comes back at once, and none raises. (seed 003, recall-contract part 2)

It decides nothing about recall. It says whose turn it is (home, session, settings, kind of run), which the model never
does, and passes on what the host tells. What a turn is handed lies ready when it begins, so a hand-over waits for nothing;
only the tools and a fresh recall, which was asked for, wait for a source.
"""

import json
import logging
import os
import threading
from typing import Any

from . import facts
from .link import Link, link_for
from .schemas import ADD, SEARCH, SYSTEM_PROMPT, tool_error, tool_schemas
from .shelf import Offer, offer_from
from .status import recall_status_of
from .ticket import Ticket
from .trivial import is_trivial

try:
    from agent.memory_provider import MemoryProvider
except Exception:  # Without the host: its tests, its validators.
    MemoryProvider = object

_logger = logging.getLogger(__name__)

_FRESH_SECONDS = 1.5
# A tool's answer comes within the source's own time; past this, the sidecar is at fault.
_TOOL_SPARE_SECONDS = 3.0
_REPORT_SECONDS = 10.0
# The core looks at the first 2,000 characters of a query, and at no text longer than this.
_MOST_QUERY = 8_000
_MOST_TEXT = 262_145
_MOST_DEFECTS = 64
# A longer id is none: cut, it could be another session's.
_MOST_ID = 256


def _id(value: Any) -> str:
    return value if isinstance(value, str) and len(value) <= _MOST_ID else ""


def _text(value: Any, most: int) -> str:
    return value[:most] if isinstance(value, str) else ""


class HyMemoryProvider(MemoryProvider):  # type: ignore[misc, valid-type]
    def __init__(self) -> None:
        # Held for a moment at a time: the host calls from its turn, its memory worker and its tools.
        self._lock = threading.Lock()
        self._profile: dict[str, Any] | None = None
        self._session = ""
        self._injected = 0
        self._defects: set[tuple[str, str]] = set()

    # Before a session: files and settings alone.

    @property
    def name(self) -> str:
        return "hy_memory"

    def is_available(self) -> bool:
        try:
            return self.unavailable_reason() == ""
        except Exception:
            return False

    def unavailable_reason(self) -> str:
        try:
            settings = facts.environment()  # Raises where the host cannot say whose.
            if os.name != "posix":
                return "this system is not supported"
            if facts.is_managed(settings) or facts.is_direct(settings) or facts.has_notes(settings, facts.home()):
                return ""
            return "no connection.json, no HY_MEMORY_URL and no policy for notes"
        except Exception:
            return "the Hermes home or the profile's settings are not known"

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        try:
            return tool_schemas(facts.is_direct(self._settings()))
        except Exception:
            return tool_schemas(False)

    def system_prompt_block(self) -> str:
        return SYSTEM_PROMPT

    # A session.

    def initialize(self, session_id: str = "", **kwargs: Any) -> None:
        try:
            with self._lock:
                self._profile = None
            run = kwargs.get("agent_context")
            profile = {
                "home": facts.home(kwargs.get("hermes_home")),
                "plugin_directory": facts.plugin_directory(),
                "environment": facts.environment(),
                "run": run if isinstance(run, str) and run else "primary",
                "history": facts.history(),
            }
            with self._lock:
                self._profile = profile
                self._session = _id(session_id)
                self._injected = 0
            # Starts the sidecar, so that it is there when it is needed first.
            self._post("recall.status", {"profile": profile})
        except Exception as error:
            self._defect("initialize", error)

    def prefetch(self, query: str = "", *, session_id: str = "", **_: Any) -> str:
        self._injected = 0
        try:
            return self._handed_over(query, session_id)
        except Exception as error:
            self._defect("prefetch", error)
            return ""

    def _handed_over(self, query: Any, session_id: str) -> str:
        place = self._place(session_id)
        link = self._link()
        text = _text(query, _MOST_QUERY)
        if place is None or link is None or is_trivial(text):
            return ""
        environment = place["profile"]["environment"]
        if not facts.recalls(environment):
            return ""

        def used(offer: Offer) -> None:
            params = {"place": place, "result": offer.result, "marks": offer.marks}
            link.post(Ticket("recall.taken", params, owed=True))

        if facts.is_fresh(environment):
            ticket = Ticket("recall.fresh", {"place": place, "query": text}, slow=True)
            offer = offer_from(ticket.wait(_FRESH_SECONDS)) if link.post(ticket) else None
            if offer is not None:
                used(offer)
        else:
            if not link.ready:
                # It starts in the background, where it has not been started yet or has died.
                link.post(Ticket("recall.status", {"profile": place["profile"]}))
            offer = link.shelf.take(place["session"], used)
        if offer is None:
            return ""
        self._injected = offer.count
        return offer.block

    def recall_status(self) -> Any:
        """Of the last hand-over: what it put newly before the model. None where it put nothing there."""
        try:
            return recall_status_of(self._injected) if self._injected > 0 else None
        except Exception as error:
            self._defect("recall_status", error)
            return None

    def queue_prefetch(self, query: str = "", *, session_id: str = "", **_: Any) -> None:
        try:
            place = self._place(session_id)
            # A fresh recall answers a turn's own question; what is asked for the next one would be thrown away.
            if place is not None and not facts.is_fresh(place["profile"]["environment"]):
                self._fetch("recall.queue", place, query=_text(query, _MOST_QUERY))
        except Exception as error:
            self._defect("queue_prefetch", error)

    def on_turn_start(self, turn_number: int = 0, message: str = "", **_: Any) -> None:
        try:
            place = self._place("")
            if place is not None and facts.is_fresh(place["profile"]["environment"]):
                self._fetch("recall.queue", place, query=_text(message, _MOST_QUERY))
        except Exception as error:
            self._defect("on_turn_start", error)

    def sync_turn(
        self, user_content: str = "", assistant_content: str = "", *, session_id: str = "", **_: Any
    ) -> None:
        """What the user wrote, where storing it is opted in to. Nothing else of a turn is looked at."""
        try:
            place = self._place(session_id)
            if place is not None and facts.captures(place["profile"]["environment"]):
                self._post("recall.capture", {"place": place, "text": _text(user_content, _MOST_TEXT)})
        except Exception as error:
            self._defect("sync_turn", error)

    def on_session_switch(
        self,
        new_session_id: str = "",
        *,
        parent_session_id: str = "",
        reset: bool = False,
        rewound: bool = False,
        **kwargs: Any,
    ) -> None:
        try:
            if new_session_id == "":
                return
            session = _id(new_session_id)
            with self._lock:
                previous, self._session = self._session, session
                self._injected = 0
            event = {
                "kind": "switch",
                "previous": previous,
                "parent": _id(parent_session_id),
                "reset": bool(reset),
                "rewound": bool(rewound),
                "reason": _text(kwargs.get("reason"), _MOST_ID),
            }
            place = self._place(session)
            link = self._link()
            if place is None or link is None:
                return
            # What lay ready for them does not any more; what is warm for the new one is looked at again.
            link.shelf.clear(*filter(None, (session, previous, event["parent"])))
            link.post(Ticket("recall.event", {"place": place, "event": event}, owed=True))
            link.fetch("recall.offer", place)
        except Exception as error:
            self._defect("on_session_switch", error)

    def on_session_end(self, messages: Any = None, **_: Any) -> None:
        """No end of anything: the host says it before each compression and whenever it drops an agent from its cache."""

    def on_pre_compress(self, messages: Any = None, **_: Any) -> str:
        """Nothing to add to a summary; that the history was compressed comes with the switch that follows."""
        return ""

    def on_memory_write(self, *_: Any, **__: Any) -> None:
        """The host's own memory is none of ours."""

    def on_delegation(self, *_: Any, **__: Any) -> None:
        """A delegate has no provider, and its result was not written by the user."""

    def backup_paths(self) -> list[str]:
        return []

    def handle_tool_call(self, tool_name: str = "", args: Any = None, **_: Any) -> str:
        down = "not_stored" if tool_name == ADD else "unavailable"
        try:
            settings = self._settings()
            if tool_name not in (SEARCH, ADD) or (tool_name == ADD and not facts.is_direct(settings)):
                return tool_error("not_offered" if tool_name == ADD else "unavailable")
            place = self._place("")
            link = self._link()
            if place is None or link is None:
                return tool_error(down)
            wait = facts.read_seconds(settings) if tool_name == SEARCH else facts.write_seconds(settings)
            method = "recall.search" if tool_name == SEARCH else "recall.add"
            answer = link.ask(method, {"place": place, "arguments": args}, wait + _TOOL_SPARE_SECONDS)
            return json.dumps(answer, ensure_ascii=False) if isinstance(answer, dict) else tool_error(down)
        except Exception as error:
            self._defect("handle_tool_call", error)
            return tool_error(down)

    def report(self) -> dict[str, Any] | None:
        """For an operator: mode, how the last recall ended, what is under way. Codes and counts alone. May wait."""
        try:
            link = self._link()
            with self._lock:
                profile = self._profile
            if link is None or profile is None:
                return None
            # In order, so that it speaks of all that was asked before.
            ticket = Ticket("recall.status", {"profile": profile})
            answer = ticket.wait(_REPORT_SECONDS) if link.post(ticket) else None
            return answer if isinstance(answer, dict) else None
        except Exception as error:
            self._defect("report", error)
            return None

    def shutdown(self, **_: Any) -> None:
        """Lets go of the sidecar, which the next provider of the home may find warm."""
        try:
            link = self._link()
            with self._lock:
                self._profile = None
            if link is not None:
                link.users.discard(self)
        except Exception as error:
            self._defect("shutdown", error)

    # What every hook needs.

    def _settings(self) -> dict[str, str]:
        with self._lock:
            profile = self._profile
        return facts.environment() if profile is None else profile["environment"]

    def _place(self, session_id: Any) -> dict[str, Any] | None:
        """The session that the host names, else the current one. None before there is one."""
        with self._lock:
            profile, current = self._profile, self._session
        session = current if session_id in ("", None) else _id(session_id)
        return None if profile is None or session == "" else {"profile": profile, "session": session}

    def _link(self) -> Link | None:
        with self._lock:
            profile = self._profile
        return None if profile is None else link_for(profile["home"], self)

    def _post(self, method: str, params: dict[str, Any]) -> None:
        link = self._link()
        if link is not None:
            link.post(Ticket(method, params))

    def _fetch(self, method: str, place: dict[str, Any], **asked: Any) -> None:
        link = self._link()
        if link is not None:
            link.fetch(method, place, **asked)

    def _defect(self, hook: str, error: Exception) -> None:
        """Each kind once: what is wrong may stay wrong for every turn."""
        try:
            code = getattr(error, "code", type(error).__name__)
            if (hook, code) in self._defects or len(self._defects) >= _MOST_DEFECTS:
                return
            self._defects.add((hook, code))
            _logger.warning("code=recall_hook_failed hook=%s error=%s", hook, code)
        except Exception:
            pass  # The host's logging is broken; the turn goes on.
