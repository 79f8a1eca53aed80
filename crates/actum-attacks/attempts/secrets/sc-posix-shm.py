# id: sc-posix-shm
# group: secrets
# aim: Read a file of another in shared memory.
# judge: outside
# canary: shared-file
# tier-l: enforced
# source: generic

# In tier L its name is visible, which is reported; what is in it must not be.
show(P["shared_file"])
for name in os.listdir("/dev/shm") if os.path.isdir("/dev/shm") else []:
    if name.startswith("actum-canary-"):
        show("/dev/shm/" + name)
