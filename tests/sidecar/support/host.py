"""A simulated host around the built plugin: loads it as the host does, runs one scenario, prints one JSON object.

    python host.py SCENARIO PLUGIN_DIRECTORY HOME NODE
"""

import json
import logging
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[3] / "packages" / "hermes-plugin" / "python_tests"))

from support import Context, Records, await_end, is_alive, load, reader_threads, simulated_host  # noqa: E402

scenario, directory, home, node = sys.argv[1:]

log = Records()
logging.getLogger("hermes_plugins").addHandler(log)
logging.getLogger("hermes_plugins").setLevel(logging.INFO)

ctx = Context({"node": node})
load(directory).register(ctx)
assert reader_threads() == [], "register() started something"


def tool(name, args):
    return json.loads(ctx.tools[f"memory_bridge_{name}"].handler(args, task_id="t", session_id="s"))


def children():
    listed = Path(f"/proc/self/task/{os.getpid()}/children").read_text() + "".join(
        path.read_text() for path in Path("/proc/self/task").glob("*/children")
    )
    return sorted({int(pid) for pid in listed.split()})


def tools():
    return {
        "search": tool("search", {"query": "asters"}),
        "limited": tool("search", {"query": "asters", "limit": 1}),
        "read": tool("read", {"id": "garden.md"}),
        "denied": tool("read", {"id": "private/secret.md"}),
        "invalid": tool("search", {"query": "asters", "home": home}),
        "not_json": tool("search", {"query": float("nan")}),
        "too_long": tool("search", {"query": "x" * 5_000_000}),
        "no_arguments": tool("search", None),
    }


def runs():
    """The run kinds and hosts that the policy does not admit."""
    outcome = {}
    for name, host in {
        "cron": {"get_session_env": lambda name, default: "1"},
        "subagent": {"is_delegated_child_process_context": lambda: True},
        "no_helper": {"current_secret_scope_home": None},
    }.items():
        with simulated_host(**{"get_hermes_home": lambda: home, **host}):
            outcome[name] = tool("search", {"query": "asters"})
    ctx.cron = object()
    outcome["cron_execution"] = tool("search", {"query": "asters"})
    return outcome


def threads():
    def call(n):
        return tool("search", {"query": "asters"}) if n % 2 else tool("read", {"id": "garden.md"})

    with ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(call, range(300)))
    return {"served": sum(answer["ok"] for answer in answers), "processes": len(children())}


def killed():
    tool("search", {"query": "asters"})
    outcome = []
    for _ in range(5):
        (pid,) = children()
        os.kill(pid, signal.SIGKILL)
        outcome.append([tool("search", {"query": "asters"})["ok"], children() != [pid], is_alive(pid)])
    return outcome


def surroundings():
    os.environ.update(PLANTED_SECRET="s3cret", NODE_OPTIONS="--require=/nowhere/evil.js", TZ="UTC")
    outcome = {"before": children(), "ok": tool("search", {"query": "asters"})["ok"]}
    (pid,) = children()
    environ = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    outcome["environment"] = sorted(entry.split(b"=")[0].decode() for entry in environ if entry)
    outcome["command"] = Path(f"/proc/{pid}/cmdline").read_text().split("\0")[1:-2]
    outcome["folder"] = os.readlink(f"/proc/{pid}/cwd")
    ctx.unloads[0]()
    outcome["after"] = children()
    outcome["alive"] = is_alive(pid)
    return outcome


def dead_disk():
    """The root goes to a mount that does not answer, for a while."""
    ctx.config["deadline_seconds"] = 1
    policy = Path(home) / "plugin-data" / "memory-bridge" / "policy.json"
    root = json.loads(policy.read_text())["root"]
    outcome = {"before": tool("search", {"query": "asters"})["ok"]}
    (pid,) = children()
    dead_mount = str(HERE.parents[3] / "packages" / "hermes-plugin" / "python_tests" / "dead_mount.py")
    with subprocess.Popen(
        [sys.executable, "-I", "-S", "-B", dead_mount, root], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        said = server.stdout.readline().strip()
        if said.startswith("impossible"):
            return {"skipped": said}
        assert said == "mounted", said
        began = time.monotonic()
        outcome["meanwhile"] = tool("search", {"query": "asters"})
        outcome["in_time"] = time.monotonic() - began < 5
        # No signal ends it.
        outcome["left"] = is_alive(pid)
        # This one opens nothing.
        outcome["served"] = tool("search", {"query": 7})["error"]["code"]
    outcome["after"] = tool("search", {"query": "asters"})["ok"]
    pidfd = os.pidfd_open(pid) if is_alive(pid) else None
    outcome["gone"] = pidfd is None or await_end(pidfd)
    return outcome


def orphan():
    """A second host, killed in the middle: does its sidecar end?"""
    with subprocess.Popen(
        [sys.executable, "-B", str(HERE), "serve", directory, home, node], stdout=subprocess.PIPE, text=True
    ) as host:
        pidfd = os.pidfd_open(json.loads(host.stdout.readline())["sidecar"])
        host.kill()
        ended = await_end(pidfd)
        os.close(pidfd)
    return {"ended": ended}


def serve():
    tool("search", {"query": "asters"})
    print(json.dumps({"sidecar": children()[0]}), flush=True)
    signal.pause()


with simulated_host(get_hermes_home=lambda: home):
    result = globals()[scenario]()
for unload in ctx.unloads:
    unload()
print(json.dumps({"result": result, "log": [f"{r.levelname} {r.name} {r.getMessage()}" for r in log.records]}))
