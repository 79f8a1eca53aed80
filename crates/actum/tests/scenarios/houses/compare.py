"""Four regressors on one synthetic housing table; three splits."""
import csv, json, math, random, statistics as st
rng = random.Random(7)
rows = []
for _ in range(400):
    area, rooms, age, dist = rng.uniform(30, 180), rng.randint(1, 6), rng.uniform(0, 80), rng.uniform(0.5, 25)
    y = 40 + 2.1 * area + 9 * rooms - 0.8 * age - 3.5 * dist + (30 if dist < 3 else 0) + rng.gauss(0, 22)
    rows.append(([area / 100, rooms / 3, age / 40, dist / 10], y))
tr, va, te = rows[:240], rows[240:320], rows[320:]
def solve(A, b):
    n = len(b); M = [r[:] + [v] for r, v in zip(A, b)]
    for i in range(n):
        k = max(range(i, n), key=lambda r: abs(M[r][i])); M[i], M[k] = M[k], M[i]
        for r in range(n):
            if r != i:
                f = M[r][i] / M[i][i]; M[r] = [x - f * y for x, y in zip(M[r], M[i])]
    return [M[i][n] / M[i][i] for i in range(n)]
def mean_model(): m = st.mean(y for _, y in tr); return lambda x: m
def ridge(l=1.0):
    X = [[1] + x for x, _ in tr]; n = 5
    A = [[sum(r[i] * r[j] for r in X) + (l if i == j and i else 0) for j in range(n)] for i in range(n)]
    w = solve(A, [sum(r[i] * y for r, (_, y) in zip(X, tr)) for i in range(n)])
    return lambda x: w[0] + sum(a * b for a, b in zip(w[1:], x))
def knn(k=7):
    return lambda x: st.mean(y for _, y in sorted((sum((a - b) ** 2 for a, b in zip(x, z)), y) for z, y in tr)[:k])
def boost(rounds=60, lr=0.3):
    base = st.mean(y for _, y in tr); res = [y - base for _, y in tr]; stumps = []
    for _ in range(rounds):
        top = None
        for j in range(4):
            for t in [q / 10 for q in range(1, 26, 2)]:
                L = [r for r, (x, _) in zip(res, tr) if x[j] < t]; R = [r for r, (x, _) in zip(res, tr) if x[j] >= t]
                if not L or not R: continue
                a, b = sum(L) / len(L), sum(R) / len(R); gain = a * a * len(L) + b * b * len(R)
                if top is None or gain > top[0]: top = (gain, j, t, a, b)
        _, j, t, a, b = top; stumps.append((j, t, a * lr, b * lr))
        res = [r - (a * lr if x[j] < t else b * lr) for r, (x, _) in zip(res, tr)]
    return lambda x: base + sum(a if x[j] < t else b for j, t, a, b in stumps)
def ev(f, d):
    e = [f(x) - y for x, y in d]; m = st.mean(y for _, y in d)
    return math.sqrt(st.mean(v * v for v in e)), st.mean(abs(v) for v in e), 1 - sum(v * v for v in e) / sum((y - m) ** 2 for _, y in d)
print(f"rows={len(rows)} train={len(tr)} val={len(va)} test={len(te)} seed=7")
print(f"{'model':<10} {'train_rmse':>10} {'val_rmse':>9} {'test_rmse':>9} {'test_mae':>9} {'test_r2':>8}")
out = []
for name, f in [("mean", mean_model()), ("ridge", ridge()), ("knn", knn()), ("boosting", boost())]:
    a, b, c = ev(f, tr), ev(f, va), ev(f, te)
    out.append(dict(model=name, train_rmse=round(a[0], 2), val_rmse=round(b[0], 2), test_rmse=round(c[0], 2), test_mae=round(c[1], 2), test_r2=round(c[2], 3)))
    r = out[-1]
    print(f"{name:<10} {r['train_rmse']:>10.2f} {r['val_rmse']:>9.2f} {r['test_rmse']:>9.2f} {r['test_mae']:>9.2f} {r['test_r2']:>8.3f}")
with open("results.csv", "w", newline="") as fh:
    w = csv.DictWriter(fh, out[0]); w.writeheader(); w.writerows(out)
json.dump({r.pop("model"): r for r in [dict(o) for o in out]}, open("results.json", "w"), indent=1)
print("best model by val_rmse:", min(out, key=lambda r: r["val_rmse"])["model"])
print("wrote results.csv (4 rows), results.json")
