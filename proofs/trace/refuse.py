"""Takes system calls away from this process with a seccomp filter, makes sure that they are gone, and becomes COMMAND.

    refuse.py ENOSYS|EPERM NAME[,NAME] COMMAND [ARGUMENT ...]

The filter is of the kind that container sandboxes use: every call is allowed but those, which answer with the errno.
"""

import ctypes
import errno
import os
import struct
import sys

PR_SET_NO_NEW_PRIVS = 38
PR_SET_SECCOMP = 22
SECCOMP_MODE_FILTER = 2
# The same on every architecture.
NUMBERS = {"io_uring_setup": 425, "openat2": 437}
ALLOW = 0x7FFF0000
ERRNO = 0x00050000
LOAD_WORD = 0x20  # BPF_LD | BPF_W | BPF_ABS
JUMP_IF_EQUAL = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
RETURN = 0x06  # BPF_RET | BPF_K

number = getattr(errno, sys.argv[1])
refused = [NUMBERS[name] for name in sys.argv[2].split(",")]
lines = [(LOAD_WORD, 0, 0, 0)]  # the call's number
for call in refused:
    lines += [(JUMP_IF_EQUAL, 0, 1, call), (RETURN, 0, 0, ERRNO | number)]
program = b"".join(struct.pack("HBBI", *line) for line in [*lines, (RETURN, 0, 0, ALLOW)])


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


libc = ctypes.CDLL(None, use_errno=True)
buffer = ctypes.create_string_buffer(program, len(program))
described = Program(len(program) // 8, ctypes.cast(buffer, ctypes.c_void_p))
if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
    sys.exit("no_new_privs was refused")
if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(described), 0, 0) != 0:
    sys.exit(f"the filter was refused: errno {ctypes.get_errno()}")

for call in refused:
    if libc.syscall(call, -1, None, None, 0) != -1 or ctypes.get_errno() != number:
        sys.exit("the filter does not hold")
os.execv(sys.argv[3], sys.argv[3:])
