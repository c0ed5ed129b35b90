"""Every helper of the host is reported as it is: its value, missing, or raised. (Signals.ts, hermes-contract.md c)"""

import os
import pathlib
import unittest
from unittest import mock

from support import Context, Raises, simulated_host

from shim.signals import gather

MISSING = {"state": "missing"}
RAISED = {"state": "raised"}

# Signal, helper in the host, module of the helper.
HELPERS = [
    ("get_hermes_home", "get_hermes_home", "hermes_constants"),
    ("get_hermes_home_override", "get_hermes_home_override", "hermes_constants"),
    ("current_secret_scope_home", "current_secret_scope_home", "agent.secret_scope"),
    ("is_multiplex_active", "is_multiplex_active", "agent.secret_scope"),
    ("is_delegated_child_process_context", "is_delegated_child_process_context", "agent.delegation_context"),
    ("cron_session", "get_session_env", "gateway.session_context"),
]


def value(it):
    return {"state": "value", "value": it}


class OrdinaryCall(unittest.TestCase):
    def test_has_exactly_the_members_that_the_core_knows(self):
        with simulated_host():
            self.assertEqual(
                gather(Context()),
                {
                    "get_hermes_home": value("/home/u/.hermes"),
                    "get_hermes_home_override": value(None),
                    "current_secret_scope_home": value(None),
                    "is_multiplex_active": value(False),
                    "is_delegated_child_process_context": value(False),
                    "cron_session": value(""),
                    "cron_execution": value(False),
                    "plugin_host_process": False,
                },
            )

    def test_reports_the_values_of_a_special_one(self):
        with simulated_host(
            get_hermes_home=lambda: "/p/a",
            get_hermes_home_override=lambda: pathlib.PurePosixPath("/p/a"),
            current_secret_scope_home=lambda: "/p/a",
            is_multiplex_active=lambda: True,
            is_delegated_child_process_context=lambda: True,
            get_session_env=lambda name, default: "1" if name == "HERMES_CRON_SESSION" else default,
        ):
            signals = gather(Context(cron=object()))
        self.assertEqual(signals["get_hermes_home_override"], value("/p/a"))
        self.assertEqual(signals["current_secret_scope_home"], value("/p/a"))
        self.assertEqual(signals["is_multiplex_active"], value(True))
        self.assertEqual(signals["is_delegated_child_process_context"], value(True))
        self.assertEqual(signals["cron_session"], value("1"))
        self.assertEqual(signals["cron_execution"], value(True))


class EachHelper(unittest.TestCase):
    def check(self, signal, expected, ctx=None, **host):
        with simulated_host(**host):
            signals = gather(ctx or Context())
        self.assertEqual(signals.pop(signal), expected)
        # The others are not touched by one that fails.
        others = [reading["state"] for name, reading in signals.items() if name != "plugin_host_process"]
        self.assertEqual(others, ["value"] * 6)

    def test_that_its_module_lacks_is_missing(self):
        for signal, helper, _ in HELPERS:
            with self.subTest(signal):
                self.check(signal, MISSING, **{helper: None})

    def test_whose_module_is_not_there_is_missing(self):
        for signal, _, module in HELPERS:
            with self.subTest(signal), simulated_host(missing=(module,)):
                self.assertEqual(gather(Context())[signal], MISSING)

    def test_that_raises_anything_is_raised(self):
        errors = [ValueError(), ImportError(), AttributeError(), RecursionError(), GeneratorExit(), BaseException()]
        for signal, helper, _ in HELPERS:
            for error in errors:
                with self.subTest(signal, error=error):
                    self.check(signal, RAISED, **{helper: Raises(error)})

    def test_with_a_value_of_another_type_is_raised(self):
        wrong = {
            "get_hermes_home": [None, 1, b"/home", ["/home"], True],
            "get_hermes_home_override": [1, b"/home", False, {}],
            "current_secret_scope_home": [1, b"/home", True],
            "is_multiplex_active": [None, 0, 1, "", "yes"],
            "is_delegated_child_process_context": [None, 0, 1, "false"],
            "cron_session": [None, 1, False, b"1"],
        }
        for signal, helper, _ in HELPERS:
            for it in wrong[signal]:
                with self.subTest(signal, value=it):
                    self.check(signal, RAISED, **{helper: lambda *_args, _it=it, **_kwargs: _it})

    def test_that_is_no_function_is_raised(self):
        for signal, helper, _ in HELPERS:
            with self.subTest(signal):
                self.check(signal, RAISED, **{helper: "not a function"})

    def test_that_ends_the_process_may_do_so(self):
        for signal, helper, _ in HELPERS:
            for error in (SystemExit, KeyboardInterrupt):
                with self.subTest(signal, error=error), simulated_host(**{helper: Raises(error())}):
                    self.assertRaises(error, gather, Context())

    def test_module_that_raises_while_it_is_imported_is_raised(self):
        class Finder:
            @staticmethod
            def find_spec(name, path=None, target=None):
                if name == "hermes_constants":
                    raise RuntimeError("broken")

        with simulated_host() as _, mock.patch("sys.meta_path", [Finder]):
            import sys

            del sys.modules["hermes_constants"]
            self.assertEqual(gather(Context())["get_hermes_home"], RAISED)


class CronExecution(unittest.TestCase):
    def reading(self, ctx):
        with simulated_host():
            return gather(ctx)["cron_execution"]

    def test_of_a_context_that_does_not_know_of_it_is_missing(self):
        self.assertEqual(self.reading(object()), MISSING)
        self.assertEqual(self.reading(None), MISSING)

    def test_that_raises_is_raised(self):
        ctx = Context()
        ctx.current_cron_execution = Raises(RuntimeError())
        self.assertEqual(self.reading(ctx), RAISED)

    def test_of_a_context_that_breaks_when_it_is_asked_is_raised(self):
        class Broken:
            def __getattr__(self, name):
                raise RuntimeError(name)

        self.assertEqual(self.reading(Broken()), RAISED)

    def test_counts_as_soon_as_there_is_anything_however_empty(self):
        for execution in (0, "", [], False):
            with self.subTest(execution):
                self.assertEqual(self.reading(Context(cron=execution)), value(True))


class PluginHostProcess(unittest.TestCase):
    def test_is_whatever_value_the_mark_has(self):
        for mark in ("1", "0", ""):
            with self.subTest(mark), simulated_host(), mock.patch.dict(os.environ, HERMES_PLUGIN_HOST_PROCESS=mark):
                self.assertIs(gather(Context())["plugin_host_process"], True)


if __name__ == "__main__":
    unittest.main()
