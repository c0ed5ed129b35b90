"""A guardian's sidecar that does what the tool's name says. Speaks the same wire, needs no Node.

Run as `python -I -S -B fake_guardian.py HOME [chain]`. Every request is first written to the file `requests` in that
home, as it came: what stands there has reached the sidecar.
"""

import json
import os
import signal
import sys

MESSAGE = "Hermes Guardian: said by the fake."


def write(text):
    data = text.encode()
    while data:
        data = data[os.write(1, data) :]


def answer(id, result):
    write(json.dumps({"jsonrpc": "2.0", "id": id, "result": result}) + "\n")


def serve(id, tool, args):
    if tool == "approve":
        answer(id, {"action": "approve", "message": MESSAGE, "rule_key": json.dumps(args)})
    elif tool == "block":
        answer(id, {"action": "block", "message": MESSAGE})
    elif tool == "pid":
        answer(id, {"action": "approve", "message": " ".join(sys.argv[1:]), "rule_key": str(os.getpid())})
    elif tool == "answer":
        answer(id, args["it"])
    elif tool == "die":
        os._exit(3)
    elif tool == "hang":
        signal.pause()
    elif tool == "garbage":
        write("garbage\n")
    elif tool == "error":
        write(json.dumps({"jsonrpc": "2.0", "id": id, "error": {"code": -32603, "message": "internal error"}}) + "\n")
    else:
        answer(id, {"action": "allow"})


def main():
    with open(os.path.join(sys.argv[1], "requests"), "ab", buffering=0) as requests:
        for line in sys.stdin.buffer:
            requests.write(line)
            request = json.loads(line)
            call = request["params"]["call"]
            serve(request["id"], call["tool"], call["args"])


if __name__ == "__main__":
    main()
