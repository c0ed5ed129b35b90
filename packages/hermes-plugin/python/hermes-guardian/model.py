"""The host's own structured model call, when the operator asks for it with `propose --model`. (issue 5 item 1, seed 004)

What is asked comes from the program beside this file, what is answered goes back to it as raw text and through its gate.
Nothing is judged here, no model or provider is chosen, and nothing that goes wrong reaches the host.
"""

from typing import Any

# The gate takes no more than 64 KiB (ProposalGate.ts); one character more lets it say so.
_MOST_CHARACTERS = 65_537
_MOST_TOKENS = 8_192
_SECONDS = 120.0
_TEXTS = ("instructions", "input", "schema_name")


def _is_request(request: Any) -> bool:
    return (
        isinstance(request, dict)
        and set(request) == {*_TEXTS, "json_schema"}
        and all(isinstance(request[name], str) and request[name] for name in _TEXTS)
        and isinstance(request["json_schema"], dict)
    )


def ask_model(ctx: Any, request: Any) -> dict[str, str]:
    """``{"text": …}`` as the model wrote it, or ``{"error": code}``. Never raises."""
    try:
        if not _is_request(request):
            return {"error": "malformed"}
        complete = getattr(getattr(ctx, "llm", None), "complete_structured", None)
        if not callable(complete):
            return {"error": "model_unsupported"}
        result = complete(
            instructions=request["instructions"],
            input=[{"type": "text", "text": request["input"]}],
            json_schema=request["json_schema"],
            schema_name=request["schema_name"],
            purpose="hermes-guardian.propose",
            temperature=0.0,
            max_tokens=_MOST_TOKENS,
            timeout=_SECONDS,
        )
        # Not `parsed`: what the model wrote is to be judged, not what a lenient parser made of it.
        text = getattr(result, "text", None)
        if not isinstance(text, str) or text == "":
            return {"error": "model_no_text"}
        return {"text": text[:_MOST_CHARACTERS]}
    except KeyboardInterrupt:
        return {"error": "model_interrupted"}
    except BaseException:
        return {"error": "model_failed"}
