import argparse, math, random
ap = argparse.ArgumentParser()
ap.add_argument("--samples", type=int)
ap.add_argument("--seed", type=int)
a = ap.parse_args()
r = random.Random(a.seed)
n = sum(1 for _ in range(a.samples) if r.random() ** 2 + r.random() ** 2 <= 1)
est = 4 * n / a.samples
print(f"rng seed = {a.seed}")
print(f"samples: {a.samples}")
print(f"inside: {n}")
print(f"pi_estimate: {est:.5f}")
print(f"abs_error: {abs(est - math.pi):.5f}")
