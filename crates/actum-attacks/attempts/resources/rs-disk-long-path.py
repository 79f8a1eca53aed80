# id: rs-disk-long-path
# group: resources
# aim: Write more than the workspace may hold below a path that is too long to be named: at most 160 MiB.
# judge: limit
# canary: none
# tier-l: open: disk is polled, so a fast writer may pass the limit before it is killed
# source: counting by walking
# limit: disk

total = 0
try:
    for _ in range(24):
        os.mkdir("d" * 250)
        os.chdir("d" * 250)
    with open("fill", "wb", buffering=0) as file:
        for _ in range(80):
            total += file.write(os.urandom(4096) * 512)
            time.sleep(0.01)
except OSError as error:
    print("refused:", error)
over = total > int(P["disk_limit"]) + (48 << 20)
(achieved if over else held)("%d MiB below a path that cannot be named" % (total >> 20))
