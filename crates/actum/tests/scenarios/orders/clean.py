"""Clean the raw orders export: drop duplicates and rows without email, write a summary."""
import csv, json, os
from collections import Counter

rows = list(csv.DictReader(open("data/orders.csv")))
print("Reading data/orders.csv")
print(f"Rows read: {len(rows)}")
seen, unique = set(), []
for r in rows:
    if r["order_id"] in seen:
        continue
    seen.add(r["order_id"]); unique.append(r)
print(f"Duplicates dropped: {len(rows)-len(unique)}")
kept = [r for r in unique if r["email"]]
print(f"Rows without email: {len(unique)-len(kept)}")
os.makedirs("out", exist_ok=True)
with open("out/orders_clean.csv", "w", newline="") as f:
    w = csv.DictWriter(f, fieldnames=list(kept[0])); w.writeheader(); w.writerows(kept)
total = sum(float(r["amount"]) for r in kept)
by = Counter(r["country"] for r in kept)
summary = {"rows": len(kept), "total_revenue": round(total, 2), "average_order_value": round(total/len(kept), 2), "customers": len({r["email"] for r in kept}), "by_country": dict(sorted(by.items()))}
json.dump(summary, open("out/summary.json", "w"), indent=2)
print(f"Rows written: {len(kept)}")
print(f"Total revenue: ${total:,.2f}")
print(f"Average order value: ${total/len(kept):.2f}")
print(f"Unique customers: {summary['customers']}")
for c, n in sorted(by.items()):
    print(f"  {c}: {n} orders")
print("Wrote out/orders_clean.csv and out/summary.json")
