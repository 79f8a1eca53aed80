import random
def pct(xs, q):
    s = sorted(xs); return s[min(len(s) - 1, int(q * len(s)))]
def serve(n, base, tail, hit, seed):
    rng = random.Random(seed); out = []; hits = 0
    for _ in range(n):
        if rng.random() < hit: hits += 1; out.append(rng.uniform(0.4, 0.9)); continue
        out.append(base + rng.expovariate(1 / tail))
    return out, hits
