"""What the tests of the shim share: the fake sidecar, a clock that stands still, a host that is not there."""

import contextlib
import importlib.util
import logging
import os
import select
import shutil
import subprocess
import sys
import threading
import time
import types
import unittest
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parent
PYTHON = HERE.parent / "python"
FAKE = HERE / "fake_sidecar.py"

sys.path.insert(0, str(PYTHON))

from shim.refusal import Refused  # noqa: E402
from shim.sidecar import Sidecar  # noqa: E402


def fake_command(*arguments):
    return [sys.executable, "-I", "-S", "-B", str(FAKE), *arguments]


# Far more than a call needs here; a test that waits for it fails.
PLENTY = 30.0
# For calls that are meant to run into their deadline.
SHORT = 0.3


class Clock:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


class Records(logging.Handler):
    """Keeps what was logged."""

    def __init__(self):
        super().__init__(logging.DEBUG)
        self.records = []
        self.changed = threading.Condition()

    def emit(self, record):
        with self.changed:
            self.records.append(record)
            self.changed.notify_all()

    def messages(self):
        with self.changed:
            return [record.getMessage() for record in self.records]

    @property
    def texts(self):
        return [record.getMessage() for record in self.records]

    def wait_for(self, part, seconds=10):
        with self.changed:
            found = self.changed.wait_for(lambda: any(part in text for text in self.texts), seconds)
        if not found:
            raise AssertionError(f"{part!r} was not logged: {self.texts}")


def new_logger():
    logger = logging.Logger("test")
    records = Records()
    logger.addHandler(records)
    return logger, records


def reader_threads():
    return [thread for thread in threading.enumerate() if thread.name == "memory-bridge-sidecar"]


def await_readers():
    """Every sidecar that has ended is reaped and its pipes are closed."""
    for thread in reader_threads():
        thread.join(10)


def is_alive(pid):
    """A zombie counts as alive: somebody has failed to reap it."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def await_end(pidfd, seconds=10):
    """Whether the process ended in time."""
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


def descriptors():
    return set(os.listdir("/proc/self/fd"))


class SidecarCase(unittest.TestCase):
    """Gives a manager over the fake sidecar, and takes everything down afterwards."""

    def setUp(self):
        self.clock = Clock()
        self.logger, self.log = new_logger()
        self.starts = 0
        # Runs last, after every sidecar of the test is closed.
        self.addCleanup(await_readers)

    def sidecar(self, *arguments, command=None, in_turns=False):
        def counted():
            self.starts += 1
            return fake_command(*arguments) if command is None else command()

        sidecar = Sidecar(counted, self.logger, self.clock, in_turns=in_turns)
        self.addCleanup(sidecar.close)
        return sidecar

    def refusal(self, sidecar, method, params=None, seconds=PLENTY):
        with self.assertRaises(Refused) as raised:
            sidecar.call(method, params, seconds)
        return raised.exception.code

    def has_within(self, seconds, condition):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                return False
            threading.Event().wait(0.005)
        return True


class DeadMount:
    """A mount over a directory whose server does not answer. ``away`` takes it away; what hangs on it then comes back."""

    def __init__(self, case, directory):
        # Skips the test where there can be none.
        self._server = subprocess.Popen(
            [sys.executable, "-I", "-S", "-B", str(HERE / "dead_mount.py"), str(directory)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        case.addCleanup(self.away)
        said = self._server.stdout.readline().decode().strip()
        if said.startswith("impossible"):
            case.skipTest(f"no mount: {said}")
        case.assertEqual(said, "mounted")

    def away(self):
        self._server.stdin.close()
        self._server.wait(10)
        self._server.stdout.close()


class Raises:
    """A helper that raises what it was given."""

    def __init__(self, error):
        self.error = error

    def __call__(self, *_args, **_kwargs):
        raise self.error


def host_modules(**changes):
    """The host's modules with well-behaved helpers; a change replaces one, None takes it away."""
    helpers = {
        "get_hermes_home": lambda: Path("/home/u/.hermes"),
        "get_hermes_home_override": lambda: None,
        "current_secret_scope_home": lambda: None,
        "is_multiplex_active": lambda: False,
        "is_delegated_child_process_context": lambda: False,
        "get_session_env": lambda name, default="": default,
        "find_node_executable": lambda name: None,
        **changes,
    }
    places = {
        "hermes_constants": ("get_hermes_home", "get_hermes_home_override", "find_node_executable"),
        "agent": (),
        "agent.secret_scope": ("current_secret_scope_home", "is_multiplex_active"),
        "agent.delegation_context": ("is_delegated_child_process_context",),
        "gateway": (),
        "gateway.session_context": ("get_session_env",),
    }
    modules = {}
    for name, members in places.items():
        module = types.ModuleType(name)
        for member in members:
            if helpers[member] is not None:
                setattr(module, member, helpers[member])
        modules[name] = module
    return modules


@contextlib.contextmanager
def simulated_host(missing=(), **changes):
    modules = {name: None if name in missing else module for name, module in host_modules(**changes).items()}
    with mock.patch.dict(sys.modules, modules):
        yield


class Context:
    """The part of the host's plugin context that the plugin may use."""

    def __init__(self, config=None, cron=None):
        self.config = config or {}
        self.cron = cron
        self.tools = {}
        self.unloads = []

    def get_config(self, key, default=None):
        return self.config.get(key, default)

    def register_tool(
        self, name, toolset, schema, handler, check_fn=None, requires_env=None, is_async=False, description="", emoji=""
    ):
        self.tools[name] = types.SimpleNamespace(toolset=toolset, schema=schema, handler=handler)

    def on_unload(self, callback):
        self.unloads.append(callback)

    def current_cron_execution(self):
        return self.cron


def assemble(folder, plugin="memory-bridge"):
    """A plugin directory as the build makes it, less the sidecar."""
    target = Path(folder) / plugin
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PYTHON / plugin, target, ignore=ignore)
    shutil.copytree(PYTHON / "shim", target / "shim", ignore=ignore)
    return target


def load(folder, name="hermes_plugins.memory_bridge"):
    """Imports a plugin directory in the way of the host. Answers with the module."""
    for known in [known for known in sys.modules if known == name or known.startswith(name + ".")]:
        del sys.modules[known]
    sys.modules.setdefault("hermes_plugins", types.ModuleType("hermes_plugins"))
    spec = importlib.util.spec_from_file_location(
        name, Path(folder) / "__init__.py", submodule_search_locations=[str(folder)]
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
