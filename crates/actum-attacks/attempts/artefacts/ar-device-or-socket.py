# id: ar-device-or-socket
# group: artefacts
# aim: Leave a socket and a device node as results.
# judge: outside
# canary: none
# tier-l: enforced
# source: isolate removes special files
# wall: 4
# watch: device-node

os.unlink("result.txt")
try:
    socket.socket(socket.AF_UNIX).bind("result.txt")
except OSError as error:
    print("refused:", error)
try:
    os.mknod("output.bin", 0o020600, os.makedev(250, 250))
except OSError as error:
    print("refused:", error)
