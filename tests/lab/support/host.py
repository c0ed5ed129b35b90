"""A simulated host that runs `hermes guardian …` over the command line from its source, and says what it wrote.

    python host.py PYTHON_TESTS NODE PROGRAM BASE ARGUMENT…

BASE holds `home`. The settings are kept in BASE/settings.json, as a host would keep them.
"""

import json
import os
import subprocess
import sys
import types
from pathlib import Path

tests, node, program, base, *arguments = sys.argv[1:]
sys.path.insert(0, tests)

from guardian_case import HookContext  # noqa: E402
from support import assemble, load, simulated_host  # noqa: E402

kept = Path(base, "settings.json")


class Host(HookContext):
    def register_cli_command(self, name, help, setup_fn, handler_fn=None, description=""):
        self.handler = handler_fn

    def set_config(self, key, value):
        if os.path.exists(f"{base}/readonly"):
            raise OSError("read-only")
        self.config[key] = value
        kept.write_text(json.dumps(self.config))


ctx = Host(json.loads(kept.read_text()) if kept.exists() else {})
plugin = assemble(base, "hermes-guardian") if not Path(base, "hermes-guardian").exists() else Path(base, "hermes-guardian")
module = load(plugin, "hermes_plugins.hermes_guardian")
commands = sys.modules["hermes_plugins.hermes_guardian.commands"]


def start(words, **how):
    return subprocess.Popen([words[0], program, *words[3:]], **how)


with simulated_host(get_hermes_home=lambda: f"{base}/home"):
    nodes = types.SimpleNamespace(find=lambda: types.SimpleNamespace(path=node))
    commands.run(ctx, nodes, str(plugin), arguments, start)
