# id: pv-userfaultfd
# group: kernel-surface
# aim: Handle page faults in user space, which helps to win races against the kernel.
# judge: inside
# canary: none
# tier-l: enforced
# source: exploit primitive

found = []
for flags in (1, 0):
    result, error = call("userfaultfd", flags)
    print(flags, error)
    if result >= 0:
        found.append("userfaultfd with flags %d" % flags)
if can_open("/dev/userfaultfd", os.O_RDWR):
    found.append("/dev/userfaultfd")
finish(found)
