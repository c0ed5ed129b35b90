"""Times the guardian's real hook over a simulated host, with and without the audit; prints one JSON object.

    python3 guard_shim.py PLUGIN PLUGIN_WITHOUT_AUDIT HOME CALLS NODE

The policies and the call come as JSON on standard input. Calls without audit come first, one after the other, under
each policy. Then three things take turns, so that they meet the same machine: a call without audit, a call with it, and
a bare write and fsync of as many bytes to a file in the same directory.
"""

import importlib.util
import json
import os
import sys
import time
import types


class Context:
    """The part of the host's plugin context that the plugin uses."""

    def __init__(self, settings):
        self.settings = settings
        self.hooks = {}
        self.unload = []

    def register_hook(self, name, callback):
        self.hooks[name] = callback

    def get_config(self, key, default=None):
        return self.settings.get(key, default)

    def on_unload(self, callback):
        self.unload.append(callback)


def load(directory, name, settings):
    spec = importlib.util.spec_from_file_location(
        name, f"{directory}/__init__.py", submodule_search_locations=[directory]
    )
    plugin = importlib.util.module_from_spec(spec)
    sys.modules[name] = plugin
    spec.loader.exec_module(plugin)
    context = Context(settings)
    plugin.register(context)
    return context


def main():
    directory, bare_directory, home, calls, node = sys.argv[1:]
    asked = json.load(sys.stdin)
    host = types.ModuleType("hermes_constants")
    host.get_hermes_home = lambda: home
    sys.modules["hermes_constants"] = host
    first, *_ = asked["policies"].values()
    settings = {"policy": first, "node": node}
    contexts = [load(bare_directory, "bench_bare", settings), load(directory, "bench_audit", settings)]
    without, with_audit = (context.hooks["pre_tool_call"] for context in contexts)

    def timed(hook):
        start = time.perf_counter()
        directive = hook(tool_name=asked["tool"], args=asked["args"], session_id="s", task_id="t")
        seconds = time.perf_counter() - start
        assert directive is None, directive
        return seconds * 1e6

    alone = {}
    for name, settings["policy"] in asked["policies"].items():
        # Longer than a busy spell of the machine.
        alone[name] = [timed(without) for _ in range(5 * int(calls))][300:]
    settings["policy"] = first
    for _ in range(300):
        timed(without)
        timed(with_audit)
    audit = f"{home}/plugin-data/hermes-guardian/audit.jsonl"
    with open(audit, "rb") as file:
        record = file.readlines()[-1]
    beside = os.open(f"{os.path.dirname(audit)}/bare", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def write():
        start = time.perf_counter()
        os.write(beside, record)
        os.fsync(beside)
        return (time.perf_counter() - start) * 1e6

    turns = [(timed(without), timed(with_audit), write()) for _ in range(int(calls))]
    for context in contexts:
        for callback in context.unload:
            callback()
    print(json.dumps({"alone": alone, **dict(zip(("without", "with", "bare"), zip(*turns)))}))


main()
