"""Forks and deaths of the host: a child has its own sidecar, and no sidecar outlives its host. (design.md section 6)"""

import json
import os
import signal
import subprocess
import sys
import unittest

from support import HERE, await_end, is_alive

SECONDS = 60


def start(scenario):
    return subprocess.Popen(
        [sys.executable, "-B", "-W", "error", str(HERE / "scenario_host.py"), scenario],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


class Scenario(unittest.TestCase):
    def run_scenario(self, name):
        with start(name) as host:
            try:
                out, err = host.communicate(timeout=SECONDS)
            except subprocess.TimeoutExpired:
                host.kill()
                raise
        # A warning about a process or a pipe that was left behind would stand here.
        self.assertEqual((err, host.returncode), ("", 0))
        return [json.loads(line) for line in out.splitlines()]


class Fork(Scenario):
    def test_gives_the_child_a_sidecar_of_its_own_and_leaves_the_parents_alone(self):
        child, parent = self.run_scenario("fork")
        self.assertEqual(parent["child_status"], 0)
        self.assertEqual(parent["before"], parent["after"])
        self.assertNotEqual(child["sidecar"], parent["before"])
        self.assertEqual(child["inherited"], {}, "pipes of the parent's sidecar")
        self.assertEqual(child["left"], {})

    def test_whose_child_ends_normally_leaves_the_parents_sidecar_alone(self):
        (parent,) = self.run_scenario("fork_and_exit_normally")
        self.assertEqual(parent["child_status"], 0)
        self.assertEqual(parent["before"], parent["after"])

    def test_that_runs_no_hook_is_noticed_by_the_process_id(self):
        child, parent = self.run_scenario("fork_unseen")
        self.assertEqual(parent["before"], parent["after"])
        self.assertNotEqual(child["sidecar"], parent["before"])

    def test_in_the_middle_of_a_start_inherits_no_pipe(self):
        (outcome,) = self.run_scenario("fork_during_starts")
        self.assertEqual(outcome["inherited"], [])


@unittest.skipUnless(hasattr(os, "pidfd_open"), "needs pidfd_open")
class HostDeath(Scenario):
    def watch(self, pid):
        pidfd = os.pidfd_open(pid)
        self.addCleanup(os.close, pidfd)
        return pidfd

    def test_by_sigkill_ends_the_sidecar(self):
        with start("serve_and_wait") as host:
            sidecar = self.watch(json.loads(host.stdout.readline())["sidecar"])
            host.kill()
            self.assertTrue(await_end(sidecar))

    def test_by_sigkill_ends_the_sidecar_while_a_forked_child_lives(self):
        with start("serve_with_child_and_wait") as host:
            said = json.loads(host.stdout.readline())
            self.addCleanup(os.kill, said["child"], signal.SIGKILL)
            sidecar = self.watch(said["sidecar"])
            host.kill()
            self.assertTrue(await_end(sidecar))
            host.stdout.close()
            host.stderr.close()
        self.assertTrue(is_alive(said["child"]))

    def test_by_a_normal_exit_ends_the_sidecar(self):
        for scenario in ("exit_without_close", "exit_with_running_call"):
            with self.subTest(scenario):
                (said,) = self.run_scenario(scenario)
                self.assertFalse(is_alive(said["sidecar"]), "or it has not been reaped")


if __name__ == "__main__":
    unittest.main()
