"""Requests are one bounded line, and only an answer is taken for an answer. (design.md section 6)"""

import json
import unittest

import support  # noqa: F401
from shim.wire import MAX_REQUEST_BYTES, Answer, Lines, portable, read_answer, request_line


class Arguments(unittest.TestCase):
    def test_travel_as_they_are(self):
        for arguments in ({"query": "é茶\u2028"}, {}, [], None, "x", {"limit": 1.5}, {"query": "\ud800"}):
            with self.subTest(arguments):
                self.assertIs(portable(arguments), arguments)

    def test_without_a_bounded_json_form_become_none(self):
        circle = {}
        circle["itself"] = circle
        deep = []
        for _ in range(100_000):
            deep = [deep]
        cases = [{"n": float("nan")}, {"n": float("inf")}, {"b": b"x"}, {"o": object()}, {(1, 2): 3}, circle, deep]
        cases.append({"query": "x" * MAX_REQUEST_BYTES})
        for arguments in cases:
            self.assertIsNone(portable(arguments))
        while deep:
            # Freed step by step: at once would exhaust the stack.
            deep = deep.pop()


class Request(unittest.TestCase):
    def test_is_one_line_of_ascii(self):
        line = request_line(7, "m", {"a": "x\ny\u2028é"})
        self.assertEqual(line.count(b"\n"), 1)
        self.assertTrue(line.isascii())
        self.assertEqual(
            json.loads(line), {"jsonrpc": "2.0", "id": 7, "method": "m", "params": {"a": "x\ny\u2028é"}}
        )

    def test_that_is_too_long_is_not_made(self):
        with self.assertRaises(ValueError):
            request_line(1, "m", "x" * MAX_REQUEST_BYTES)


class ReadAnswer(unittest.TestCase):
    def test_takes_results_and_errors(self):
        self.assertEqual(read_answer(b'{"jsonrpc":"2.0","id":1,"result":{"ok":true}}'), Answer(1, {"ok": True}, None))
        self.assertEqual(read_answer(b'{"jsonrpc":"2.0","id":1,"result":null}'), Answer(1, None, None))
        self.assertEqual(
            read_answer(b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}'),
            Answer(None, None, -32700),
        )

    def test_refuses_everything_else(self):
        for line in (
            b"",
            b"garbage",
            b"\xff\xfe",
            b"null",
            b"[]",
            b"{}",
            b'{"id":1,"result":1}',
            b'{"jsonrpc":"1.0","id":1,"result":1}',
            b'{"jsonrpc":"2.0","id":1}',
            b'{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1}}',
            b'{"jsonrpc":"2.0","id":true,"result":1}',
            b'{"jsonrpc":"2.0","id":"1","result":1}',
            b'{"jsonrpc":"2.0","id":1.0,"result":1}',
            b'{"jsonrpc":"2.0","id":1,"error":null}',
            b'{"jsonrpc":"2.0","id":1,"error":{"code":"x"}}',
            b'{"jsonrpc":"2.0","id":1,"result":NaN}',
            b'{"jsonrpc":"2.0","id":1,"result":' + b"9" * 5000 + b"}",
            b"[" * 200_000,
        ):
            with self.subTest(line[:60]), self.assertRaises(ValueError):
                read_answer(line)


class StreamOfLines(unittest.TestCase):
    def test_is_cut_the_same_wherever_it_is_torn(self):
        stream = b"one\n\nthree \xe8\x8c\xb6\nrest"
        for cut in range(len(stream) + 1):
            lines = Lines(16)
            found = [*lines.feed(stream[:cut]), *lines.feed(stream[cut:])]
            self.assertEqual(found, [b"one", b"", b"three \xe8\x8c\xb6"])
            self.assertEqual(lines.rest(), b"rest")

    def test_holds_no_more_than_the_limit(self):
        lines = Lines(4)
        self.assertEqual(list(lines.feed(b"1234\n1234")), [b"1234"])
        with self.assertRaises(ValueError):
            list(lines.feed(b"5"))
        self.assertEqual(lines.rest(), b"")


if __name__ == "__main__":
    unittest.main()
