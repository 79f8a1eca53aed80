"""Turns the rows of removed_names.py into data/python/removals.tsv.

    python3 merge_removals.py rows.tsv > data/python/removals.tsv

One row for each name: name, package, first series without it, the day on which that series began. Members of a class are
kept under the shortest path that leads to the class, and only of packages and depths at which programs name them; the rest
is found when a run misses it.
"""
import re
import sys

DEEPEST = 4          # dots of a name
MOST = 30000
CLASS = re.compile(r"\.([A-Z]\w*)\.(\w+)(\(|$)")


def main():
    rows = {}
    for line in open(sys.argv[1]):
        package, name, below, day = line.rstrip("\n").split("\t")
        path = name.split("(")[0]
        last = path.rsplit(".", 1)[-1]
        if path.count(".") > DEEPEST or len(name) > 90 or len(last) < 2 or path.count(".") == 0:
            continue
        if int(day[:4]) < 2012:
            continue
        rows.setdefault(name, (package, below, day))
    shortest = {}
    for name in rows:
        member = CLASS.search(name)
        if member:
            key = (rows[name][0], rows[name][1], name[member.start(1):])
            if key not in shortest or len(name) < len(shortest[key]):
                shortest[key] = name
    best = set(shortest.values())
    kept = [name for name in rows if not CLASS.search(name) or name in best]
    kept.sort(key=lambda name: (name.count("."), "(" in name, name))
    for name in sorted(kept[:MOST], key=lambda name: name.encode()):
        print("\t".join((name,) + rows[name]))


if __name__ == "__main__":
    main()
