"""Builds the oracle's trees and tries to change them. (issue 6 "Kernel oracle")

Runs as root. For each identity one child lives as long as this process, under that identity's ids for good: what it
tries is really tried, and the kernel says what succeeds. Root compares the tree before and after; what a reader
without any trust rule would be given, and the owner, mode and access control list of everything on the way, is the
tree. Commands and answers are lines of JSON on the standard streams.
"""

import ctypes
import json
import os
import random
import shutil
import stat
import struct
import sys

ACCESS = "system.posix_acl_access"
DEFAULT = "system.posix_acl_default"
USER_OBJ, USER, GROUP_OBJ, GROUP, MASK, OTHER = 0x01, 0x02, 0x04, 0x08, 0x10, 0x20
UNDEFINED = 0xFFFFFFFF
EXCHANGE = 2

#: Made by an attack, wherever it may make anything. The name of a note, so that a reader would serve it.
NEW = "zz-new.md"
OWN = "own-"

libc = ctypes.CDLL(None, use_errno=True)


def exchange(one, other):
    if libc.renameat2(-100, os.fsencode(one), -100, os.fsencode(other), EXCHANGE) != 0:
        raise OSError(ctypes.get_errno(), "renameat2")


def acl_bytes(entries):
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)


# What an identity tries on one entry of the tree. Each raises OSError when the kernel refuses.


def write(path, own, me):
    descriptor = os.open(path, os.O_WRONLY)
    os.write(descriptor, b"!")
    os.close(descriptor)


def append(path, own, me):
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND)
    os.write(descriptor, b"!")
    os.close(descriptor)


def truncate(path, own, me):
    os.truncate(path, 0)


def open_truncated(path, own, me):
    os.close(os.open(path, os.O_WRONLY | os.O_TRUNC))


def change_mode(path, own, me):
    os.chmod(path, 0o777)


def change_owner(path, own, me):
    os.chown(path, me[0], -1)


def change_group(path, own, me):
    os.chown(path, -1, me[1])


def set_acl(path, own, me):
    entries = [
        (USER_OBJ, 7, UNDEFINED), (USER, 7, me[0]), (GROUP_OBJ, 7, UNDEFINED), (MASK, 7, UNDEFINED), (OTHER, 7, UNDEFINED)
    ]
    os.setxattr(path, ACCESS, acl_bytes(entries))


def set_default_acl(path, own, me):
    os.setxattr(path, DEFAULT, acl_bytes([(USER_OBJ, 7, UNDEFINED), (GROUP_OBJ, 7, UNDEFINED), (OTHER, 7, UNDEFINED)]))


def drop_acl(path, own, me):
    os.removexattr(path, ACCESS)


def remove(path, own, me):
    os.unlink(path)


def rename_over(path, own, me):
    os.rename(own + "/loot", path)


def rename_aside(path, own, me):
    os.rename(path, os.path.dirname(path) + "/" + NEW)


def rename_home(path, own, me):
    os.rename(path, own + "/taken")


def exchange_entry(path, own, me):
    exchange(own + "/loot", path)


def exchange_directory(path, own, me):
    exchange(own + "/lootdir", path)


def remove_directory(path, own, me):
    os.rmdir(path)


def create(path, own, me):
    os.close(os.open(path + "/" + NEW, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644))


def make_directory(path, own, me):
    os.mkdir(path + "/" + NEW)


def make_link(path, own, me):
    os.symlink("/etc/hostname", path + "/" + NEW)


def make_hard_link(path, own, me):
    os.link(own + "/loot", path + "/" + NEW)


def make_fifo(path, own, me):
    os.mkfifo(path + "/" + NEW)


def move_in(path, own, me):
    os.rename(own + "/loot", path + "/" + NEW)


ON_ANY = [change_mode, change_owner, change_group, set_acl, drop_acl, rename_aside, rename_home]
ON_FILE = [*ON_ANY, write, append, truncate, open_truncated, remove, rename_over, exchange_entry]
ON_DIRECTORY = [
    *ON_ANY, set_default_acl, remove_directory, exchange_directory, create, make_directory, make_link, make_hard_link,
    make_fifo, move_in,
]


def prepare(own):
    """What the identity has of its own to put in the place of other things, as far as it can reach its folder."""
    try:
        if not os.path.exists(own + "/loot"):
            with open(own + "/loot", "wb") as file:
                file.write(b"needle of somebody else\n")
        if not os.path.exists(own + "/lootdir"):
            os.mkdir(own + "/lootdir")
    except OSError:
        pass


def attacker(identity, commands, answers):
    """Becomes the identity for good, then tries what it is told to until the commands end."""
    os.setgroups(identity["groups"])
    os.setresgid(identity["gid"], identity["gid"], identity["gid"])
    os.setresuid(identity["uid"], identity["uid"], identity["uid"])
    os.umask(0)
    me = (identity["uid"], identity["gid"])
    for line in commands:
        order = json.loads(line)
        own = order["own"]
        prepare(own)
        attacks = [
            (attack, kind, path)
            for kind, path in order["entries"]
            for attack in (ON_DIRECTORY if kind == "directory" else ON_FILE)
        ]
        random.Random(order["seed"]).shuffle(attacks)
        done = None
        index = order["from"]
        while index < len(attacks) and done is None:
            attack, kind, path = attacks[index]
            try:
                attack(path, own, me)
                done = {"attack": attack.__name__, "path": path}
            except OSError:
                pass
            index += 1
        answers.write(json.dumps({"next": index, "done": done}) + "\n")
        answers.flush()


class Attacker:
    def __init__(self, identity):
        self.identity = identity
        down, up = os.pipe(), os.pipe()
        self.process = os.fork()
        if self.process == 0:
            code = 1
            try:
                os.close(down[1])
                os.close(up[0])
                sys.stdin.close()
                attacker(identity, os.fdopen(down[0]), os.fdopen(up[1], "w"))
                code = 0
            finally:
                os._exit(code)
        os.close(down[0])
        os.close(up[1])
        self.commands = os.fdopen(down[1], "w")
        self.answers = os.fdopen(up[0])

    def order(self, **command):
        self.commands.write(json.dumps(command) + "\n")
        self.commands.flush()
        return json.loads(self.answers.readline())


def set_or_drop(path, name, entries):
    if entries is not None:
        os.setxattr(path, name, acl_bytes(entries))
        return
    try:
        os.removexattr(path, name)
    except OSError:
        pass


def apply(entry):
    """Gives an entry its owner, mode and lists. An entry that inherits keeps what its directory's default gave it."""
    path = entry["path"]
    os.chown(path, entry["owner"], entry["group"])
    directory = entry["kind"] == "directory"
    if not entry["inherits"]:
        set_or_drop(path, ACCESS, None)
        os.chmod(path, entry["mode"])
        if entry["acl"] is not None:
            set_or_drop(path, ACCESS, entry["acl"])
            if entry["modeLast"]:
                os.chmod(path, entry["mode"])
    if directory and (entry["default"] is not None or not entry["inherits"]):
        set_or_drop(path, DEFAULT, entry["default"])


def build(entries, base, identities):
    for identity in identities:
        own = f"{base}/{OWN}{identity['uid']}"
        os.makedirs(own, exist_ok=True)
        os.chmod(own, 0o700)
        os.chown(own, identity["uid"], identity["gid"])
    for entry in entries:
        if entry["kind"] == "directory":
            if not entry["exists"]:
                os.mkdir(entry["path"], 0o777 if entry["inherits"] else 0o700)
        else:
            descriptor = os.open(entry["path"], os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
            os.write(descriptor, entry["content"].encode())
            os.close(descriptor)
        apply(entry)


def attribute(path, name):
    try:
        return os.getxattr(path, name)
    except OSError:
        return None


def state(entries, root):
    """All that a change of which would change, or let somebody change, what a reader without a rule is given."""
    seen = []
    for entry in entries:
        path = entry["path"]
        try:
            facts = os.lstat(path)
        except OSError:
            seen.append(None)
            continue
        content = b""
        if stat.S_ISREG(facts.st_mode):
            with open(path, "rb") as file:
                content = file.read()
        seen.append((facts.st_ino, facts.st_uid, facts.st_gid, facts.st_mode, content))
        if not stat.S_ISLNK(facts.st_mode):
            seen.append((attribute(path, ACCESS), attribute(path, DEFAULT)))
    for folder, directories, files in os.walk(root):
        # What the identities have of their own lies beside the tree, and in the root where the base is the root.
        directories[:] = [name for name in directories if not name.startswith(OWN)]
        seen.append((folder, sorted(directories + files)))
    return seen


def clear_new(entries):
    for entry in entries:
        new = entry["path"] + "/" + NEW
        if entry["kind"] != "directory" or not os.path.lexists(new):
            continue
        if os.path.isdir(new) and not os.path.islink(new):
            shutil.rmtree(new)
        else:
            os.unlink(new)


def attack(command, attackers):
    """The first success that changes the tree, or none. What succeeded and changed nothing is undone and counted."""
    entries, root = command["entries"], command["root"]
    before = state(entries, root)
    chance = random.Random(command["seed"])
    targets = [(entry["kind"], entry["path"]) for entry in entries]
    tried = harmless = 0
    for one in chance.sample(attackers, len(attackers)):
        own = f"{command['base']}/{OWN}{one.identity['uid']}"
        start = 0
        seed = chance.random()
        while True:
            answer = one.order(entries=targets, own=own, seed=seed, **{"from": start})
            tried += answer["next"] - start
            start = answer["next"]
            done = answer["done"]
            if done is None:
                break
            if state(entries, root) != before:
                return {"by": one.identity["name"], **done, "tried": tried, "harmless": harmless}
            harmless += 1
            clear_new(entries)
    if state(entries, root) != before:
        raise RuntimeError("the tree changed although no attack reported a success")
    return {"by": None, "tried": tried, "harmless": harmless}


def clear(command):
    """Takes the tree away and gives the standing directories back their usual form."""
    for entry in reversed(command["entries"]):
        if entry["exists"]:
            apply({**entry, "owner": 0, "group": 0, "mode": 0o1777, "acl": None, "default": None, "inherits": False})
    for name in os.listdir(command["base"]):
        path = f"{command['base']}/{name}"
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            os.unlink(path)


def main():
    os.umask(0)
    known = {}
    for line in sys.stdin:
        command = json.loads(line)
        answer = {}
        try:
            if command["do"] == "meet":
                for identity in command["identities"]:
                    known[identity["name"]] = Attacker(identity)
            elif command["do"] == "build":
                attackers = [known[name] for name in command["attackers"]]
                build(command["entries"], command["base"], [one.identity for one in attackers])
            elif command["do"] == "attack":
                answer = attack(command, [known[name] for name in command["attackers"]])
            elif command["do"] == "clear":
                clear(command)
        except Exception as error:  # told to the other side, which stops
            answer = {"error": f"{type(error).__name__}: {error}"}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


main()
