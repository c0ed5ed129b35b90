"""The guardian as the host sees it: manifest, registration, what goes to the sidecar, what comes back. (seed 004)"""

import inspect
import json
import os
import re
import subprocess
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest import mock

from fake_guardian import MESSAGE
from guardian_case import ALLOWED, BLOCKED, GuardianCase, HookContext
from support import PYTHON, Raises, await_readers, is_alive, reader_threads, simulated_host

from shim.node import Node


class Manifest(unittest.TestCase):
    def test_declares_one_hook_no_capability_and_the_settings(self):
        text = (PYTHON / "hermes-guardian" / "plugin.yaml").read_text()
        self.assertRegex(text, r"(?m)^name: hermes-guardian$")
        self.assertRegex(text, r"(?m)^kind: standalone$")
        self.assertRegex(text, r"(?m)^license: MIT$")
        self.assertRegex(text, r"(?m)^provides_hooks:\n  - pre_tool_call$")
        self.assertRegex(text, r"(?m)^capabilities: \[\]$")
        settings = text[text.index("config_schema:") :]
        self.assertEqual(
            re.findall(r"(?m)^  (\w+):$", settings), ["policy", "mode", "audit_chain", "node", "deadline_seconds"]
        )


class Registration(GuardianCase):
    def test_gives_the_host_one_hook_that_takes_any_keyword(self):
        ctx = HookContext()
        self.plugin.register(ctx)
        self.assertEqual(list(ctx.hooks), ["pre_tool_call"])
        kinds = [parameter.kind for parameter in inspect.signature(ctx.hooks["pre_tool_call"]).parameters.values()]
        self.assertIn(inspect.Parameter.VAR_KEYWORD, kinds)

    def test_starts_no_process_thread_or_program_and_asks_for_no_setting(self):
        ctx = HookContext()
        with mock.patch.object(subprocess, "Popen", Raises(AssertionError("a process"))), mock.patch.object(
            subprocess, "run", Raises(AssertionError("a program"))
        ), mock.patch.object(ctx, "get_config", Raises(AssertionError("a setting"))):
            self.plugin.register(ctx)
        self.assertEqual(reader_threads(), [])

    def test_works_on_a_host_without_unloading(self):
        class Bare:
            def __init__(self):
                self.hooks = {}

            def register_hook(self, name, callback):
                self.hooks[name] = callback

        ctx = Bare()
        self.plugin.register(ctx)
        self.assertEqual(list(ctx.hooks), ["pre_tool_call"])


class Directive(GuardianCase):
    def setUp(self):
        super().setUp()
        self.use_the_fake()

    def test_of_allow_is_nothing(self):
        self.assertIs(self.register()("allow"), ALLOWED)

    def test_of_block_and_approve_has_exactly_the_keys_that_the_host_knows(self):
        call = self.register()
        self.assertEqual(call("block"), {"action": "block", "message": MESSAGE})
        self.assertEqual(call("approve"), {"action": "approve", "message": MESSAGE, "rule_key": "{}"})

    def test_comes_whatever_keywords_the_host_passes(self):
        hook_context = HookContext()
        self.register(hook_context)
        hook = hook_context.hooks["pre_tool_call"]
        known = ("task_id", "session_id", "tool_call_id", "turn_id", "api_request_id", "middleware_trace")
        with simulated_host(get_hermes_home=lambda: self.home):
            for extra in ({}, dict.fromkeys(known, "x"), {"telemetry_schema_version": "v1", "new in 2030": object()}):
                self.assertIs(hook(tool_name="allow", args={}, **extra), ALLOWED)
            # Without a name there is nothing to allow; that is for the core to say, so it is asked.
            hook()
        self.assertEqual(self.requests()[-1]["params"]["call"], {"tool": None, "args": None})


class Request(GuardianCase):
    def setUp(self):
        super().setUp()
        self.use_the_fake()

    def sent(self, args, **config):
        self.register(**config)("allow", args)
        (request,) = self.requests()
        return request

    def test_keeps_what_the_host_says_and_what_the_model_says_apart(self):
        args = {"settings": {"state": "unset"}, "installation": {"hermes_home": "/evil"}, "hermes_home": "/evil"}
        request = self.sent(args)
        self.assertEqual(request["method"], "guardian.evaluate")
        self.assertEqual(set(request["params"]), {"settings", "mode", "installation", "call"})
        self.assertEqual(request["params"]["call"], {"tool": "allow", "args": args})
        self.assertNotIn("evil", json.dumps({**request["params"], "call": None}))

    def test_says_where_the_home_the_plugin_and_the_backups_are(self):
        with mock.patch.dict(os.environ, HOME="/home/u"):
            installation = self.sent({})["params"]["installation"]
        self.assertEqual(
            installation,
            {
                "hermes_home": self.home,
                "user_home": "/home/u",
                "plugin_source": str(self.directory),
                "backups": [f"{self.home}/plugin-data/hermes-guardian/backups"],
            },
        )

    def test_tells_no_policy_from_a_policy_of_null_and_from_one_that_cannot_be_read(self):
        for policy, setting in (
            ({"policy": {"rules": []}}, {"state": "value", "value": {"rules": []}}),
            ({"policy": None}, {"state": "value", "value": None}),
            ({}, {"state": "unset"}),
            ({"policy": RuntimeError("/home/u/config.yaml")}, {"state": "raised"}),
        ):
            with self.subTest(setting):
                (Path(self.home) / "requests").unlink(missing_ok=True)
                self.assertEqual(self.sent({}, **policy)["params"]["settings"], setting)

    def test_tells_the_mode_as_it_stands_and_judges_nothing(self):
        for config, mode in (
            ({}, {"state": "unset"}),
            ({"mode": "log_only"}, {"state": "value", "value": "log_only"}),
            ({"mode": False}, {"state": "value", "value": False}),
            ({"mode": RuntimeError("no")}, {"state": "raised"}),
        ):
            with self.subTest(mode):
                (Path(self.home) / "requests").unlink(missing_ok=True)
                self.assertEqual(self.sent({}, **config)["params"]["mode"], mode)

    def test_reads_the_settings_anew_for_every_call(self):
        ctx = HookContext()
        call = self.register(ctx)
        for policy in (1, 2):
            ctx.config = {"policy": policy}
            call("allow")
        self.assertEqual([request["params"]["settings"]["value"] for request in self.requests()], [1, 2])


class Sidecars(GuardianCase):
    def setUp(self):
        super().setUp()
        self.use_the_fake()

    def pid(self, call, **where):
        return int(call("pid", **where)["rule_key"])

    def test_two_homes_have_two_and_each_stays(self):
        call = self.register()
        other = self.make_home("other")
        pids = [self.pid(call, home=home) for home in (self.home, other, self.home, other)]
        self.assertEqual(pids[:2], pids[2:])
        self.assertEqual(len(set(pids)), 2)
        self.assertEqual((len(self.requests()), len(self.requests(other))), (2, 2))

    def test_are_told_their_home_and_whether_to_chain(self):
        ctx = HookContext()
        call = self.register(ctx)
        self.assertEqual(call("pid")["message"], self.home)
        ctx.config = {"audit_chain": True}
        self.assertEqual(call("pid")["message"], f"{self.home} chain")

    def test_are_bounded_in_number(self):
        call = self.register()
        homes = [self.make_home(f"home-{number}") for number in range(9)]
        self.assertEqual([call("allow", home=home) for home in homes], [ALLOWED] * 8 + [BLOCKED])
        self.assertEqual(self.logged(), ["too_many_homes"])

    def test_answer_fifty_threads_each_with_its_own_directive(self):
        ctx = HookContext()
        self.register(ctx)
        hook = ctx.hooks["pre_tool_call"]
        start = threading.Barrier(50)

        def ask(number):
            start.wait()
            keys = [hook(tool_name="approve", args={"n": [number, again]})["rule_key"] for again in range(4)]
            return [json.loads(key) for key in keys] == [{"n": [number, again]} for again in range(4)]

        with simulated_host(get_hermes_home=lambda: self.home), ThreadPoolExecutor(50) as pool:
            self.assertEqual(list(pool.map(ask, range(50))), [True] * 50)
        self.assertEqual(len(reader_threads()), 1)

    def test_end_with_the_plugin_whatever_keywords_the_host_passes_and_are_not_started_again(self):
        ctx = HookContext()
        call = self.register(ctx)
        other = self.make_home("other")
        pids = [self.pid(call), self.pid(call, home=other)]
        ctx.unloads[0](reason="reload")
        await_readers()
        self.assertEqual([is_alive(pid) for pid in pids], [False, False])
        self.assertEqual([call("allow"), call("allow", home=self.make_home("third"))], [BLOCKED, BLOCKED])
        self.assertEqual((self.logged(), reader_threads()), (["closed", "closed"], []))

    def test_again_registered_are_others(self):
        self.assertNotEqual(self.pid(self.register()), self.pid(self.register()))


class Fence(GuardianCase):
    """What the sidecar may write: the audit's directory. (design.md section 5)"""

    def granted(self):
        nodes = mock.Mock(find=lambda: Node("/n", (24, 0, 0)))
        hook = self.hook_module.GuardianHook(None, None, nodes, "/plugin", None)
        words = hook._command(self.home, False)
        self.assertEqual(words[-2:], ["/plugin/sidecar.cjs", self.home])
        return [word.removeprefix(f"--allow-fs-write={self.home}/") for word in words if "fs-write" in word]

    def test_opens_the_audit_alone(self):
        os.mkdir(f"{self.home}/plugin-data")
        self.assertEqual(self.granted(), ["plugin-data/hermes-guardian/*"])

    def test_lets_the_directory_above_be_made_where_there_is_none(self):
        self.assertEqual(self.granted()[0], "plugin-data")
        os.symlink("/nowhere", f"{self.home}/plugin-data")
        self.assertEqual(len(self.granted()), 1)


if __name__ == "__main__":
    unittest.main()
