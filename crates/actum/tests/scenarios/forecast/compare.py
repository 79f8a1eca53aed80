import json, math, os, random
rng = random.Random(7)
y = [50 + 0.2 * t + 9 * math.sin(2 * math.pi * t / 7) + rng.gauss(0, 2.5) for t in range(210)]
cut = 168
tr, te = y[:cut], y[cut:]
def linear():
    n = cut; mx = (n - 1) / 2; my = sum(tr) / n
    b = sum((t - mx) * (v - my) for t, v in enumerate(tr)) / sum((t - mx) ** 2 for t in range(n))
    return [my + b * (t - mx) for t in range(cut, 210)], b, my - b * mx
def seasonal(): return [tr[cut - 7 + (i % 7)] for i in range(len(te))]
def trend_season():
    _, b, c = linear()
    r = [[] for _ in range(7)]
    for t, v in enumerate(tr): r[t % 7].append(v - (c + b * t))
    return [c + b * t + sum(r[t % 7]) / len(r[t % 7]) for t in range(cut, 210)]
preds = {"mean": [sum(tr) / cut] * len(te), "seasonal_naive": seasonal(), "linear": linear()[0], "trend_season": trend_season()}
m = sum(te) / len(te)
res = {}
for k, p in preds.items():
    se = sum((a - b) ** 2 for a, b in zip(te, p))
    res[k] = {"rmse": round(math.sqrt(se / len(te)), 3), "mae": round(sum(abs(a - b) for a, b in zip(te, p)) / len(te), 3),
              "r2": round(1 - se / sum((a - m) ** 2 for a in te), 3)}
print(f"series length 210, horizon {len(te)}")
print(f"{'model':<16}{'RMSE':>9}{'MAE':>9}{'R2':>9}")
print("-" * 43)
for k, r in res.items(): print(f"{k:<16}{r['rmse']:>9.3f}{r['mae']:>9.3f}{r['r2']:>9.3f}")
os.makedirs("reports", exist_ok=True)
json.dump({"horizon": len(te), "models": res}, open("reports/results.json", "w"), indent=2)
print("wrote reports/results.json")
