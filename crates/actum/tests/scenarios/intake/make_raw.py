import csv, random
r = random.Random(5)
cities = ["Lyon", "Porto", "Graz", "Turku", ""]
rows = []
for i in range(1, 1561):
    email = f"user{i}@example.org" if r.random() > 0.03 else ("" if r.random() < 0.6 else f"user{i}.example.org")
    day = f"2025-{r.randint(1, 12):02d}-{r.randint(1, 28):02d}" if r.random() > 0.015 else f"2025-13-{r.randint(1, 28):02d}"
    amount = f"{r.uniform(5, 400):.2f}" if r.random() > 0.01 else "n/a"
    phone = f"+33{r.randint(10**8, 10**9 - 1)}" if r.random() > 0.22 else ""
    rows.append([i, email, day, amount, r.choice(cities), phone])
for _ in range(64):
    rows.append(list(r.choice(rows[:1560])))
r.shuffle(rows)
with open("orders_raw.csv", "w", newline="") as f:
    w = csv.writer(f); w.writerow(["order_id", "email", "order_date", "amount", "city", "phone"]); w.writerows(rows)
print(f"generated {len(rows)} rows")
