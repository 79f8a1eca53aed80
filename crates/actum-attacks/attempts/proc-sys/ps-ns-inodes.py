# id: ps-ns-inodes
# group: proc-sys
# aim: Learn how the host is built from the list of mounts.
# judge: inside
# canary: none
# tier-l: open: without a mount namespace the list of mounts is the host's
# source: info leak

found = []
host = set(filter(None, P["host_mounts"].split(":")))
with open("/proc/self/mountinfo") as file:
    for line in file:
        fields = line.split()
        # What is mounted below the system's own folders is part of the system, and shown like it. What the machine has below /proc
        # lies under the sandbox's own /proc: the kernel wants it there, lists it, and lets nobody reach it.
        system = fields[4].startswith(("/usr/", "/opt/", "/nix/", "/proc/"))
        if (fields[4] in host and not system) or (P["canary_home"] in line or P["second_home"] in line):
            found.append("a mount of the host is listed")
        if fields[4] == "/" and fields[3] == "/" and " - tmpfs " not in line and " - overlay " not in line:
            found.append("the root is the host's root")
finish(sorted(set(found)), "only mounts of the sandbox")
