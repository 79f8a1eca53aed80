import collections, json, random, sys
seed = int(sys.argv[1]) if len(sys.argv) > 1 else 99
rng = random.Random(seed)
print(f"# seed {seed}, cpu only, 20000 requests, capacity 200")
reqs = [min(int(rng.paretovariate(0.7)), 5000) for _ in range(20000)]
def fifo(cap):
    q, s, h = collections.deque(), set(), 0
    for r in reqs:
        if r in s: h += 1; continue
        if len(q) == cap: s.discard(q.popleft())
        q.append(r); s.add(r)
    return h
def lru(cap):
    d, h = collections.OrderedDict(), 0
    for r in reqs:
        if r in d: h += 1; d.move_to_end(r); continue
        if len(d) == cap: d.popitem(last=False)
        d[r] = 1
    return h
def lfu(cap):
    c, d, h = collections.Counter(), set(), 0
    for r in reqs:
        c[r] += 1
        if r in d: h += 1; continue
        if len(d) == cap: d.discard(min(d, key=lambda k: (c[k], k)))
        d.add(r)
    return h
out = {}
for name, f in (("fifo", fifo), ("lru", lru), ("lfu", lfu)):
    h = f(200); miss = 20000 - h
    lat = (h * 0.4 + miss * 12.5) / 20000
    out[name] = {"hits": h, "misses": miss, "hit_rate": h / 20000, "avg_latency_ms": round(lat, 3)}
    print(f"[{name}] hits={h} misses={miss} hit_rate={100*h/20000:.2f}% avg_latency={lat:.3f}ms")
print(f"speedup lfu vs fifo: {out['fifo']['avg_latency_ms']/out['lfu']['avg_latency_ms']:.2f}x")
json.dump(out, open("bench.json", "w"), indent=1)
