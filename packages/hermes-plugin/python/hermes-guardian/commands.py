"""`hermes guardian …`: the command line of Memory Bridge on the operator's terminal. (issue 5 item 4)

It decides nothing. The program beside this file shows, asks and checks; where it wants the guard's settings read or the
policy written, it says so over a pipe, and the host's own interface does that here.
"""

import json
import logging
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from .hook import hermes_home, setting_of
from .shim.environment import sidecar_environment
from .shim.node import NodeFinder
from .shim.refusal import Refused

# What a program on a terminal needs besides what a sidecar gets; nothing that holds a secret.
_TERMINAL = ("HOME", "TERM", "COLORTERM", "NO_COLOR", "COLUMNS", "LINES")
_PIPE = "MEMORY_BRIDGE_HOST_PIPE"
_READABLE = ("policy", "mode", "audit_chain")
_MOST_BYTES = 4 * 1024 * 1024
_CANNOT_RUN = 2


def register(ctx: Any, nodes: NodeFinder, directory: str, logger: logging.Logger) -> None:
    """Offers the command where the host takes commands; the hook does not depend on it."""
    offer = getattr(ctx, "register_cli_command", None)
    if not callable(offer):
        return
    try:
        offer(
            name="guardian",
            help="Hermes Guardian: review, activate and roll back its policy",
            setup_fn=_set_up,
            handler_fn=lambda args: run(ctx, nodes, directory, getattr(args, "guardian_arguments", [])),
            description="Hermes Guardian: what its policy decides, and which policy is in force.",
        )
    except Exception as error:
        logger.warning("code=command_not_registered error=%s", type(error).__name__)


def _set_up(parser: Any) -> None:
    import argparse

    parser.add_argument(
        "guardian_arguments",
        nargs=argparse.REMAINDER,
        metavar="SUBCOMMAND …",
        help="status, activate, rollback, check, audit verify, …; SUBCOMMAND --help says more",
    )


def has_settings(ctx: Any) -> bool:
    """Whether the host reads and writes settings; without that the program edits config.yaml."""
    return all(callable(getattr(ctx, name, None)) for name in ("get_config", "set_config"))


def environment(home: str, pipe: int | None) -> dict[str, str]:
    made = sidecar_environment()
    made.update({name: os.environ[name] for name in _TERMINAL if name in os.environ})
    # In place of a flag, which not every subcommand takes: the profile that this host runs.
    made["HERMES_HOME"] = home
    if pipe is not None:
        made[_PIPE] = str(pipe)
    return made


def answer(ctx: Any, question: Any) -> dict[str, Any]:
    """One question of the program. Everything but the three methods in their exact form is refused."""
    if not isinstance(question, dict):
        return {"error": "malformed"}
    method, key = question.get("method"), question.get("key")
    if method == "get" and set(question) == {"method", "key"} and key in _READABLE:
        return {"setting": setting_of(ctx, key)}
    if method == "set" and set(question) == {"method", "key", "value"} and key == "policy":
        try:
            ctx.set_config("policy", question["value"])
        except Exception as error:
            return {"error": "host_rejected" if isinstance(error, ValueError) else "host_raised"}
        return {"done": True}
    if method == "model" and set(question) == {"method", "request"}:
        from .model import ask_model

        return ask_model(ctx, question["request"])
    return {"error": "malformed"}


def serve(ctx: Any, channel: socket.socket) -> None:
    """Answers until the program has gone."""
    with channel, channel.makefile("rb") as lines:
        while line := lines.readline(_MOST_BYTES):
            try:
                question = json.loads(line)
            except (ValueError, RecursionError):
                question = None
            try:
                said = json.dumps(answer(ctx, question), allow_nan=False)
            except (ValueError, TypeError, RecursionError):
                # A setting that has no JSON form: for the program it is one that cannot be read.
                said = json.dumps({"setting": {"state": "raised"}})
            try:
                channel.sendall(said.encode("ascii") + b"\n")
            except OSError:
                return


def run(
    ctx: Any,
    nodes: NodeFinder,
    directory: str,
    arguments: list[str],
    start: Callable[..., Any] = subprocess.Popen,
) -> int:
    """Runs the program on this terminal; ends like it ended."""
    try:
        code = _run(ctx, nodes, directory, arguments, start)
    except Refused as refusal:
        print(f"hermes guardian: cannot run ({refusal.code})", file=sys.stderr)
        code = _CANNOT_RUN
    if code != 0:
        raise SystemExit(code)
    return 0


def _run(ctx: Any, nodes: NodeFinder, directory: str, arguments: list[str], start: Callable[..., Any]) -> int:
    home = hermes_home()
    if any(argument == "--home" or argument.startswith("--home=") for argument in arguments):
        print("hermes guardian: the home is that of the profile; start Hermes with another one.", file=sys.stderr)
        return _CANNOT_RUN
    program = [nodes.find().path, "--no-warnings", os.path.join(directory, "memory-bridge.cjs"), "guardian", *arguments]
    ours, theirs = socket.socketpair() if has_settings(ctx) else (None, None)
    try:
        process = start(
            program,
            env=environment(home, None if theirs is None else theirs.fileno()),
            pass_fds=() if theirs is None else (theirs.fileno(),),
        )
    except OSError:
        if ours is not None:
            ours.close()
        raise Refused("command_line_not_startable") from None
    finally:
        if theirs is not None:
            theirs.close()
    # The keyboard's interrupt goes to the program too, which ends by itself and says how.
    before = _ignore_interrupt()
    try:
        if ours is not None:
            serve(ctx, ours)
        code = process.wait()
    finally:
        if before is not None:
            signal.signal(signal.SIGINT, before)
    return code if code >= 0 else 128 - code


def _ignore_interrupt() -> Any:
    try:
        return signal.signal(signal.SIGINT, signal.SIG_IGN)
    except ValueError:
        return None  # Not the main thread, which alone gets the interrupt.
