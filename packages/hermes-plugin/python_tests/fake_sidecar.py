"""A sidecar that misbehaves on request: the method says how. Speaks the same wire, needs no Node.

Run as `python -I -S -B fake_sidecar.py`; extra arguments: `deaf` never reads, `mute` closes its output and stays.
"""

import json
import os
import signal
import sys


def write(text):
    data = text.encode()
    while data:
        data = data[os.write(1, data) :]


def answer(id, result):
    write(json.dumps({"jsonrpc": "2.0", "id": id, "result": result}) + "\n")


def serve(id, method, params, held):
    if method.startswith("memory_bridge."):
        answer(id, {"ok": True})
    elif method == "echo":
        answer(id, params)
    elif method == "pid":
        answer(id, os.getpid())
    elif method == "environment":
        answer(id, {"environ": dict(os.environ), "cwd": os.getcwd(), "group": os.getpgrp()})
    elif method == "descriptors":
        answer(id, [int(name) for name in os.listdir("/proc/self/fd")])
    elif method == "die":
        os._exit(3)
    elif method == "die_once":
        # The file remembers across processes that it has died before.
        if os.path.exists(params):
            answer(id, "survived")
        else:
            open(params, "x").close()
            os._exit(3)
    elif method == "hang":
        signal.pause()
    elif method == "stop":
        answer(id, os.getpid())
        os.kill(os.getpid(), signal.SIGSTOP)
    elif method == "open":
        os.close(os.open(params, os.O_RDONLY))
        answer(id, "opened")
    elif method == "drop":
        pass
    elif method == "hold":
        held.append(id)
    elif method == "release":
        answer(id, "last first")
        while held:
            answer(held.pop(), "held")
    elif method == "say":
        write(params)
    elif method == "flood":
        while True:
            write("x" * 65536)
    elif method == "split":
        for char in json.dumps({"jsonrpc": "2.0", "id": id, "result": "whole"}) + "\n":
            write(char)
    elif method == "error":
        write(json.dumps({"jsonrpc": "2.0", "id": id, "error": {"code": -32603, "message": "internal error"}}) + "\n")
    elif method == "log":
        os.write(2, params.encode())
        answer(id, None)
    elif method == "close_output":
        os.close(1)
        signal.pause()
    elif method == "linger":
        # Does not end when its input ends.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        answer(id, os.getpid())
        sys.stdin.buffer.read()
        while True:
            signal.pause()


def main():
    held = []
    if "deaf" in sys.argv:
        signal.pause()
    for line in sys.stdin.buffer:
        request = json.loads(line)
        serve(request["id"], request["method"], request["params"], held)


main()
