"""The plugin as the host sees it: manifest, registration, handlers. (seed 000 "Tools", hermes-contract.md a and b)"""

import ast
import json
import re
import subprocess
import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

from support import (
    FAKE,
    PYTHON,
    Context,
    Raises,
    assemble,
    await_readers,
    fake_command,
    host_modules,
    load,
    reader_threads,
    simulated_host,
)

from shim.refusal import UNAVAILABLE

SOURCES = sorted(path for path in PYTHON.rglob("*.py"))
# What the general loader loads: a memory provider has to know its base class, and looks like what it is.
GENERAL = [path for path in SOURCES if "hy_memory" not in path.parts]
HOST_PACKAGES = {"hermes_constants", "hermes_cli", "agent", "gateway", "tools", "plugins", "cron"}


class PluginCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.directory = assemble(folder.name)
        self.plugin = load(self.directory)
        self.addCleanup(await_readers)

    def register(self, ctx=None):
        ctx = Context() if ctx is None else ctx
        self.plugin.register(ctx)
        self.addCleanup(lambda: [unload() for unload in ctx.unloads])
        return ctx

    def use_the_fake(self):
        """The fake sidecar in place of Node and the bundle."""
        for name, stand_in in (
            ("command", lambda node, script: fake_command()),
            ("NodeFinder", lambda setting: types.SimpleNamespace(find=lambda: None)),
        ):
            patch = mock.patch.object(self.plugin, name, stand_in)
            patch.start()
            self.addCleanup(patch.stop)


class Manifest(unittest.TestCase):
    def test_names_the_directory_the_tools_and_the_settings(self):
        text = (PYTHON / "memory-bridge" / "plugin.yaml").read_text()
        self.assertRegex(text, r"(?m)^name: memory-bridge$")
        self.assertRegex(text, r"(?m)^kind: standalone$")
        self.assertRegex(text, r"(?m)^license: MIT$")
        self.assertRegex(text, r'(?m)^requires_hermes: ">=0\.22\.7"$')
        self.assertEqual(re.findall(r"(?m)^  - (.*)$", text), ["memory_bridge_search", "memory_bridge_read"])
        settings = text[text.index("config_schema:") :]
        self.assertEqual(re.findall(r"(?m)^  (\w+):$", settings), ["node", "deadline_seconds"])


class Source(unittest.TestCase):
    def test_imports_nothing_of_the_host_while_it_is_loaded(self):
        for path in GENERAL:
            for node in ast.parse(path.read_text()).body:
                for inner in ast.walk(node) if not isinstance(node, (ast.FunctionDef, ast.ClassDef)) else ():
                    names = []
                    if isinstance(inner, ast.Import):
                        names = [alias.name for alias in inner.names]
                    elif isinstance(inner, ast.ImportFrom) and inner.level == 0:
                        names = [inner.module]
                    for name in names:
                        with self.subTest(path.name, name=name):
                            self.assertIn(name.split(".")[0], sys.stdlib_module_names)

    def test_imports_elsewhere_only_the_standard_library_and_the_host(self):
        for path in SOURCES:
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.ImportFrom) and node.level == 0:
                    with self.subTest(path.name, name=node.module):
                        self.assertIn(node.module.split(".")[0], sys.stdlib_module_names | HOST_PACKAGES)

    def test_does_not_look_like_a_memory_provider(self):
        for path in GENERAL:
            text = path.read_text()
            self.assertNotIn("register_memory_provider", text)
            self.assertNotIn("MemoryProvider", text)

    def test_loads_clean_with_warnings_as_errors_and_no_host(self):
        with tempfile.TemporaryDirectory() as folder:
            directory = assemble(folder)
            code = (
                "import sys; sys.path.insert(0, sys.argv[1]); import support\n"
                "plugin = support.load(sys.argv[2]); plugin.register(support.Context())\n"
                "print(sorted(set(sys.modules) & set(sys.argv[3:])), len(support.reader_threads()))\n"
            )
            done = subprocess.run(
                [sys.executable, "-B", "-W", "error", "-c", code, str(Path(__file__).parent), str(directory)]
                + sorted(HOST_PACKAGES),
                capture_output=True,
                text=True,
            )
        self.assertEqual((done.stdout, done.stderr, done.returncode), ("[] 0\n", "", 0))


class Registration(PluginCase):
    def test_gives_the_host_two_strict_tools(self):
        ctx = self.register()
        self.assertEqual(list(ctx.tools), ["memory_bridge_search", "memory_bridge_read"])
        for name, tool in ctx.tools.items():
            self.assertEqual(tool.schema["name"], name)
            self.assertEqual(set(tool.schema), {"name", "description", "parameters"})
            self.assertIs(tool.schema["parameters"]["additionalProperties"], False)
            json.dumps(tool.schema)
        search = ctx.tools["memory_bridge_search"].schema["parameters"]
        self.assertEqual(search["required"], ["query"])
        self.assertEqual(search["properties"]["query"]["type"], "string")
        limit = search["properties"]["limit"]
        self.assertEqual((limit["type"], limit["minimum"], limit["maximum"]), ("integer", 1, 10))
        read = ctx.tools["memory_bridge_read"].schema["parameters"]
        self.assertEqual((read["required"], read["properties"]["id"]["type"]), (["id"], "string"))

    def test_starts_no_process_thread_or_program(self):
        with mock.patch.object(subprocess, "Popen", Raises(AssertionError("a process"))), mock.patch.object(
            subprocess, "run", Raises(AssertionError("a program"))
        ):
            self.plugin.register(Context())
        self.assertEqual(reader_threads(), [])

    def test_works_on_a_host_without_unloading_and_settings(self):
        class Bare:
            def __init__(self):
                self.tools = {}

            def register_tool(self, name, toolset, schema, handler, description=""):
                self.tools[name] = handler

        ctx = Bare()
        self.plugin.register(ctx)
        self.assertEqual(len(ctx.tools), 2)

    def test_again_in_the_same_process_gives_another_sidecar(self):
        self.use_the_fake()
        first, second = self.register(), self.register()
        with simulated_host():
            first.tools["memory_bridge_read"].handler({"id": "x"})
            self.assertEqual(len(reader_threads()), 1)
            second.tools["memory_bridge_read"].handler({"id": "x"})
        self.assertEqual(len(reader_threads()), 2)

    def test_can_be_unloaded_with_whatever_keywords_the_host_passes(self):
        self.use_the_fake()
        ctx = self.register()
        with simulated_host():
            ctx.tools["memory_bridge_read"].handler({"id": "x"})
        self.assertEqual(len(reader_threads()), 1)
        ctx.unloads[0](reason="reload")
        await_readers()
        self.assertEqual(reader_threads(), [])
        with simulated_host(), self.assertLogs(self.plugin.__name__) as log:
            self.assertEqual(ctx.tools["memory_bridge_read"].handler({"id": "x"}), UNAVAILABLE)
        self.assertIn("code=closed", log.output[0])
        self.assertEqual(reader_threads(), [])


class Handler(PluginCase):
    def handlers(self, call, **config):
        """The two handlers over a sidecar that does what `call` does."""
        sidecar = types.SimpleNamespace(call=call, close=lambda: None)
        ctx = Context(config)
        with mock.patch.object(self.plugin, "Sidecar", lambda command, logger, in_turns: sidecar):
            self.plugin.register(ctx)
        return ctx.tools["memory_bridge_search"].handler, ctx.tools["memory_bridge_read"].handler

    def seen(self, args, **kwargs):
        calls = []

        def call(method, params, seconds, caller):
            calls.append((method, params, seconds, caller))
            return {"ok": True}

        with simulated_host():
            for handler in self.handlers(call):
                handler(args, **kwargs)
        return calls

    def test_keeps_signals_and_arguments_apart(self):
        args = {"query": "x", "signals": {"get_hermes_home": "/evil"}, "home": "/evil"}
        search, read = self.seen(args, task_id="t", session_id="s", user_task="u")
        self.assertEqual((search[0], read[0]), ("memory_bridge.search", "memory_bridge.read"))
        self.assertEqual(set(search[1]), {"signals", "arguments"})
        self.assertEqual(search[1]["arguments"], args)
        self.assertEqual(search[1]["signals"]["get_hermes_home"]["value"], "/home/u/.hermes")
        self.assertNotIn("evil", json.dumps(search[1]["signals"]))

    def test_takes_turns_by_session_else_by_task(self):
        cases = (
            ({"session_id": "s", "task_id": "t"}, "s"),
            ({"session_id": "", "task_id": "t"}, "t"),
            ({"session_id": None, "task_id": 7}, ""),
            ({}, ""),
        )
        for said, caller in cases:
            self.assertEqual([call[3] for call in self.seen({}, **said)], [caller, caller])

    def test_passes_arguments_of_any_form_on_to_be_judged(self):
        for args in ({}, None, [], "text", 7, {"query": 1}):
            self.assertEqual(self.seen(args)[0][1]["arguments"], args)

    def test_passes_none_where_arguments_cannot_travel(self):
        for args in ({"query": float("nan")}, {"query": b"x"}, {"query": "x" * 2_000_000}):
            self.assertIsNone(self.seen(args)[0][1]["arguments"])

    def test_takes_the_deadline_from_the_operator(self):
        deadlines = []
        search, _ = self.handlers(lambda m, p, seconds, _: deadlines.append(seconds) or {"ok": True}, deadline_seconds=3)
        with simulated_host():
            search({})
        self.assertEqual(deadlines, [3.0])

    def test_gives_the_answer_as_a_string_with_its_characters(self):
        answer = {"ok": True, "results": [{"id": "茶.md", "snippet": "é🎉"}]}
        search, _ = self.handlers(lambda *_: answer)
        with simulated_host():
            text = search({"query": "x"})
        self.assertEqual(json.loads(text), answer)
        self.assertIn("茶", text)

    def test_gives_a_string_that_can_be_written_down_whatever_is_in_it(self):
        search, _ = self.handlers(lambda *_: {"ok": True, "content": "\ud83c half"})
        with simulated_host():
            search({"query": "x"}).encode("utf-8")

    def test_turns_every_failure_into_the_one_answer(self):
        refused = sys.modules[self.plugin.__name__ + ".shim.refusal"].Refused
        for error in (refused("x"), OSError("/home/u"), ValueError(), RecursionError(), MemoryError(), Exception()):
            for handler in self.handlers(Raises(error)):
                with self.subTest(error), simulated_host(), self.assertLogs(self.plugin.__name__) as log:
                    self.assertEqual(handler({"query": "x"}), UNAVAILABLE)
                self.assertNotIn("/home/u", "".join(log.output))

    def test_takes_nothing_but_an_answer_for_an_answer(self):
        for answer in (None, "ok", [], {}, {"ok": 1}, {"ok": "true"}, {"results": []}):
            search, _ = self.handlers(lambda *_, it=answer: it)
            with self.subTest(answer), simulated_host(), self.assertLogs(self.plugin.__name__):
                self.assertEqual(search({"query": "x"}), UNAVAILABLE)

    def test_serves_with_every_helper_missing_and_leaves_the_judgement_to_the_core(self):
        calls = []
        search, _ = self.handlers(lambda m, params, *_: calls.append(params) or {"ok": False})
        with mock.patch.dict(sys.modules, {name: None for name in host_modules()}):
            search({"query": "x"})
        states = {reading["state"] for name, reading in calls[0]["signals"].items() if name != "plugin_host_process"}
        self.assertEqual(states, {"missing", "value"})

    def test_of_a_node_that_cannot_be_used_is_unavailable_with_its_reason_in_the_log(self):
        cases = {"/no/such/node": "node_missing", "node": "node_setting_invalid", str(FAKE): "node_missing"}
        for node, reason in cases.items():
            ctx = Context({"node": node})
            self.plugin.register(ctx)
            with self.subTest(node), simulated_host(), self.assertLogs(self.plugin.__name__) as log:
                self.assertEqual(ctx.tools["memory_bridge_search"].handler({"query": "x"}), UNAVAILABLE)
            self.assertIn(f"code={reason}", "".join(log.output))


if __name__ == "__main__":
    unittest.main()
