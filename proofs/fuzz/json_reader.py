"""Reads one text a line, as hexadecimal UTF-8, and says what Python's JSON makes of it."""

import json
import sys


class Twice(Exception):
    pass


def pairs(members):
    if len({name for name, _ in members}) != len(members):
        raise Twice
    return dict(members)


def refuse(word):
    raise ValueError(word)


def verdict(text):
    try:
        # A duplicate inside a text that is no JSON is no JSON first.
        json.loads(text, parse_constant=refuse, parse_int=float)
    except ValueError:
        return "not_json"
    try:
        json.loads(text, parse_constant=refuse, parse_int=float, object_pairs_hook=pairs)
    except Twice:
        return "duplicate_key"
    return "accepted"


for line in sys.stdin:
    print(verdict(bytes.fromhex(line).decode()))
