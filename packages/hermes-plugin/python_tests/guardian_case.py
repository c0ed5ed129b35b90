"""What the tests of the guardian's hook share: the plugin in a folder of its own, over a fake sidecar. (seed 004)"""

import json
import logging
import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

from support import HERE, Context, Records, assemble, await_readers, load, simulated_host

FAKE_GUARDIAN = HERE / "fake_guardian.py"
# The one message of every failure, as it stands in the core (Directive.ts).
BLOCKED = {"action": "block", "message": "Hermes Guardian: blocked, because no decision could be made."}
ALLOWED = None
# A text that may stand in no log, wherever the model puts it.
SECRET = "kingfisher"


class HookContext(Context):
    """A context that takes hooks. A setting that is an exception is raised instead of read."""

    def __init__(self, config=None):
        super().__init__(config)
        self.hooks = {}

    def register_hook(self, name, callback):
        self.hooks[name] = callback

    def get_config(self, key, default=None):
        value = super().get_config(key, default)
        if isinstance(value, BaseException):
            raise value
        return value


class GuardianCase(unittest.TestCase):
    name = "hermes_plugins.hermes_guardian"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.base = Path(folder.name).resolve()
        self.home = self.make_home("home")
        self.directory = assemble(self.base, "hermes-guardian")
        self.plugin = load(self.directory, self.name)
        self.hook_module = sys.modules[f"{self.name}.hook"]
        self.log = Records()
        logger = logging.getLogger(self.name)
        logger.addHandler(self.log)
        logger.setLevel(logging.DEBUG)
        logger.propagate = False
        self.addCleanup(logger.removeHandler, self.log)
        self.addCleanup(self.check_log)
        self.addCleanup(await_readers)

    def check_log(self):
        """After every test: the arguments are in no record, neither in its text nor in its trace."""
        for record in self.log.records:
            self.assertNotIn(SECRET, repr(vars(record)))

    def make_home(self, name):
        home = self.base / name
        home.mkdir()
        return str(home)

    def use(self, **stand_ins):
        """Replaces names of the hook's module for this test."""
        for name, stand_in in stand_ins.items():
            patch = mock.patch.object(self.hook_module, name, stand_in)
            patch.start()
            self.addCleanup(patch.stop)

    def use_the_fake(self):
        """The fake sidecar in place of Node and the bundle."""
        patch = mock.patch.object(self.plugin, "NodeFinder", lambda setting: types.SimpleNamespace(find=lambda: None))
        patch.start()
        self.addCleanup(patch.stop)
        self.use(
            command=lambda node, script, *arguments, **_: [sys.executable, "-I", "-S", "-B", str(FAKE_GUARDIAN)]
            + list(arguments)
        )

    def register(self, ctx=None, **config):
        """Registers the plugin; answers with what the host would call."""
        ctx = HookContext(config) if ctx is None else ctx
        self.plugin.register(ctx)
        self.addCleanup(lambda: [unload() for unload in getattr(ctx, "unloads", ())])
        hook = ctx.hooks["pre_tool_call"]

        def call(tool, args=None, home=None, **changes):
            with simulated_host(**{"get_hermes_home": lambda: home or self.home, **changes}):
                return hook(tool_name=tool, args={} if args is None else args, session_id="s", task_id="t")

        return call

    def requests(self, home=None):
        """What has reached the sidecar of a home."""
        file = Path(home or self.home) / "requests"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    def logged(self):
        """The reason codes of calls that were blocked, in order."""
        return [text.split("code=")[1] for text in self.log.texts if text.startswith("blocked: code=")]
