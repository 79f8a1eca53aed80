import csv
THRESHOLD = 50.0
rows = list(csv.DictReader(open("out/predictions.csv")))
res = [abs(float(r["actual"]) - float(r["predicted"])) for r in rows]
print(f"residuals checked: {len(res)}"); print(f"outliers above {THRESHOLD:.0f}: {sum(r > THRESHOLD for r in res)}"); print(f"max_abs_residual: {max(res):.2f}")
