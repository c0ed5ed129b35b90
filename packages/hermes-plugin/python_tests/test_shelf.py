"""What lies ready for a session's next turn. (issue 4, recall-contract T5 to T7)"""

import sys
import tempfile
import types
import unittest
from pathlib import Path

from support import assemble, load

NAME = "_hermes_user_memory.hy_memory"
ANSWER = {"block": "<block>b</block>", "count": 1, "result": 3, "marks": [], "millis": 1_000}


class ShelfCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        sys.modules.setdefault("_hermes_user_memory", types.ModuleType("_hermes_user_memory"))
        load(assemble(Path(folder.name).resolve(), "hy_memory"), NAME)
        self.module = sys.modules[f"{NAME}.shelf"]
        self.now = 0.0
        self.shelf = self.module.Shelf(lambda: self.now)
        self.offer = self.module.offer_from(ANSWER)

    def put(self, session="s", offer=None):
        return self.shelf.put(session, self.shelf.age(session), offer or self.offer)


    def take(self, session):
        used = []
        offer = self.shelf.take(session, used.append)
        self.assertEqual(used, [] if offer is None else [offer])
        return offer


class Shelf(ShelfCase):
    def test_is_used_once_and_by_its_own_session(self):
        self.put()
        self.assertIsNone(self.take("other"))
        self.assertEqual(self.take("s"), self.offer)
        self.assertIsNone(self.take("s"))

    def test_holds_the_newer_answer_also_when_it_is_empty(self):
        self.put()
        newer = self.offer._replace(block="<block>newer</block>")
        self.put(offer=newer)
        self.assertEqual(self.take("s"), newer)
        self.put()
        self.shelf.put("s", self.shelf.age("s"), None)
        self.assertIsNone(self.take("s"))

    def test_refuses_what_was_asked_before_something_happened(self):
        for happen in (lambda: self.shelf.clear("s"), lambda: (self.put(), self.take("s"))):
            age = self.shelf.age("s")
            happen()
            self.assertFalse(self.shelf.put("s", age, self.offer))
            self.assertIsNone(self.take("s"))

    def test_looking_at_an_empty_place_is_nothing_that_happened(self):
        age = self.shelf.age("s")
        self.assertIsNone(self.take("s"))
        self.assertTrue(self.shelf.put("s", age, self.offer))

    def test_lets_nothing_lie_longer_than_it_may(self):
        self.put()
        self.now = 0.999
        self.assertEqual(self.take("s"), self.offer)
        self.put()
        self.now = 2.0
        self.assertIsNone(self.take("s"))

    def test_is_bounded_and_takes_no_session_for_one_that_was_dropped(self):
        age = self.shelf.age("first")
        self.shelf.clear("first")
        for index in range(128):
            self.put(f"s{index}")
        self.assertFalse(self.shelf.put("first", age, self.offer))
        self.assertEqual(len(self.shelf._sessions), 128)


class Answers(ShelfCase):
    def test_that_are_no_offers_are_none(self):
        odd = [None, [], "block", 1, {}, {**ANSWER, "block": ""}]
        odd += [{**ANSWER, name: None} for name in ANSWER]
        odd += [{**ANSWER, "block": 1}, {**ANSWER, "marks": {}}, {**ANSWER, "count": "1"}]
        for answer in odd:
            self.assertIsNone(self.module.offer_from(answer), answer)
        self.assertEqual(self.offer.millis, 1_000)


if __name__ == "__main__":
    unittest.main()
