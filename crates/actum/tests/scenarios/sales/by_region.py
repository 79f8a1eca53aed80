import sqlite3
db = sqlite3.connect("out/sales.db")
print("| region | orders | revenue |\n|---|---|---|")
for r in db.execute("select region, count(*), round(sum(amount),2) from sales group by 1 order by 3 desc"): print(f"| {r[0]} | {r[1]} | {r[2]:.2f} |")
