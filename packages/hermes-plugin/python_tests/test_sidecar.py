"""One process at a time, asked by many, replaced when it fails, never waited for too long. (design.md section 6)"""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

from support import SidecarCase, await_readers, descriptors, fake_command, is_alive, reader_threads

from shim import process as process_module
from shim.refusal import DeadlinePassed, Refused
from shim.sidecar import Sidecar, backoff_after

# Far more than a call needs here; a test that waits for it fails.
PLENTY = 30.0
# For calls that are meant to run into their deadline.
SHORT = 0.3


class SidecarTest(SidecarCase):
    def refusal(self, sidecar, method, params=None, seconds=PLENTY):
        with self.assertRaises(Refused) as raised:
            sidecar.call(method, params, seconds)
        return raised.exception.code

    def has_within(self, seconds, condition):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                return False
            threading.Event().wait(0.005)
        return True


class Serving(SidecarTest):
    def test_starts_at_the_first_call_and_stays(self):
        sidecar = self.sidecar()
        self.assertEqual((self.starts, reader_threads()), (0, []))
        pids = {sidecar.call("pid", None, PLENTY) for _ in range(5)}
        self.assertEqual((len(pids), self.starts), (1, 1))

    def test_matches_fifty_calls_at_once_with_their_answers(self):
        sidecar = self.sidecar()
        with ThreadPoolExecutor(50) as pool:
            answers = list(pool.map(lambda n: sidecar.call("echo", {"n": n, "pad": "x" * 3000}, PLENTY)["n"], range(500)))
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


class Surroundings(SidecarTest):
    def test_environment_has_three_names_and_no_secret(self):
        planted = {
            "PLANTED_SECRET": "s3cret",
            "NODE_OPTIONS": "--require=/tmp/evil.js",
            "NODE_PATH": "/tmp",
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


class Dying(SidecarTest):
    def test_in_the_middle_of_a_call_is_repaired_by_one_more_try(self):
        sidecar = self.sidecar()
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(sidecar.call("die_once", os.path.join(folder, "died"), PLENTY), "survived")
        self.assertEqual(self.starts, 2)

    def test_again_in_the_second_try_is_a_refusal(self):
        sidecar = self.sidecar()
        self.assertEqual(self.refusal(sidecar, "die"), "sidecar_died")
        self.assertEqual(self.starts, 2)

    def test_by_a_signal_is_repaired_for_the_next_call(self):
        sidecar = self.sidecar()
        pid = sidecar.call("pid", None, PLENTY)
        os.kill(pid, signal.SIGKILL)
        self.assertNotEqual(sidecar.call("pid", None, PLENTY), pid)
        self.log.wait_for("code=ended reason=sidecar_died status=-9")

    def test_is_logged_with_its_exit_code_and_last_words(self):
        sidecar = self.sidecar()
        sidecar.call("log", '{"level":"error","code":"last_words"}\n', PLENTY)
        self.refusal(sidecar, "die")
        self.log.wait_for("code=last_words")
        self.log.wait_for("code=ended reason=sidecar_died status=3")

    def test_before_it_answers_anything_is_a_refusal(self):
        sidecar = self.sidecar(command=lambda: ["/bin/false"])
        self.assertEqual(self.refusal(sidecar, "echo"), "sidecar_died")

    def test_refuses_all_that_wait_at_once(self):
        sidecar = self.sidecar()
        sidecar.call("pid", None, PLENTY)
        with ThreadPoolExecutor(10) as pool:
            waiting = [pool.submit(self.refusal, sidecar, "drop") for _ in range(10)]
            host = sidecar._hosts[os.getpid()]
            self.assertTrue(self.has_within(10, lambda: len(host.process._waiters) == 10))
            # Killed twice, since each call is tried once more.
            os.kill(host.process.pid, signal.SIGKILL)
            first = host.process
            self.assertTrue(self.has_within(10, lambda: host.process is not first and host.process is not None))
            self.assertTrue(self.has_within(10, lambda: len(host.process._waiters) == 10))
            os.kill(host.process.pid, signal.SIGKILL)
            self.assertEqual({call.result(10) for call in waiting}, {"sidecar_died"})
        self.assertEqual(self.starts, 2)

    def test_leaves_no_zombie(self):
        sidecar = self.sidecar()
        pids = [sidecar.call("pid", None, PLENTY)]
        os.kill(pids[0], signal.SIGKILL)
        pids.append(sidecar.call("pid", None, PLENTY))
        os.kill(pids[1], signal.SIGKILL)
        self.clock.now += 60
        pids.append(sidecar.call("pid", None, PLENTY))
        sidecar.close()
        await_readers()
        self.assertEqual([is_alive(pid) for pid in pids], [False] * 3)

    def test_under_a_host_that_lets_sigpipe_kill_does_not_kill_it(self):
        # In a process of its own: a mistake here would end the test run.
        code = (
            "import os, signal, sys, warnings; sys.path[:0] = sys.argv[1:3]\n"
            "signal.signal(signal.SIGPIPE, signal.SIG_DFL)\n"
            "from shim.pipes import write_all\n"
            "from shim.refusal import SidecarDied\n"
            "read, write = os.pipe(); os.close(read)\n"
            "for _ in range(2):\n"
            "    try: write_all(write, b'x', 1e9)\n"
            "    except SidecarDied: pass\n"
            "    else: sys.exit('written')\n"
            "assert signal.SIGPIPE not in signal.pthread_sigmask(signal.SIG_BLOCK, ()), 'left blocked'\n"
            "assert not signal.sigpending(), 'left pending'\n"
            "print('alive')\n"
        )
        python = os.path.dirname(os.path.dirname(process_module.__file__))
        done = subprocess.run([sys.executable, "-B", "-c", code, python, python], capture_output=True, text=True)
        self.assertEqual((done.stdout, done.stderr, done.returncode), ("alive\n", "", 0))


class Backoff(SidecarTest):
    def test_doubles_from_a_tenth_to_five_seconds_after_a_first_immediate_restart(self):
        waits = [backoff_after(deaths) for deaths in range(10)]
        self.assertEqual(waits, [0, 0, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5, 5])
        self.assertEqual(backoff_after(10**6), 5)

    def test_refuses_at_once_while_it_lasts_and_starts_nothing(self):
        sidecar = self.sidecar(command=lambda: ["/bin/false"])
        self.refusal(sidecar, "echo")
        self.assertEqual(self.starts, 2)
        for wait in (0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0):
            starts = self.starts
            self.clock.now += wait - 0.01
            self.assertEqual(self.refusal(sidecar, "echo"), "sidecar_backoff")
            self.assertEqual(self.starts, starts)
            self.clock.now += 0.01
            # The one start that is due; the second try falls into the next wait.
            self.assertEqual(self.refusal(sidecar, "echo"), "sidecar_backoff")
            self.assertEqual(self.starts, starts + 1)

    def test_is_forgotten_after_a_served_call(self):
        sidecar = self.sidecar()
        self.refusal(sidecar, "die")
        self.clock.now += 60
        sidecar.call("echo", 1, PLENTY)
        self.assertEqual(self.refusal(sidecar, "die"), "sidecar_died")
        starts = self.starts
        self.clock.now += 0.11
        self.assertEqual(sidecar.call("echo", 1, PLENTY), 1)
        self.assertEqual(self.starts, starts + 1)

    def test_holds_for_a_program_that_cannot_be_started(self):
        sidecar = self.sidecar(command=lambda: ["/no/such/program"])
        self.assertEqual(self.refusal(sidecar, "echo"), "sidecar_not_startable")
        self.assertEqual(self.refusal(sidecar, "echo"), "sidecar_not_startable")
        self.assertEqual(self.refusal(sidecar, "echo"), "sidecar_backoff")
        self.assertEqual(self.starts, 2)

    def test_keeps_the_reason_why_there_is_no_command(self):
        def missing():
            raise Refused("node_missing")

        sidecar = self.sidecar(command=missing)
        self.assertEqual(self.refusal(sidecar, "echo"), "node_missing")


class Deadline(SidecarTest):
    def test_ends_the_call_and_the_sidecar_that_hangs(self):
        sidecar = self.sidecar()
        pid = sidecar.call("pid", None, PLENTY)
        start = time.monotonic()
        self.assertEqual(self.refusal(sidecar, "hang", seconds=SHORT), "deadline_passed")
        self.assertLess(time.monotonic() - start, SHORT + 5)
        self.assertNotEqual(sidecar.call("pid", None, PLENTY), pid)
        self.assertTrue(self.has_within(10, lambda: not is_alive(pid)))

    def test_of_one_call_refuses_the_others_of_the_killed_process_at_once(self):
        sidecar = self.sidecar()
        sidecar.call("pid", None, PLENTY)
        host = sidecar._hosts[os.getpid()]
        with ThreadPoolExecutor(5) as pool:
            hanging = pool.submit(self.refusal, sidecar, "hang", None, 2.0)
            others = [pool.submit(self.refusal, sidecar, "echo", None, PLENTY) for _ in range(4)]
            self.assertTrue(self.has_within(1.5, lambda: len(host.process._waiters) == 5))
            self.assertEqual(hanging.result(10), "deadline_passed")
            self.assertEqual([other.result(1) for other in others], ["sidecar_hung"] * 4)

    def test_holds_while_a_request_cannot_even_be_written(self):
        sidecar = self.sidecar("deaf")
        self.assertEqual(self.refusal(sidecar, "echo", "x" * 900_000, SHORT), "deadline_passed")

    def test_holds_for_a_process_that_is_stopped(self):
        sidecar = self.sidecar()
        pid = sidecar.call("stop", None, PLENTY)
        self.assertEqual(self.refusal(sidecar, "echo", 1, SHORT), "deadline_passed")
        self.assertTrue(self.has_within(10, lambda: not is_alive(pid)))

    def test_holds_while_another_thread_is_writing_or_starting(self):
        sidecar = self.sidecar()
        sidecar.call("pid", None, PLENTY)
        host = sidecar._hosts[os.getpid()]
        for lock in (host.process._writing, host.lock):
            with lock:
                self.assertEqual(self.refusal(sidecar, "echo", 1, 0.05), "deadline_passed")

    def test_leaves_a_sidecar_alone_that_answers_others_meanwhile(self):
        sidecar = self.sidecar()
        pid = sidecar.call("pid", None, PLENTY)
        stop = threading.Event()

        def keep_busy():
            while not stop.is_set():
                sidecar.call("echo", 1, PLENTY)

        with ThreadPoolExecutor(1) as pool:
            busy = pool.submit(keep_busy)
            self.assertEqual(self.refusal(sidecar, "drop", seconds=SHORT), "deadline_passed")
            stop.set()
            busy.result(10)
        self.assertEqual(sidecar.call("pid", None, PLENTY), pid)

    def test_of_a_call_whose_answer_comes_late_does_not_disturb_the_next(self):
        sidecar = self.sidecar()
        sidecar.call("pid", None, PLENTY)
        with mock.patch.object(process_module.SidecarProcess, "silent_for", return_value=0.0):
            with self.assertRaises(DeadlinePassed):
                sidecar.call("hold", None, 0.05)
        self.assertEqual(sidecar.call("release", None, PLENTY), "last first")
        self.assertEqual(sidecar.call("echo", 2, PLENTY), 2)
        self.assertEqual(self.starts, 1)


class Garbage(SidecarTest):
    def check_is_replaced(self, said):
        sidecar = self.sidecar()
        pid = sidecar.call("pid", None, PLENTY)
        self.assertEqual(self.refusal(sidecar, "say", said), "sidecar_garbled")
        self.assertNotEqual(sidecar.call("pid", None, PLENTY), pid)

    def test_ends_the_process_that_says_it(self):
        for said in (
            "garbage\n",
            "\n",
            '{"jsonrpc":"2.0"}\n',
            '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}\n',
            '[{"jsonrpc":"2.0","id":1,"result":1}]\n',
        ):
            with self.subTest(said):
                self.check_is_replaced(said)

    def test_without_end_is_bounded(self):
        sidecar = self.sidecar()
        self.assertEqual(self.refusal(sidecar, "flood"), "sidecar_garbled")

    def test_of_an_id_that_nobody_waits_for_is_passed_over(self):
        sidecar = self.sidecar()
        with ThreadPoolExecutor(1) as pool:
            said = pool.submit(sidecar.call, "say", '{"jsonrpc":"2.0","id":99,"result":1}\n', SHORT)
            self.assertEqual(sidecar.call("echo", 1, PLENTY), 1)
            self.assertIsInstance(said.exception(10), DeadlinePassed)

    def test_on_the_log_does_not_touch_the_call(self):
        sidecar = self.sidecar()
        self.assertIsNone(sidecar.call("log", "\x00 not json\n" + "x" * 100_000, PLENTY))
        self.log.wait_for("code=stderr_not_json")

    def test_of_a_closed_output_ends_the_process(self):
        sidecar = self.sidecar()
        pid = sidecar.call("pid", None, PLENTY)
        self.assertEqual(self.refusal(sidecar, "close_output"), "sidecar_died")
        self.assertTrue(self.has_within(10, lambda: not is_alive(pid)))


class Closing(SidecarTest):
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


class Descriptors(SidecarTest):
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
