"""`hermes guardian …` under a simulated host: what is offered, what is started, what the pipe does. (issue 5 item 4)"""

import argparse
import contextlib
import io
import json
import os
import sys
import types
import unittest
from pathlib import Path
from unittest import mock

from guardian_case import GuardianCase, HookContext
from support import Raises, simulated_host

# Plays the bundled program: asks what its arguments say, writes down what it was given and told.
PROGRAM = """
import json, os, sys
out, questions = sys.argv[1], json.loads(sys.argv[2])
pipe = os.environ.get("MEMORY_BRIDGE_HOST_PIPE")
answers = []
if pipe is not None:
    with open(int(pipe), "r+b", buffering=0) as channel:
        for question in questions:
            channel.write(question.encode() + b"\\n")
            line = b""
            while not line.endswith(b"\\n"):
                line += channel.read(1)
            answers.append(json.loads(line))
open(out, "w").write(json.dumps({"answers": answers, "environment": dict(os.environ), "argv": sys.argv}))
sys.exit(int(sys.argv[3]) if len(sys.argv) > 3 else 0)
"""


class CommandContext(HookContext):
    def __init__(self, config=None):
        super().__init__(config)
        self.commands = {}
        self.written = []

    def register_cli_command(self, name, help, setup_fn, handler_fn=None, description=""):
        self.commands[name] = types.SimpleNamespace(help=help, setup=setup_fn, handler=handler_fn)

    def set_config(self, key, value):
        self.written.append((key, value))
        self.config[key] = value


class CommandCase(GuardianCase):
    def setUp(self):
        super().setUp()
        (self.directory / "memory-bridge.cjs").write_text(PROGRAM)
        self.commands = sys.modules[f"{self.name}.commands"]
        self.nodes = types.SimpleNamespace(find=lambda: types.SimpleNamespace(path=sys.executable))
        self.out = str(self.base / "out")

    def start(self, arguments, **how):
        """Like Popen, but Python and its script in place of Node and the bundle."""
        import subprocess

        self.started = arguments
        script = [sys.executable, "-I", "-S", "-B", arguments[2], *arguments[4:]]
        return subprocess.Popen(script, **how)

    def run_program(self, ctx, questions=(), code=0, environment=None):
        texts = [question if isinstance(question, str) else json.dumps(question) for question in questions]
        with simulated_host(get_hermes_home=lambda: self.home), mock.patch.dict(os.environ, environment or {}):
            self.commands.run(
                ctx, self.nodes, str(self.directory), [self.out, json.dumps(texts), str(code)], self.start
            )
        return json.loads(Path(self.out).read_text())


class Registration(CommandCase):
    def test_offers_one_command_where_the_host_takes_commands(self):
        ctx = CommandContext()
        self.plugin.register(ctx)
        self.assertEqual((list(ctx.commands), list(ctx.hooks)), (["guardian"], ["pre_tool_call"]))
        parser = argparse.ArgumentParser()
        ctx.commands["guardian"].setup(parser)
        parsed = parser.parse_args(["activate", "--policy", "f", "--weakened", "3"])
        self.assertEqual(parsed.guardian_arguments, ["activate", "--policy", "f", "--weakened", "3"])

    def test_keeps_the_hook_on_a_host_that_takes_none_or_refuses(self):
        for offer in (None, 3, Raises(TypeError("no")), Raises(RuntimeError("no"))):
            ctx = CommandContext()
            ctx.register_cli_command = offer
            self.plugin.register(ctx)
            self.assertEqual(list(ctx.hooks), ["pre_tool_call"])

    def test_hands_the_arguments_to_the_program(self):
        ctx = CommandContext()
        with mock.patch.object(self.commands, "run") as run:
            self.plugin.register(ctx)
            ctx.commands["guardian"].handler(types.SimpleNamespace(guardian_arguments=["status"]))
        self.assertEqual(run.call_args.args[3], ["status"])


class Program(CommandCase):
    def test_is_the_bundle_beside_the_plugin_with_the_home_and_nothing_secret(self):
        said = self.run_program(CommandContext(), environment={"OPENAI_API_KEY": "kingfisher", "TERM": "dumb"})
        self.assertEqual(self.started[2:4], [f"{self.directory}/memory-bridge.cjs", "guardian"])
        self.assertEqual(said["environment"]["HERMES_HOME"], self.home)
        known = {"LANG", "LC_ALL", "LC_CTYPE", "TZ", "HOME", "TERM", "COLORTERM", "NO_COLOR", "COLUMNS", "LINES"}
        self.assertLessEqual(set(said["environment"]), known | {"HERMES_HOME", "MEMORY_BRIDGE_HOST_PIPE"})

    def test_ends_like_the_program(self):
        with self.assertRaises(SystemExit) as ended:
            self.run_program(CommandContext(), code=3)
        self.assertEqual(ended.exception.code, 3)

    def test_does_not_start_without_node_and_takes_no_other_home(self):
        refused = self.plugin.__dict__["NodeFinder"](lambda: "/no/such/node")
        for nodes, arguments in ((refused, ["status"]), (self.nodes, ["status", "--home", "/x"]), (self.nodes, ["--home=/x"])):
            with simulated_host(get_hermes_home=lambda: self.home), contextlib.redirect_stderr(
                io.StringIO()
            ) as said, self.assertRaises(SystemExit) as ended:
                self.commands.run(CommandContext(), nodes, str(self.directory), arguments, Raises(AssertionError()))
            self.assertEqual(ended.exception.code, 2)
            self.assertIn("hermes guardian: ", said.getvalue())

    def test_has_no_pipe_on_a_host_without_settings(self):
        ctx = CommandContext()
        ctx.set_config = None
        self.assertNotIn("MEMORY_BRIDGE_HOST_PIPE", self.run_program(ctx)["environment"])

    def test_leaves_no_descriptor_and_the_interrupt_as_it_was(self):
        import signal

        before = (set(os.listdir("/proc/self/fd")), signal.getsignal(signal.SIGINT))
        self.run_program(CommandContext(), [{"method": "get", "key": "policy"}])
        self.assertEqual((set(os.listdir("/proc/self/fd")), signal.getsignal(signal.SIGINT)), before)


class Pipe(CommandCase):
    def test_reads_settings_and_writes_the_policy_by_the_hosts_own_interface(self):
        ctx = CommandContext({"mode": "log_only", "audit_chain": RuntimeError("no")})
        policy = {"default_action": "block", "rules": [], "protected_paths": []}
        answers = self.run_program(
            ctx,
            [
                {"method": "get", "key": "policy"},
                {"method": "set", "key": "policy", "value": policy},
                {"method": "get", "key": "policy"},
                {"method": "get", "key": "mode"},
                {"method": "get", "key": "audit_chain"},
            ],
        )["answers"]
        self.assertEqual(
            answers,
            [
                {"setting": {"state": "unset"}},
                {"done": True},
                {"setting": {"state": "value", "value": policy}},
                {"setting": {"state": "value", "value": "log_only"}},
                {"setting": {"state": "raised"}},
            ],
        )
        self.assertEqual(ctx.written, [("policy", policy)])

    def test_says_when_the_host_will_not(self):
        ctx = CommandContext()
        for error, code in ((ValueError("kingfisher"), "host_rejected"), (OSError("kingfisher"), "host_raised")):
            ctx.set_config = Raises(error)
            (answer,) = self.run_program(ctx, [{"method": "set", "key": "policy", "value": {}}])["answers"]
            self.assertEqual(answer, {"error": code})

    def test_does_nothing_else(self):
        ctx = CommandContext({"node": "/n", "policy": object()})
        odd = [
            "{",
            "[]",
            "null",
            {"method": "get", "key": "node"},
            {"method": "get", "key": ["policy"]},
            {"method": "set", "key": "mode", "value": "log_only"},
            {"method": "set", "key": "policy"},
            {"method": "set", "key": "policy", "value": 1, "more": 1},
            {"method": "run", "key": "policy"},
        ]
        answers = self.run_program(ctx, [*odd, {"method": "get", "key": "policy"}])["answers"]
        self.assertEqual(answers[:-1], [{"error": "malformed"}] * len(odd))
        self.assertEqual(answers[-1], {"setting": {"state": "raised"}})
        self.assertEqual(ctx.written, [])


if __name__ == "__main__":
    unittest.main()
