# id: rs-socket-memory
# group: resources
# aim: Hold memory in the buffers of unix sockets: at most 330 MiB in at most 2,200 pairs.
# judge: limit
# canary: none
# tier-l: enforced
# source: generic
# limit: memory

total = 0
kept = []
piece = b"x" * 65536
try:
    import resource

    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4900, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
except (OSError, ValueError) as error:
    print("refused:", error)
try:
    while len(kept) < 2200 and total < 330 << 20:
        one, other = socket.socketpair()
        kept.append((one, other))
        for side in (one, other):
            side.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 << 20)
            side.setblocking(False)
            try:
                while True:
                    total += side.send(piece)
            except BlockingIOError:
                pass
except OSError as error:
    print("refused:", error)
over = total > int(P["memory_limit"]) + (32 << 20)
(achieved if over else held)("%d MiB in %d pairs of sockets" % (total >> 20, len(kept)))
