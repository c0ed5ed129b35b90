"""A stand-in for the openai SDK, for one test alone: it posts what the host asks to the address that it was given and hands
back objects of the form that the host reads. The host's own code builds the request and reads the answer.
"""

import json
import urllib.request
from types import SimpleNamespace


class OpenAIError(Exception):
    pass


def __getattr__(name):
    """The SDK's other errors, which are never raised here."""
    if name.endswith(("Error", "Timeout")):
        return type(name, (OpenAIError,), {})
    raise AttributeError(name)


def _object(value):
    if isinstance(value, dict):
        return SimpleNamespace(**{key: _object(member) for key, member in value.items()})
    return [_object(member) for member in value] if isinstance(value, list) else value


def _chunks(answer):
    """A whole answer as a stream of one piece and its end."""
    message = answer["choices"][0]["message"]
    calls = [{**call, "index": index} for index, call in enumerate(message.get("tool_calls") or [])]
    delta = {"role": "assistant", "content": message["content"], "tool_calls": calls or None}
    finish = answer["choices"][0]["finish_reason"]
    for choice in ({"delta": delta, "finish_reason": None}, {"delta": {}, "finish_reason": finish}):
        empty = {"role": None, "content": None, "tool_calls": None}
        piece = {"index": 0, **choice, "delta": {**empty, **choice["delta"]}}
        yield _object({"id": answer["id"], "model": answer["model"], "choices": [piece], "usage": None})
    yield _object({"id": answer["id"], "model": answer["model"], "choices": [], "usage": answer["usage"]})


class _Stream:
    """Iterable and closable, as the SDK's streams are."""

    def __init__(self, answer):
        self._chunks = _chunks(answer)
        self.response = SimpleNamespace(headers={}, status_code=200)

    def __iter__(self):
        return self._chunks

    def close(self):
        pass


class OpenAI:
    def __init__(self, api_key=None, base_url=None, **_):
        self.api_key = api_key
        self.base_url = base_url
        self.chat = SimpleNamespace(completions=SimpleNamespace(create=self._create))

    def _create(self, *, stream=False, timeout=None, extra_body=None, extra_headers=None, stream_options=None, **asked):
        request = urllib.request.Request(
            f"{str(self.base_url).rstrip('/')}/chat/completions",
            data=json.dumps({**asked, **(extra_body or {})}).encode(),
            headers={"Content-Type": "application/json"},
        )
        # No proxy, whatever the environment says: the model is on loopback.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=30) as response:
            answer = json.load(response)
        return _Stream(answer) if stream else _object(answer)

    def close(self):
        pass

    def is_closed(self):
        return False


AsyncOpenAI = OpenAI
