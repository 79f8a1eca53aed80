import json
from net import fit, points, rmse
cfg = dict(l.split(": ") for l in open("eval.yaml").read().split("\n") if l)
best = json.load(open("best.json"))
net = fit(best["hidden"], best["lr"], 0, epochs=40)
pts = points(int(cfg["n"]), int(cfg["seed"]), float(cfg["noise"]))
r = rmse(net, pts)
ys = [y for _, y in pts]
mu = sum(ys) / len(ys)
r2 = 1 - sum((net(x) - y) ** 2 for x, y in pts) / sum((y - mu) ** 2 for y in ys)
mae = sum(abs(net(x) - y) for x, y in pts) / len(pts)
print(f"split: {cfg['split']}  samples: {len(pts)}")
print(f"holdout_rmse: {r:.4f}")
print(f"holdout_mae: {mae:.4f}")
print(f"r2: {r2:.4f}")
