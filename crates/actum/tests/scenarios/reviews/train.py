"""Logistic regression on bag-of-words reviews, plain SGD."""
import argparse, json, math, random

p = argparse.ArgumentParser()
p.add_argument("--epochs", type=int, default=8)
p.add_argument("--lr", type=float, default=0.9)
p.add_argument("--seed", type=int, default=17)
a = p.parse_args()
rng = random.Random(a.seed)
DIM = 60
true_w = [rng.gauss(0, 1) for _ in range(DIM)]

def sample():
    x = sorted(rng.sample(range(DIM), 9))
    z = sum(true_w[i] for i in x) + rng.gauss(0, 1.1)
    return x, int(z > 0)

data = [sample() for _ in range(1200)]
train, val, test = data[:840], data[840:1020], data[1020:]
print("Using device: cpu")
print(f"Seed: {a.seed}")
print(f"Loaded {len(data)} reviews: {len(train)} train, {len(val)} val, {len(test)} test")
w, b = [0.0] * DIM, 0.0

def prob(x):
    return 1 / (1 + math.exp(-(b + sum(w[i] for i in x))))

def scores(rows):
    ps = [prob(x) for x, _ in rows]
    ys = [y for _, y in rows]
    loss = -sum(math.log(max(1e-9, q if y else 1 - q)) for q, y in zip(ps, ys)) / len(rows)
    hat = [int(q >= 0.5) for q in ps]
    tp = sum(h and y for h, y in zip(hat, ys)); fp = sum(h and not y for h, y in zip(hat, ys)); fn = sum(y and not h for h, y in zip(hat, ys))
    pos = [q for q, y in zip(ps, ys) if y]; neg = [q for q, y in zip(ps, ys) if not y]
    auc = sum((u > v) + 0.5 * (u == v) for u in pos for v in neg) / (len(pos) * len(neg))
    return dict(loss=loss, accuracy=sum(h == y for h, y in zip(hat, ys)) / len(rows), precision=tp / max(1, tp + fp),
                recall=tp / max(1, tp + fn), f1=2 * tp / max(1, 2 * tp + fp + fn), auc=auc)

best = (0, 0.0)
for e in range(1, a.epochs + 1):
    rng.shuffle(train)
    for x, y in train:
        g = prob(x) - y
        b -= a.lr * g
        for i in x: w[i] -= a.lr * g
    t, v = scores(train), scores(val)
    print(f"Epoch {e}/{a.epochs} - loss: {t['loss']:.4f} - accuracy: {t['accuracy']:.4f} - val_loss: {v['loss']:.4f} - val_accuracy: {v['accuracy']:.4f} - val_f1: {v['f1']:.4f}")
    if v["accuracy"] > best[1]: best = (e, v["accuracy"])
r = scores(test)
print(f"Best val_accuracy: {best[1]:.4f} (epoch {best[0]})")
print("--- test ---")
for k in ("loss", "accuracy", "precision", "recall", "f1", "auc"):
    print(f"test_{k}: {r[k]:.4f}")
json.dump({"test_" + k: round(x, 4) for k, x in r.items()} | {"best_epoch": best[0], "best_val_accuracy": round(best[1], 4), "seed": a.seed}, open("metrics.json", "w"), indent=2)
json.dump({"bias": b, "weights": w}, open("model.json", "w"))
print("Saved metrics.json and model.json")
