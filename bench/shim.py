"""Times the real Python handlers over a simulated host; prints one JSON object.

    python3 shim.py PLUGIN_DIRECTORY HOME DOCUMENT_ID STARTS CALLS [NODE]

`first_ms`: each from a freshly loaded plugin, process start included. `read_us`, `refused_us`: round trips of a warm
read, and of a call that the sidecar refuses for its arguments, which is the bare way through the shim and back.
"""

import importlib.util
import json
import sys
import time
import types


def simulate_host(home):
    """The host helpers that the shim asks, as modules of the same names."""

    def module(name, **members):
        made = types.ModuleType(name)
        for key, member in members.items():
            setattr(made, key, member)
        sys.modules[name] = made

    module("hermes_constants", get_hermes_home=lambda: home, get_hermes_home_override=lambda: None)
    module("agent")
    module(
        "agent.secret_scope",
        current_secret_scope_home=lambda: None,
        is_multiplex_active=lambda: False,
    )
    module("agent.delegation_context", is_delegated_child_process_context=lambda: False)
    module("gateway")
    module("gateway.session_context", get_session_env=lambda name, default="": default)


class Context:
    """The part of the host's plugin context that the plugin uses."""

    def __init__(self, node):
        self.tools = {}
        self.unload = []
        self.node = node

    def register_tool(self, name, handler=None, **_):
        self.tools[name] = handler

    def get_config(self, key, default=None):
        return self.node if key == "node" and self.node else default

    def current_cron_execution(self):
        return None

    def on_unload(self, callback):
        self.unload.append(callback)


def load(directory, number, node):
    name = f"bench_plugin_{number}"
    spec = importlib.util.spec_from_file_location(
        name, f"{directory}/__init__.py", submodule_search_locations=[directory]
    )
    plugin = importlib.util.module_from_spec(spec)
    sys.modules[name] = plugin
    spec.loader.exec_module(plugin)
    context = Context(node)
    plugin.register(context)
    return context


def timed(call):
    start = time.perf_counter()
    answer = call()
    return (time.perf_counter() - start), answer


def main():
    directory, home, document, starts, calls, *node = sys.argv[1:]
    simulate_host(home)
    first = []
    context = None
    for number in range(int(starts)):
        if context is not None:
            for callback in context.unload:
                callback()
        context = load(directory, number, node[0] if node else None)
        seconds, answer = timed(lambda: context.tools["memory_bridge_search"]({"query": "budget"}))
        assert json.loads(answer)["ok"], answer
        first.append(seconds * 1e3)
    read, refused = [], []
    for _ in range(int(calls)):
        seconds, answer = timed(lambda: context.tools["memory_bridge_read"]({"id": document}))
        assert json.loads(answer)["ok"], answer
        read.append(seconds * 1e6)
        seconds, _answer = timed(lambda: context.tools["memory_bridge_read"]({"id": ""}))
        refused.append(seconds * 1e6)
    for callback in context.unload:
        callback()
    print(json.dumps({"first_ms": first, "read_us": read, "refused_us": refused}))


main()
