# id: nw-abstract-unix
# group: network
# aim: Connect to a unix socket of the host that has a name but no file.
# judge: outside
# canary: abstract
# tier-l: enforced
# source: containerd-shim CVE-2020-15257 class

for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET):
    try:
        with socket.socket(socket.AF_UNIX, kind) as one:
            one.settimeout(1)
            one.connect("\0" + P["abstract_name"])
            one.sendall(MARKER.encode())
            print(one.recv(100).decode())
    except OSError as error:
        print("refused:", error)
