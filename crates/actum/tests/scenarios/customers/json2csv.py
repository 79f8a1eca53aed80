"""json2csv.py IN OUT: a JSON list of flat objects becomes a CSV file.

exit codes: 0 done, 2 usage, 3 input missing, 4 not JSON, 5 wrong shape
"""
import csv
import json
import sys


def fail(code, text):
    print(f"json2csv: {text}", file=sys.stderr)
    sys.exit(code)


def main(argv):
    if len(argv) != 3:
        fail(2, "usage: json2csv.py IN OUT")
    try:
        with open(argv[1], encoding="utf-8") as f:
            data = json.load(f)
    except FileNotFoundError:
        fail(3, f"no such file: {argv[1]}")
    except json.JSONDecodeError as e:
        fail(4, f"{argv[1]}: invalid JSON at line {e.lineno} column {e.colno}: {e.msg}")
    if not isinstance(data, list) or not all(isinstance(r, dict) for r in data):
        fail(5, f"{argv[1]}: expected a list of objects, got {type(data).__name__}")
    fields = []
    for row in data:
        fields += [k for k in row if k not in fields]
    filled = 0
    skipped = 0
    kept = []
    for row in data:
        if not row.get("id"):
            skipped += 1
            continue
        filled += sum(1 for k in fields if k not in row)
        kept.append(row)
    with open(argv[2], "w", newline="", encoding="utf-8") as f:
        w = csv.DictWriter(f, fieldnames=fields, restval="", lineterminator="\n")
        w.writeheader()
        w.writerows(kept)
    print(f"read {len(data)} records from {argv[1]}")
    print(f"skipped {skipped} records without an id", file=sys.stderr)
    print(f"filled {filled} empty cells")
    print(f"wrote {len(kept)} rows, {len(fields)} columns to {argv[2]}")


main(sys.argv)
