"""Does a turn ask anything? One that does not is handed nothing and uses nothing up. (recall-contract T5)

Newer hosts have this gate before they call a provider, older ones do not. Questions are judged by the same list in the
core (Query.ts); a test holds the two against each other.
"""

import re

_TRIVIAL = frozenset(
    (
        "yes|y|yep|yeah|no|n|nope|ok|okay|k|sure|thanks|thank you|thx|ty|hi|hello|hey|continue|go on|go ahead|next|done|"
        "stop|good|great|nice|cool|bye"
    ).split("|")
)
_SLASH_COMMAND = re.compile(r"/[A-Za-z][A-Za-z0-9_-]*(?:\s|\Z)")
_ENDING = re.compile(r"[\s.!?,\N{HORIZONTAL ELLIPSIS}]+\Z")


def is_trivial(text: str) -> bool:
    text = text.strip()
    return text == "" or _SLASH_COMMAND.match(text) is not None or _ENDING.sub("", text).lower() in _TRIVIAL
