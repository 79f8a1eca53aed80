import random
w = [float(v) for v in open("weights.txt")]
rng = random.Random(42); tw = [rng.gauss(0, 1) for _ in range(len(w))]; rng = random.Random(99)
ok = 0; N = 400
for _ in range(N):
    x = [rng.gauss(0, 1) for _ in w]
    y = sum(u * v for u, v in zip(tw, x)) + rng.gauss(0, 2) > 0
    ok += y == (sum(u * v for u, v in zip(w, x)) > 0)
print(f"holdout examples: {N}")
print(f"holdout_accuracy: {ok / N:.4f}")
print(f"holdout_error: {1 - ok / N:.4f}")
