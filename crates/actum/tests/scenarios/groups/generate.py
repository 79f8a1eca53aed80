import csv, random
rng = random.Random(2024)
with open("raw.csv", "w", newline="") as f:
    w = csv.writer(f); w.writerow(["user_id", "arm", "minutes", "spend"])
    for i in range(1000):
        arm = "treatment" if rng.random() < 0.5 else "control"
        m = max(0.5, rng.gauss(21 if arm == "control" else 21.4, 6))
        s = "" if rng.random() < 0.05 else f"{max(0, 0.9*m + rng.gauss(4, 7)):.2f}"
        w.writerow([i, arm, f"{m:.2f}", s])
print("generated 1000 rows -> raw.csv")
