# id: rs-disk-closed-folder
# group: resources
# aim: Write more than the workspace may hold into a folder that nobody can list: at most 160 MiB, at 200 MiB a second.
# judge: limit
# canary: none
# tier-l: open: disk is polled, so a fast writer may pass the limit before it is killed
# source: counting by walking
# limit: disk

total = 0
try:
    os.makedirs("closed/inner")
    file = os.open("closed/inner/fill", os.O_CREAT | os.O_WRONLY)
    os.chmod("closed/inner", 0)
    os.chmod("closed", 0)
    for _ in range(80):
        total += os.write(file, os.urandom(4096) * 512)
        time.sleep(0.01)
except OSError as error:
    print("refused:", error)
over = total > int(P["disk_limit"]) + (48 << 20)
(achieved if over else held)("%d MiB in a closed folder" % (total >> 20))
os.chmod("closed", 0o700)
os.chmod("closed/inner", 0o700)
