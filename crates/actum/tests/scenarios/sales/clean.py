import csv, json, logging, os, sqlite3, statistics as st
logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
log = logging.getLogger("etl")
rows = list(csv.DictReader(open("raw/sales.csv")))
log.info("read %d rows from raw/sales.csv", len(rows))
seen, keep, dup, miss = set(), [], 0, 0
for r in rows:
    if r["id"] in seen: dup += 1; continue
    seen.add(r["id"])
    if not r["amount"]: miss += 1; continue
    keep.append(r)
log.info("dropped %d duplicates", dup)
log.warning("dropped %d rows with missing amount", miss)
os.makedirs("out", exist_ok=True)
with open("out/sales_clean.csv", "w", newline="") as f:
    w = csv.DictWriter(f, ["id", "region", "amount", "day"]); w.writeheader(); w.writerows(keep)
log.info("wrote %d rows to out/sales_clean.csv", len(keep))
if os.path.exists("out/sales.db"): os.remove("out/sales.db")
db = sqlite3.connect("out/sales.db")
db.execute("create table sales(id int, region text, amount real, day text)")
db.executemany("insert into sales values(?,?,?,?)", [(r["id"], r["region"], float(r["amount"]), r["day"]) for r in keep])
db.commit()
am = [float(r["amount"]) for r in keep]
s = {"rows": len(keep), "revenue": round(sum(am), 2), "mean_amount": round(st.mean(am), 2), "median_amount": round(st.median(am), 2), "max_amount": max(am)}
json.dump(s, open("out/summary.json", "w"))
for k, v in s.items(): print(f"{k:>14} = {v:,}")
