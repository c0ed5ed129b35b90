"""Which call is served when, and for how long: the rule in turns.py, sentence by sentence. (issue 8 item 4)"""

import os
import tempfile
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from support import PLENTY, SHORT, DeadMount, SidecarCase, await_readers, is_alive

from shim.refusal import DeadlinePassed, Refused
from shim.sidecar import MOST_STUCK
from shim.turns import MOST_OF_ALL, MOST_OF_ONE, Turns


class Queue(unittest.TestCase):
    def setUp(self):
        self.ended = []
        self.turns = Turns(lambda: self.ended.append(time.monotonic()))
        self.served = []
        self.threads = []
        self.addCleanup(lambda: [thread.join(10) for thread in self.threads])

    def take(self, caller="", seconds=PLENTY, patience=PLENTY):
        return self.turns.take(caller, time.monotonic() + seconds, patience)

    def line_up(self, caller, name, seconds=PLENTY, patience=PLENTY):
        """A call in a thread of its own, which waits when this returns. It is served at once when it has its turn."""
        before = self.turns._waiting

        def call():
            try:
                turn = self.take(caller, seconds, patience)
            except Refused as refusal:
                self.served.append(f"{name} {refusal.code}")
                return
            self.served.append(name)
            turn.over()

        thread = threading.Thread(target=call)
        self.threads.append(thread)
        thread.start()
        self.wait_until(lambda: self.turns._waiting > before)

    def wait_until(self, condition):
        end = time.monotonic() + 10
        while not condition():
            self.assertLess(time.monotonic(), end)
            threading.Event().wait(0.001)

    def join(self):
        for thread in self.threads:
            thread.join(10)

    def test_serves_one_caller_in_order_of_arrival(self):
        first = self.take("a")
        for n in range(20):
            self.line_up("a", n)
        first.over()
        self.join()
        self.assertEqual(self.served, list(range(20)))

    def test_serves_another_caller_right_after_the_call_under_way(self):
        first = self.take("a")
        for n in range(49):
            self.line_up("a", n)
        self.line_up("b", "other")
        first.over()
        self.join()
        self.assertEqual(self.served[0], "other")
        self.assertEqual(self.served[1:], list(range(49)))

    def test_serves_several_callers_in_turn(self):
        first = self.take("a")
        for n in range(3):
            for caller in "abc":
                self.line_up(caller, f"{caller}{n}")
        first.over()
        self.join()
        self.assertEqual(self.served, ["b0", "a0", "c0", "b1", "a1", "c1", "b2", "a2", "c2"])

    def test_refuses_a_call_that_has_waited_its_time_and_forgets_it(self):
        first = self.take("a")
        self.line_up("a", "late", seconds=SHORT)
        self.line_up("b", "later", seconds=SHORT)
        self.line_up("a", "patient")
        for thread in self.threads[:2]:
            thread.join(10)
        self.assertCountEqual(self.served, ["late deadline_passed", "later deadline_passed"])
        first.over()
        self.join()
        self.assertEqual(self.served[2:], ["patient"])
        self.take("a").over()

    def test_refuses_at_once_where_too_many_of_one_caller_wait_and_serves_others(self):
        first = self.take("a")
        for n in range(MOST_OF_ONE):
            self.line_up("a", n)
        with self.assertRaisesRegex(Refused, "overloaded"):
            self.take("a")
        self.line_up("b", "other")
        first.over()
        self.join()
        self.assertEqual(self.served[0], "other")
        self.assertEqual(len(self.served), MOST_OF_ONE + 1)

    def test_refuses_at_once_where_too_many_wait(self):
        first = self.take("a")
        for n in range(MOST_OF_ALL):
            self.line_up(str(n), n)
        with self.assertRaisesRegex(Refused, "overloaded"):
            self.take("another")
        first.over()
        self.join()
        self.assertEqual(len(self.served), MOST_OF_ALL)

    def test_ends_the_process_under_a_call_that_another_has_waited_long_enough_for(self):
        first = self.take("a")
        began = time.monotonic()
        self.line_up("b", "other", patience=SHORT)
        self.wait_until(lambda: self.ended)
        self.assertGreaterEqual(self.ended[0] - began, SHORT * 0.9)
        first.over()
        self.join()
        self.assertEqual(self.served, ["other"])

    def test_counts_what_the_call_under_way_has_had_before_the_other_came(self):
        first = self.take("a")
        self.turns._since -= 10
        self.line_up("b", "other", patience=9)
        self.wait_until(lambda: self.ended)
        first.over()
        self.join()

    def test_leaves_a_call_alone_that_nobody_has_waited_long_enough_for(self):
        first = self.take("a")
        self.turns._since -= 10
        self.line_up("b", "other", patience=11)
        first.over()
        self.join()
        self.assertEqual(self.ended, [])

    def test_passes_on_a_turn_that_came_too_late_for_its_call(self):
        first = self.take("a")
        with self.assertRaises(DeadlinePassed):
            self.turns.take("b", time.monotonic() - 1, PLENTY)
        first.over()
        self.take("c").over()

    def test_passes_on_a_turn_that_came_while_its_call_was_leaving(self):
        self.turns._leave(self.take("a"))
        self.take("b", seconds=SHORT).over()

    def test_gives_a_turn_back_once(self):
        first = self.take("a")
        self.line_up("a", "one")
        first.over()
        self.join()
        second = self.take("b")
        first.over()
        self.assertIs(self.turns._under_way, second)


class Serving(SidecarCase):
    def test_fifty_calls_at_once_are_all_answered(self):
        sidecar = self.sidecar(in_turns=True)
        with ThreadPoolExecutor(50) as pool:
            calls = [pool.submit(sidecar.call, "echo", n, PLENTY, str(n % 5)) for n in range(50)]
            self.assertEqual([call.result(PLENTY) for call in calls], list(range(50)))
        self.assertEqual(self.starts, 1)

    def test_what_waits_behind_a_call_that_hangs_is_served_by_another_process(self):
        sidecar = self.sidecar(in_turns=True)
        with ThreadPoolExecutor(6) as pool:
            hanging = pool.submit(self.refusal, sidecar, "hang", None, 2.0)
            self.assertTrue(self.has_within(10, lambda: sidecar.running))
            others = [pool.submit(sidecar.call, "echo", n, 2.0, "other") for n in range(5)]
            self.assertEqual([other.result(10) for other in others], list(range(5)))
            self.assertEqual(hanging.result(10), "sidecar_hung")
        self.assertEqual(self.starts, 2)

    def test_a_process_that_hangs_again_and_again_is_replaced_at_once(self):
        sidecar = self.sidecar(in_turns=True)
        for _ in range(4):
            self.assertEqual(self.refusal(sidecar, "hang", None, SHORT), "deadline_passed")
        self.assertEqual(sidecar.call("echo", 1, PLENTY), 1)

    def sidecar_with_a_kept_turn(self):
        sidecar = self.sidecar(in_turns=True)
        sidecar.call("echo", 1, PLENTY)
        host = sidecar._host()
        turn = host.turns.take("a", time.monotonic() + PLENTY, PLENTY)
        with self.assertRaises(DeadlinePassed):
            host.process.ask("hold", None, time.monotonic() + 0.05, turn)
        turn.over()
        return sidecar, host

    def test_a_call_whose_time_is_over_keeps_its_turn_until_the_process_is_through_with_it(self):
        sidecar, host = self.sidecar_with_a_kept_turn()
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(sidecar.call, "echo", 2, PLENTY, "b")
            self.assertTrue(self.has_within(10, lambda: host.turns._waiting == 1))
            self.assertFalse(waiting.done())
            self.assertEqual(host.process.ask("release", None, time.monotonic() + PLENTY), "last first")
            self.assertEqual(waiting.result(10), 2)

    def test_a_turn_that_is_kept_ends_with_the_process(self):
        sidecar, host = self.sidecar_with_a_kept_turn()
        host.process.end(Refused("sidecar_hung"))
        self.assertEqual(sidecar.call("echo", 2, PLENTY), 2)

    def test_a_call_that_cannot_be_sent_gives_its_turn_back(self):
        sidecar = self.sidecar(in_turns=True)
        self.assertEqual(self.refusal(sidecar, "echo", {1, 2}), "request_not_sendable")
        self.assertEqual(sidecar.call("echo", 1, PLENTY), 1)

    def test_a_call_under_which_the_process_dies_is_tried_again_in_the_same_turn(self):
        with tempfile.TemporaryDirectory() as folder:
            sidecar = self.sidecar(in_turns=True)
            self.assertEqual(sidecar.call("die_once", os.path.join(folder, "x"), PLENTY), "survived")
        self.assertEqual(sidecar.call("echo", 1, PLENTY), 1)


class DeadDisk(SidecarCase):
    """What SIGKILL does not end: a process in the middle of a system call on a mount that does not answer."""

    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.mount = DeadMount(self, folder.name)
        self.folder = folder.name

    def test_costs_one_call_its_deadline_and_later_calls_nothing(self):
        sidecar = self.sidecar(in_turns=True)
        pid = sidecar.call("pid", None, PLENTY)
        began = time.monotonic()
        self.assertEqual(self.refusal(sidecar, "open", self.folder, SHORT), "deadline_passed")
        self.assertLess(time.monotonic() - began, 5)
        self.assertEqual(sidecar.call("echo", 1, PLENTY), 1)
        self.assertTrue(is_alive(pid))
        self.mount.away()
        self.assertTrue(self.has_within(10, lambda: not is_alive(pid)))

    def test_holds_so_many_processes_and_no_more_and_lets_all_of_them_go(self):
        sidecar = self.sidecar(in_turns=True)
        pids = []
        for _ in range(MOST_STUCK):
            pids.append(sidecar.call("pid", None, PLENTY))
            self.assertEqual(self.refusal(sidecar, "open", self.folder, SHORT), "deadline_passed")
        self.assertEqual(self.refusal(sidecar, "echo", 1), "sidecar_stuck")
        self.assertEqual(self.starts, MOST_STUCK)
        self.assertTrue(all(is_alive(pid) for pid in pids))
        self.mount.away()
        await_readers()
        self.assertFalse(any(is_alive(pid) for pid in pids))
        self.assertEqual(sidecar.call("echo", 1, PLENTY), 1)

    def test_does_not_hold_up_the_end_of_the_plugin(self):
        sidecar = self.sidecar(in_turns=True)
        pid = sidecar.call("pid", None, PLENTY)
        with ThreadPoolExecutor(1) as pool:
            hanging = pool.submit(self.refusal, sidecar, "open", self.folder)
            self.assertTrue(self.has_within(10, lambda: sidecar._host().turns._under_way is not None))
            began = time.monotonic()
            sidecar.close()
            self.assertLess(time.monotonic() - began, 8)
            self.assertEqual(hanging.result(10), "closed")
        self.assertTrue(is_alive(pid))
