"""Bigram softmax table over characters, trained with full-batch gradient steps."""
import json, math, os, random
SEED, STEPS, LR = 1337, 200, 6.0
random.seed(SEED)
text = open("corpus.txt").read().replace("\n", " ")
chars = sorted(set(text)); V = len(chars); ix = {c: i for i, c in enumerate(chars)}
cut = int(0.8 * len(text))
def grams(s): return [(ix[s[i]], ix[s[i + 1]]) for i in range(len(s) - 1)]
tr, va = grams(text[:cut]), grams(text[cut:])
print(f"vocab size: {V}")
print(f"train tokens: {len(tr):,}  val tokens: {len(va):,}")
print(f"number of parameters: {V*V:,}")
print("device: cpu, dtype: float64")
W = {}
def row(c):
    if c not in W: W[c] = [random.gauss(0, 0.02) for _ in range(V)]
    return W[c]
def soft(r):
    m = max(r); e = [math.exp(x - m) for x in r]; s = sum(e)
    return [x / s for x in e]
def loss(rows):
    return -sum(math.log(soft(row(c))[t]) for c, t in rows) / len(rows)
counts = {}
for c, t in tr: counts.setdefault(c, {}).setdefault(t, 0); counts[c][t] += 1
best = (math.inf, -1)
for step in range(STEPS + 1):
    if step % 20 == 0:
        lt, lv = loss(tr), loss(va)
        print(f"step {step:3d}: train loss {lt:.4f}, val loss {lv:.4f}, val ppl {math.exp(lv):.2f}")
        if lv < best[0]:
            best = (lv, step)
    for c, ts in counts.items():
        n = sum(ts.values()); r = row(c); q = soft(r)
        for j in range(V): r[j] -= LR / len(tr) * (n * q[j] - ts.get(j, 0))
with open("ckpt.bin", "wb") as f: f.write(bytes(8 * V * V))
print(f"best val loss {best[0]:.4f} at step {best[1]}")
print(f"final val loss {lv:.4f} | final perplexity {math.exp(lv):.2f} | bits per char {lv/math.log(2):.3f}")
print(f"checkpoint written to ckpt.bin ({os.path.getsize('ckpt.bin'):,} bytes)")
json.dump({"seed": SEED, "steps": STEPS, "best_val_loss": round(best[0], 4), "best_step": best[1], "final_val_loss": round(lv, 4), "final_train_loss": round(lt, 4), "perplexity": round(math.exp(lv), 2)}, open("metrics.json", "w"))
