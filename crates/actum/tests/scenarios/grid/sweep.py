import csv, json, time
from net import fit, points, rmse
print("device=cpu (CUDA not available)  search=grid  seed=0")
val = points(120, 2)
rows = []
print(f"{'trial':>5} {'hidden':>6} {'lr':>6} {'params':>6} {'val_rmse':>9}  status")
t = 0
for h in (4, 8, 16):
    for lr in (0.005, 0.02, 0.08, 1.0):
        try:
            net = fit(h, lr, 0)
            v, st = rmse(net, val), "ok"
            if v > 2:
                v, st = None, "diverged"
        except OverflowError:
            v, st = None, "diverged"
        rows.append({"trial": t, "hidden": h, "lr": lr, "params": 3 * h + 1, "val_rmse": "" if v is None else round(v, 4), "status": st})
        print(f"{t:>5} {h:>6} {lr:>6} {3*h+1:>6} {'nan' if v is None else format(v, '.4f'):>9}  {st}")
        t += 1
ok = [r for r in rows if r["status"] == "ok"]
best = min(ok, key=lambda r: r["val_rmse"])
with open("sweep.csv", "w", newline="") as fh:
    w = csv.DictWriter(fh, rows[0].keys())
    w.writeheader()
    w.writerows(rows)
json.dump(best, open("best.json", "w"), indent=2)
print(f"completed {len(ok)} of {len(rows)} trials, {len(rows) - len(ok)} diverged")
print(f"best trial: {best['trial']} hidden={best['hidden']} lr={best['lr']} val_rmse={best['val_rmse']:.4f}")
time.sleep(1)
