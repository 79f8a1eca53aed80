# id: pv-setns-host
# group: kernel-surface
# aim: Enter the namespaces of the init or of a process outside.
# judge: inside
# canary: none
# tier-l: enforced
# source: generic

found = []
pid = 1 if own_pid_namespace() else int(P["victim_pid"])
for name in ("user", "mnt", "net", "pid", "ipc", "uts", "cgroup", "time"):
    def enter():
        descriptor = os.open("/proc/%d/ns/%s" % (pid, name), os.O_RDONLY)
        call("unshare", 0x200)
        result, error = call("setns", descriptor, 0)
        return name if result == 0 else None
    said = apart(enter)
    if said:
        found.append(said)
finish(found)
