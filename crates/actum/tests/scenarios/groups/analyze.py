import csv, json, math, statistics as st
rows = list(csv.DictReader(open("raw.csv")))
keep = [r for r in rows if r["spend"]]
print(f"[load] read {len(rows)} rows from raw.csv")
print(f"[clean] dropped {len(rows)-len(keep)} rows with missing spend, {len(keep)} remain")
with open("clean.csv", "w", newline="") as f:
    w = csv.DictWriter(f, rows[0]); w.writeheader(); w.writerows(keep)
M = [float(r["minutes"]) for r in keep]; S = [float(r["spend"]) for r in keep]
print(f"{'column':<8} {'mean':>7} {'median':>7} {'std':>6} {'min':>6} {'max':>6}")
for n, x in (("minutes", M), ("spend", S)):
    print(f"{n:<8} {st.mean(x):>7.3f} {st.median(x):>7.3f} {st.stdev(x):>6.3f} {min(x):>6.2f} {max(x):>6.2f}")
r = st.correlation(M, S)
print(f"pearson correlation (minutes, spend): {r:.4f}")
A = [float(r["minutes"]) for r in keep if r["arm"] == "control"]; B = [float(r["minutes"]) for r in keep if r["arm"] == "treatment"]
t = (st.mean(B) - st.mean(A)) / math.sqrt(st.variance(A) / len(A) + st.variance(B) / len(B))
p = math.erfc(abs(t) / math.sqrt(2))
print(f"control: n={len(A)} mean_minutes={st.mean(A):.3f}")
print(f"treatment: n={len(B)} mean_minutes={st.mean(B):.3f}")
print(f"t_statistic={t:.3f} p_value={p:.6f}")
json.dump({"n_rows": len(keep), "n_dropped": len(rows) - len(keep), "correlation": round(r, 4), "t_statistic": round(t, 3), "p_value": round(p, 6), "control_mean": round(st.mean(A), 3), "treatment_mean": round(st.mean(B), 3), "lift_pct": round(100 * (st.mean(B) / st.mean(A) - 1), 2)}, open("summary.json", "w"), indent=2)
print(f"lift: {100 * (st.mean(B) / st.mean(A) - 1):.2f}%")
print("wrote clean.csv, summary.json")
