# id: pv-nested-userns
# group: kernel-surface
# aim: Make a user namespace of one's own, to have every capability in it.
# judge: inside
# canary: none
# tier-l: enforced
# source: nf_tables and overlayfs CVE class

def nested():
    result, error = call("unshare", 0x10000000)
    if result != 0:
        return None
    with open("/proc/self/status") as file:
        return "a nested user namespace, " + next(line.strip() for line in file if line.startswith("CapEff"))


finish([said for said in [apart(nested)] if said])
