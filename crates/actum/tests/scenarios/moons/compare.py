#!/usr/bin/env python3
"""Four small classifiers on two noisy half moons; no dependency."""
import argparse
import json
import math
import random

ap = argparse.ArgumentParser()
ap.add_argument("--seed", type=int, default=7)
ap.add_argument("--n", type=int, default=600)
ap.add_argument("--epochs", type=int, default=12)
a = ap.parse_args()
rng = random.Random(a.seed)


def moons(n):
    out = []
    for i in range(n):
        t = rng.random() * math.pi
        y = i % 2
        x = (math.cos(t), math.sin(t)) if y == 0 else (1 - math.cos(t), 0.5 - math.sin(t))
        out.append(((x[0] + rng.gauss(0, 0.28), x[1] + rng.gauss(0, 0.28)), y))
    rng.shuffle(out)
    return out


data = moons(a.n)
cut, cut2 = int(a.n * 0.6), int(a.n * 0.8)
train, val, test = data[:cut], data[cut:cut2], data[cut2:]
print(f"seed={a.seed} device=cpu")
print(f"train={len(train)} val={len(val)} test={len(test)}")


def scores(f, part):
    tp = fp = fn = ok = 0
    for x, y in part:
        p = f(x)
        ok += p == y
        tp += p == 1 and y == 1
        fp += p == 1 and y == 0
        fn += p == 0 and y == 1
    return ok / len(part), 2 * tp / (2 * tp + fp + fn) if tp else 0.0


def majority():
    m = round(sum(y for _, y in train) / len(train))
    return lambda x: m


def naive_bayes():
    st = {}
    for c in (0, 1):
        xs = [x for x, y in train if y == c]
        st[c] = []
        for d in (0, 1):
            m = sum(x[d] for x in xs) / len(xs)
            st[c].append((m, sum((x[d] - m) ** 2 for x in xs) / len(xs)))
    return lambda x: max((0, 1), key=lambda c: sum(-math.log(v) / 2 - (x[d] - m) ** 2 / (2 * v) for d, (m, v) in enumerate(st[c])))


def knn(k=9):
    return lambda x: int(sum(y for _, y in sorted(train, key=lambda p: (p[0][0] - x[0]) ** 2 + (p[0][1] - x[1]) ** 2)[:k]) * 2 > k)


def logreg():
    w, b, lr = [0.0, 0.0], 0.0, 0.05
    p = lambda x: 1 / (1 + math.exp(-(w[0] * x[0] + w[1] * x[1] + b)))
    for e in range(1, a.epochs + 1):
        for x, y in train:
            g = p(x) - y
            w[0] -= lr * g * x[0]
            w[1] -= lr * g * x[1]
            b -= lr * g
        loss = lambda part: -sum(math.log(p(x) if y else 1 - p(x)) for x, y in part) / len(part)
        print(f"epoch {e:2d}/{a.epochs} train_loss={loss(train):.4f} val_loss={loss(val):.4f}")
    return lambda x: int(p(x) > 0.5)


print("training logreg")
models = {"logreg": logreg(), "majority": majority(), "naive_bayes": naive_bayes(), "knn": knn()}
rows = {n: {"val_acc": scores(f, val)[0], "test_acc": scores(f, test)[0], "test_f1": scores(f, test)[1]} for n, f in models.items()}
print()
print(f"| {'model':<12}| val_acc | test_acc | test_f1 |")
print("|-------------|---------|----------|---------|")
for n, r in sorted(rows.items(), key=lambda i: -i[1]["test_acc"]):
    print(f"| {n:<12}| {r['val_acc']:.4f}  | {r['test_acc']:.4f}   | {r['test_f1']:.4f}  |")
best = max(rows, key=lambda n: rows[n]["val_acc"])
print()
print(f"best by val_acc: {best}")
json.dump(rows, open("results.json", "w"), indent=2)
print("saved results.json")
