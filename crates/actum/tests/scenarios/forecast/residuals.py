import json
r = json.load(open("reports/results.json"))["models"]
b = min(r, key=lambda k: r[k]["rmse"])
w = max(r, key=lambda k: r[k]["rmse"])
print(json.dumps({"winner": b, "winner_rmse": r[b]["rmse"], "worst_rmse": r[w]["rmse"], "rmse_reduction_pct": round(100 * (1 - r[b]["rmse"] / r[w]["rmse"]), 1), "n_models": len(r)}))
