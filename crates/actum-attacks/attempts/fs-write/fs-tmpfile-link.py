# id: fs-tmpfile-link
# group: fs-write
# aim: Make a nameless file and link it into a folder that is read-only.
# judge: outside
# canary: homes, system-folders
# tier-l: enforced
# source: generic

AT_FDCWD, AT_SYMLINK_FOLLOW, AT_EMPTY_PATH = -100, 0x400, 0x1000
for source in [".", "/tmp"] + P["plant_folders"].split(":"):
    try:
        nameless = os.open(source, os.O_TMPFILE | os.O_RDWR, 0o600)
    except OSError as error:
        print("refused:", error)
        continue
    for folder in P["plant_folders"].split(":"):
        target = plant(folder).encode()
        by_name = libc.linkat(AT_FDCWD, b"/proc/self/fd/%d" % nameless, AT_FDCWD, target, AT_SYMLINK_FOLLOW)
        by_number = libc.linkat(nameless, b"", AT_FDCWD, target, AT_EMPTY_PATH)
        print(folder, by_name, by_number)
