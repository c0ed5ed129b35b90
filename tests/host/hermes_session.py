"""Runs the built plugin under a real Hermes source tree and prints what the host's own tool dispatch answered.

    HERMES_SOURCE=… HERMES_HOME=… python3 hermes_session.py OTHER_HOME OVERLAY

The loader, the registry, the profile scope, the delegation context and the cron session mark are the tree's own.
OVERLAY is ``yes`` or ``no``: whether helpers that a tree before v0.22 lacks are added, so that identity can be
established at all. Nothing of the tree is changed on disk.
"""

import contextlib
import json
import os
import sys

source = os.environ["HERMES_SOURCE"]
sys.path.insert(0, source)
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
other_home, overlay = sys.argv[1:]


@contextlib.contextmanager
def profile(home):
    """What the gateway binds for one routed turn of a profile."""
    from agent.secret_scope import reset_secret_scope, set_secret_scope
    from hermes_constants import reset_hermes_home_override, set_hermes_home_override

    home_token = set_hermes_home_override(home)
    secret_token = set_secret_scope({})
    try:
        yield
    finally:
        reset_secret_scope(secret_token)
        reset_hermes_home_override(home_token)


@contextlib.contextmanager
def cron_session():
    os.environ["HERMES_CRON_SESSION"] = "1"
    try:
        yield
    finally:
        del os.environ["HERMES_CRON_SESSION"]


def call(name, **args):
    from hermes_cli.plugins import discover_plugins
    from model_tools import handle_function_call

    discover_plugins()
    return json.loads(handle_function_call(name, args, task_id="task", session_id="session"))


def main():
    if overlay == "yes":
        from late_helpers import add_late_helpers

        add_late_helpers()
    from agent.delegation_context import delegated_child_context
    from agent.secret_scope import set_multiplex_active

    def garden():
        return call("memory_bridge_search", query="garden")

    answers = {
        "search": garden(),
        "read": call("memory_bridge_read", id="projects/garden.md"),
        "denied": call("memory_bridge_read", id="projects/private/budget.md"),
        "missing": call("memory_bridge_read", id="projects/none.md"),
        "traversal": call("memory_bridge_read", id="../outside.md"),
        "unknown_argument": call("memory_bridge_read", id="projects/garden.md", home="/"),
    }
    with cron_session():
        answers["cron"] = garden()
    with delegated_child_context():
        answers["subagent"] = garden()
    with profile(other_home):
        answers["other_profile"] = garden()
    set_multiplex_active(True)
    answers["multiplex_unbound"] = garden()
    with profile(other_home):
        answers["multiplex_bound"] = garden()
    print("ANSWERS " + json.dumps(answers))


main()
