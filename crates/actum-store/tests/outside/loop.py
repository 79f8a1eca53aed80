"""Goes through the bundles of a plan: each must be accepted as it is, and refused after each change.

A plan lists for every bundle its folder, the folder of its signer's keys, and changes: a part, and the byte of it whose
lowest bit is flipped. A check is a function that is given a way to read parts, and raises when it does not accept.
"""

import json
import os
import sys


def reader(folder, part=None, at=None):
    def read(name):
        with open(os.path.join(folder, name), "rb") as file:
            data = bytearray(file.read())
        if name == part:
            data[at] ^= 1
        return bytes(data)

    return read


def walk(check):
    with open(sys.argv[1], encoding="utf-8") as file:
        plan = json.load(file)
    accepted = refused = 0
    for bundle in plan["bundles"]:
        folder, trust = bundle["folder"], bundle["trust"]
        check(reader(folder), trust, folder)
        accepted += 1
        for part, at in bundle["changes"]:
            try:
                check(reader(folder, part, at), trust, folder)
            except Exception:
                refused += 1
            else:
                print(f"accepted byte {at} of {part} in {folder}", file=sys.stderr)
    print(f"{accepted} accepted, {refused} refused")
