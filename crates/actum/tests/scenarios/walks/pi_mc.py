"""Monte Carlo estimate of pi, with its error by sample size."""
import argparse, csv, math, random, time
p = argparse.ArgumentParser()
p.add_argument("--seed", type=int, default=1)
a = p.parse_args()
rng = random.Random(a.seed)
t0 = time.perf_counter()
print(f"Monte Carlo pi, seed {a.seed}")
print(f"{'n':>8} {'estimate':>10} {'abs_error':>10} {'std_err':>9}")
rows, inside, n = [], 0, 0
for stop in (1000, 5000, 20000, 100000, 400000):
    while n < stop:
        x, y = rng.random(), rng.random()
        inside += x * x + y * y <= 1
        n += 1
    q = inside / n
    est, se = 4 * q, 4 * math.sqrt(q * (1 - q) / n)
    rows.append((n, est, abs(est - math.pi), se))
    print(f"{n:>8} {est:>10.6f} {abs(est - math.pi):>10.6f} {se:>9.6f}")
with open("pi_convergence.csv", "w", newline="") as f:
    w = csv.writer(f); w.writerow(["n", "estimate", "abs_error", "std_err"]); w.writerows(rows)
print(f"final_estimate: {est:.6f}")
print(f"elapsed: {time.perf_counter() - t0:.2f} s")
