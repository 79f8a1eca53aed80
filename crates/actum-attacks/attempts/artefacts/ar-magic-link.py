# id: ar-magic-link
# group: artefacts
# aim: Leave links into /proc, so that a collector that follows them reads its own environment.
# judge: outside
# canary: variable
# tier-l: enforced
# source: generic
# watch: collected

for number, target in enumerate(("/proc/self/environ", "/proc/self/cmdline", "/proc/self/fd/0", "/proc/thread-self/environ", "/proc/self/mem")):
    os.symlink(target, "output-%d" % number)
