"""What the tests of the provider share: the plugin in a folder of its own, over a fake sidecar. (seed 003)"""

import json
import logging
import os
import sys
import tempfile
import threading
import time
import types
import unittest
from pathlib import Path
from unittest import mock

from support import HERE, Records, assemble, await_readers, load

FAKE_RECALL = HERE / "fake_recall.py"
NAME = "_hermes_user_memory.hy_memory"
# Far more than anything here needs; a test that waits for it fails.
PLENTY = 30.0
DIRECT = {
    "HY_MEMORY_URL": "http://127.0.0.1:9",
    "HY_MEMORY_USER_ID": "owner",
    "HY_MEMORY_AGENT_ID": "agent",
}


def own_threads():
    names = ("hy-memory-link", "hy-memory-fresh", "hy-memory-close", "memory-bridge-sidecar")
    return [thread for thread in threading.enumerate() if thread.name in names]


class RecallCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.base = Path(folder.name).resolve()
        self.home = self.make_home("home")
        self.directory = assemble(self.base, "hy_memory")
        self.set_environment({})
        sys.modules.setdefault("_hermes_user_memory", types.ModuleType("_hermes_user_memory"))
        self.plugin = load(self.directory, NAME)
        self.provider_module = sys.modules[f"{NAME}.provider"]
        self.link_module = sys.modules[f"{NAME}.link"]
        self.log = Records()
        logger = logging.getLogger(NAME)
        logger.addHandler(self.log)
        logger.setLevel(logging.DEBUG)
        logger.propagate = False
        self.addCleanup(logger.removeHandler, self.log)
        self.addCleanup(await_readers)
        self.addCleanup(self.link_module.close_all)
        self.starts = 0
        self.command = lambda home: [sys.executable, "-I", "-S", "-B", str(FAKE_RECALL), home]
        # No test waits for it but where it says so.
        self.replace(self.provider_module, "_FRESH_SECONDS", PLENTY)
        self.replace(self.link_module, "NodeFinder", lambda setting: types.SimpleNamespace(find=lambda: None))
        self.replace(self.link_module, "command", self.start)

    def start(self, node, script, home, **_):
        self.starts += 1
        return self.command(home)

    def replace(self, place, name, stand_in):
        patch = mock.patch.object(place, name, stand_in)
        patch.start()
        self.addCleanup(patch.stop)

    def set_environment(self, values):
        clean = {name: value for name, value in os.environ.items() if not name.startswith("HY_MEMORY_")}
        patch = mock.patch.dict(os.environ, {**clean, **values}, clear=True)
        patch.start()
        self.addCleanup(patch.stop)

    def make_home(self, name):
        home = self.base / name
        home.mkdir()
        return str(home)

    def allow_notes(self, home=None):
        policy = Path(home or self.home) / "plugin-data" / "memory-bridge" / "policy.json"
        policy.parent.mkdir(parents=True)
        policy.write_text("{}")

    def bare(self):
        """A provider as the loader gets it."""
        ctx = types.SimpleNamespace(register_memory_provider=lambda provider: setattr(ctx, "provider", provider))
        self.plugin.register(ctx)
        return ctx.provider

    def provider(self, session="s1", home=None, **kwargs):
        """One in a session, with its sidecar up."""
        provider = self.bare()
        provider.initialize(session, hermes_home=home or self.home, platform="cli", **kwargs)
        self.settle(provider)
        return provider

    def settle(self, provider):
        """Everything that was posted has been answered."""
        ticket = self.link_module.Ticket("recall.status", {"profile": {}})
        self.until(lambda: provider._link().post(ticket))
        self.assertTrue(ticket._answered.wait(PLENTY))

    def handed(self, provider, query="warm"):
        """What a turn is handed after one that asked this."""
        provider.queue_prefetch(query)
        self.settle(provider)
        return provider.prefetch("and what now?")

    def requests(self, home=None):
        file = Path(home or self.home) / "requests"
        lines = file.read_text().splitlines() if file.exists() else []
        return [json.loads(line) for line in lines]

    def asked(self, method, home=None):
        return [request["params"] for request in self.requests(home) if request["method"] == method]

    def until(self, condition):
        end = time.monotonic() + PLENTY
        while not condition():
            self.assertLess(time.monotonic(), end)
            threading.Event().wait(0.005)
