"""`propose --model`: the host's model call is made once, as asked, and nothing it does reaches the host. (issue 5)"""

import importlib.util
import types
import unittest

from support import PYTHON, Raises

_SPEC = importlib.util.spec_from_file_location("guardian_model", PYTHON / "hermes-guardian" / "model.py")
model = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(model)

REQUEST = {
    "instructions": "Write a policy.",
    "input": "can read files",
    "json_schema": {"type": "object"},
    "schema_name": "guardian_policy",
}


class Llm:
    def __init__(self, text):
        self.text = text
        self.calls = []

    def complete_structured(self, **given):
        self.calls.append(given)
        return types.SimpleNamespace(text=self.text, parsed={"default_action": "allow"})


def asked(llm, request=REQUEST):
    return model.ask_model(types.SimpleNamespace(llm=llm), request)


class AskModel(unittest.TestCase):
    def test_hands_on_what_was_asked_and_what_was_written(self):
        llm = Llm("```json\n{}\n```")
        self.assertEqual(asked(llm), {"text": "```json\n{}\n```"})
        (call,) = llm.calls
        self.assertEqual(call["instructions"], "Write a policy.")
        self.assertEqual(call["input"], [{"type": "text", "text": "can read files"}])
        self.assertEqual(call["json_schema"], {"type": "object"})
        # Overrides need grants of the operator; none is asked for.
        self.assertFalse({"provider", "model", "agent_id", "profile"} & set(call))

    def test_cuts_an_answer_that_the_gate_would_refuse_anyway(self):
        self.assertEqual(len(asked(Llm("x" * 10_000_000))["text"]), 65_537)

    def test_a_host_without_the_call_is_said(self):
        for ctx in (object(), types.SimpleNamespace(), types.SimpleNamespace(llm=object())):
            self.assertEqual(model.ask_model(ctx, REQUEST), {"error": "model_unsupported"})

    def test_an_answer_without_text_is_none(self):
        for text in (None, "", b"{}", {"a": 1}):
            with self.subTest(text):
                self.assertEqual(asked(Llm(text)), {"error": "model_no_text"})

    def test_nothing_is_raised(self):
        for error, code in (
            (ValueError("no grant"), "model_failed"),
            (TypeError("unknown keyword"), "model_failed"),
            (SystemExit(3), "model_failed"),
            (KeyboardInterrupt(), "model_interrupted"),
        ):
            with self.subTest(error):
                self.assertEqual(
                    asked(types.SimpleNamespace(complete_structured=Raises(error))), {"error": code}
                )

        class Odd:
            @property
            def llm(self):
                raise RuntimeError

        self.assertEqual(model.ask_model(Odd(), REQUEST), {"error": "model_failed"})

    def test_another_request_reaches_no_model(self):
        llm = Llm("{}")
        for request in (None, [], {}, {**REQUEST, "model": "x"}, {**REQUEST, "input": ""}, {**REQUEST, "json_schema": "x"}):
            with self.subTest(request):
                self.assertEqual(asked(llm, request), {"error": "malformed"})
        self.assertEqual(llm.calls, [])


if __name__ == "__main__":
    unittest.main()
