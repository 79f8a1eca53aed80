import csv, sqlite3
db = sqlite3.connect("file:warehouse.db?mode=ro", uri=True)
rows = db.execute("SELECT substr(order_date, 1, 7), count(*), round(sum(amount), 2) FROM orders WHERE amount >= 20 GROUP BY 1 ORDER BY 1").fetchall()
with open("monthly.csv", "w", newline="") as f:
    w = csv.writer(f); w.writerow(["month", "orders", "revenue"]); w.writerows(rows)
print(f"exported {len(rows)} months to monthly.csv")
print(f"orders_in_export: {sum(r[1] for r in rows)}")
