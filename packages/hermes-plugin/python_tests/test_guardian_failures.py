"""Whatever goes wrong, the call is blocked, in time, with the one message, and the log says why. (seed 004, issue 3)

Hosts before v0.21.5 let a tool run when its hook raises, so every test also shows that nothing was raised.
"""

import logging
import os
import stat
import subprocess
import sys
import time
import unittest
from pathlib import Path
from unittest import mock

from guardian_case import ALLOWED, BLOCKED, SECRET, GuardianCase, HookContext
from support import FAKE, Raises, await_readers, host_modules, is_alive, reader_threads

ARGS = {"path": f"/home/u/{SECRET}", "content": SECRET, SECRET: [SECRET]}
ERRORS = [ValueError(SECRET), OSError(SECRET), MemoryError(), RecursionError(), SystemExit(), KeyboardInterrupt()]


class FailureCase(GuardianCase):
    def setUp(self):
        super().setUp()
        self.use_the_fake()

    def check_blocked(self, directive, reason):
        self.assertEqual(directive, BLOCKED)
        self.assertEqual(self.logged()[-1], reason)


class SidecarThat(FailureCase):
    def test_is_dead_blocks_or_is_replaced(self):
        call = self.register()
        pid = int(call("pid")["rule_key"])
        (reader,) = reader_threads()
        os.kill(pid, 9)
        # Whether its end was noticed before the next call or under it, nothing is allowed by a dead process.
        directive = call("pid", ARGS)
        if directive == BLOCKED:
            self.assertEqual(self.logged(), ["sidecar_died"])
        else:
            self.assertNotEqual(int(directive["rule_key"]), pid)
        reader.join(10)
        self.assertFalse(is_alive(pid))

    def test_dies_in_the_middle_blocks_and_the_call_is_not_made_again(self):
        call = self.register()
        self.check_blocked(call("die", ARGS), "sidecar_died")
        self.assertEqual(len(self.requests()), 1)
        await_readers()
        self.assertIs(call("allow"), ALLOWED)
        self.assertEqual([request["params"]["call"]["tool"] for request in self.requests()], ["die", "allow"])

    def test_hangs_blocks_at_the_deadline_and_is_ended(self):
        call = self.register(deadline_seconds=1)
        pid = int(call("pid")["rule_key"])
        start = time.monotonic()
        self.check_blocked(call("hang", ARGS), "deadline_passed")
        self.assertLess(time.monotonic() - start, 5)
        await_readers()
        self.assertFalse(is_alive(pid))

    def test_says_garbage_blocks(self):
        self.check_blocked(self.register()("garbage", ARGS), "sidecar_garbled")
        self.assertEqual(len(self.requests()), 1)

    def test_reports_an_error_blocks(self):
        self.check_blocked(self.register()("error", ARGS), "rpc_error_32603")

    def test_does_not_start_blocks(self):
        self.use(command=lambda *_, **__: ["/no/such/program"])
        self.check_blocked(self.register()("allow", ARGS), "sidecar_not_startable")


class Deadline(FailureCase):
    def test_is_below_the_hosts_own_whatever_the_operator_sets(self):
        asked = []

        def answer(_self, _method, _params, seconds):
            asked.append(seconds)
            return {"action": "allow"}

        with mock.patch.object(self.hook_module.Sidecar, "call", answer):
            for setting in (None, 1, 25, 26, 300, 301, -1, "20", True, RuntimeError(SECRET)):
                config = {} if setting is None else {"deadline_seconds": setting}
                self.assertIs(self.register(**config)("allow", ARGS), ALLOWED)
        self.assertEqual(asked, [20.0, 1.0, 25.0, 25.0, 25.0, 20.0, 20.0, 20.0, 20.0, 20.0])


class Directive(FailureCase):
    def test_of_another_form_blocks(self):
        call = self.register()
        ok = {"message": "m", "rule_key": "k"}
        for it in (
            None,
            True,
            "allow",
            [],
            {},
            [{"action": "allow"}],
            {"action": None},
            {"action": "Allow"},
            {"action": "modify", "args": {}},
            {"action": ["allow"]},
            {"action": {"allow": 1}},
            {"action": "allow", "message": "m"},
            {"action": "allow", "rule_key": None},
            {"action": "block"},
            {"action": "block", "message": ""},
            {"action": "block", "message": 1},
            {"action": "block", "message": None},
            {"action": "block", "message": "m", "rule_key": "k"},
            {"action": "approve", "message": "m"},
            {"action": "approve", "message": "", "rule_key": "k"},
            {"action": "approve", "message": "m", "rule_key": ""},
            {"action": "approve", "message": "m", "rule_key": 7},
            {"action": "approve", **ok, "more": "x"},
            {"Action": "allow"},
        ):
            with self.subTest(it):
                self.assertEqual(call("answer", {"it": it}), BLOCKED)
        self.assertEqual(len(self.logged()), 24)

    def test_of_the_right_form_would_pass(self):
        call = self.register()
        approve = {"action": "approve", "message": "m", "rule_key": "k"}
        self.assertIs(call("answer", {"it": {"action": "allow"}}), ALLOWED)
        self.assertEqual(call("answer", {"it": approve}), approve)


class HomeHelper(FailureCase):
    def test_that_is_missing_raises_or_gives_no_path_blocks(self):
        call = self.register()
        bad = [None, *map(Raises, ERRORS[:4]), lambda: None, lambda: 7, lambda: ["/home"], "no function"]
        for helper in bad:
            with self.subTest(helper):
                self.check_blocked(call("allow", ARGS, get_hermes_home=helper), "home_unknown")
        self.assertEqual(self.requests(), [])

    def test_whose_module_is_missing_blocks(self):
        ctx = HookContext()
        self.register(ctx)
        with mock.patch.dict("sys.modules", {name: None for name in host_modules()}):
            self.check_blocked(ctx.hooks["pre_tool_call"](tool_name="allow", args=ARGS), "home_unknown")

    def test_that_names_a_home_which_node_would_misread_blocks(self):
        node = sys.modules[f"{self.name}.shim.node"]
        real = node.Node("/no/such/node", (24, 0, 0))
        self.use(command=lambda _, *words, **rights: node.command(real, *words, **rights))
        call = self.register()
        for name in ("a,b", "a*b"):
            self.check_blocked(call("allow", ARGS, home=self.make_home(name)), "home_unsupported")


class Setting(FailureCase):
    def test_of_the_chain_that_cannot_be_read_or_is_no_flag_blocks(self):
        for value, reason in (
            (RuntimeError(SECRET), "audit_chain_setting_unreadable"),
            ("false", "audit_chain_setting_invalid"),
            (0, "audit_chain_setting_invalid"),
            (None, "audit_chain_setting_invalid"),
        ):
            with self.subTest(value):
                self.check_blocked(self.register(audit_chain=value)("allow", ARGS), reason)
        self.assertEqual(self.requests(), [])

    def test_of_the_policy_that_cannot_travel_blocks(self):
        for value in (object(), {"rules": {1, 2}}, float("nan"), b"x"):
            with self.subTest(value):
                self.check_blocked(self.register(policy=value)("allow", ARGS), "request_not_sendable")

    def test_that_a_host_without_settings_cannot_give_blocks(self):
        class Bare:
            def __init__(self):
                self.hooks = {}

            def register_hook(self, name, callback):
                self.hooks[name] = callback

        self.assertEqual(self.register(Bare())("allow", ARGS), BLOCKED)


class NodeThat(GuardianCase):
    """Over the plugin's own search for Node."""

    def check_blocked(self, node, reason):
        self.assertEqual(self.register(node=node)("allow", ARGS), BLOCKED)
        self.assertEqual(self.logged()[-1], reason)

    def script(self, text):
        path = Path(self.base) / "node"
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(stat.S_IRWXU)
        return str(path)

    def test_is_missing_or_no_node_blocks(self):
        for node in ("/no/such/node", str(FAKE), "/"):
            self.check_blocked(node, "node_missing")

    def test_is_too_old_blocks(self):
        self.check_blocked(self.script("echo v18.20.0"), "node_too_old")

    def test_is_named_by_a_setting_that_cannot_be_used_blocks(self):
        for node, reason in (
            ("node", "node_setting_invalid"),
            (7, "node_setting_invalid"),
            (RuntimeError(SECRET), "node_setting_unreadable"),
        ):
            self.check_blocked(node, reason)

    def test_is_nowhere_to_be_found_blocks(self):
        with mock.patch.dict(os.environ, PATH="/nonexistent"):
            self.check_blocked("", "node_missing")


class Arguments(FailureCase):
    def test_that_cannot_travel_block_and_nothing_is_sent(self):
        call = self.register()
        circle = {}
        circle["itself"] = circle
        deep = []
        for _ in range(100_000):
            deep = [deep]
        cases = (
            {"x": float("inf")},
            {"x": b"x"},
            {"x": object()},
            {(1, 2): 3},
            circle,
            deep,
            {"content": SECRET * 200_000},
        )
        for args in cases:
            self.check_blocked(call("allow", args), "request_not_sendable")
        while deep:
            deep = deep.pop()
        self.assertEqual(self.requests(), [])
        self.assertIs(call("allow"), ALLOWED)

    def test_that_raise_when_they_are_looked_at_block(self):
        class Hostile(dict):
            def items(self):
                raise RuntimeError(SECRET)

        self.assertEqual(self.register()("allow", Hostile(x=1)), BLOCKED)


class Anything(FailureCase):
    def test_that_is_raised_anywhere_blocks(self):
        for error in (*ERRORS, GeneratorExit(), BaseException(SECRET)):
            for name in ("_setting", "_sidecar"):
                call = self.register()
                with self.subTest(name, error=error), mock.patch.object(
                    self.hook_module.GuardianHook, name, Raises(error)
                ):
                    self.check_blocked(call("allow", ARGS), f"shim_defect error={type(error).__name__}")

    def test_that_is_raised_while_the_sidecar_is_asked_blocks(self):
        for error in ERRORS:
            with self.subTest(error), mock.patch.object(self.hook_module.Sidecar, "call", Raises(error)):
                self.check_blocked(self.register()("allow", ARGS), f"shim_defect error={type(error).__name__}")

    def test_in_the_hosts_logging_does_not_undo_a_block(self):
        class Broken(logging.Handler):
            def emit(self, record):
                raise broken

        handler = Broken()
        logging.getLogger(self.name).addHandler(handler)
        self.addCleanup(logging.getLogger(self.name).removeHandler, handler)
        call = self.register(deadline_seconds="soon")
        for broken in (ValueError(), SystemExit(), KeyboardInterrupt()):
            with self.subTest(broken):
                self.assertEqual(call("die", ARGS), BLOCKED)
                self.assertEqual(call("garbage", ARGS), BLOCKED)

    def test_in_starting_a_thread_blocks(self):
        with mock.patch("threading.Thread.start", Raises(RuntimeError("can't start new thread"))):
            self.check_blocked(self.register()("allow", ARGS), "sidecar_not_startable")

    def test_in_starting_a_process_blocks(self):
        with mock.patch.object(subprocess, "Popen", Raises(BlockingIOError(SECRET))):
            self.check_blocked(self.register()("allow", ARGS), "sidecar_not_startable")


if __name__ == "__main__":
    unittest.main()
