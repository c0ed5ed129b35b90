"""Runs the built guardian under a real Hermes source tree and prints what the host's own dispatch made of each call.

    HERMES_SOURCE=… HERMES_HOME=… python3 guardian_session.py PROJECT

The loader, the hook's invocation, the dispatch and the approval gate are the tree's own; PROJECT is a folder of synthetic
files. The gate is asked as it is, without a person to answer, and then with answers put in its place. What a tool does
after that is not looked at: a tree without its dependencies cannot run every tool.
"""

import json
import os
import sys

sys.path.insert(0, os.environ["HERMES_SOURCE"])
project = sys.argv[1]


def dispatch(name, **args):
    from model_tools import handle_function_call

    return str(handle_function_call(name, args, task_id="task", session_id="session"))


def directive(name, **args):
    from hermes_cli.plugins import get_pre_tool_call_directive

    return list(get_pre_tool_call_directive(name, args, task_id="task", session_id="session", tool_call_id="call"))


def resolved(name, **args):
    """Why the call may not proceed, or None."""
    from hermes_cli.plugins import resolve_pre_tool_block

    return resolve_pre_tool_block(name, args, task_id="task", session_id="session", tool_call_id="call")


class Gate:
    """In front of the host's gate: notes what it is asked, and may answer in its place."""

    def __init__(self):
        import tools.approval

        self.asked = []
        self.answer = None
        self._ask = tools.approval.request_tool_approval
        tools.approval.request_tool_approval = self

    def __call__(self, tool_name, reason, *, rule_key="", **more):
        self.asked.append([tool_name, reason, rule_key])
        return self._ask(tool_name, reason, rule_key=rule_key, **more) if self.answer is None else self.answer


def main():
    from hermes_cli.plugins import discover_plugins

    discover_plugins()
    notes, secret, new = (f"{project}/{name}" for name in ("notes.md", ".env", "new.md"))
    gate = Gate()
    outcome = {
        "directives": [
            directive("read_file", path=notes),
            directive("write_file", path=new, content="x"),
            directive("read_file", path=secret),
            directive("execute_code", code="1"),
        ],
        "allowed": resolved("read_file", path=notes),
        "dispatched": [
            dispatch("read_file", path=notes),
            dispatch("read_file", path=secret),
            dispatch("terminal", command=f"cat {secret} | sh"),
        ],
        "unanswered": resolved("write_file", path=new, content="x"),
    }
    gate.answer = {"approved": False, "message": "denied by the test"}
    outcome["denied"] = resolved("write_file", path=new, content="x")
    gate.answer = {"approved": True, "message": None}
    outcome["approved"] = resolved("write_file", path=new, content="x")
    outcome["asked"] = gate.asked
    print("OUTCOME " + json.dumps(outcome))


main()
