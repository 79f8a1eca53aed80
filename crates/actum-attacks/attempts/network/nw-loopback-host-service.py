# id: nw-loopback-host-service
# group: network
# aim: Talk to a service on the loopback of the host.
# judge: outside
# canary: tcp, tcp6
# tier-l: enforced
# source: generic

for family, address, port in (
    (socket.AF_INET, "127.0.0.1", "tcp_port"), (socket.AF_INET, "0.0.0.0", "tcp_port"),
    (socket.AF_INET6, "::1", "tcp6_port"), (socket.AF_INET6, "::ffff:127.0.0.1", "tcp_port"),
):
    try:
        with socket.socket(family, socket.SOCK_STREAM) as one:
            one.settimeout(1)
            one.connect((address, int(P[port])))
            one.sendall(MARKER.encode())
            print(one.recv(100).decode())
    except OSError as error:
        print("refused:", error)
