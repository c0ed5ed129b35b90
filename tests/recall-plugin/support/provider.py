"""One scenario of the built provider, without a host: `provider.py PLUGIN HOME SCENARIO`. Prints one line of JSON.

Loads the plugin as the host's memory loader does: every file of it first, then its package.
"""

import importlib.util
import json
import logging
import sys
import threading
import time
import types
from pathlib import Path

PATIENCE = 60.0
NAME = "_hermes_user_memory.hy_memory"
QUESTION = "which harbour, which boat?"


def load(directory):
    sys.modules["_hermes_user_memory"] = types.ModuleType("_hermes_user_memory")

    def module(name, file, **where):
        spec = importlib.util.spec_from_file_location(name, file, **where)
        made = importlib.util.module_from_spec(spec)
        sys.modules[name] = made
        return lambda: spec.loader.exec_module(made)

    run = module(NAME, directory / "__init__.py", submodule_search_locations=[str(directory)])
    for file in directory.glob("*.py"):
        if file.name != "__init__.py" and f"{NAME}.{file.stem}" not in sys.modules:
            module(f"{NAME}.{file.stem}", file)()
    run()
    held = types.SimpleNamespace()
    held.register_memory_provider = lambda provider: setattr(held, "provider", provider)
    sys.modules[NAME].register(held)
    return held.provider


class Host:
    def __init__(self, provider, home):
        self.provider = provider
        self.home = home
        provider.initialize("s1", hermes_home=home, platform="cli", agent_context="primary")
        # What a host of today is; there is none here to be asked.
        provider._profile["history"] = "kept"

    @property
    def link(self):
        return self.provider._link()

    def status(self):
        """In order, after all that was asked before."""
        report = self.provider.report()
        if report is None:
            raise SystemExit("no report")
        return report

    def rest(self):
        """Until nothing is under way any more."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if self.status()["running"] == 0:
                return
            threading.Event().wait(0.01)
        raise SystemExit("never rested")

    def turn(self):
        """One turn: what is handed over for it, once what was asked before is answered."""
        self.provider.queue_prefetch(QUESTION)
        self.rest()
        # The hand-over's own patience is short, and this machine may be busy.
        sys.modules[f"{NAME}.provider"]._HANDOVER_SECONDS = PATIENCE
        return self.provider.prefetch("and what now?").count("[boat.md]")

    def search(self):
        return json.loads(self.provider.handle_tool_call("hy_memory_search", {"query": QUESTION}))


def turns(host):
    return {"turns": [host.turn(), host.turn()], "search": host.search(), "status": host.status()}


def down(host):
    handed = host.turn()
    search = host.search()
    error = search["error"]
    return {"turns": [handed], "error": error["code"], "retry": error["retry"], "status": host.status()}


def leave(host):
    """The interpreter ends while a recall hangs."""
    host.status()
    host.provider.queue_prefetch(QUESTION)
    while not host.status()["running"]:
        pass
    return {"pid": next(iter(host.link._sidecar._hosts.values())).process.pid}


def several(host):
    """A slow search of one thread, and a hand-over of another meanwhile."""
    host.status()
    answers = []
    search = threading.Thread(target=lambda: answers.append(host.search()))
    search.start()
    taken = 0
    while search.is_alive():
        # Comes back although the search has not: the sidecar answers it out of turn.
        host.status()
        taken += 1
    return {"while": taken, "error": answers[0]["error"]["code"]}


def main(plugin, home, scenario):
    logging.basicConfig(level=logging.CRITICAL)
    host = Host(load(Path(plugin)), home)
    print(json.dumps({"turns": turns, "down": down, "leave": leave, "several": several}[scenario](host)), flush=True)


main(*sys.argv[1:])
