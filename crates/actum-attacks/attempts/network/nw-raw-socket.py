# id: nw-raw-socket
# group: network
# aim: Make raw and packet sockets; nothing is sent.
# judge: inside
# canary: none
# tier-l: enforced
# source: generic

found = []
for name, family, kind, protocol in (
    ("raw ICMP", socket.AF_INET, socket.SOCK_RAW, 1), ("raw ICMPv6", socket.AF_INET6, socket.SOCK_RAW, 58),
    ("raw IP", socket.AF_INET, socket.SOCK_RAW, 255), ("packet", 17, socket.SOCK_RAW, 0),
    ("cooked packet", 17, socket.SOCK_DGRAM, 0), ("raw with flags", socket.AF_INET, socket.SOCK_RAW | socket.SOCK_CLOEXEC, 1),
):
    try:
        socket.socket(family, kind, protocol).close()
        found.append(name)
    except OSError as error:
        print(name, "refused:", error)
finish(found)
