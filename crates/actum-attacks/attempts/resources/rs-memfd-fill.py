# id: rs-memfd-fill
# group: resources
# aim: Fill nameless files in memory, which no process has mapped: at most 330 MiB.
# judge: limit
# canary: none
# tier-l: enforced
# source: generic
# limit: memory

total = 0
piece = b"x" * (1 << 20)
try:
    for _ in range(33):
        file = os.memfd_create("fill")
        for _ in range(10):
            total += os.write(file, piece)
except OSError as error:
    print("refused:", error)
time.sleep(0.3)
over = total > int(P["memory_limit"]) + (32 << 20)
(achieved if over else held)("%d MiB in nameless files" % (total >> 20))
