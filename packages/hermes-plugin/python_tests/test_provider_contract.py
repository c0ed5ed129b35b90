"""The provider against the host's own contract: every hook is there and takes what the host passes. (seed 003 "Offline tests")

HERMES_MEMORY_PROVIDER_SNAPSHOT names a copy of the host's ``agent/memory_provider.py`` of some version. Without it the hooks
are held against the list below, written from recall-contract 2.1.
"""

import importlib.util
import inspect
import os
import sys
import types
import unittest

from recall_case import DIRECT, NAME, RecallCase
from support import assemble, load

SNAPSHOT = os.environ.get("HERMES_MEMORY_PROVIDER_SNAPSHOT", "")

MESSAGES = [{"role": "user", "content": "x"}]
# Name, positional arguments, keyword arguments: as the newest hosts call them.
CALLS = [
    ("is_available", (), {}),
    ("unavailable_reason", (), {}),
    ("system_prompt_block", (), {}),
    ("get_tool_schemas", (), {}),
    ("initialize", ("s1",), {"hermes_home": None, "platform": "cli", "agent_context": "primary", "user_id": "u"}),
    ("prefetch", ("which boat?",), {"session_id": "s1"}),
    ("prefetch", ("which boat?",), {}),
    ("recall_status", (), {}),
    ("queue_prefetch", ("which boat?",), {"session_id": "s1"}),
    ("sync_turn", ("user", "assistant"), {"session_id": "s1", "messages": MESSAGES}),
    ("on_turn_start", (1, "which boat?"), {"remaining_tokens": 1, "model": "m", "platform": "cli", "tool_count": 1}),
    ("on_session_switch", ("s2",), {"parent_session_id": "s1", "reset": False, "rewound": False, "reason": "resume"}),
    ("on_session_end", (MESSAGES,), {}),
    ("on_pre_compress", (MESSAGES,), {}),
    ("on_memory_write", ("add", "user", "content"), {"metadata": {}}),
    ("on_delegation", ("task", "result"), {"child_session_id": "c"}),
    ("backup_paths", (), {}),
    ("handle_tool_call", ("hy_memory_search", {"query": "boat"}), {"session_id": "s1"}),
    ("shutdown", (), {}),
]
RESULTS = {"is_available": bool, "prefetch": str, "on_pre_compress": str, "handle_tool_call": str, "backup_paths": list}


class Contract(RecallCase):
    def test_every_hook_is_there_takes_what_the_host_passes_and_answers_in_its_type(self):
        provider = self.bare()
        for name, args, keywords in CALLS:
            if "hermes_home" in keywords:
                keywords = {**keywords, "hermes_home": self.home}
            result = getattr(provider, name)(*args, **keywords)
            self.assertIsInstance(result, RESULTS.get(name, object), name)
        self.assertEqual(self.log.messages(), [])

    def test_hidden_tools_change_nothing(self):
        """The host may hide a provider's tools with the toolset "memory", and still call one. (cases/recall.md 18)"""
        self.set_environment(DIRECT)
        provider = self.bare()
        provider.initialize("s1", hermes_home=self.home)
        self.assertEqual(self.handed(provider), "<block>warm</block>")
        self.assertIn('"ok"', provider.handle_tool_call("hy_memory_search", {"query": "boat"}))

    def test_no_other_plugin_of_ours_puts_anything_before_the_model(self):
        """All three installed: one injection a turn, and no two tools of one name. (T11, cases/recall.md 50)"""
        tools, hooks = [schema["name"] for schema in self.bare().get_tool_schemas()], []
        for plugin in ("memory-bridge", "hermes-guardian"):
            module = load(assemble(self.base / plugin, plugin), f"contract_{plugin.replace('-', '_')}")
            ctx = types.SimpleNamespace(
                register_tool=lambda name, *_, **__: tools.append(name),
                register_hook=lambda name, *_, **__: hooks.append(name),
                register_cli_command=lambda *_, **__: None,
                get_config=lambda key, default=None: default,
                on_unload=lambda *_: None,
            )
            module.register(ctx)
        self.assertEqual(hooks, ["pre_tool_call"])
        self.assertEqual(len(tools), len(set(tools)))
        self.assertTrue(all(name.startswith(("hy_memory_", "memory_bridge_")) for name in tools), tools)


@unittest.skipUnless(SNAPSHOT, "HERMES_MEMORY_PROVIDER_SNAPSHOT names no copy of the host's contract")
class Snapshot(RecallCase):
    def setUp(self):
        super().setUp()
        spec = importlib.util.spec_from_file_location("agent.memory_provider", SNAPSHOT)
        self.contract = importlib.util.module_from_spec(spec)
        modules = {"agent": types.ModuleType("agent"), "agent.memory_provider": self.contract}
        for name, module in modules.items():
            sys.modules[name] = module
            self.addCleanup(sys.modules.pop, name, None)
        spec.loader.exec_module(self.contract)
        for known in [known for known in sys.modules if known == NAME or known.startswith(NAME + ".")]:
            del sys.modules[known]
        self.plugin = load(self.directory, NAME)

    def test_the_provider_is_one_of_the_hosts_and_leaves_nothing_abstract(self):
        provider = self.bare()
        self.assertIsInstance(provider, self.contract.MemoryProvider)
        self.assertEqual(provider.name, "hy_memory")

    def test_every_hook_takes_the_contracts_own_arguments(self):
        ours = type(self.bare())
        for name, theirs in inspect.getmembers(self.contract.MemoryProvider, inspect.isfunction):
            if name.startswith("_"):
                continue
            known = inspect.signature(getattr(ours, name)).parameters
            takes_any = any(one.kind is inspect.Parameter.VAR_KEYWORD for one in known.values())
            for parameter in inspect.signature(theirs).parameters:
                self.assertTrue(parameter in known or takes_any, f"{name}({parameter})")


if __name__ == "__main__":
    unittest.main()
