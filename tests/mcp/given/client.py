"""A second client, written apart from every MCP library: newline-delimited JSON-RPC over a child's standard streams.

Takes the server's command line as arguments and a script on standard input: a JSON list of [method, params] for requests.
Prints one JSON object: the answers in the order of the requests, what the server sent unasked, and how it ended.
"""

import json
import subprocess
import sys
import threading
from typing import Any


class Session:
    def __init__(self, command: list[str]) -> None:
        self._child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={}, text=False
        )
        self._answers: dict[int, Any] = {}
        self._arrived = threading.Condition()
        self._ended = False
        self.unasked: list[Any] = []
        self._last = 0
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        for line in self._child.stdout:
            if not line.endswith(b"\n"):
                raise ValueError("a line without an end")
            message = json.loads(line.decode("utf-8", "strict"))
            with self._arrived:
                answer = {"result", "error"} & message.keys()
                if message.get("jsonrpc") == "2.0" and len(answer) == 1 and 0 < message.get("id", 0) <= self._last:
                    self._answers[message["id"]] = message
                else:
                    self.unasked.append(message)
                self._arrived.notify_all()
        with self._arrived:
            self._ended = True
            self._arrived.notify_all()

    def write(self, message: dict[str, Any]) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode("utf-8") + b"\n"
        # In two pieces, as a pipe may deliver them.
        half = len(data) // 2
        for piece in (data[:half], data[half:]):
            self._child.stdin.write(piece)
            self._child.stdin.flush()

    def request(self, method: str, params: Any) -> int:
        with self._arrived:
            self._last += 1
            number = self._last
        self.write({"id": number, "method": method, "params": params})
        return number

    def answer(self, number: int) -> Any:
        with self._arrived:
            self._arrived.wait_for(lambda: number in self._answers or self._ended, timeout=30)
            message = self._answers[number]
        return {key: message[key] for key in ("result", "error") if key in message}

    def end(self) -> dict[str, Any]:
        self._child.stdin.close()
        code = self._child.wait(timeout=30)
        self._reader.join(timeout=30)
        return {"code": code, "log": self._child.stderr.read().decode("utf-8")}


def main() -> None:
    session = Session(sys.argv[1:])
    begun = session.answer(
        session.request(
            "initialize",
            {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "plain", "version": "1"}},
        )
    )
    session.write({"method": "notifications/initialized"})
    numbers = [session.request(method, params) for method, params in json.load(sys.stdin)]
    answers = [session.answer(number) for number in numbers]
    json.dump({"begun": begun, "answers": answers, **session.end(), "unasked": session.unasked}, sys.stdout)


if __name__ == "__main__":
    main()
