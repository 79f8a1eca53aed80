"""Tokenise a folder of texts, build a vocabulary, write it and the statistics."""
import argparse, collections, json, pathlib, re
ap = argparse.ArgumentParser(); ap.add_argument("--min-count", type=int, default=5); ap.add_argument("--out", default="build"); a = ap.parse_args()
out = pathlib.Path(a.out); out.mkdir(exist_ok=True)
total = collections.Counter(); sents = 0; ntok = 0; docs = []
for p in sorted(pathlib.Path("corpus").glob("*.txt")):
    text = p.read_text(); words = re.findall(r"[a-z]+", text.lower()); s = len(re.findall(r"[.!?]", text))
    total.update(words); sents += s; ntok += len(words); docs.append({"doc": p.name, "tokens": len(words), "sentences": s})
    print(f"  {p.name:<10} tokens={len(words)} sentences={s} unique={len(set(words))}")
vocab = [w for w, c in total.most_common() if c >= a.min_count]
cov = sum(total[w] for w in vocab) / ntok
print(f"Documents: {len(docs)}"); print(f"Sentences: {sents}"); print(f"Total tokens: {ntok}"); print(f"Unique words: {len(total)}")
print(f"Vocabulary size (min_count={a.min_count}): {len(vocab)}"); print(f"Coverage: {cov:.4f}"); print(f"Type-token ratio: {len(total) / ntok:.4f}"); print(f"Hapax legomena: {sum(c == 1 for c in total.values())}")
print("Top words:")
for i, (w, c) in enumerate(total.most_common(5), 1): print(f"  {i}. {w} {c}")
(out / "vocab.txt").write_text("".join(w + "\n" for w in vocab))
(out / "stats.json").write_text(json.dumps({"documents": len(docs), "sentences": sents, "tokens": ntok, "unique_words": len(total), "vocab_size": len(vocab), "coverage": round(cov, 4)}, indent=1))
(out / "docs.jsonl").write_text("".join(json.dumps(d) + "\n" for d in docs))
print(f"Wrote {out}/vocab.txt, {out}/stats.json, {out}/docs.jsonl")
