# id: rs-disk-fill
# group: resources
# aim: Write more into the workspace than it may hold: at most 160 MiB, at 200 MiB a second.
# judge: limit
# canary: none
# tier-l: open: disk is polled, so a fast writer may pass the limit before it is killed
# source: generic
# limit: disk

total = 0
try:
    with open("fill", "wb", buffering=0) as file:
        for _ in range(80):
            total += file.write(os.urandom(4096) * 512)
            time.sleep(0.01)
except OSError as error:
    print("refused:", error)
over = total > int(P["disk_limit"]) + (48 << 20)
(achieved if over else held)("%d MiB in the workspace" % (total >> 20))
