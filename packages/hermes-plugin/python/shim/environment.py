"""What of the host's environment the sidecar gets: the few names that change how text and time look.

Everything else stays behind: secrets, and what would change Node itself (NODE_OPTIONS, NODE_PATH). Under several
profiles the host's environment may hold another profile's secrets. (design.md section 6, hermes-contract.md g)
"""

import os
from collections.abc import Mapping

_PASSED_ON = ("LANG", "LC_ALL", "TZ")


def sidecar_environment(host: Mapping[str, str] | None = None) -> dict[str, str]:
    source = os.environ if host is None else host
    return {name: source[name] for name in _PASSED_ON if name in source}
