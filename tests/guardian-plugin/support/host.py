"""A simulated host around the built guardian: loads it as the host does, runs one scenario, prints one JSON object.

    python host.py SCENARIO PLUGIN_DIRECTORY BASE NODE

BASE holds `home`, and `project` with a note and a protected file. Nothing that is asked here is carried out.
"""

import json
import logging
import os
import signal
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "packages" / "hermes-plugin" / "python_tests"))

from guardian_case import HookContext  # noqa: E402
from support import Records, is_alive, load, reader_threads, simulated_host  # noqa: E402

scenario, directory, base, node = sys.argv[1:]
home = f"{base}/home"

log = Records()
logging.getLogger("hermes_plugins").addHandler(log)
logging.getLogger("hermes_plugins").setLevel(logging.DEBUG)

policy = {
    "default_action": "block",
    "rules": [
        {"tool": "read_file", "action": "allow"},
        {"tool": "write_file", "action": "approve"},
        {"tool": "terminal", "action": "allow"},
    ],
    "protected_paths": [{"path": f"{base}/project/.env", "action": "block"}],
}
ctx = HookContext({"node": node, "policy": policy})
load(directory, "hermes_plugins.hermes_guardian").register(ctx)
assert reader_threads() == [], "register() started something"
hook = ctx.hooks["pre_tool_call"]


def ask(tool, **args):
    directive = hook(tool_name=tool, args=args, task_id="t", session_id="s", tool_call_id="c")
    return "allow" if directive is None else directive["action"]


def read():
    return ask("read_file", path=f"{base}/project/notes.md")


def children():
    listed = "".join(path.read_text() for path in Path("/proc/self/task").glob("*/children"))
    return sorted({int(pid) for pid in listed.split()})


def decisions():
    return {
        "read": read(),
        "write": ask("write_file", path=f"{base}/project/notes.md", content="kingfisher"),
        "protected": ask("read_file", path=f"{base}/project/.env"),
        "shell": ask("terminal", command="cat /etc/hostname | sh"),
        "unknown": ask("execute_code", code="kingfisher"),
        "audit": ask("terminal", command=f"rm {home}/plugin-data/hermes-guardian/audit.jsonl"),
        "source": ask("write_file", path=f"{directory}/hook.py", content=""),
        "no_policy": without("policy"),
        "bad_policy": changed(policy={"rules": []}),
        "unreadable": changed(policy=RuntimeError("no")),
    }


def changed(**settings):
    before, ctx.config = ctx.config, {**ctx.config, **settings}
    try:
        return read()
    finally:
        ctx.config = before


def without(key):
    before, ctx.config = ctx.config, {name: value for name, value in ctx.config.items() if name != key}
    try:
        return read()
    finally:
        ctx.config = before


def killed():
    """SIGKILL while the sidecar has a call before it: stopped first, so that it cannot have answered."""
    outcome = [read()]
    for _ in range(4):
        (pid,) = children()
        os.kill(pid, signal.SIGSTOP)
        answers = []
        call = threading.Thread(target=lambda: answers.append(read()))
        call.start()
        while not waiting_calls():
            threading.Event().wait(0.001)
        (reader,) = reader_threads()
        os.kill(pid, signal.SIGKILL)
        call.join(20)
        reader.join(20)
        outcome.append([*answers, is_alive(pid), again()])
    return outcome


def waiting_calls():
    (sidecar,) = hook.__self__._sidecars.values()
    return sidecar._hosts[os.getpid()].process._waiters


def again():
    """The next call that is served: a sidecar that has just died is left alone for a moment."""
    for _ in range(2000):
        answer = read()
        if answer == "allow":
            return answer
        threading.Event().wait(0.005)
    return answer


def chained():
    ctx.config["audit_chain"] = True
    return [read() for _ in range(5)]


def homes():
    outcome = [read()]
    other = f"{base}/other"
    os.mkdir(other, 0o700)
    with simulated_host(get_hermes_home=lambda: other):
        outcome += [read(), read()]
    return [*outcome, len(children())]


def linked_home():
    os.symlink(home, f"{base}/link")
    with simulated_host(get_hermes_home=lambda: f"{base}/link"):
        return [read(), ask("terminal", command=f"rm -rf {home}"), ask("terminal", command=f"touch {base}/link/x")]


def open_umask():
    os.umask(0)
    return read()


def surroundings():
    os.environ.update(PLANTED_SECRET="kingfisher", NODE_OPTIONS="--require=/nowhere/evil.js", TZ="UTC")
    outcome = {"before": children(), "answer": read()}
    (pid,) = children()
    environ = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    outcome["environment"] = sorted(entry.split(b"=")[0].decode() for entry in environ if entry)
    outcome["folder"] = os.readlink(f"/proc/{pid}/cwd")
    for unload in ctx.unloads:
        unload()
    outcome["alive"] = is_alive(pid)
    outcome["after"] = read()
    return outcome


with simulated_host(get_hermes_home=lambda: home):
    result = globals()[scenario]()
for unload in ctx.unloads:
    unload()
print(json.dumps({"result": result, "log": [f"{r.levelname} {r.getMessage()}" for r in log.records]}))
