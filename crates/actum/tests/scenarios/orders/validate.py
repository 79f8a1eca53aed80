import csv, sys
rows = list(csv.DictReader(open("out/orders_clean.csv")))
bad = [r for r in rows if float(r["amount"]) > 43.5]
print(f"checked {len(rows)} rows")
print(f"{len(bad)} rows over the 43.50 limit")
if bad:
    print("VALIDATION FAILED", file=sys.stderr)
    sys.exit(2)
