# id: fs-overwrite-self-exe
# group: fs-write
# aim: Open the program of the launcher for writing, directly and by way of a descriptor; nothing is written.
# judge: inside
# canary: none
# tier-l: enforced
# source: CVE-2019-5736

found = []
for pid in neighbours():
    path = "/proc/%d/exe" % pid
    if can_open(path, os.O_WRONLY):
        found.append(path)
    try:
        kept = os.open(path, os.O_PATH)
    except OSError:
        continue
    if can_open("/proc/self/fd/%d" % kept, os.O_WRONLY):
        found.append(path + " by a kept descriptor")
finish(found)
