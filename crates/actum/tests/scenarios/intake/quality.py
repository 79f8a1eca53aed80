"""What the loaded table looks like."""
import sqlite3, sys
db = sqlite3.connect("file:warehouse.db?mode=ro", uri=True)
total, = db.execute("SELECT count(*) FROM orders").fetchone()
print(f"table orders: {total} rows")
print("column       nulls   null_pct")
for c in ("email", "order_date", "amount", "city", "phone"):
    n, = db.execute(f"SELECT count(*) FROM orders WHERE {c} IS NULL").fetchone()
    print(f"{c:<12} {n:>5}   {100 * n / total:.2f}%")
d, = db.execute("SELECT count(DISTINCT city) FROM orders").fetchone()
print(f"distinct_cities: {d}")
s, m = db.execute("SELECT sum(amount), avg(amount) FROM orders").fetchone()
print(f"total_amount: {s:.2f}")
print(f"mean_amount: {m:.4f}")
n, = db.execute("SELECT count(*) FROM orders WHERE phone IS NULL").fetchone()
if n / total > 0.2:
    print("FAILED check phone_completeness: null share above 0.20", file=sys.stderr); sys.exit(4)
