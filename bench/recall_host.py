"""A scripted host over the built provider, for bench/recall.mjs.

    recall_host.py PLUGIN HOME turns|providers|exit COUNT

Prints one line of JSON. Times in milliseconds.
"""

import gc
import importlib.util
import json
import logging
import os
import sys
import threading
import time
import types
from pathlib import Path

NAME = "_hermes_user_memory.hy_memory"
QUESTION = "Where in the garden do the blue asters go?"


def loaded(directory):
    sys.modules["_hermes_user_memory"] = types.ModuleType("_hermes_user_memory")
    spec = importlib.util.spec_from_file_location(
        NAME, directory / "__init__.py", submodule_search_locations=[str(directory)]
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules[NAME] = module
    spec.loader.exec_module(module)
    return module


def new_provider(module):
    held = types.SimpleNamespace()
    held.register_memory_provider = lambda provider: setattr(held, "it", provider)
    module.register(held)
    return held.it


def timed(call):
    start = time.perf_counter()
    result = call()
    return (time.perf_counter() - start) * 1000, result


def figures(millis):
    ordered = sorted(millis)
    at = lambda part: round(ordered[min(len(ordered) - 1, int(len(ordered) * part))], 3)
    return {"p50": at(0.5), "p99": at(0.99), "max": round(ordered[-1], 3)}


def turns(module, home, count):
    """Each turn: the hand-over, some work, the question for the next one."""
    provider = new_provider(module)
    start, _ = timed(lambda: provider.initialize("s1", hermes_home=home, platform="cli"))
    cold, _ = timed(lambda: provider.prefetch(QUESTION))
    provider.report()
    handed, queued, blocks = [], [], 0
    for turn in range(count):
        millis, block = timed(lambda: provider.prefetch(f"turn {turn}: and what now?"))
        handed.append(millis)
        blocks += block != ""
        queued.append(timed(lambda: provider.queue_prefetch(f"{QUESTION} {turn}"))[0])
        # A compression arms the memories again, so that there is something to hand over.
        provider.on_session_switch("s1", parent_session_id="s1", reason="compression")
        time.sleep(0.01)
    ending = (provider.report() or {}).get("last_recall") or {"ending": {"kind": "none"}}
    return {
        "initialize": round(start, 3),
        "cold": round(cold, 3),
        "prefetch": figures(handed),
        "queue": figures(queued),
        "blocks": blocks,
        "ending": ending["ending"].get("reason", ending["ending"]["kind"]),
    }


def counts():
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    return {
        "threads": threading.active_count(),
        "descriptors": len(os.listdir("/proc/self/fd")),
        "processes": len(children.read_text().split()) if children.exists() else None,
    }


def providers(module, home, count):
    first = new_provider(module)
    first.initialize("s", hermes_home=home)
    first.report()
    before = counts()
    for index in range(count):
        provider = new_provider(module)
        provider.initialize(f"s{index}", hermes_home=home)
        provider.queue_prefetch(QUESTION)
        provider.prefetch("and what now?")
        del provider
    gc.collect()
    first.report()
    return {"before": before, "after": counts()}


def leave(module, home, _count):
    provider = new_provider(module)
    provider.initialize("s1", hermes_home=home)
    provider.report()
    provider.queue_prefetch(QUESTION)
    return {"running": (provider.report() or {}).get("running")}


def main(plugin, home, what, count):
    logging.basicConfig(level=logging.CRITICAL)
    module = loaded(Path(plugin))
    play = {"turns": turns, "providers": providers, "exit": leave}[what]
    print(json.dumps(play(module, home, int(count))), flush=True)


main(*sys.argv[1:])
