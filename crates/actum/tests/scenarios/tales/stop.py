import pathlib, re
stop = set(pathlib.Path("stopwords.txt").read_text().split())
words = [w for p in sorted(pathlib.Path("corpus").glob("*.txt")) for w in re.findall(r"[a-z]+", p.read_text().lower())]
hit = sum(w in stop for w in words)
print(f"Stopwords loaded: {len(stop)}"); print(f"Removed tokens: {hit}"); print(f"Content tokens: {len(words) - hit}")
