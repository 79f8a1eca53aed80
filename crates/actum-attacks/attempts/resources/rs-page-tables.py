# id: rs-page-tables
# group: resources
# aim: Hold memory in page tables alone: up to 400 MiB in four processes that map much and touch one page of each 2 MiB.
# judge: limit
# canary: none
# tier-l: enforced
# source: memory that no resident size shows
# limit: memory

import mmap

REACH = 50 << 30


def fill():
    area = mmap.mmap(-1, REACH, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, prot=mmap.PROT_READ)
    # Huge pages would need one entry where we want a whole table.
    area.madvise(15)
    for at in range(0, REACH, 2 << 20):
        area[at]
    with open("/proc/self/status") as status:
        size = next(int(line.split()[1]) for line in status if line.startswith("VmPTE"))
    return area, size << 10


reader, writer = os.pipe()
children = []
try:
    for _ in range(4):
        child = os.fork()
        if child == 0:
            os.close(reader)
            try:
                area, size = fill()
            except (OSError, ValueError, StopIteration) as error:
                print("refused:", error, flush=True)
                size = 0
            os.write(writer, b"%012d" % size)
            time.sleep(3)
            os._exit(0)
        children.append(child)
except OSError as error:
    print("refused:", error)
os.close(writer)
total = sum(int(os.read(reader, 12) or b"0") for _ in children)
# Long enough for whoever looks from time to time.
time.sleep(0.5)
over = total > int(P["memory_limit"]) + (64 << 20)
(achieved if over else held)("%d MiB of page tables in %d processes" % (total >> 20, len(children)))
for child in children:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
