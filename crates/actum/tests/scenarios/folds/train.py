"""Ridge regression on synthetic house prices with k-fold cross-validation."""
import argparse, csv, json, math, os, random

def make(n, rng):
    rows = []
    for _ in range(n):
        area = rng.uniform(40, 220); rooms = max(1, round(area / 28 + rng.gauss(0, 0.8)))
        age = rng.uniform(0, 80); dist = rng.expovariate(1 / 6)
        price = 38 + 2.1 * area + 7.5 * rooms - 0.6 * age - 3.2 * dist + rng.gauss(0, 22)
        rows.append(([1.0, area, rooms, age, dist], price))
    return rows

def solve(a, b):
    n = len(b); m = [r[:] + [v] for r, v in zip(a, b)]
    for i in range(n):
        p = max(range(i, n), key=lambda r: abs(m[r][i])); m[i], m[p] = m[p], m[i]
        for r in range(n):
            if r != i:
                f = m[r][i] / m[i][i]
                for c in range(i, n + 1): m[r][c] -= f * m[i][c]
    return [m[i][n] / m[i][i] for i in range(n)]

def fit(rows, alpha):
    k = len(rows[0][0])
    a = [[sum(x[i] * x[j] for x, _ in rows) + (alpha if i == j and i else 0) for j in range(k)] for i in range(k)]
    return solve(a, [sum(x[i] * y for x, y in rows) for i in range(k)])

def score(w, rows):
    pred = [sum(a * b for a, b in zip(w, x)) for x, _ in rows]; ys = [y for _, y in rows]
    mu = sum(ys) / len(ys); sse = sum((p - y) ** 2 for p, y in zip(pred, ys))
    return math.sqrt(sse / len(ys)), 1 - sse / sum((y - mu) ** 2 for y in ys), sum(abs(p - y) for p, y in zip(pred, ys)) / len(ys), pred

ap = argparse.ArgumentParser()
ap.add_argument("--alpha", type=float, default=1.0); ap.add_argument("--folds", type=int, default=5); ap.add_argument("--seed", type=int, default=17)
ap.add_argument("--features", type=int, default=4)
args = ap.parse_args()
rng = random.Random(args.seed)
data = [(x[: args.features + 1], y) for x, y in make(1500, rng)]
train, test = data[:1200], data[1200:]
print(f"Loaded 1500 rows, {args.features} features (train=1200, test=300)")
print(f"seed={args.seed} alpha={args.alpha}")
size = len(train) // args.folds; rm, r2s = [], []
for k in range(args.folds):
    val = train[k * size:(k + 1) * size]; fitrows = train[:k * size] + train[(k + 1) * size:]
    rmse, r2, mae, _ = score(fit(fitrows, args.alpha), val); rm.append(rmse); r2s.append(r2)
    print(f"Fold {k + 1}/{args.folds}: val_rmse={rmse:.4f} val_r2={r2:.4f} val_mae={mae:.4f}")
sd = lambda v: math.sqrt(sum((x - sum(v) / len(v)) ** 2 for x in v) / len(v))
print(f"cv_rmse_mean: {sum(rm) / len(rm):.4f}"); print(f"cv_rmse_std: {sd(rm):.4f}")
print(f"cv_r2_mean: {sum(r2s) / len(r2s):.4f}"); print(f"cv_r2_std: {sd(r2s):.4f}")
print(f"Best fold: {rm.index(min(rm)) + 1} (rmse {min(rm):.4f})")
w = fit(train, args.alpha); rmse, r2, mae, pred = score(w, test)
print(f"test_rmse: {rmse:.4f}"); print(f"test_r2: {r2:.4f}"); print(f"test_mae: {mae:.4f}")
os.makedirs("out", exist_ok=True)
json.dump({"weights": w, "alpha": args.alpha, "features": args.features}, open("out/model.json", "w"), indent=1)
with open("out/predictions.csv", "w", newline="") as f:
    c = csv.writer(f); c.writerow(["id", "actual", "predicted"])
    for i, ((_, y), p) in enumerate(zip(test, pred)): c.writerow([i, f"{y:.2f}", f"{p:.2f}"])
print("Saved model to out/model.json"); print("Wrote 300 predictions to out/predictions.csv")
