"""A whole session in a real Hermes source tree, driven by a scripted model on loopback.

    HERMES_SOURCE=… HERMES_HOME=… python3 whole_session.py PROJECT

Agent loop, plugin loader, tool registry, hooks, approval gate and memory manager are the tree's own. What stands in: the
model, the openai SDK (overlay/openai.py), a person at the approval gate, and two helpers that version 0.20.1 lacks
(late_helpers.py). Prints what the model was sent, turn by turn.
"""

import http.server
import json
import os
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.environ["HERMES_SOURCE"])
sys.path.insert(0, os.path.join(HERE, "overlay"))
sys.path.insert(0, HERE)
project = sys.argv[1]


class Model:
    """Says its next line whenever it is asked, and keeps what it was sent."""

    def __init__(self):
        self.lines = []
        self.sent = []

    def answer(self, asked):
        self.sent.append(asked)
        line = self.lines.pop(0) if self.lines else "nothing more"
        if callable(line):
            line = line(asked)
        message = {"role": "assistant", "content": line if isinstance(line, str) else None}
        if not isinstance(line, str):
            name, args = line
            call = {"id": f"call_{len(self.sent)}", "type": "function"}
            message["tool_calls"] = [{**call, "function": {"name": name, "arguments": json.dumps(args)}}]
        finish = "stop" if isinstance(line, str) else "tool_calls"
        choice = {"index": 0, "message": message, "finish_reason": finish}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        return {"id": "x", "object": "chat.completion", "model": "scripted", "choices": [choice], "usage": usage}


def serve(model):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if not self.path.endswith("/chat/completions"):
                return self.do_GET()  # The host asks what kind of server this is.
            body = json.dumps(model.answer(asked)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self):
            self.send_response(404)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}/v1"


def deferred(name, **args):
    """A plugin's tool is not in the list of this host; it is called through one that is."""
    return ("tool_call", {"name": name, "arguments": args})


def last_result(asked):
    """What the last tool call came to, as the model is told."""
    return next(message["content"] for message in reversed(asked["messages"]) if message["role"] == "tool")


def text_of(message):
    content = message["content"]
    return content if isinstance(content, str) else json.dumps(content)


def main():
    from late_helpers import add_late_helpers

    add_late_helpers()
    import tools.approval

    gate = {"asked": [], "answers": [True, False]}

    def person(tool_name, reason, *, rule_key="", **_):
        gate["asked"].append([tool_name, reason])
        approved = gate["answers"].pop(0)
        return {"approved": approved, "message": None if approved else "denied by the test"}

    tools.approval.request_tool_approval = person

    model = Model()
    address = serve(model)
    from hermes_cli.plugins import discover_plugins

    discover_plugins()
    from run_agent import AIAgent

    agent = AIAgent(
        base_url=address,
        api_key="none",
        model="scripted",
        max_iterations=12,
        quiet_mode=True,
        session_id="whole-session",
        platform="cli",
    )
    secret, new, other = (f"{project}/{name}" for name in (".env", "new.md", "other.md"))
    results = []

    def then(line):
        """Notes what the tool before it came to, and says the line."""

        def say(asked):
            results.append(last_result(asked))
            return line

        return say

    def read_found(asked):
        results.append(last_result(asked))
        found = json.loads(last_result(asked))
        return deferred("memory_bridge_read", id=found["results"][0]["id"])

    model.lines = [deferred("memory_bridge_search", query="asters"), read_found, then("The asters go to the east gate.")]
    first = agent.run_conversation("Where do the blue asters go in the garden?", task_id="task")
    history = first["messages"]
    model.lines = [
        ("read_file", {"path": secret}),
        then(("write_file", {"path": new, "content": "approved\n"})),
        then(("write_file", {"path": other, "content": "denied\n"})),
        then("Done what could be done."),
    ]
    second = agent.run_conversation(
        "When are the asters in the garden watered?", task_id="task", conversation_history=history
    )
    # The recall of a turn runs behind it; a person takes longer to type.
    deadline = time.monotonic() + 15
    provider = next((one for one in agent._memory_manager._providers if one.name == "hy_memory"), None)
    while provider is not None and time.monotonic() < deadline:
        report = provider.report()
        if report is not None and report["last_recall"] is not None and report["running"] == 0:
            break
        time.sleep(0.05)
    before = len(model.sent)
    model.lines = ["By the gate, then."]
    agent.run_conversation("And the roses?", task_id="task", conversation_history=second["messages"])
    last = model.sent[before]["messages"][-1]
    print(
        "OUTCOME "
        + json.dumps(
            {
                "tools": sorted(tool["function"]["name"] for tool in model.sent[0].get("tools", [])),
                "first": text_of(model.sent[0]["messages"][-1]),
                "results": results,
                "asked": gate["asked"],
                "files": sorted(os.listdir(project)),
                "recalled": text_of(last),
                "everything": json.dumps(model.sent),
            }
        )
    )
    for one in agent._memory_manager._providers:
        one.shutdown()


main()
