"""The sidecar's log lines reach the host's log, bounded, and cannot hurt there. (design.md section 6)"""

import json
import logging
import unittest

from support import Clock, new_logger

from shim.logs import LINES_PER_MINUTE, MAX_LINE_BYTES, LogForwarder


def line(**fields):
    return (json.dumps(fields) + "\n").encode()


class Forwarding(unittest.TestCase):
    def setUp(self):
        self.logger, self.log = new_logger()
        self.clock = Clock()
        self.forwarder = LogForwarder(self.logger, self.clock)

    def test_keeps_level_code_and_fields(self):
        self.forwarder.feed(line(level="warning", code="refused", call="search", n=3))
        self.forwarder.feed(line(level="error", code="defect"))
        self.assertEqual(
            [(record.levelno, record.getMessage()) for record in self.log.records],
            [
                (logging.WARNING, "sidecar: code=refused call=search n=3"),
                (logging.ERROR, "sidecar: code=defect"),
            ],
        )

    def test_puts_torn_lines_together(self):
        for byte in line(level="info", code="started"):
            self.forwarder.feed(bytes([byte]))
        self.assertEqual(self.log.texts, ["sidecar: code=started"])

    def test_of_anything_else_tells_the_length_alone(self):
        for junk in (b"Error: /home/u/secret\n", b"[]\n", b"{}\n", b'{"level":"loud"}\n', b'{"level":[]}\n', b"\xff\n"):
            self.forwarder.feed(junk)
        visible = [record for record in self.log.records if record.levelno >= logging.INFO]
        self.assertEqual(len(visible), 6)
        for record in visible:
            self.assertIn("code=stderr_not_json", record.getMessage())
            self.assertNotIn("secret", record.getMessage())

    def test_makes_one_line_of_one(self):
        self.forwarder.feed(line(level="info", code="x\ny\r\u2028\u202ez"))
        self.assertEqual(self.log.texts, ["sidecar: code=x?y???z"])

    def test_of_a_line_without_an_end_is_bounded(self):
        for _ in range(1000):
            self.forwarder.feed(b"x" * MAX_LINE_BYTES)
        self.assertLessEqual(len(self.forwarder._lines._held), MAX_LINE_BYTES)
        self.assertIn("sidecar: code=stderr_line_too_long", self.log.texts)
        self.assertLessEqual(len(self.log.records), LINES_PER_MINUTE)

    def test_of_a_flood_is_bounded_and_says_so(self):
        self.forwarder.feed(line(level="info", code="x") * 10_000)
        self.assertEqual(len(self.log.records), LINES_PER_MINUTE)
        self.assertEqual(self.log.texts[-1], "sidecar: code=log_lines_dropped")
        self.clock.now += 60
        self.forwarder.feed(line(level="info", code="again"))
        self.assertEqual(self.log.texts[-1], "sidecar: code=again")

    def test_forwards_at_the_end_what_had_no_line_feed(self):
        self.forwarder.feed(line(level="error", code="uncaught")[:-1])
        self.forwarder.ended("sidecar_died", 1)
        self.assertEqual(
            self.log.texts, ["sidecar: code=uncaught", "sidecar: code=ended reason=sidecar_died status=1"]
        )

    def test_survives_a_host_whose_handlers_raise(self):
        class Broken(logging.Handler):
            def emit(self, record):
                raise RuntimeError("handler")

        self.logger.addHandler(Broken())
        self.forwarder.feed(line(level="info", code="x") + b"junk\n" + b"x" * (MAX_LINE_BYTES + 1))
        self.forwarder.ended("sidecar_died", 1)


if __name__ == "__main__":
    unittest.main()
