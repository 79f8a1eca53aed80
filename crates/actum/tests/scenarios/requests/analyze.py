import json, re, statistics
from collections import Counter
pat = re.compile(r'^(\S+) .*"GET (\S+) HTTP/1.1" (\d+) (\d+) ([\d.]+)$')
st, ms, ips, paths, bad, nbytes = Counter(), [], set(), Counter(), 0, 0
for line in open("access.log"):
    m = pat.match(line.strip())
    if not m: bad += 1; continue
    ips.add(m[1]); paths[m[2]] += 1; st[m[3]] += 1; nbytes += int(m[4]); ms.append(float(m[5]))
ms.sort()
n = len(ms)
print("=== access.log report ===")
print(f"requests: {n}")
print(f"malformed lines: {bad}")
print(f"unique clients: {len(ips)}")
for k in sorted(st): print(f"status {k}: {st[k]}")
print(f"error_rate: {st['500']/n:.4f}")
print(f"p50_latency_ms: {ms[n//2]:.1f}")
print(f"p95_latency_ms: {ms[int(n*.95)]:.1f}")
print(f"p99_latency_ms: {ms[int(n*.99)]:.1f}")
print(f"mean_latency_ms: {statistics.mean(ms):.2f}")
print(f"top path: {paths.most_common(1)[0][0]} ({paths.most_common(1)[0][1]} hits)")
json.dump({"requests": n, "malformed": bad, "status": st}, open("report.json", "w"))
