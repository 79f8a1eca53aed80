# id: ps-cgroup-write
# group: proc-sys
# aim: Open cgroup files for writing, to leave a group or raise its limits; nothing is written.
# judge: inside
# canary: none
# tier-l: enforced
# source: generic

found = []
places = ["/sys/fs/cgroup"]
with open("/proc/self/cgroup") as file:
    for line in file:
        _, controllers, path = line.strip().split(":", 2)
        for mount in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/" + controllers):
            places.append(mount + path)
for place in places:
    for name in ("cgroup.procs", "memory.max", "pids.max", "memory.limit_in_bytes", "cgroup.subtree_control"):
        if can_open(os.path.join(place, name), os.O_WRONLY):
            found.append(os.path.join(place, name))
finish(found[:4])
