"""Runs a program in a pseudo terminal and answers its one question: terminal.py COLUMNS QUESTION ANSWER PROGRAM [ARGUMENT ...]"""

import fcntl
import os
import pty
import struct
import sys
import termios

columns, question, answer, *program = sys.argv[1:]
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(columns), 0, 0))
    os.execv(program[0], program)
seen = b""
asked = False
while True:
    try:
        chunk = os.read(terminal, 65536)
    except OSError:
        break
    if not chunk:
        break
    os.write(1, chunk)
    seen += chunk
    if not asked and question.encode() in seen:
        asked = True
        os.write(terminal, b"\x03" if answer == "^C" else answer.encode() + b"\r")
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
