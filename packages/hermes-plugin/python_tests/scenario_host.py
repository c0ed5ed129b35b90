"""A host in a process of its own, for what must not happen inside the test run: forks, and death by SIGKILL.

    python scenario_host.py SCENARIO

Prints one JSON object per line. Not a test: the tests run it.
"""

import contextlib
import ctypes
import json
import logging
import os
import signal
import sys
import threading
import warnings

from support import fake_command

from shim.refusal import Refused
from shim.sidecar import Sidecar

PLENTY = 30.0

LOGGER = logging.Logger("scenario")
LOGGER.addHandler(logging.NullHandler())

# The interpreter warns of every fork in a process with threads. Hosts do it all the same.
warnings.filterwarnings("ignore", category=DeprecationWarning, message=".*fork")


def say(**fields):
    os.write(1, (json.dumps(fields) + "\n").encode())


def pipes():
    found = {}
    for name in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{name}")
        except OSError:
            continue
        if target.startswith("pipe:") and target not in GIVEN:
            found[int(name)] = target
    return found


GIVEN = ()
# The pipes that this process was started with are nobody's leak.
GIVEN = tuple(pipes().values())


def new_sidecar(command=fake_command):
    return Sidecar(command, LOGGER)


def in_child(run):
    """Forks, runs in the child, and waits for it."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            run()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def fork():
    """Calls in the parent, in the child, in the parent again."""
    sidecar = new_sidecar()
    first = sidecar.call("pid", None, PLENTY)
    process = sidecar._hosts[os.getpid()].process

    def child():
        inherited = pipes()
        process.end(Refused("not the child's to end"))
        own = sidecar.call("pid", None, PLENTY)
        sidecar.close()
        say(who="child", inherited=inherited, sidecar=own, left=pipes())

    status = in_child(child)
    say(who="parent", before=first, after=sidecar.call("pid", None, PLENTY), child_status=status)
    sidecar.close()


def fork_and_exit_normally():
    """The child ends like any program, with all that runs at exit."""
    sidecar = new_sidecar()
    first = sidecar.call("pid", None, PLENTY)
    pid = os.fork()
    if pid == 0:
        sys.exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    say(before=first, after=sidecar.call("pid", None, PLENTY), child_status=status)
    sidecar.close()


def fork_unseen():
    """A fork by foreign code, which runs none of the interpreter's hooks."""
    sidecar = new_sidecar()
    first = sidecar.call("pid", None, PLENTY)
    pid = ctypes.PyDLL(None).fork()
    if pid == 0:
        try:
            say(who="child", sidecar=sidecar.call("pid", None, PLENTY))
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    say(who="parent", before=first, after=sidecar.call("pid", None, PLENTY))
    sidecar.close()


def fork_during_starts():
    """Forks while another thread starts one sidecar after the other."""
    clock = [0.0]
    sidecar = Sidecar(fake_command, LOGGER, lambda: clock[0])
    sidecar.call("pid", None, PLENTY)
    stop = threading.Event()

    def restart():
        while not stop.is_set():
            clock[0] += 60
            try:
                sidecar.call("die", None, PLENTY)
            except Refused:
                pass

    thread = threading.Thread(target=restart)
    thread.start()
    inherited = []
    for _ in range(60):
        read_end, write_end = os.pipe()
        pid = os.fork()
        if pid == 0:
            mine = {os.readlink(f"/proc/self/fd/{write_end}")}
            foreign = [target for target in pipes().values() if target not in mine]
            os.write(write_end, json.dumps(foreign).encode())
            os._exit(0)
        os.close(write_end)
        inherited += json.loads(os.read(read_end, 65536) or b'["child failed"]')
        os.close(read_end)
        os.waitpid(pid, 0)
    stop.set()
    thread.join()
    sidecar.close()
    say(inherited=inherited)


def serve_and_wait():
    """Starts a sidecar and waits to be killed."""
    sidecar = new_sidecar()
    say(sidecar=sidecar.call("pid", None, PLENTY))
    signal.pause()


def serve_with_child_and_wait():
    """The same with a forked child that lives on: it must not keep the sidecar's input open."""
    sidecar = new_sidecar()
    pid = sidecar.call("pid", None, PLENTY)
    child = os.fork()
    if child == 0:
        say(sidecar=pid, child=os.getpid())
        signal.pause()
    signal.pause()


def exit_without_close():
    """Ends normally without having unloaded anything."""
    sidecar = new_sidecar()
    say(sidecar=sidecar.call("pid", None, PLENTY))


def exit_with_running_call():
    """Ends while a call of a daemon thread waits for an answer."""
    sidecar = new_sidecar()
    say(sidecar=sidecar.call("pid", None, PLENTY))
    waiting = threading.Event()

    def call():
        waiting.set()
        with contextlib.suppress(Refused):
            sidecar.call("drop", None, PLENTY)

    threading.Thread(target=call, daemon=True).start()
    waiting.wait()


if __name__ == "__main__":
    globals()[sys.argv[1]]()
