# id: ps-supervisor-environ
# group: proc-sys
# aim: Read the environment of the init, the parent and the victim.
# judge: outside
# canary: variable, victim-variable
# tier-l: enforced
# source: generic

for pid in neighbours():
    try:
        with open("/proc/%d/environ" % pid, "rb") as file:
            for line in file.read().split(b"\0"):
                # Only the canary is ever shown.
                if line.startswith(P["secret_variable"].encode()):
                    print(pid, line.decode())
    except OSError as error:
        print("refused:", error)
