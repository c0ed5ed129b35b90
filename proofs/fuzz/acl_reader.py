"""Gives a real file the attribute of each line, in hexadecimal, and says what the file then has and getfacl prints."""

import os
import subprocess
import sys
import tempfile

ATTRIBUTE = "system.posix_acl_access"
BATCH = 400


def given(path, value):
    with open(path, "w"):
        pass
    try:
        os.setxattr(path, ATTRIBUTE, value)
    except OSError:
        return "refused"
    try:
        return os.getxattr(path, ATTRIBUTE).hex()
    except OSError:
        return "none"


def printed(paths):
    if not paths:
        return []
    text = subprocess.run(
        ["getfacl", "-cnEp", "--access", *paths], capture_output=True, check=True, text=True
    ).stdout
    return [",".join(block.split("\n")) for block in text.rstrip("\n").split("\n\n")]


def answers(folder, batch):
    paths = [os.path.join(folder, str(index)) for index in range(len(batch))]
    kept = [given(path, value) for path, value in zip(paths, batch)]
    shown = [path for path, one in zip(paths, kept) if one not in ("refused", "none")]
    lines = dict(zip(shown, printed(shown)))
    for path, one in zip(paths, kept):
        print(f"{one}|{lines.get(path, '')}")
        os.unlink(path)


def main():
    values = [bytes.fromhex(line) for line in sys.stdin]
    with tempfile.TemporaryDirectory(prefix="memory-bridge-acl-") as folder:
        for start in range(0, len(values), BATCH):
            answers(folder, values[start:start + BATCH])


main()
