"""A mount whose server does not answer: what is opened on it hangs in the kernel, and SIGKILL does not end it.

Run as `python dead_mount.py DIRECTORY`, as root, where there is /dev/fuse. Says `mounted` or `impossible` and the reason;
when its input ends the mount is taken away, and whatever hangs on it fails and comes back.
"""

import ctypes
import os
import select
import signal
import struct
import sys

_MS_NOSUID, _MS_NODEV = 2, 4
_MNT_FORCE, _MNT_DETACH = 1, 2
_GETATTR, _STATFS, _INIT = 3, 17, 26
_DIRECTORY = 0o40755

_libc = ctypes.CDLL(None, use_errno=True)


def mount(directory):
    device = os.open("/dev/fuse", os.O_RDWR)
    data = f"fd={device},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()}".encode()
    if _libc.mount(b"dead", directory, b"fuse", _MS_NOSUID | _MS_NODEV, data) != 0:
        raise OSError(ctypes.get_errno(), "mount")
    return device


def answer_to(opcode):
    """The mount itself can be looked at; opening it, and all below it, gets no answer."""
    if opcode == _INIT:
        return struct.pack("=IIIIHHIIHHI28x", 7, 31, 0, 0, 1, 1, 4096, 1, 1, 0, 0)
    if opcode == _GETATTR:
        attributes = struct.pack("=6Q10I", 1, 0, 0, 0, 0, 0, 0, 0, 0, _DIRECTORY, 2, os.getuid(), os.getgid(), 0, 4096, 0)
        return struct.pack("=QII", 0, 0, 0) + attributes
    if opcode == _STATFS:
        return struct.pack("=5Q4I24x", 0, 0, 0, 0, 0, 4096, 255, 4096, 0)
    return None


def serve(device):
    while True:
        ready, _, _ = select.select([device, 0], [], [])
        if 0 in ready and not os.read(0, 1):
            return
        if device in ready:
            request = os.read(device, 1 << 17)
            opcode, unique = struct.unpack_from("=IQ", request, 4)
            answer = answer_to(opcode)
            if answer is not None:
                os.write(device, struct.pack("=IiQ", 16 + len(answer), 0, unique) + answer)


def main():
    directory = os.fsencode(sys.argv[1])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        device = mount(directory)
    except OSError as error:
        print(f"impossible: {error}", flush=True)
        return
    print("mounted", flush=True)
    try:
        serve(device)
    finally:
        _libc.umount2(directory, _MNT_FORCE | _MNT_DETACH)


if __name__ == "__main__":
    main()
