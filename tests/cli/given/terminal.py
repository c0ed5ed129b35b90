"""Runs a program in a pseudo terminal and passes on what it writes: terminal.py COLUMNS PROGRAM [ARGUMENT ...]"""

import fcntl
import os
import pty
import struct
import sys
import termios

columns, *program = sys.argv[1:]
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(columns), 0, 0))
    os.execv(program[0], program)
while True:
    try:
        chunk = os.read(terminal, 65536)
    except OSError:
        break
    if not chunk:
        break
    os.write(1, chunk)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
