"""A sidecar that dies, hangs or talks nonsense is replaced, and costs a call its deadline at most. (design.md 6)"""

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

from support import PLENTY, PYTHON, SHORT, SidecarCase, await_readers, is_alive

from shim import process as process_module
from shim.refusal import DeadlinePassed, Refused
from shim.sidecar import backoff_after


class Dying(SidecarCase):
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
            "import os, signal, sys; sys.path[:0] = sys.argv[1:]\n"
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
        done = subprocess.run([sys.executable, "-B", "-c", code, str(PYTHON)], capture_output=True, text=True)
        self.assertEqual((done.stdout, done.stderr, done.returncode), ("alive\n", "", 0))


class Backoff(SidecarCase):
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


class Deadline(SidecarCase):
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


class Garbage(SidecarCase):
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


if __name__ == "__main__":
    unittest.main()
