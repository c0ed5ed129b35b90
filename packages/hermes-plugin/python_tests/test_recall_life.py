"""The provider's sidecar: one for each home, in order, in the background, gone in the end. (issue 4, T5 to T7)"""

import gc
import os
import subprocess
import sys
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

from recall_case import FAKE_RECALL, NAME, PLENTY, RecallCase, own_threads
from support import HERE, Raises, descriptors


class OneForEachHome(RecallCase):
    def test_providers_of_a_home_share_one_and_what_is_warm_outlives_them(self):
        for _ in range(5):
            provider = self.provider()
            provider.shutdown()
            del provider
        self.assertEqual(self.starts, 1)
        self.assertEqual(self.handed(self.provider()), "<block>warm</block>")
        self.assertEqual(self.starts, 1)

    def test_what_lies_ready_outlives_the_provider_that_asked_and_is_used_once(self):
        first = self.provider()
        first.queue_prefetch("warm")
        self.settle(first)
        first.shutdown()
        del first
        self.assertEqual(self.provider().prefetch("and what now?"), "<block>warm</block>")
        self.assertEqual(self.provider().prefetch("and what now?"), "")

    def test_two_homes_never_meet(self):
        other = self.make_home("other")
        self.provider().queue_prefetch("mine")
        theirs = self.provider(home=other)
        theirs.queue_prefetch("theirs")
        self.settle(theirs)
        self.assertEqual([params["query"] for params in self.asked("recall.queue", other)], ["theirs"])
        self.assertEqual({params["place"]["profile"]["home"] for params in self.asked("recall.queue", other)}, {other})

    def test_two_hundred_that_are_dropped_leave_no_thread_no_descriptor_and_no_process(self):
        self.provider()
        before = (len(own_threads()), descriptors(), self.starts)
        for index in range(200):
            provider = self.bare()
            provider.initialize(f"s{index}", hermes_home=self.home)
            provider.queue_prefetch("a question")
            provider.prefetch("warm")
            del provider
        gc.collect()
        last = self.provider()
        self.settle(last)
        self.assertEqual((len(own_threads()), descriptors(), self.starts), before)

    def test_two_hundred_that_are_never_used_start_nothing(self):
        made = [self.bare() for _ in range(200)]
        self.assertEqual((own_threads(), self.starts, len(made)), ([], 0, 200))

    def test_homes_are_bounded_and_one_without_providers_makes_room(self):
        kept = [self.provider(home=self.make_home(f"h{index}")) for index in range(8)]
        one_more = self.bare()
        one_more.initialize("s", hermes_home=self.make_home("more"))
        self.assertEqual(one_more.prefetch("a question"), "")
        self.assertIn("code=recall_hook_failed hook=prefetch error=too_many_homes", self.log.messages())
        kept.pop().shutdown()
        self.assertIsNotNone(one_more._link())

    def test_a_home_without_providers_is_left_in_the_end(self):
        self.replace(self.link_module, "_LINGER_SECONDS", 0.01)
        provider = self.provider()
        pid = provider._link()._sidecar._hosts[os.getpid()].process.pid
        provider.shutdown()
        del provider
        gc.collect()
        self.until(lambda: own_threads() == [])
        with self.assertRaises(ProcessLookupError):
            os.kill(pid, 0)
        # And comes back when it is needed.
        self.replace(self.link_module, "_LINGER_SECONDS", PLENTY)
        self.assertEqual(self.handed(self.provider()), "<block>warm</block>")

    def test_many_threads_and_sessions_get_what_is_theirs(self):
        def use(index):
            provider = self.bare()
            provider.initialize(f"s{index}", hermes_home=self.home)
            provider.queue_prefetch(f"question {index}")
            self.settle(provider)
            return provider.handle_tool_call("hy_memory_search", {"query": f"q{index}"})

        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(use, range(32)))
        for index, answer in enumerate(answers):
            self.assertIn(f'"s{index}"', answer)
            self.assertIn(f'"q{index}"', answer)
        asked = {params["place"]["session"]: params["query"] for params in self.asked("recall.queue")}
        self.assertEqual(asked, {f"s{index}": f"question {index}" for index in range(32)})


class Background(RecallCase):
    def test_a_hand_over_never_starts_a_sidecar_itself(self):
        held = threading.Event()
        self.addCleanup(held.set)
        main = threading.current_thread()
        starters = []

        def slow(home):
            starters.append(threading.current_thread())
            held.wait(PLENTY)
            return [sys.executable, "-I", "-S", "-B", str(FAKE_RECALL), home]

        self.command = slow
        provider = self.bare()
        provider.initialize("s1", hermes_home=self.home)
        self.assertEqual(provider.prefetch("a question"), "")
        provider.queue_prefetch("a question")
        provider.on_session_switch("s2")
        self.assertEqual(provider.prefetch("a question"), "")
        held.set()
        self.settle(provider)
        self.assertNotIn(main, starters)
        self.assertEqual(self.handed(provider), "<block>warm</block>")

    def test_a_hand_over_needs_no_sidecar_that_answers(self):
        provider = self.provider()
        provider.queue_prefetch("warm")
        self.settle(provider)
        provider.queue_prefetch("stop")
        self.until(lambda: len(self.asked("recall.queue")) == 2)
        start = time.monotonic()
        self.assertEqual(provider.prefetch("and what now?"), "<block>warm</block>")
        self.assertLess(time.monotonic() - start, 0.05)

    def test_requests_arrive_in_the_order_in_which_they_were_made(self):
        provider = self.provider()
        for index in range(20):
            provider.queue_prefetch(f"question {index}")
            provider.on_session_switch(f"s{index}")
        self.settle(provider)
        told = [request for request in self.requests() if request["method"] in ("recall.queue", "recall.event")]
        self.assertEqual([request["method"] for request in told], ["recall.queue", "recall.event"] * 20)

    def test_what_was_handed_over_is_said_before_anything_that_is_asked_later(self):
        provider = self.provider()
        self.assertEqual(self.handed(provider), "<block>warm</block>")
        provider.queue_prefetch("a question")
        self.settle(provider)
        told = [request["method"] for request in self.requests()]
        told = [method for method in told if method not in ("recall.status", "ping")]
        self.assertEqual(told, ["recall.queue", "recall.taken", "recall.queue"])
        (used,) = self.asked("recall.taken")
        self.assertEqual((used["result"], used["marks"]), (7, [{"id": "m1", "digest": "0" * 32}]))
        self.assertEqual(used["place"]["session"], "s1")

    def test_a_question_under_way_holds_up_nothing(self):
        provider = self.provider()
        provider.queue_prefetch("hang")
        self.assertEqual(self.handed(provider), "<block>warm</block>")

    def test_an_answer_that_is_older_than_what_happened_is_not_handed_over(self):
        provider = self.provider(session="again")
        provider.queue_prefetch("warm later")
        provider.on_session_switch("again", parent_session_id="again", reason="compression")
        self.settle(provider)
        self.settle(provider)
        self.assertEqual(provider.prefetch("and what now?"), "<block>warm again</block>")
        self.assertEqual(provider.prefetch("and what now?"), "")

    def test_nothing_lies_ready_in_the_session_that_was_left(self):
        provider = self.provider()
        provider.queue_prefetch("warm")
        self.settle(provider)
        provider.on_session_switch("s2")
        self.settle(provider)
        self.assertEqual(provider.prefetch("what now?", session_id="s1"), "")

    def test_what_the_host_calls_an_end_ends_nothing(self):
        """It says so before each compression, and when it drops an agent that it makes anew for the next message."""
        provider = self.provider()
        provider.queue_prefetch("warm")
        self.settle(provider)
        provider.on_session_end([])
        del provider
        self.assertEqual(self.provider().prefetch("what now?"), "<block>warm</block>")
        self.assertEqual(self.asked("recall.event"), [])

    def test_an_offer_cannot_be_made_between_the_hand_over_and_its_being_said(self):
        provider = self.provider()
        provider.queue_prefetch("warm")
        self.settle(provider)
        link = provider._link()
        post, order = link.post, []
        link.post = lambda ticket: order.append((ticket.method, link.shelf._lock.locked())) or post(ticket)
        provider.prefetch("what now?")
        self.assertEqual(order, [("recall.taken", True)])

    def test_a_sidecar_that_hangs_is_noticed_by_questions_alone(self):
        self.replace(self.link_module, "_QUICK_SECONDS", 0.5)
        provider = self.provider()
        pid = provider._link()._sidecar._hosts[os.getpid()].process.pid
        provider.queue_prefetch("stop")
        self.until(lambda: not provider._link().ready)
        with self.assertRaises(ProcessLookupError):
            self.until(lambda: os.kill(pid, 0))
        self.until(lambda: self.handed(provider) == "<block>warm</block>")

    def test_a_sidecar_that_cannot_be_had_is_one_line_in_the_log_and_another_when_it_is_back(self):
        finder, held = self.link_module.NodeFinder, self.command
        self.command = Raises(self.link_module.Refused("node_missing"))
        provider = self.bare()
        provider.initialize("s1", hermes_home=self.home)
        for _ in range(5):
            provider.queue_prefetch("a question")
            self.assertEqual(provider.prefetch("what now?"), "")
        self.until(lambda: "code=recall_not_asked reason=node_missing" in self.log.messages())
        self.command = held
        self.until(lambda: self.handed(provider) == "<block>warm</block>")
        self.assertEqual(self.log.messages().count("code=recall_not_asked reason=node_missing"), 1)
        self.assertIn("code=recall_asked_again", self.log.messages())

    def test_what_the_sidecar_refuses_is_told_and_holds_up_nothing(self):
        provider = self.provider(session="refused")
        provider.on_session_switch("refused", reset=True)
        provider.on_session_switch("s2", reset=True)
        provider.queue_prefetch("a question")
        self.settle(provider)
        self.assertEqual([params["place"]["session"] for params in self.asked("recall.event")], ["refused", "s2"])
        self.assertEqual(len(provider._link()._owed), 0)

    def test_an_event_that_could_not_be_told_is_told_later_and_before_all_else(self):
        provider = self.provider()
        held = self.command
        self.command = lambda home: [sys.executable, "-c", "raise SystemExit(1)"]
        provider.queue_prefetch("die")
        provider.on_session_switch("s2", reset=True)
        self.settle(provider)
        self.assertEqual(self.asked("recall.event"), [])
        self.command = held

        def told():
            provider.queue_prefetch("again")
            self.settle(provider)
            return self.asked("recall.event")

        self.until(told)
        methods = [request["method"] for request in self.requests()]
        self.assertLess(methods.index("recall.event"), len(methods) - 1 - methods[::-1].index("recall.queue"))
        self.assertEqual(len(self.asked("recall.event")), 1)

    def test_what_waits_is_bounded(self):
        held = threading.Event()
        self.addCleanup(held.set)
        real = self.command

        def slow(home):
            held.wait(PLENTY)
            return real(home)

        self.command = slow
        provider = self.bare()
        provider.initialize("s1", hermes_home=self.home)
        link = provider._link()
        for index in range(2_000):
            provider.queue_prefetch("a question")
            provider.on_session_switch(f"s{index}")
        self.assertLessEqual(len(link._tickets), 2 * 256)
        held.set()
        self.settle(provider)

    def test_no_hook_raises_when_the_sidecar_dies_or_speaks_garbage(self):
        for query in ("die", "garbage", "odd"):
            home = self.make_home(query)
            provider = self.provider(home=home)
            provider.queue_prefetch(query)
            self.assertEqual(provider.prefetch("a question"), "")
            self.assertIsNone(provider.recall_status())
            provider.on_session_switch("s2")
            self.settle(provider)
            self.assertEqual(provider.prefetch("a question"), "")


class Fresh(RecallCase):
    def setUp(self):
        super().setUp()
        self.set_environment({"HY_MEMORY_FRESH": "true"})

    def test_a_turns_own_question_is_asked_at_its_start_and_waited_for(self):
        provider = self.provider()
        provider.queue_prefetch("for the next turn")
        provider.on_turn_start(1, "warm question")
        self.assertEqual(provider.prefetch("warm question"), "<block>warm question</block>")
        self.assertEqual([params["query"] for params in self.asked("recall.queue")], ["warm question"])
        self.assertEqual([params["query"] for params in self.asked("recall.fresh")], ["warm question"])

    def test_one_that_hangs_holds_up_no_other_session(self):
        provider = self.provider()
        with mock.patch.object(self.provider_module, "_FRESH_SECONDS", 0.2):
            self.assertEqual(provider.prefetch("hang"), "")
        self.assertEqual(provider.prefetch("warm"), "<block>warm</block>")
        self.settle(provider)
        self.assertEqual(len(self.asked("recall.taken")), 1)


EXIT = """
import sys, types
sys.path.insert(0, {tests!r})
import support, threading
from pathlib import Path
sys.modules["_hermes_user_memory"] = types.ModuleType("_hermes_user_memory")
plugin = support.load(Path({directory!r}), {name!r})
link = sys.modules[{name!r} + ".link"]
link.NodeFinder = lambda setting: types.SimpleNamespace(find=lambda: None)
link.command = lambda node, script, home, **_: [sys.executable, "-I", "-S", "-B", {fake!r}, home]
held = types.SimpleNamespace()
plugin.register(types.SimpleNamespace(register_memory_provider=lambda it: setattr(held, "it", it)))
held.it.initialize("s1", hermes_home={home!r})
while not held.it._link().ready:
    threading.Event().wait(0.01)
held.it.queue_prefetch({query!r})
"""


class EndOfTheHost(RecallCase):
    def run_host(self, query):
        script = EXIT.format(
            tests=str(HERE),
            directory=str(self.directory),
            name=NAME,
            fake=str(FAKE_RECALL),
            home=self.home,
            query=query,
        )
        command = [sys.executable, "-B", "-W", "error", "-c", script]
        return subprocess.run(command, capture_output=True, text=True, timeout=PLENTY, check=False)

    def test_is_clean_under_a_recall_that_hangs_a_sidecar_that_stands_still_and_one_that_died(self):
        for query in ("hang", "stop", "die", "warm"):
            done = self.run_host(query)
            self.assertEqual((done.returncode, done.stderr), (0, ""), query)

    def test_a_fork_starts_with_nothing_of_its_parents(self):
        provider = self.provider()
        child = os.fork()
        if child == 0:
            try:
                clean = self.link_module._links == {} and provider._link() is not None
                provider.queue_prefetch("from the child")
                os._exit(0 if clean else 1)
            finally:
                os._exit(2)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        self.assertEqual(self.handed(provider), "<block>warm</block>")


if __name__ == "__main__":
    unittest.main()
