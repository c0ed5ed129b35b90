"""A recall sidecar that does what the query says. Speaks the same wire, needs no Node.

Run as `python -I -S -B fake_recall.py HOME`. Every request is first written to the file `requests` in that home, as it
came. Answers are written as they are ready: a question that hangs holds up none behind it.
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


def offer(query):
    warm = query.startswith("warm")
    marks = [{"id": "m1", "digest": "0" * 32}]
    if not warm:
        return {"block": "", "count": 0, "result": 0, "marks": [], "millis": 0}
    return {"block": f"<block>{query}</block>", "count": 2, "result": 7, "marks": marks, "millis": 600_000}


held = []


def refuse(id):
    error = {"code": -32602, "message": "invalid params"}
    write(json.dumps({"jsonrpc": "2.0", "id": id, "error": error}) + "\n")


def serve(id, method, params):
    if params.get("place", {}).get("session") == "refused":
        return refuse(id)
    query = params.get("query") or (params.get("arguments") or {}).get("query", "")
    if query == "die":
        os._exit(3)
    if query == "hang":
        return
    if query == "stop":
        # Not for ever: a host that has left does not come back for it.
        signal.alarm(30)
        signal.pause()
    if query == "garbage":
        write("garbage\n")
    elif query == "warm later":
        # Answered only after the next event.
        held.append(id)
    elif method == "recall.event":
        answer(id, None)
        while held:
            answer(held.pop(), offer("warm, but too old"))
    elif method == "recall.offer":
        answer(id, offer("warm again" if params["place"]["session"].startswith("again") else ""))
    elif query == "odd":
        answer(id, ["no", "block"])
    elif method in ("recall.queue", "recall.fresh"):
        answer(id, offer(query))
    elif method in ("recall.search", "recall.add"):
        answer(id, {"ok": True, "params": params})
    else:
        answer(id, None)


def main():
    with open(os.path.join(sys.argv[1], "requests"), "ab", buffering=0) as requests:
        for line in sys.stdin.buffer:
            requests.write(line)
            request = json.loads(line)
            serve(request["id"], request["method"], request["params"])


if __name__ == "__main__":
    main()
