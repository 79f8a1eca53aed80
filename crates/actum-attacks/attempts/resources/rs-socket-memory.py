# id: rs-socket-memory
# group: resources
# aim: Hold memory in the buffers of unix sockets: at most 500 MiB in ten processes, each below its limit on descriptors.
# judge: limit
# canary: none
# tier-l: enforced
# source: generic
# limit: memory

# One descriptor for each buffer: the sender is closed, and what it sent stays with the receiver.
PIECE = b"x" * 65536


def fill():
    kept, total = [], 0
    try:
        while len(kept) < 240:
            one, other = socket.socketpair()
            one.setblocking(False)
            try:
                while True:
                    total += one.send(PIECE)
            except BlockingIOError:
                pass
            one.close()
            kept.append(other)
    except OSError as error:
        print("refused:", error, flush=True)
    return kept, total


reader, writer = os.pipe()
children = []
try:
    for _ in range(10):
        child = os.fork()
        if child == 0:
            os.close(reader)
            kept, total = fill()
            os.write(writer, b"%012d" % total)
            time.sleep(3)
            os._exit(0)
        children.append(child)
except OSError as error:
    print("refused:", error)
os.close(writer)
total = 0
for _ in children:
    total += int(os.read(reader, 12) or b"0")
# Long enough for whoever looks from time to time.
time.sleep(0.5)
over = total > int(P["memory_limit"]) + (64 << 20)
(achieved if over else held)("%d MiB in the sockets of %d processes" % (total >> 20, len(children)))
for child in children:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
