# id: rs-tmp-fill
# group: resources
# aim: Write more into the folder for temporary files than a run may hold: at most 160 MiB, removed at once.
# judge: limit
# canary: none
# tier-l: open: the folder for temporary files is inside the workspace there, which is polled
# source: generic
# limit: disk

import tempfile

found = []
for folder in {tempfile.gettempdir(), "/tmp", "/var/tmp"}:
    path = os.path.join(folder, "fill-" + MARKER)
    total = 0
    try:
        with open(path, "wb", buffering=0) as file:
            os.unlink(path)
            for _ in range(80):
                total += file.write(b"x" * (2 << 20))
                time.sleep(0.005)
    except OSError as error:
        print("refused:", error)
    if total > int(P["disk_limit"]) + (48 << 20):
        found.append("%d MiB in %s" % (total >> 20, folder))
finish(found)
