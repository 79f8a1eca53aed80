# id: rs-memory-many-processes
# group: resources
# aim: Touch memory in many processes that are each below the limit: 8 times 60 MiB.
# judge: limit
# canary: none
# tier-l: enforced
# source: generic
# limit: memory

children = []
try:
    for _ in range(8):
        child = os.fork()
        if child == 0:
            signal.alarm(3)
            piece = bytearray(os.urandom(4096)) * (60 << 8)
            time.sleep(1.5)
            os._exit(0)
        children.append(child)
except (OSError, MemoryError) as error:
    print("refused:", error)
for child in children:
    os.waitpid(child, 0)
held("%d processes ended by themselves" % len(children))
