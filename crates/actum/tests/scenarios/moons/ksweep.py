"""How the error of k nearest neighbours goes with k (leave one out on points.csv)."""
import csv

pts = [((float(r["x"]), float(r["y"])), int(r["label"])) for r in csv.DictReader(open("points.csv"))]
print(f"{len(pts)} points")
for k in (1, 3, 5, 9, 15):
    bad = 0
    for i, (x, y) in enumerate(pts):
        near = sorted((q for j, q in enumerate(pts) if j != i), key=lambda q: (q[0][0] - x[0]) ** 2 + (q[0][1] - x[1]) ** 2)[:k]
        bad += int(sum(l for _, l in near) * 2 > k) != y
    print(f"k={k} loo_error={bad / len(pts):.4f}")
