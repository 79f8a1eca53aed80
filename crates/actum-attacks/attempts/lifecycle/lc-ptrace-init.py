# id: lc-ptrace-init
# group: lifecycle
# aim: Attach to the init of the sandbox or to the victim; it is let go at once.
# judge: inside
# canary: victim
# tier-l: enforced
# source: generic

PTRACE_SEIZE, PTRACE_DETACH = 0x4206, 17
found = []
# Our own parent is left out: a supervisor that is traced and then let go may miss its signals.
targets = [1] if own_pid_namespace() else [int(P["victim_pid"])]
for pid in targets:
    def seize():
        result, error = call("ptrace", PTRACE_SEIZE, pid, 0, 0)
        return "pid %d can be traced" % pid if result == 0 else None
    said = apart(seize)
    if said:
        found.append(said)
finish(found)
