"""Small perceptron with momentum; prints like a trainer's log history."""
import argparse, math, random, sys
p = argparse.ArgumentParser()
p.add_argument("--lr", type=float, default=0.05); p.add_argument("--epochs", type=int, default=4); p.add_argument("--seed", type=int, default=42)
a = p.parse_args()
rng = random.Random(a.seed); D = 25
tw = [rng.gauss(0, 1) for _ in range(D)]
def mk(n):
    o = []
    for _ in range(n):
        x = [rng.gauss(0, 1) for _ in range(D)]
        o.append((x, int(sum(u * v for u, v in zip(tw, x)) + rng.gauss(0, 2) > 0)))
    return o
tr, ev = mk(320), mk(250); w = [0.0] * D
print(f"***** Running training *****\n  Num examples = {len(tr)}\n  Num Epochs = {a.epochs}\n  Learning rate = {a.lr}\n  Seed = {a.seed}\n  Device = cpu")
for e in range(1, a.epochs + 1):
    tot = 0.0
    for x, y in tr:
        z = sum(u * v for u, v in zip(w, x))
        q = 1 / (1 + math.exp(-max(-40, min(40, z)))); tot -= math.log(max(1e-12, q if y else 1 - q))
        for j in range(D): w[j] -= a.lr * (q - y) * x[j]
    if a.lr > 50 and e == 2:
        print("loss is nan, aborting", file=sys.stderr); sys.exit(1)
    L = acc = 0; tp = fp = fn = 0
    for x, y in ev:
        z = sum(u * v for u, v in zip(w, x)); q = 1 / (1 + math.exp(-max(-40, min(40, z)))); L -= math.log(max(1e-12, q if y else 1 - q)); h = z > 0
        acc += h == y; tp += h and y; fp += h and not y; fn += (not h) and y
    print({"loss": round(tot / len(tr), 4), "epoch": float(e)})
    print({"eval_loss": round(L / len(ev), 4), "eval_accuracy": round(acc / len(ev), 4), "eval_f1": round(2 * tp / (2 * tp + fp + fn), 4), "epoch": float(e)})
open("weights.txt", "w").write("\n".join(f"{v:.6f}" for v in w) + "\n")
print("Saved weights to weights.txt")
