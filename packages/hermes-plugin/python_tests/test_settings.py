"""The operator's settings are used as they are or refused; never replaced in silence. (design.md section 6)"""

import unittest

from support import Context, Raises, new_logger

from shim.refusal import Refused
from shim.settings import DEFAULT_DEADLINE_SECONDS, Settings


class SettingsCase(unittest.TestCase):
    def setUp(self):
        self.logger, self.log = new_logger()

    def settings(self, **config):
        return Settings(Context(config), self.logger)


class NodeSetting(SettingsCase):
    def test_is_an_absolute_path_or_not_set(self):
        self.assertEqual(self.settings(node="/opt/node").node(), "/opt/node")
        self.assertIsNone(self.settings(node="").node())
        self.assertIsNone(self.settings().node())

    def test_of_another_form_refuses(self):
        for node in ("node", "./node", "~/node", 1, True, ["/opt/node"], "/opt/\0node"):
            with self.subTest(node), self.assertRaises(Refused) as raised:
                self.settings(node=node).node()
            self.assertEqual(raised.exception.code, "node_setting_invalid")

    def test_that_cannot_be_read_refuses(self):
        ctx = Context()
        ctx.get_config = Raises(ValueError())
        with self.assertRaises(Refused) as raised:
            Settings(ctx, self.logger).node()
        self.assertEqual(raised.exception.code, "node_setting_unreadable")

    def test_is_not_set_where_the_host_has_no_settings(self):
        self.assertIsNone(Settings(object(), self.logger).node())


class DeadlineSetting(SettingsCase):
    def test_is_a_number_of_seconds(self):
        self.assertEqual(self.settings(deadline_seconds=5).deadline_seconds(), 5.0)
        self.assertEqual(self.settings(deadline_seconds=1.5).deadline_seconds(), 1.5)
        self.assertEqual(self.settings().deadline_seconds(), DEFAULT_DEADLINE_SECONDS)
        self.assertEqual(self.log.texts, [])

    def test_of_another_form_is_the_default_and_logged(self):
        for seconds in (0, -1, 301, True, "5", [], float("nan"), float("inf")):
            with self.subTest(seconds):
                self.log.records.clear()
                self.assertEqual(self.settings(deadline_seconds=seconds).deadline_seconds(), DEFAULT_DEADLINE_SECONDS)
                self.assertEqual(self.log.texts, ["code=deadline_setting_invalid"])


if __name__ == "__main__":
    unittest.main()
