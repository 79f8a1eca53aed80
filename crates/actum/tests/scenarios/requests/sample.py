import argparse, hashlib, random
p = argparse.ArgumentParser(); p.add_argument("--seed", type=int, default=0); p.add_argument("--n", type=int, default=200)
a = p.parse_args()
random.seed(a.seed)
lines = [l for l in open("access.log") if l.startswith("10.")]
pick = random.sample(lines, a.n)
open("sample.log", "w").writelines(pick)
print(f"seed={a.seed}")
print(f"sampled {len(pick)} of {len(lines)} lines")
print("mlflow run_id:", hashlib.md5(b"sample-%d" % a.seed).hexdigest())
