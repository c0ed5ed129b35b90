"""Exchanges two directory entries again and again (renameat2 with RENAME_EXCHANGE) until its input ends.

    exchange.py INSIDE OTHER

The other entry stays in place for a random moment of up to 20 microseconds, the real one for up to 60: so an answer
is possible most of the time, and every moment of a call is hit sooner or later. Ends with the real one in place and
says how often it exchanged.
"""

import ctypes
import random
import select
import sys
import time

AT_FDCWD = -100
RENAME_EXCHANGE = 2

inside, other = (argument.encode() for argument in sys.argv[1:3])
libc = ctypes.CDLL(None, use_errno=True)


def exchange():
    if libc.renameat2(AT_FDCWD, inside, AT_FDCWD, other, RENAME_EXCHANGE) != 0:
        sys.exit(f"renameat2: errno {ctypes.get_errno()}")


def wait(at_most):
    end = time.perf_counter_ns() + random.randrange(at_most)
    while time.perf_counter_ns() < end:
        pass


rounds = 0
print("ready", flush=True)
while not select.select([sys.stdin], [], [], 0)[0]:
    for _ in range(20):
        exchange()
        wait(20_000)
        exchange()
        wait(60_000)
        rounds += 1
print(2 * rounds, flush=True)
