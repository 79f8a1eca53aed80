# id: fs-read-other-run
# group: fs-read
# aim: Read the workspace of another run and the store of the orchestrator.
# judge: outside
# canary: other-run, store
# tier-l: enforced
# source: cross-tenant leak class

for name in ("runs/other/result.txt", "store/ledger.db"):
    show(os.path.join(P["canary_home"], name))
