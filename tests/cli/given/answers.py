"""Runs a program in a pseudo terminal and types: answers.py COLUMNS JSON PROGRAM [ARGUMENT ...]

JSON is a list of [text to wait for, line to type]. What the terminal shows is passed on.
"""

import fcntl
import json
import os
import pty
import struct
import sys
import termios

columns, script, *program = sys.argv[1:]
turns = json.loads(script)
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(columns), 0, 0))
    os.execv(program[0], program)
shown = b""
while True:
    try:
        chunk = os.read(terminal, 65536)
    except OSError:
        break
    if not chunk:
        break
    os.write(1, chunk)
    shown += chunk
    if turns and turns[0][0].encode() in shown:
        _, line = turns.pop(0)
        shown = b""
        os.write(terminal, line.encode() + b"\r")
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
