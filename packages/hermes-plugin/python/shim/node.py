"""Which Node runs the sidecar, and with which fences on its command line? (design.md sections 5 and 6)

The operator's setting alone if there is one, else the host's own Node, else the first on PATH that is new enough. The
version is asked of the program itself, once per file: whatever a name promises, a Node that is too old refuses.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from typing import NamedTuple

from .environment import sidecar_environment
from .refusal import Refused

OLDEST = (20, 19, 0)
_VERSION_SECONDS = 5.0

Version = tuple[int, int, int]


class Node(NamedTuple):
    path: str
    version: Version


def _host_node() -> str | None:
    try:
        from hermes_constants import find_node_executable

        found = find_node_executable("node")
        return None if found is None else os.fspath(found)
    except Exception:
        return None  # The host has no such helper, or it does not know.


def _path_node() -> str | None:
    return shutil.which("node")


def _ask_version(path: str) -> Version | None:
    """None where the file does not run or does not answer like Node."""
    try:
        done = subprocess.run(
            [path, "--version"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env=sidecar_environment(),
            timeout=_VERSION_SECONDS,
            check=False,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    answer = re.match(rb"v(\d{1,5})\.(\d{1,5})\.(\d{1,5})", done.stdout) if done.returncode == 0 else None
    if answer is None:
        return None
    major, minor, patch = (int(part) for part in answer.groups())
    return (major, minor, patch)


class NodeFinder:
    """Remembers the version per file, and asks again when the file has changed."""

    def __init__(
        self,
        setting: Callable[[], str | None],
        candidates: tuple[Callable[[], str | None], ...] = (_host_node, _path_node),
        ask_version: Callable[[str], Version | None] = _ask_version,
    ) -> None:
        self._setting = setting
        self._candidates = candidates
        self._ask_version = ask_version
        self._known: dict[tuple[str, int, int, int], Version] = {}

    def find(self) -> Node:
        """Raises Refused: ``node_missing``, ``node_too_old`` or a bad setting."""
        refusal = "node_missing"
        for path in self._paths():
            version = self._version(path)
            if version is None:
                continue
            if version >= OLDEST:
                return Node(path, version)
            refusal = "node_too_old"
        raise Refused(refusal)

    def _paths(self) -> Iterator[str]:
        setting = self._setting()
        if setting is not None:
            yield setting
            return
        for candidate in self._candidates:
            path = candidate()
            # A relative path would be looked up in whatever folder the host happens to stand in.
            if isinstance(path, str) and os.path.isabs(path):
                yield path

    def _version(self, path: str) -> Version | None:
        try:
            facts = os.stat(path)
        except (OSError, ValueError):
            return None
        key = (path, facts.st_dev, facts.st_ino, facts.st_mtime_ns)
        if key not in self._known:
            version = self._ask_version(path)
            if version is None:
                return None
            self._known[key] = version
        return self._known[key]


def _permission_flag(version: Version) -> str:
    """The permission model left its experimental name in 22.13 and 23.5; later versions no longer know the old one."""
    named = version >= (23, 5, 0) or (22, 13, 0) <= version < (23, 0, 0)
    return "--permission" if named else "--experimental-permission"


def command(
    node: Node,
    script: str,
    *arguments: str,
    writable: tuple[str, ...] = (),
    makeable: tuple[str, ...] = (),
    recalls: bool = False,
) -> list[str]:
    """Reading files and loading the native library are granted; child processes are not, workers and connections only to
    the sidecar that ``recalls``: it scans notes in a worker, and its sources are peers.

    What may be read is decided in the core, path component by path component, so the model grants all of it. Writing is
    granted at the paths in ``writable`` and below them; for most plugins there are none. A directory in ``makeable`` may
    be made, but not be written in: once it is there it is not granted, since the model takes the path of a directory for
    all that is below it. ``--no-warnings`` keeps standard error to the sidecar's own lines. The young generation is kept
    small and the heap grows by a fifth at a time: a scan makes much garbage and keeps little, and without the two flags
    its peak is half as high again.
    """
    for path in (*writable, *makeable):
        # Node reads a list at commas and a pattern at asterisks.
        if "," in path or "*" in path:
            raise Refused("home_unsupported")
    return [
        node.path,
        "--no-warnings",
        "--max-semi-space-size=2",
        "--heap-growing-percent=20",
        _permission_flag(node.version),
        "--allow-fs-read=*",
        *(f"--allow-fs-write={path}" for path in makeable if not os.path.lexists(path)),
        # The pattern grants the path itself too. Both, where it is a directory by then, make Node 20 abort.
        *(f"--allow-fs-write={path}/*" for path in writable),
        "--allow-addons",
        *(["--allow-worker"] if recalls else []),
        # The model holds connections back since 25.0.
        *(["--allow-net"] if recalls and node.version >= (25, 0, 0) else []),
        script,
        *arguments,
    ]
