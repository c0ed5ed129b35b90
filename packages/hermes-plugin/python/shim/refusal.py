"""Why a call was not served, as a short code for the operator, and what the agent hears instead: always the same.

(design.md section 4: fail closed; hermes-contract.md b: a handler returns a JSON string and never raises)
"""

import json

# The answer that the core gives for "unavailable", byte for byte the same message (PublicAnswer.ts).
UNAVAILABLE = json.dumps(
    {"ok": False, "error": {"code": "unavailable", "message": "Memory is not available for this request."}}
)


class Refused(Exception):
    """The call is not served. ``code`` goes to the log and nowhere else."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code

    def again(self) -> "Refused":
        """A fresh one for each call that it ends: an exception that several threads raise mixes up their traces."""
        return type(self)(self.code)


class SidecarDied(Refused):
    """The process ended by itself under a call. The one refusal after which a call is tried again."""


class DeadlinePassed(Refused):
    """The call had its time."""
