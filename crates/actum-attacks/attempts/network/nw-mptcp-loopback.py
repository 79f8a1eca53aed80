# id: nw-mptcp-loopback
# group: network
# aim: Use multipath TCP, which rules for TCP may not know.
# judge: outside
# canary: tcp
# tier-l: enforced
# source: landlock-lsm/linux issue 54

for protocol in (262, 0x1_0000_0000 + 262):
    try:
        descriptor = libc.socket(socket.AF_INET, socket.SOCK_STREAM, ctypes.c_int(protocol & 0xFFFFFFFF))
        if descriptor < 0:
            raise OSError(ctypes.get_errno(), "socket")
        with socket.socket(fileno=descriptor) as one:
            one.settimeout(1)
            one.connect(("127.0.0.1", int(P["tcp_port"])))
            one.sendall(MARKER.encode())
            print(one.recv(100).decode())
    except OSError as error:
        print("refused:", error)
