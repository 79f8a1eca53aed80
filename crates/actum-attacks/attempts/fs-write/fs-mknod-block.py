# id: fs-mknod-block
# group: fs-write
# aim: Make a block device in the workspace, in /tmp and in shared memory; it is removed at once.
# judge: inside
# canary: none
# tier-l: enforced
# source: generic

import stat

found = []
for folder in (".", "/tmp", "/dev/shm"):
    for kind in (stat.S_IFBLK, stat.S_IFCHR):
        path = os.path.join(folder, "device-" + MARKER)
        try:
            # Number 0:250 has no driver; a whiteout (0:0) would be allowed to everyone.
            os.mknod(path, kind | 0o600, os.makedev(0 if kind == stat.S_IFBLK else 250, 250))
            found.append(path)
            os.unlink(path)
        except OSError as error:
            print("refused:", error)
finish(found)
