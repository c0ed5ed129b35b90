"""The pre_tool_call hook: what the host and the model say goes to the sidecar, its directive comes back. (seed 004)

It decides nothing but one thing: whatever goes wrong, the call is blocked. Hosts before v0.21.5 let a tool run when its
hook raises or says something unknown, so nothing raises here and every directive is checked for its form.
"""

import logging
import os
from typing import Any

from .shim.node import NodeFinder, command
from .shim.refusal import Refused
from .shim.settings import Settings
from .shim.sidecar import Sidecar

# The core's own message for a decision that could not be made (Directive.ts).
_UNAVAILABLE = "Hermes Guardian: blocked, because no decision could be made."
# The host gives up on a hook after 30 seconds; ours must have answered by then.
_LONGEST_SECONDS = 25.0
# Homes served at once; a host that serves several loads one plugin for each of them, so one is the rule.
_MOST_HOMES = 8
_UNSET = object()


def _blocked() -> dict[str, str]:
    return {"action": "block", "message": _UNAVAILABLE}


def hermes_home() -> str:
    try:
        from hermes_constants import get_hermes_home

        return os.path.abspath(os.fspath(get_hermes_home()))
    except Exception:
        raise Refused("home_unknown") from None


def directive_from(answer: Any) -> dict[str, str] | None:
    """What the host is to be told: None for allow. Raises Refused for everything that is no directive."""
    if isinstance(answer, dict):
        action = answer.get("action")
        if action == "allow" and len(answer) == 1:
            return None
        names = {"block": {"action", "message"}, "approve": {"action", "message", "rule_key"}}.get(action)
        if names == set(answer) and all(isinstance(text, str) and text for text in answer.values()):
            return dict(answer)
    raise Refused("directive_malformed")


def setting_of(ctx: Any, key: str) -> dict[str, Any]:
    """A setting as it stands now: not set is not the same as one that cannot be read."""
    try:
        value = ctx.get_config(key, _UNSET)
    except Exception:
        return {"state": "raised"}
    return {"state": "unset"} if value is _UNSET else {"state": "value", "value": value}


class GuardianHook:
    def __init__(
        self, ctx: Any, settings: Settings, nodes: NodeFinder, directory: str, logger: logging.Logger
    ) -> None:
        self._ctx = ctx
        self._settings = settings
        self._nodes = nodes
        self._directory = directory
        self._logger = logger
        self._closed = False
        # Without a lock of its own, which a fork of the host could leave locked for ever.
        self._sidecars: dict[tuple[str, bool], Sidecar] = {}

    def pre_tool_call(self, tool_name: Any = None, args: Any = None, **_: Any) -> dict[str, str] | None:
        try:
            return self._decide(tool_name, args)
        except Refused as refusal:
            code = refusal.code
        except BaseException as error:
            code = f"shim_defect error={type(error).__name__}"
        try:
            self._logger.error("blocked: code=%s", code)
        except BaseException:
            pass  # The host's logging is broken; the call stays blocked.
        return _blocked()

    def _decide(self, tool_name: Any, args: Any) -> dict[str, str] | None:
        home = hermes_home()
        request = {
            "settings": self._setting("policy"),
            "mode": self._setting("mode"),
            "installation": {
                "hermes_home": home,
                "user_home": os.path.abspath(os.path.expanduser("~")),
                "plugin_source": self._directory,
                "backups": [os.path.join(home, "plugin-data", "hermes-guardian", "backups")],
            },
            "call": {"tool": tool_name, "args": args},
        }
        seconds = min(self._settings.deadline_seconds(), _LONGEST_SECONDS)
        return directive_from(self._sidecar(home).call("guardian.evaluate", request, seconds))

    def _setting(self, key: str) -> dict[str, Any]:
        return setting_of(self._ctx, key)

    def _sidecar(self, home: str) -> Sidecar:
        try:
            chain = self._ctx.get_config("audit_chain", False)
        except Exception:
            raise Refused("audit_chain_setting_unreadable") from None
        if not isinstance(chain, bool):
            raise Refused("audit_chain_setting_invalid")
        key = (home, chain)
        sidecar = self._sidecars.get(key)
        if sidecar is None:
            if len(self._sidecars) >= _MOST_HOMES:
                raise Refused("too_many_homes")
            # Not asked twice: a decision that may have been recorded is not recorded again.
            made = Sidecar(lambda: self._command(home, chain), self._logger, retry=False)
            sidecar = self._sidecars.setdefault(key, made)
        if self._closed:
            sidecar.close()
        return sidecar

    def _command(self, home: str, chain: bool) -> list[str]:
        data = os.path.join(home, "plugin-data")
        script = [os.path.join(self._directory, "sidecar.cjs"), home, *(["chain"] if chain else [])]
        audit = os.path.join(data, "hermes-guardian")
        return command(self._nodes.find(), *script, makeable=(data,), writable=(audit,))

    def close(self) -> None:
        """Ends every sidecar; a call that still comes, or is under way, is blocked."""
        self._closed = True
        for sidecar in list(self._sidecars.values()):
            sidecar.close()
