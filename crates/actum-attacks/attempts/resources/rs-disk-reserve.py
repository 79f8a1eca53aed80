# id: rs-disk-reserve
# group: resources
# aim: Reserve room on disk without writing: at most 160 MiB, past the end of files that stay empty.
# judge: limit
# canary: none
# tier-l: open: disk is polled, so a fast writer may pass the limit before it is killed
# source: counting by size
# limit: disk

total = 0
KEEP_SIZE = 1
try:
    for number in range(20):
        file = os.open("reserved-%d" % number, os.O_CREAT | os.O_WRONLY)
        if libc.fallocate(file, KEEP_SIZE, ctypes.c_long(0), ctypes.c_long(8 << 20)) != 0:
            print("refused:", errno.errorcode.get(ctypes.get_errno(), "?"), flush=True)
            break
        total += os.fstat(file).st_blocks * 512
        time.sleep(0.05)
except OSError as error:
    print("refused:", error)
over = total > int(P["disk_limit"]) + (48 << 20)
(achieved if over else held)("%d MiB reserved in empty files" % (total >> 20))
