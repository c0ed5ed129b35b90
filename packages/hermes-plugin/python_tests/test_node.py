"""Which Node is taken, which is refused and why, and with which fences it starts. (design.md sections 5 and 6)"""

import os
import stat
import tempfile
import unittest
from unittest import mock

from support import simulated_host

from shim import node
from shim.node import Node, NodeFinder, command
from shim.refusal import Refused

NEW = (24, 1, 0)
OLD = (18, 20, 0)


class Finding(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.versions = {}
        self.asked = []

    def program(self, name, version):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write("")
        self.versions[path] = version
        return path

    def ask(self, path):
        self.asked.append(path)
        return self.versions[path]

    def finder(self, *candidates, setting=None):
        return NodeFinder(lambda: setting, tuple(lambda it=it: it for it in candidates), self.ask)

    def refusal(self, finder):
        with self.assertRaises(Refused) as raised:
            finder.find()
        return raised.exception.code

    def test_takes_the_setting_before_everything(self):
        set_, host, path = (self.program(name, NEW) for name in ("set", "host", "path"))
        self.assertEqual(self.finder(host, path, setting=set_).find(), Node(set_, NEW))
        self.assertEqual(self.asked, [set_])

    def test_never_replaces_a_setting_that_cannot_be_used(self):
        good = self.program("good", NEW)
        old = self.program("old", OLD)
        self.assertEqual(self.refusal(self.finder(good, setting=old)), "node_too_old")
        self.assertEqual(self.refusal(self.finder(good, setting="/no/such/node")), "node_missing")
        self.assertEqual(self.refusal(self.finder(good, setting="/no/such\0node")), "node_missing")

    def test_takes_the_hosts_node_before_the_one_on_path(self):
        host, path = self.program("host", NEW), self.program("path", NEW)
        self.assertEqual(self.finder(host, path).find().path, host)

    def test_takes_the_next_where_one_is_missing_too_old_or_relative(self):
        good, old = self.program("good", NEW), self.program("old", OLD)
        broken = self.program("broken", None)
        for candidates in ((None, good), ("/no/such/node", good), (old, good), ("node", good), (broken, good)):
            with self.subTest(candidates):
                self.assertEqual(self.finder(*candidates).find().path, good)

    def test_never_takes_one_from_the_folder_that_the_host_happens_to_stand_in(self):
        self.program("node", NEW)
        self.versions["node"] = NEW
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        self.assertEqual(self.refusal(self.finder("node")), "node_missing")

    def test_says_too_old_where_the_best_is_and_missing_where_there_is_none(self):
        old = self.program("old", OLD)
        self.assertEqual(self.refusal(self.finder(None, old)), "node_too_old")
        self.assertEqual(self.refusal(self.finder(old, None)), "node_too_old")
        self.assertEqual(self.refusal(self.finder(None, None)), "node_missing")

    def test_draws_the_line_at_20_19(self):
        just = self.program("just", (20, 19, 0))
        self.assertEqual(self.finder(just).find().version, (20, 19, 0))
        self.assertEqual(self.refusal(self.finder(self.program("before", (20, 18, 99)))), "node_too_old")

    def test_asks_a_file_once_and_again_when_it_changes(self):
        path = self.program("node", NEW)
        finder = self.finder(path)
        finder.find()
        finder.find()
        self.assertEqual(self.asked, [path])
        self.versions[path] = OLD
        os.utime(path, ns=(1, 1))
        self.assertEqual(self.refusal(finder), "node_too_old")
        self.assertEqual(self.asked, [path, path])

    def test_asks_again_where_there_was_no_answer(self):
        path = self.program("node", None)
        finder = self.finder(path)
        self.assertEqual(self.refusal(finder), "node_missing")
        self.versions[path] = NEW
        self.assertEqual(finder.find().path, path)


class Asking(unittest.TestCase):
    def script(self, text):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "node")
        with open(path, "w") as file:
            file.write("#!/bin/sh\n" + text)
        os.chmod(path, stat.S_IRWXU)
        return path

    def test_reads_the_version_of_a_release_and_of_a_nightly(self):
        self.assertEqual(node._ask_version(self.script("echo v22.13.1")), (22, 13, 1))
        self.assertEqual(node._ask_version(self.script("echo v25.0.0-nightly2025")), (25, 0, 0))

    def test_takes_nothing_else_for_an_answer(self):
        for text in ("echo 22.13.1", "echo v22.13.1; exit 1", "exit 0", "echo v; echo v22.1.1", "kill -9 $$"):
            with self.subTest(text):
                self.assertIsNone(node._ask_version(self.script(text)))
        self.assertIsNone(node._ask_version("/no/such/node"))
        self.assertIsNone(node._ask_version("/"))

    def test_gives_up_on_one_that_never_answers(self):
        with mock.patch.object(node, "_VERSION_SECONDS", 0.05):
            self.assertIsNone(node._ask_version(self.script("exec sleep 60")))

    def test_shows_it_no_secret(self):
        with mock.patch.dict(os.environ, PLANTED="s3cret"):
            self.assertIsNone(node._ask_version(self.script('test -z "$PLANTED" || echo v99.0.0')))


class HostsNode(unittest.TestCase):
    def test_is_what_its_helper_says(self):
        with simulated_host(find_node_executable=lambda name: f"/managed/bin/{name}"):
            self.assertEqual(node._host_node(), "/managed/bin/node")

    def test_is_none_where_there_is_no_helper_or_it_fails(self):
        def broken(name):
            raise OSError(name)

        self.assertIsNone(node._host_node())
        for helper in (None, broken, lambda name: None, lambda name: 7):
            with self.subTest(helper), simulated_host(find_node_executable=helper):
                self.assertIsNone(node._host_node())


class Command(unittest.TestCase):
    def test_grants_reading_and_the_native_library_and_nothing_else(self):
        self.assertEqual(
            command(Node("/n", (24, 0, 0)), "/s.cjs"),
            [
                "/n",
                "--no-warnings",
                "--max-semi-space-size=2",
                "--heap-growing-percent=20",
                "--permission",
                "--allow-fs-read=*",
                "--allow-addons",
                "/s.cjs",
            ],
        )

    def test_grants_writing_at_the_named_paths_and_below_alone(self):
        words = command(Node("/n", (24, 0, 0)), "/s.cjs", "/h", writable=("/h/a",))
        writing = [word for word in words if word.startswith("--allow-fs-write")]
        self.assertEqual(writing, ["--allow-fs-write=/h/a/*"])
        self.assertEqual(words[-2:], ["/s.cjs", "/h"])

    def test_lets_a_directory_be_made_only_where_nothing_is_there(self):
        words = command(Node("/n", (24, 0, 0)), "/s.cjs", writable=("/h/a/b",), makeable=("/no/such", "/"))
        writing = [word for word in words if word.startswith("--allow-fs-write")]
        self.assertEqual(writing, ["--allow-fs-write=/no/such", "--allow-fs-write=/h/a/b/*"])

    def test_grants_what_is_below_alone_once_the_directory_is_there(self):
        with tempfile.TemporaryDirectory() as folder:
            flags = command(Node("/n", (20, 19, 0)), "/s", writable=(folder,))
            self.assertIn(f"--allow-fs-write={folder}/*", flags)
            # Both of them make Node 20 abort.
            self.assertNotIn(f"--allow-fs-write={folder}", flags)

    def test_grants_workers_and_connections_to_the_one_that_recalls(self):
        for version, expected in [((24, 0, 0), ["--allow-worker"]), ((25, 0, 0), ["--allow-worker", "--allow-net"])]:
            flags = set(command(Node("/n", version), "/s", recalls=True)) - set(command(Node("/n", version), "/s"))
            self.assertEqual(flags, set(expected))

    def test_refuses_a_path_that_node_would_read_as_a_list_or_a_pattern(self):
        for path in ("/h,/etc", "/h/*"):
            with self.assertRaises(Refused) as caught:
                command(Node("/n", (24, 0, 0)), "/s.cjs", writable=(path,))
            self.assertEqual(caught.exception.code, "home_unsupported")

    def test_names_the_permission_model_as_that_version_does(self):
        for version, flag in (
            ((20, 19, 0), "--experimental-permission"),
            ((22, 12, 9), "--experimental-permission"),
            ((22, 13, 0), "--permission"),
            ((23, 4, 0), "--experimental-permission"),
            ((23, 5, 0), "--permission"),
            ((24, 0, 0), "--permission"),
            ((30, 0, 0), "--permission"),
        ):
            with self.subTest(version):
                named = [part for part in command(Node("/n", version), "/s") if part.endswith("permission")]
                self.assertEqual(named, [flag])


if __name__ == "__main__":
    unittest.main()
