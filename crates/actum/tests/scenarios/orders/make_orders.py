import csv, random, pathlib
random.seed(5)
pathlib.Path("data").mkdir(exist_ok=True)
rows = []
for i in range(1213):
    rows.append([f"O{10000+i}", f"2024-{1+i%6:02d}-{1+i%27:02d}", random.choice(["DE","FR","US","NL"]), f"cust{i%310}@example.com" if i % 101 else "", f"{random.uniform(4,44):.2f}"])
rows += [rows[i*31] for i in range(37)]
random.shuffle(rows)
with open("data/orders.csv", "w", newline="") as f:
    w = csv.writer(f); w.writerow(["order_id","date","country","email","amount"]); w.writerows(rows)
