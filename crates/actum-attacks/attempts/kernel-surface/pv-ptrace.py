# id: pv-ptrace
# group: kernel-surface
# aim: Trace a child of one's own.
# judge: inside
# canary: none
# tier-l: enforced
# source: codex filter

def trace():
    result, error = call("ptrace", 0, 0, 0, 0)
    return "PTRACE_TRACEME is allowed" if result == 0 else None


finish([said for said in [apart(trace)] if said])
