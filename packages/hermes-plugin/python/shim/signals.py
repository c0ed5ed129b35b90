"""What the host says about a call: every helper's value, or that the helper is missing, or that it raised.

The form is Signals.ts in the core, which judges it. Nothing here depends on what the model sent, and nothing here
decides: a value of an unexpected type is reported like a helper that raised. (hermes-contract.md c, seed 000 "Hermes
public plugin interfaces")
"""

import os
from collections.abc import Callable
from typing import Any

_MISSING = {"state": "missing"}
_RAISED = {"state": "raised"}


# One finder per helper. The imports stand in functions because the plugin must load without the host, and as plain
# statements so that whoever audits the plugin sees them.


def _find_home() -> Callable[[], Any]:
    from hermes_constants import get_hermes_home

    return get_hermes_home


def _find_home_override() -> Callable[[], Any]:
    from hermes_constants import get_hermes_home_override

    return get_hermes_home_override


def _find_scope_home() -> Callable[[], Any]:
    from agent.secret_scope import current_secret_scope_home

    return current_secret_scope_home


def _find_multiplex() -> Callable[[], Any]:
    from agent.secret_scope import is_multiplex_active

    return is_multiplex_active


def _find_delegated_child() -> Callable[[], Any]:
    from agent.delegation_context import is_delegated_child_process_context

    return is_delegated_child_process_context


def _find_cron_session() -> Callable[[], Any]:
    from gateway.session_context import get_session_env

    return lambda: get_session_env("HERMES_CRON_SESSION", "")


def _path(value: Any) -> str:
    text = os.fspath(value)
    if not isinstance(text, str):
        raise TypeError("a path in bytes")
    return text


def _path_or_none(value: Any) -> str | None:
    return None if value is None else _path(value)


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError("not a flag")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("not text")
    return value


def _is_something(value: Any) -> bool:
    return value is not None


def _reading(find: Callable[[], Callable[[], Any]], form: Callable[[Any], Any]) -> dict[str, Any]:
    try:
        helper = find()
    except (ImportError, AttributeError):
        return _MISSING
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException:
        return _RAISED
    try:
        return {"state": "value", "value": form(helper())}
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException:
        return _RAISED


def gather(ctx: Any) -> dict[str, Any]:
    """Reads every helper, on the calling thread: the host binds a turn's identity to the context of that thread."""
    return {
        "get_hermes_home": _reading(_find_home, _path),
        "get_hermes_home_override": _reading(_find_home_override, _path_or_none),
        "current_secret_scope_home": _reading(_find_scope_home, _path_or_none),
        "is_multiplex_active": _reading(_find_multiplex, _flag),
        "is_delegated_child_process_context": _reading(_find_delegated_child, _flag),
        "cron_session": _reading(_find_cron_session, _text),
        "cron_execution": _reading(lambda: ctx.current_cron_execution, _is_something),
        # Any value counts, "0" too: a host that sets it at all may run this code outside the turn's context.
        "plugin_host_process": "HERMES_PLUGIN_HOST_PROCESS" in os.environ,
    }
