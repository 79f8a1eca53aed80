"""Random walks: mean square displacement after 200 steps."""
import random
WALKERS = 400
rng = random.Random(8)
d = []
for _ in range(WALKERS):
    x = sum(rng.choice((-1, 1)) for _ in range(200))
    d.append(x * x)
print(f"walkers: {WALKERS}")
print(f"msd: {sum(d) / len(d):.3f}")
print(f"max_displacement: {max(d) ** 0.5:.0f}")
