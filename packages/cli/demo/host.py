"""A simulated Hermes for the demos: stand-ins for the host's modules round a real, built plugin. (seed 000 "Synthetic demo")

Nothing of Hermes is imported. One plugin instance is loaded per profile home, as the host does, and each request is a
call of one of the plugin's tools, of its hook before a tool call or of its memory provider, with the context that the
host would bind for it.
Requests and replies are JSON, one per line, on standard input and output. The demo decides what is asked and what is
expected; this file only plays the host, and runs no tool but the plugin's own.

    host.py PLUGIN_DIRECTORY NODE NAME=HOME [NAME=HOME ...]
"""

import sys

# Older than 3.11: say so before any line that such a Python would not understand is reached.
if sys.version_info < (3, 11):
    sys.stdout.write('{"python_too_old": "%d.%d.%d"}\n' % tuple(sys.version_info[:3]))
    sys.exit(0)

import contextvars
import importlib.util
import json
import logging
import os
import threading
import types
from pathlib import Path

# What the host binds for a turn, under the names of the demo's requests.
CALL = contextvars.ContextVar("call", default={"settings": {}})

# How long to wait for the log line of a refusal. It is on its way when the answer is.
LOG_SECONDS = 2.0


def module(name, **members):
    found = types.ModuleType(name)
    found.__dict__.update(members)
    sys.modules[name] = found


def stand_in_for_hermes(node):
    def path(key):
        home = CALL.get()[key]
        return None if home is None else Path(home)

    module(
        "hermes_constants",
        get_hermes_home=lambda: path("home"),
        get_hermes_home_override=lambda: path("override"),
        find_node_executable=lambda name: node if name == "node" else None,
    )
    module("agent")
    # The mark of a host that keeps what was put before the model.
    module("agent.turn_context", compose_user_api_content=lambda *_: None)
    module(
        "agent.secret_scope",
        current_secret_scope_home=lambda: path("scope_home"),
        is_multiplex_active=lambda: CALL.get()["multiplex"],
        get_secret=os.environ.get,
    )
    module(
        "agent.delegation_context",
        is_delegated_child_process_context=lambda: CALL.get()["delegated"],
    )
    module("gateway")
    module(
        "gateway.session_context",
        get_session_env=lambda name, default="": (
            "1" if name == "HERMES_CRON_SESSION" and CALL.get()["cron"] else default
        ),
    )


class Context:
    """The plugin context: as much of it as the plugins use."""

    def __init__(self, plugin, profile):
        self.profile_name = profile
        self.plugin_id = plugin
        self.tools = {}
        self.hooks = {}
        self.unload = []
        self.provider = None

    def register_memory_provider(self, provider):
        self.provider = provider

    def register_tool(self, name, toolset, schema, handler, **_):
        self.tools[name] = handler

    def register_hook(self, name, callback):
        self.hooks[name] = callback

    def on_unload(self, callback):
        self.unload.append(callback)

    def get_config(self, key, default=None):
        return CALL.get()["settings"].get(key, default)

    def current_cron_execution(self):
        return {"job_id": "synthetic"} if CALL.get()["cron"] else None


class Log(logging.Handler):
    """The host's log, kept in memory."""

    def __init__(self):
        super().__init__(logging.INFO)
        self._lines = []
        self._more = threading.Condition()

    def emit(self, record):
        with self._more:
            self._lines.append(record.getMessage())
            self._more.notify_all()

    def take(self, wait_for=None):
        with self._more:
            if wait_for is not None:
                self._more.wait_for(lambda: any(wait_for(line) for line in self._lines), LOG_SECONDS)
            lines, self._lines = self._lines, []
        return lines


def load(directory, profile):
    name = f"hermes_plugins.{directory.name.replace('-', '_')}_{profile}"
    spec = importlib.util.spec_from_file_location(
        name, directory / "__init__.py", submodule_search_locations=[str(directory)]
    )
    plugin = importlib.util.module_from_spec(spec)
    sys.modules[name] = plugin
    spec.loader.exec_module(plugin)
    context = Context(directory.name, profile)
    plugin.register(context)
    return context


def call(contexts, request):
    """One call of a tool or a hook, in a context of its own. What a hook says becomes JSON text, as tools answer."""
    plugin, tool, args = contexts[request["profile"]], request["tool"], request["args"]

    def run():
        CALL.set(request["context"])
        if request.get("hook") == "provider":
            return json.dumps(getattr(plugin.provider, tool)(**args))
        if "hook" in request:
            hook = plugin.hooks[request["hook"]]
            return json.dumps(hook(tool_name=tool, args=args, task_id="demo", session_id="demo", tool_call_id="demo"))
        return plugin.tools[tool](args, task_id="demo", session_id="demo", user_task="demo")

    return contextvars.copy_context().run(run)


def is_refused(answer):
    try:
        return json.loads(answer).get("ok") is not True
    except (ValueError, AttributeError):
        return True


def main(arguments):
    # As in the host, what a plugin prints must not reach the wire.
    wire = os.fdopen(os.dup(1), "w", encoding="utf-8")
    sys.stdout = sys.stderr

    def reply(message):
        wire.write(json.dumps(message) + "\n")
        wire.flush()

    directory, node, *homes = arguments
    log = Log()
    logging.basicConfig(level=logging.INFO, handlers=[log])
    stand_in_for_hermes(node)
    module("hermes_plugins", __path__=[])
    contexts = {name: load(Path(directory), name) for name, _, _ in (home.partition("=") for home in homes)}
    providers = {context.provider.name for context in contexts.values() if context.provider is not None}
    hooked = {name for context in contexts.values() for name in (*context.tools, *context.hooks)}
    registered = sorted(providers | hooked)
    reply({"python": "%d.%d.%d" % sys.version_info[:3], "registered": registered, "log": log.take()})

    for line in sys.stdin:
        request = json.loads(line)
        answer = call(contexts, request)
        spoken = "code=refused", f"{request['tool']}: code="
        refused = "hook" not in request and is_refused(answer)
        why = (lambda line: any(mark in line for mark in spoken)) if refused else None
        reply({"answer": answer, "log": log.take(why)})

    for context in contexts.values():
        for callback in context.unload:
            callback()
    reply({"log": log.take()})


if __name__ == "__main__":
    main(sys.argv[1:])
