"""One process, started at the first call, asked by many threads, gone with the plugin. (design.md section 6)"""

import os
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

from support import PLENTY, SidecarCase, await_readers, descriptors, fake_command, is_alive, reader_threads

from shim.sidecar import Sidecar


class Serving(SidecarCase):
    def test_starts_at_the_first_call_and_stays(self):
        sidecar = self.sidecar()
        self.assertEqual((self.starts, reader_threads()), (0, []))
        pids = {sidecar.call("pid", None, PLENTY) for _ in range(5)}
        self.assertEqual((len(pids), self.starts), (1, 1))

    def test_matches_fifty_calls_at_once_with_their_answers(self):
        sidecar = self.sidecar()
        with ThreadPoolExecutor(50) as pool:
            echoes = pool.map(lambda n: sidecar.call("echo", {"n": n, "pad": "x" * 3000}, PLENTY), range(500))
            answers = [echo["n"] for echo in echoes]
        self.assertEqual(answers, list(range(500)))
        self.assertEqual(self.starts, 1)

    def test_matches_answers_that_come_in_another_order(self):
        sidecar = self.sidecar()
        with ThreadPoolExecutor(3) as pool:
            held = [pool.submit(sidecar.call, "hold", None, PLENTY) for _ in range(2)]
            process = sidecar._hosts[os.getpid()]
            self.assertTrue(self.has_within(10, lambda: process.process and len(process.process._waiters) == 2))
            self.assertEqual(sidecar.call("release", None, PLENTY), "last first")
            self.assertEqual([call.result(10) for call in held], ["held", "held"])

    def test_puts_an_answer_together_that_comes_byte_by_byte(self):
        self.assertEqual(self.sidecar().call("split", None, PLENTY), "whole")

    def test_carries_large_requests_and_answers(self):
        text = "x" * 900_000
        self.assertEqual(self.sidecar().call("echo", text, PLENTY), text)

    def test_refuses_what_has_no_line_and_goes_on(self):
        sidecar = self.sidecar()
        self.assertEqual(self.refusal(sidecar, "echo", b"bytes"), "request_not_sendable")
        self.assertEqual(self.refusal(sidecar, "echo", "x" * 1_100_000), "request_not_sendable")
        self.assertEqual(sidecar.call("echo", 1, PLENTY), 1)
        self.assertEqual(self.starts, 1)

    def test_of_an_error_is_a_refusal_and_the_process_stays(self):
        sidecar = self.sidecar()
        self.assertEqual(self.refusal(sidecar, "error"), "rpc_error_32603")
        sidecar.call("echo", 1, PLENTY)
        self.assertEqual(self.starts, 1)


class Surroundings(SidecarCase):
    def test_environment_has_three_names_and_no_secret(self):
        planted = {
            "PLANTED_SECRET": "s3cret",
            "NODE_OPTIONS": "--require=/nowhere/evil.js",
            "NODE_PATH": "/nowhere",
            "LD_PRELOAD_CHECK": "x",
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
        }
        with mock.patch.dict(os.environ, planted):
            sidecar = self.sidecar()
            pid = sidecar.call("pid", None, PLENTY)
        with open(f"/proc/{pid}/environ", "rb") as file:
            names = sorted(entry.split(b"=")[0].decode() for entry in file.read().split(b"\0") if entry)
        self.assertEqual(names, ["LANG", "LC_ALL", "TZ"])

    def test_is_the_root_folder_and_the_hosts_process_group(self):
        seen = self.sidecar().call("environment", None, PLENTY)
        self.assertEqual((seen["cwd"], seen["group"]), ("/", os.getpgrp()))

    def test_has_no_descriptor_of_the_host(self):
        read_end, write_end = os.pipe()
        self.addCleanup(os.close, read_end)
        self.addCleanup(os.close, write_end)
        os.set_inheritable(write_end, True)
        # The fourth is the folder that it lists.
        self.assertEqual(self.sidecar().call("descriptors", None, PLENTY), [0, 1, 2, 3])

    def test_of_the_host_gets_nothing_that_another_child_could_inherit(self):
        sidecar = self.sidecar()
        before = descriptors()
        sidecar.call("pid", None, PLENTY)
        ours = [int(name) for name in descriptors() - before]
        self.assertTrue(ours)
        for descriptor in ours:
            self.assertFalse(os.get_inheritable(descriptor), descriptor)


class Closing(SidecarCase):
    def test_ends_and_reaps_the_process_and_its_thread(self):
        sidecar = self.sidecar()
        before = descriptors()
        pid = sidecar.call("pid", None, PLENTY)
        sidecar.close()
        self.assertFalse(is_alive(pid))
        self.assertEqual(reader_threads(), [])
        self.assertEqual(descriptors(), before)
        self.assertIn("sidecar: code=ended reason=closed status=0", self.log.texts)

    def test_kills_one_that_does_not_end_by_itself(self):
        sidecar = self.sidecar()
        pid = sidecar.call("linger", None, PLENTY)
        with mock.patch("shim.sidecar._CLOSE_GRACE", 0.05):
            sidecar.close()
        await_readers()
        self.assertFalse(is_alive(pid))

    def test_refuses_every_later_call(self):
        sidecar = self.sidecar()
        sidecar.call("pid", None, PLENTY)
        sidecar.close()
        self.assertEqual(self.refusal(sidecar, "pid"), "closed")
        self.assertEqual(self.starts, 1)

    def test_twice_or_before_any_call_is_fine(self):
        sidecar = self.sidecar()
        sidecar.close()
        sidecar.close()
        self.assertEqual(self.refusal(sidecar, "pid"), "closed")
        self.assertEqual(self.starts, 0)

    def test_happens_by_itself_when_the_plugin_is_dropped(self):
        sidecar = Sidecar(fake_command, self.logger)
        pid = sidecar.call("pid", None, PLENTY)
        del sidecar
        await_readers()
        self.assertFalse(is_alive(pid))

    def test_while_a_process_is_starting_ends_that_one(self):
        starting, closed = threading.Event(), threading.Event()

        def slow():
            starting.set()
            closed.wait(10)
            return fake_command()

        sidecar = self.sidecar(command=slow)
        with ThreadPoolExecutor(1) as pool, mock.patch("shim.sidecar._CLOSE_GRACE", 0.05):
            call = pool.submit(self.refusal, sidecar, "pid")
            starting.wait(10)
            sidecar.close()
            closed.set()
            self.assertEqual(call.result(10), "closed")
        await_readers()
        self.assertEqual(reader_threads(), [])

    def test_lets_a_running_call_finish(self):
        sidecar = self.sidecar()
        sidecar.call("pid", None, PLENTY)
        with ThreadPoolExecutor(1) as pool:
            held = pool.submit(sidecar.call, "hold", None, PLENTY)
            host = sidecar._hosts[os.getpid()]
            self.assertTrue(self.has_within(10, lambda: len(host.process._waiters) == 1))
            host.process._send(b'{"id":1000,"method":"release","params":null}\n', time.monotonic() + PLENTY)
            sidecar.close()
            self.assertEqual(held.result(10), "held")


class Descriptors(SidecarCase):
    def test_are_the_same_after_two_hundred_restarts(self):
        sidecar = self.sidecar()
        sidecar.call("pid", None, PLENTY)
        before = len(descriptors())
        while self.starts < 200:
            self.clock.now += 60
            self.refusal(sidecar, "die")
        self.clock.now += 60
        sidecar.call("pid", None, PLENTY)
        self.assertTrue(self.has_within(10, lambda: len(reader_threads()) == 1))
        self.assertEqual(len(descriptors()), before)
        self.assertEqual(len(sidecar._hosts[os.getpid()].open), 1)

    def test_are_the_same_after_starts_that_fail(self):
        before = len(descriptors())
        sidecar = self.sidecar(command=lambda: ["/no/such/program"])
        for _ in range(50):
            self.clock.now += 60
            self.refusal(sidecar, "echo")
        self.assertEqual(len(descriptors()), before)

    def test_are_closed_where_no_thread_can_be_started(self):
        before = len(descriptors())
        sidecar = self.sidecar()
        with mock.patch.object(threading.Thread, "start", side_effect=RuntimeError("can't start new thread")):
            self.assertEqual(self.refusal(sidecar, "pid"), "sidecar_not_startable")
        self.assertEqual(len(descriptors()), before)
        self.assertEqual(sidecar.call("echo", 1, PLENTY), 1)


if __name__ == "__main__":
    unittest.main()
