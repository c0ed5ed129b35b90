"""Runs the built provider under a real Hermes source tree's own loader and memory manager, and prints what came of it.

    HERMES_SOURCE=… HERMES_HOME=… python3 recall_session.py

The home has a policy for notes and the plugin in its place. Nothing of the tree is changed on disk.
"""

import json
import os
import sys
import threading
import time

sys.path.insert(0, os.environ["HERMES_SOURCE"])

PATIENCE = 30.0


def warm(manager, question, session):
    """Asks in the background, until the answer is there to be handed over."""
    provider = manager.get_provider("hy_memory")
    manager.queue_prefetch_all(question, session_id=session)
    manager.flush_pending(PATIENCE)
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        status = provider.report()
        if status["running"] == 0 and status["waiting_results"] > 0:
            return
        threading.Event().wait(0.02)
    raise SystemExit(f"never warm: {status}")


def turn(manager, question, session=""):
    text = manager.prefetch_all(question, session_id=session)
    return {"boat": text.count("[boat.md]"), "said": manager.describe_recall()}


def main():
    from agent.memory_manager import MemoryManager, build_memory_context_block, sanitize_context
    from plugins.memory import discover_memory_providers, load_memory_provider

    provider = load_memory_provider("hy_memory")
    manager = MemoryManager()
    manager.add_provider(provider)
    tools = sorted(manager.get_all_tool_names())
    manager.initialize_all("s1", hermes_home=os.environ["HERMES_HOME"], platform="cli", agent_context="primary")
    question = "which harbour, which boat?"
    manager.on_turn_start(1, question)
    answers = {"tools": tools, "cold": turn(manager, question)["boat"]}
    answers["available"] = {name: usable for name, _, usable in discover_memory_providers()}.get("hy_memory")
    warm(manager, question, "s1")
    answers["warm"] = turn(manager, "and what now?")
    warm(manager, question, "s1")
    answers["again"] = turn(manager, "and what now?")
    manager.on_session_switch("s1", parent_session_id="s1", reset=False, reason="compression")
    warm(manager, question, "s1")
    text = manager.prefetch_all("and what now?")
    wrapped = build_memory_context_block(text)
    answers["compressed"] = {"boat": text.count("[boat.md]"), "wrapped": wrapped.count("memhub_memory_context")}
    answers["sanitized"] = sanitize_context("before " + wrapped + " after").split()
    manager.on_session_switch("s2", parent_session_id="s1", reset=True, reason="new")
    answers["other_session"] = turn(manager, "and what now?")["boat"]
    answers["search"] = json.loads(manager.handle_tool_call("hy_memory_search", {"query": "harbour boat"}))["count"]
    answers["foreign_argument"] = json.loads(
        manager.handle_tool_call("hy_memory_search", {"query": "harbour boat", "user_id": "other"})
    )["error"]["code"]
    manager.shutdown_all()
    print("ANSWERS " + json.dumps(answers))


main()
