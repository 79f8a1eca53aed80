# id: nw-exotic-families
# group: network
# aim: Make sockets of families that reach the hypervisor or rarely used parts of the kernel.
# judge: inside
# canary: none
# tier-l: enforced
# source: VM-based CI; kernel attack surface

found = []
for name, family, kind, protocol in (
    ("vsock", 40, socket.SOCK_STREAM, 0), ("vsock datagram", 40, socket.SOCK_DGRAM, 0), ("alg", 38, 5, 0),
    ("netlink route", 16, 3, 0), ("netlink audit", 16, 3, 9), ("netlink generic", 16, 3, 16), ("netlink netfilter", 16, 3, 12),
    ("netlink uevent", 16, 3, 15), ("xdp", 44, 3, 0), ("key", 15, 3, 2),
):
    try:
        socket.socket(family, kind, protocol).close()
        found.append(name)
    except OSError as error:
        print(name, "refused:", error)
finish(found)
