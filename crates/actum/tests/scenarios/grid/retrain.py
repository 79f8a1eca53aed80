import argparse, json, statistics
from net import fit, points, rmse
ap = argparse.ArgumentParser()
ap.add_argument("--seeds", type=int, nargs="+")
a = ap.parse_args()
best = json.load(open("best.json"))
test = points(200, 3)
res = {}
for s in a.seeds:
    net = fit(best["hidden"], best["lr"], s, epochs=40)
    res[s] = round(rmse(net, test), 4)
    print(f"seed {s}: test_rmse={res[s]:.4f}")
mean, sd = statistics.mean(res.values()), statistics.stdev(res.values())
print(f"test_rmse mean={mean:.4f} std={sd:.4f} over {len(res)} seeds")
json.dump({"test_rmse_mean": round(mean, 4), "test_rmse_std": round(sd, 4), "n_seeds": len(res)}, open("retrain.json", "w"), indent=2)
