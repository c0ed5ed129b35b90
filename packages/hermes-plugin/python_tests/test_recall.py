"""The provider as the host sees it: manifest, loading, facts before a session, what its hooks pass on. (seed 003)"""

import ast
import contextlib
import importlib.util
import inspect
import json
import socket
import subprocess
import sys
import types
import unittest
from unittest import mock

from recall_case import DIRECT, NAME, RecallCase
from support import PYTHON, Raises

SOURCES = sorted((PYTHON / "hy_memory").glob("*.py"))


@contextlib.contextmanager
def nothing_runs():
    """A process, a socket or a thread is a failure."""
    fault = Raises(AssertionError("not here"))
    with mock.patch.object(subprocess, "Popen", fault), mock.patch.object(socket, "socket", fault), mock.patch(
        "threading.Thread.start", fault
    ):
        yield


class Installed(unittest.TestCase):
    def test_the_manifest_names_its_directory_and_is_exclusive(self):
        text = (PYTHON / "hy_memory" / "plugin.yaml").read_text()
        self.assertRegex(text, r"(?m)^name: hy_memory$")
        self.assertRegex(text, r"(?m)^kind: exclusive$")
        self.assertNotIn("pip_dependencies", text)

    def test_the_mark_stands_in_the_first_8_kib(self):
        start = (PYTHON / "hy_memory" / "__init__.py").read_text()[:8192]
        self.assertIn("MemoryProvider", start)
        self.assertIn("register_memory_provider", start)

    def test_imports_are_relative_of_the_standard_library_or_of_the_host_inside_a_try(self):
        host = {"agent", "hermes_constants"}
        for source in SOURCES:
            for node in ast.walk(ast.parse(source.read_text())):
                names = []
                if isinstance(node, ast.Import):
                    names = [alias.name for alias in node.names]
                elif isinstance(node, ast.ImportFrom) and node.level == 0:
                    names = [node.module]
                for name in names:
                    top = name.split(".")[0]
                    self.assertTrue(top in sys.stdlib_module_names or top in host, f"{source.name}: {name}")

    def test_no_file_does_anything_when_it_is_run(self):
        for source in SOURCES:
            for node in ast.parse(source.read_text()).body:
                definitions = (ast.FunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign)
                allowed = (ast.Import, ast.ImportFrom, ast.Try, *definitions)
                constant = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
                self.assertTrue(constant or isinstance(node, allowed), f"{source.name}:{node.lineno}")


class Loading(RecallCase):
    def test_the_way_of_the_host_runs_every_file_first_and_gives_a_provider(self):
        for known in [known for known in sys.modules if known == NAME or known.startswith(NAME + ".")]:
            del sys.modules[known]
        spec = importlib.util.spec_from_file_location(
            NAME, self.directory / "__init__.py", submodule_search_locations=[str(self.directory)]
        )
        module = importlib.util.module_from_spec(spec)
        sys.modules[NAME] = module
        with nothing_runs():
            for file in sorted(self.directory.glob("*.py"), reverse=True):
                name = f"{NAME}.{file.stem}"
                if file.name == "__init__.py" or name in sys.modules:
                    continue
                part = importlib.util.spec_from_file_location(name, file)
                sys.modules[name] = importlib.util.module_from_spec(part)
                part.loader.exec_module(sys.modules[name])
            spec.loader.exec_module(module)
            ctx = types.SimpleNamespace(register_memory_provider=lambda provider: setattr(ctx, "provider", provider))
            module.register(ctx)
            self.assertEqual(ctx.provider.name, "hy_memory")

    def test_every_hook_takes_unknown_keywords(self):
        hooks = "prefetch queue_prefetch sync_turn on_turn_start on_session_switch on_session_end on_pre_compress"
        hooks += " on_memory_write on_delegation handle_tool_call initialize shutdown"
        for hook in hooks.split():
            kinds = [one.kind for one in inspect.signature(getattr(self.bare(), hook)).parameters.values()]
            self.assertIn(inspect.Parameter.VAR_KEYWORD, kinds, hook)


class BeforeASession(RecallCase):
    def facts(self):
        provider = self.bare()
        with nothing_runs(), self.host_home():
            return provider.is_available(), [schema["name"] for schema in provider.get_tool_schemas()]

    def host_home(self):
        host = types.ModuleType("hermes_constants")
        host.get_hermes_home = lambda: self.home
        return mock.patch.dict(sys.modules, {"hermes_constants": host})

    def test_nothing_is_configured(self):
        self.assertEqual(self.facts(), (False, ["hy_memory_search"]))

    def test_a_policy_is_enough_unless_notes_are_off(self):
        self.allow_notes()
        self.assertEqual(self.facts(), (True, ["hy_memory_search"]))
        self.set_environment({"HY_MEMORY_NOTES": "false"})
        self.assertEqual(self.facts(), (False, ["hy_memory_search"]))

    def test_a_server_is_direct_mode_and_can_be_added_to(self):
        self.set_environment(DIRECT)
        self.assertEqual(self.facts(), (True, ["hy_memory_search", "hy_memory_add"]))

    def test_a_connection_file_is_managed_mode_whatever_is_in_it(self):
        self.set_environment(DIRECT)
        (self.directory / "connection.json").write_text("broken")
        self.assertEqual(self.facts(), (True, ["hy_memory_search"]))

    def test_a_named_connection_file_need_not_be_there(self):
        self.set_environment({**DIRECT, "HY_MEMORY_CONNECTION_FILE": "/nowhere/connection.json"})
        self.assertEqual(self.facts(), (True, ["hy_memory_search"]))

    def test_schemas_are_bare_strict_and_never_shared(self):
        first, second = self.bare().get_tool_schemas(), self.bare().get_tool_schemas()
        self.assertEqual(set(first[0]), {"name", "description", "parameters"})
        self.assertFalse(first[0]["parameters"]["additionalProperties"])
        self.assertEqual(set(first[0]["parameters"]["properties"]), {"query", "limit"})
        self.assertIsNot(first[0]["parameters"], second[0]["parameters"])

    def test_every_hook_is_harmless(self):
        provider = self.bare()
        with nothing_runs():
            self.assertEqual(provider.prefetch("a question"), "")
            self.assertIsNone(provider.recall_status())
            provider.queue_prefetch("a question")
            provider.sync_turn("a", "b")
            provider.on_turn_start(1, "a")
            provider.on_session_switch("s2")
            provider.on_session_end([])
            self.assertEqual(provider.on_pre_compress([]), "")
            answer = json.loads(provider.handle_tool_call("hy_memory_search", {"query": "a"}))
            provider.shutdown()
        self.assertEqual((answer["error"]["code"], answer["error"]["retry"]), ("unavailable", False))


class InASession(RecallCase):
    def test_the_profile_is_the_hosts_and_holds_the_settings_of_the_table_alone(self):
        self.set_environment({"HY_MEMORY_LIMIT": "3", "HY_MEMORY_OTHER": "x", "SECRET": "y"})
        provider = self.provider(session="s9", agent_context="cron")
        provider.queue_prefetch("a question", session_id="")
        self.settle(provider)
        place = self.asked("recall.queue")[0]["place"]
        self.assertEqual(place["session"], "s9")
        self.assertEqual(
            place["profile"],
            {
                "home": self.home,
                "plugin_directory": str(self.directory),
                "environment": {"HY_MEMORY_LIMIT": "3"},
                "run": "cron",
                "history": "dropped",
            },
        )

    def test_history_is_kept_where_the_host_replays_what_was_injected(self):
        module = types.ModuleType("agent.turn_context")
        module.compose_user_api_content = lambda *_: None
        modules = {"agent": types.ModuleType("agent"), "agent.turn_context": module, "agent.secret_scope": None}
        with mock.patch.dict(sys.modules, modules):
            provider = self.provider()
        self.assertEqual(provider._place("")["profile"]["history"], "kept")

    def test_settings_come_from_the_profiles_scope_and_where_there_is_none_nothing_is_recalled(self):
        self.set_environment({"HY_MEMORY_LIMIT": "3"})
        scope = types.ModuleType("agent.secret_scope")
        with mock.patch.dict(sys.modules, {"agent": types.ModuleType("agent"), "agent.secret_scope": scope}):
            scope.get_secret = lambda name: {"HY_MEMORY_LIMIT": "7"}.get(name)
            self.assertEqual(self.provider()._settings(), {"HY_MEMORY_LIMIT": "7"})
            # Also where a connection file would be enough without a setting.
            (self.directory / "connection.json").write_text("{}")
            for broken in (Raises(RuntimeError("unscoped")), None):
                scope.get_secret = broken
                unscoped = self.bare()
                self.assertFalse(unscoped.is_available())
                unscoped.initialize("s1", hermes_home=self.home)
                unscoped.queue_prefetch("a question")
                self.assertEqual(unscoped.prefetch("a question"), "")
                self.assertIn("unavailable", unscoped.handle_tool_call("hy_memory_search", {"query": "boat"}))
            del scope.get_secret
            self.assertFalse(self.bare().is_available())
        self.assertEqual(self.asked("recall.queue") + self.asked("recall.search"), [])

    def test_a_session_without_a_usable_id_is_none_and_never_another_one(self):
        provider = self.provider()
        provider.queue_prefetch("warm")
        self.settle(provider)
        self.assertEqual(provider.prefetch("what now?", session_id="s" * 257), "")
        provider.on_session_switch("s" * 257)
        self.assertEqual(provider.prefetch("what now?"), "")
        self.assertEqual(self.asked("recall.event"), [])
        provider.on_session_switch("s1")
        self.settle(provider)
        self.assertEqual(self.asked("recall.event")[0]["event"]["previous"], "")

    def test_a_hand_over_says_how_much_is_new_and_the_next_one_starts_anew(self):
        provider = self.provider()
        self.assertEqual(self.handed(provider), "<block>warm</block>")
        status = provider.recall_status()
        self.assertEqual((status.provider_label, status.count), ("Memory Bridge", 2))
        self.assertEqual(provider.prefetch("cold"), "")
        self.assertIsNone(provider.recall_status())

    def test_the_hosts_own_status_is_used_where_it_has_one(self):
        module = types.ModuleType("agent.memory_provider")
        module.RecallStatus = lambda provider_label, count: ("the host's", provider_label, count)
        provider = self.provider()
        self.handed(provider)
        with mock.patch.dict(sys.modules, {"agent": types.ModuleType("agent"), "agent.memory_provider": module}):
            self.assertEqual(provider.recall_status(), ("the host's", "Memory Bridge", 2))

    def test_a_switch_leads_to_the_new_session_and_tells_what_the_host_said(self):
        provider = self.provider()
        provider.on_session_switch("s2", parent_session_id="s1", reset=True, reason="new", other=1)
        provider.on_session_switch("s2", rewound=True)
        provider.on_session_end([{"role": "user", "content": "x"}])
        provider.queue_prefetch("a question")
        provider.queue_prefetch("a question", session_id="s7")
        self.settle(provider)
        events = [(params["place"]["session"], params["event"]) for params in self.asked("recall.event")]
        switch = {"kind": "switch", "previous": "s1", "parent": "s1", "reset": True, "rewound": False, "reason": "new"}
        rewind = {"kind": "switch", "previous": "s2", "parent": "", "reset": False, "rewound": True, "reason": ""}
        self.assertEqual(events, [("s2", switch), ("s2", rewind)])
        self.assertEqual([params["place"]["session"] for params in self.asked("recall.queue")], ["s2", "s7"])

    def test_a_switch_to_nothing_keeps_the_session(self):
        provider = self.provider()
        provider.on_session_switch("")
        self.assertEqual(provider._place("")["session"], "s1")

    def test_only_what_the_user_wrote_is_captured_and_only_in_direct_mode_when_opted_in(self):
        for settings, captured in [({}, 0), (DIRECT, 0), ({**DIRECT, "HY_MEMORY_AUTO_CAPTURE": "true"}, 1)]:
            self.set_environment(settings)
            home = self.make_home(f"home{len(settings)}")
            provider = self.provider(home=home)
            provider.sync_turn("mine", "the assistant's", messages=[{"content": "kingfisher"}], turn_author="x")
            self.settle(provider)
            asked = self.asked("recall.capture", home)
            self.assertEqual([params["text"] for params in asked], ["mine"] * captured)
            self.assertNotIn("assistant", json.dumps(self.requests(home)))
            self.assertNotIn("kingfisher", json.dumps(self.requests(home)))

    def test_a_long_query_is_cut_before_it_is_sent(self):
        provider = self.provider()
        provider.queue_prefetch("\N{BRAIN}" * 600_000)
        self.settle(provider)
        self.assertEqual(len(self.asked("recall.queue")[0]["query"]), 8_000)

    def test_a_query_that_is_no_text_is_none(self):
        provider = self.provider()
        self.assertEqual(provider.prefetch([{"type": "image"}]), "")
        self.assertEqual(provider.prefetch(""), "")

    def test_a_turn_that_asks_nothing_or_wants_nothing_uses_nothing_up(self):
        provider = self.provider()
        provider.queue_prefetch("warm")
        self.settle(provider)
        for query in ("", "  \n", "ok", "Thanks!", "/new", "/undo 3", None, [{"type": "image"}]):
            self.assertEqual(provider.prefetch(query), "", query)
            self.assertIsNone(provider.recall_status())
        self.set_environment({"HY_MEMORY_AUTO_RECALL": "false"})
        off = self.bare()
        off.initialize("s1", hermes_home=self.home)
        self.assertEqual(off.prefetch("a question"), "")
        self.assertEqual(provider.prefetch("a question"), "<block>warm</block>")


class Tools(RecallCase):
    def test_the_models_arguments_travel_beside_the_place(self):
        provider = self.provider()
        args = {"query": "boat", "session": "other", "home": "/"}
        answer = json.loads(provider.handle_tool_call("hy_memory_search", args, session_id="x", task_id="t"))
        self.assertEqual(answer["params"]["arguments"], args)
        self.assertEqual(answer["params"]["place"]["session"], "s1")
        self.assertEqual(answer["params"]["place"]["profile"]["home"], self.home)

    def test_adding_is_direct_modes_alone(self):
        provider = self.provider()
        answer = json.loads(provider.handle_tool_call("hy_memory_add", {"text": "x"}))
        self.assertEqual(answer["error"]["code"], "not_offered")
        self.assertEqual(self.asked("recall.add"), [])
        self.set_environment(DIRECT)
        direct = self.provider(home=self.make_home("direct"))
        self.assertTrue(json.loads(direct.handle_tool_call("hy_memory_add", {"text": "x"}))["ok"])

    def test_an_answer_that_cannot_be_had_is_final(self):
        provider = self.provider()
        for query in ("die", "garbage", "odd"):
            answer = json.loads(provider.handle_tool_call("hy_memory_search", {"query": query}))
            self.assertEqual((answer["error"]["code"], answer["error"]["retry"]), ("unavailable", False))
        answer = json.loads(provider.handle_tool_call("another", None))
        self.assertEqual(answer["error"]["code"], "unavailable")

    def test_arguments_without_a_json_form_are_refused(self):
        provider = self.provider()
        answer = json.loads(provider.handle_tool_call("hy_memory_search", {"query": {1, 2}}))
        self.assertEqual(answer["error"]["code"], "unavailable")


if __name__ == "__main__":
    unittest.main()
