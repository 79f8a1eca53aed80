# id: rs-pipe-memory
# group: resources
# aim: Hold memory in the buffers of pipes: at most 330 of one MiB.
# judge: limit
# canary: none
# tier-l: enforced
# source: generic
# limit: memory

import fcntl

total = 0
kept = []
try:
    for _ in range(330):
        reader, writer = os.pipe()
        kept.append((reader, writer))
        fcntl.fcntl(writer, 1031, 1 << 20)  # F_SETPIPE_SZ
        os.set_blocking(writer, False)
        total += os.write(writer, b"x" * (1 << 20))
except OSError as error:
    print("refused:", error)
over = total > int(P["memory_limit"]) + (32 << 20)
(achieved if over else held)("%d MiB in %d pipes" % (total >> 20, len(kept)))
