"""What the provider can tell without a sidecar, a network or a process: the settings, the mode, what the host can do.

The settings are those names of seed 003's table and no others, read on the host's thread, because a host that serves
several profiles binds their secrets to it. Judging them is for the core; here they only answer two questions that the
host asks before anything runs: is there anything to recall from, and is there a tool to add with?
"""

import os
from typing import Any

CONNECTION = "HY_MEMORY_CONNECTION_FILE"
NOTES = "HY_MEMORY_NOTES"
_NAMING_A_SERVER = (
    "HY_MEMORY_URL",
    "HY_MEMORY_USER_ID",
    "HY_MEMORY_AGENT_ID",
    "HY_MEMORY_API_KEY",
    "HY_MEMORY_CA_FILE",
)
_NAMES = (
    CONNECTION,
    *_NAMING_A_SERVER,
    "HY_MEMORY_TIMEOUT",
    "HY_MEMORY_WRITE_TIMEOUT",
    "HY_MEMORY_LIMIT",
    "HY_MEMORY_MAX_CHARS",
    "HY_MEMORY_MAX_BODY_BYTES",
    "HY_MEMORY_AUTO_RECALL",
    "HY_MEMORY_AUTO_CAPTURE",
    NOTES,
    "HY_MEMORY_FRESH",
    "HY_MEMORY_MASK_SECRETS",
)

_DIRECTORY = os.path.dirname(os.path.abspath(__file__))
_DEFAULT_SECONDS = 5.0


def plugin_directory() -> str:
    return _DIRECTORY


def _read_setting(name: str) -> str | None:
    try:
        from agent.secret_scope import get_secret
    except ModuleNotFoundError:
        return os.environ.get(name)  # A host without profiles in one process.
    return get_secret(name)


def environment() -> dict[str, str]:
    """The settings of the profile that this thread serves. Raises where the host cannot say which: nothing is recalled."""
    values = {name: _read_setting(name) for name in _NAMES}
    return {name: value for name, value in values.items() if isinstance(value, str)}


def home(given: Any = None) -> str:
    """The Hermes home, absolute. Raises where nothing names one."""
    if given is None or given == "":
        from hermes_constants import get_hermes_home

        given = get_hermes_home()
    path = os.fspath(given)
    if not isinstance(path, str) or path == "":
        raise ValueError("no home")
    return os.path.abspath(path)


def is_managed(settings: dict[str, str]) -> bool:
    """A connection file that is there and broken is one too: nothing else serves in its place."""
    return CONNECTION in settings or os.path.lexists(os.path.join(_DIRECTORY, "connection.json"))


def is_direct(settings: dict[str, str]) -> bool:
    return not is_managed(settings) and any(name in settings for name in _NAMING_A_SERVER)


def has_notes(settings: dict[str, str], of: str) -> bool:
    policy = os.path.join(of, "plugin-data", "memory-bridge", "policy.json")
    return settings.get(NOTES) != "false" and os.path.lexists(policy)


def captures(settings: dict[str, str]) -> bool:
    return is_direct(settings) and settings.get("HY_MEMORY_AUTO_CAPTURE") == "true"


def recalls(settings: dict[str, str]) -> bool:
    return settings.get("HY_MEMORY_AUTO_RECALL") != "false"


def is_fresh(settings: dict[str, str]) -> bool:
    return settings.get("HY_MEMORY_FRESH") == "true"


def _seconds(settings: dict[str, str], name: str, most: float, otherwise: float) -> float:
    try:
        value = float(settings[name])
    except (KeyError, ValueError):
        return otherwise
    return value if 0.1 <= value <= most else otherwise


def read_seconds(settings: dict[str, str]) -> float:
    return _seconds(settings, "HY_MEMORY_TIMEOUT", 30.0, _DEFAULT_SECONDS)


def write_seconds(settings: dict[str, str]) -> float:
    return _seconds(settings, "HY_MEMORY_WRITE_TIMEOUT", 120.0, read_seconds(settings))


def history() -> str:
    """Whether the host keeps an injected block in what later turns see: told by the helper that replays it."""
    try:
        from agent.turn_context import compose_user_api_content
    except Exception:
        return "dropped"
    return "kept" if callable(compose_user_api_content) else "dropped"
