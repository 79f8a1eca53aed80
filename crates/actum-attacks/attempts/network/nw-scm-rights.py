# id: nw-scm-rights
# group: network
# aim: Have a helper outside hand over an open file through a unix socket.
# judge: outside
# canary: passed-descriptor
# tier-l: enforced
# source: sandbox-runtime limit

try:
    with socket.socket(socket.AF_UNIX) as one:
        one.settimeout(1)
        one.connect(P["passing_path"])
        _, descriptors, _, _ = socket.recv_fds(one, 100, 4)
        for descriptor in descriptors:
            print(os.pread(descriptor, 100, 0).decode())
except OSError as error:
    print("refused:", error)
