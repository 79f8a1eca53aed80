# id: rs-memory-bomb
# group: resources
# aim: Touch memory in one process: at most 500 MiB.
# judge: limit
# canary: none
# tier-l: enforced
# source: generic
# limit: memory

pieces = []
try:
    for _ in range(25):
        pieces.append(bytearray(os.urandom(4096)) * (20 << 8))
    time.sleep(0.5)
    held("%d MiB were touched" % (len(pieces) * 20))
except MemoryError:
    held("no more than %d MiB" % (len(pieces) * 20))
