import argparse, json, math, os, random
p = argparse.ArgumentParser()
p.add_argument("--seed", type=int, default=0)
p.add_argument("--epochs", type=int, default=8)
p.add_argument("--lr", type=float, default=0.15)
a = p.parse_args()
random.seed(a.seed)
dev = "cuda" if os.path.exists("/dev/nvidia0") else "cpu"
print(f"[setup] seed={a.seed} device={dev} lr={a.lr}")
W = [random.gauss(0, 1) for _ in range(12)]
def make(n):
    out = []
    for _ in range(n):
        x = [random.gauss(0, 1) for _ in W]
        z = sum(i * j for i, j in zip(W, x)) + random.gauss(0, 0.9)
        out.append((x, int(z > 0)))
    return out
train, val, test = make(600), make(250), make(400)
print(f"[data] train: 600 examples, val: 250 examples, test: 400 examples")
w = [0.0] * 12
def prob(x): return 1 / (1 + math.exp(-max(-30, min(30, sum(i * j for i, j in zip(w, x))))))
def score(d):
    loss = acc = tp = fp = fn = 0
    for x, y in d:
        q = min(max(prob(x), 1e-7), 1 - 1e-7); h = int(q > .5)
        loss -= math.log(q if y else 1 - q); acc += h == y
        tp += h and y; fp += h and not y; fn += (not h) and y
    return loss / len(d), acc / len(d), 2 * tp / (2 * tp + fp + fn)
best = (0, 0)
hist = []
for e in range(1, a.epochs + 1):
    random.shuffle(train)
    for x, y in train:
        g = prob(x) - y
        for i in range(12): w[i] -= a.lr * g * x[i]
    tl, ta, _ = score(train); vl, va, vf = score(val)
    print(f"Epoch {e}/{a.epochs} - train_loss: {tl:.4f} - train_acc: {ta:.4f} - val_loss: {vl:.4f} - val_acc: {va:.4f}")
    hist.append({"epoch": e, "val_loss": round(vl, 4), "val_acc": round(va, 4)})
    if va > best[0]:
        best = (va, e)
        os.makedirs("checkpoints", exist_ok=True)
        json.dump(w, open("checkpoints/best.json", "w"))
print(f"best val_acc={best[0]:.4f} (epoch {best[1]})")
l, ac, f = score(test)
print(f"test_loss: {l:.4f}\ntest_acc: {ac:.4f}\ntest_f1: {f:.4f}")
json.dump(hist, open("history.json", "w"), indent=1)
print("saved checkpoints/best.json and history.json")
