import json, math, sys
sys.argv = ["x", "--scheme", "ftcs"]
from heat import solve
print("  nx   steps    l2_error   order")
prev, rows = None, []
for nx in (10, 20, 40, 80):
    _, s, _, e = solve("ftcs", nx, 0.25)
    o = "" if prev is None else f"{math.log2(prev / e):.2f}"
    rows.append({"nx": nx, "steps": s, "l2_error": float(f"{e:.4e}"), "order": o})
    print(f"{nx:4d} {s:7d}  {e:.4e}  {o:>5}")
    prev = e
json.dump(rows, open("convergence.json", "w"), indent=1)
print("saved convergence.json")
