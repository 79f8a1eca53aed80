"""orders_raw.csv -> warehouse.db, with what was refused in rejects.csv"""
import csv, datetime, logging, sqlite3, sys
logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(levelname)s %(message)s")
log = logging.getLogger("etl")

def fault(row):
    if not row["email"]: return "missing_email"
    if "@" not in row["email"]: return "invalid_email"
    try: datetime.date.fromisoformat(row["order_date"])
    except ValueError: return "invalid_date"
    try: float(row["amount"])
    except ValueError: return "invalid_amount"

read, rejects, seen, good, dup = 0, [], set(), [], 0
for row in csv.DictReader(open("orders_raw.csv")):
    read += 1
    why = fault(row)
    if why:
        rejects.append({**row, "reason": why}); continue
    if row["order_id"] in seen:
        dup += 1; continue
    seen.add(row["order_id"]); good.append(row)

db = sqlite3.connect("warehouse.db")
db.execute("DROP TABLE IF EXISTS orders")
db.execute("CREATE TABLE orders (order_id INTEGER PRIMARY KEY, email TEXT NOT NULL, order_date TEXT NOT NULL, amount REAL NOT NULL, city TEXT, phone TEXT)")
db.executemany("INSERT INTO orders VALUES (?,?,?,?,?,?)", [(int(r["order_id"]), r["email"], r["order_date"], float(r["amount"]), r["city"] or None, r["phone"] or None) for r in good])
db.commit()
with open("rejects.csv", "w", newline="") as f:
    w = csv.DictWriter(f, list(rejects[0])); w.writeheader(); w.writerows(rejects)

reasons = {}
for r in rejects: reasons[r["reason"]] = reasons.get(r["reason"], 0) + 1
if rejects: log.warning("%d rows did not pass validation, see rejects.csv", len(rejects))
print(f"Rows read:       {read}")
print(f"Rows rejected:   {len(rejects)}")
for k in sorted(reasons): print(f"  {k}: {reasons[k]}")
print(f"Duplicates removed: {dup}")
print(f"Rows inserted:   {len(good)}")
