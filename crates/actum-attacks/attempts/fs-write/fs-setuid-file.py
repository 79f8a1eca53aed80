# id: fs-setuid-file
# group: fs-write
# aim: Leave a set-uid file in the workspace, by every call that sets a mode.
# judge: outside
# canary: none
# tier-l: enforced
# source: Judge0 class
# watch: set-uid

def tried(name, action):
    try:
        print(name, action())
    except OSError as error:
        print(name, "refused:", error)


for name in ("one", "two", "three"):
    open(name, "w").close()
tried("chmod", lambda: os.chmod("one", 0o6755))
tried("fchmod", lambda: os.fchmod(os.open("two", os.O_RDONLY), 0o6755))
tried("fchmodat2", lambda: call("fchmodat2", -100, ctypes.c_char_p(b"three"), 0o6755, 0))
os.umask(0)
tried("open", lambda: os.open("four", os.O_CREAT | os.O_WRONLY, 0o6755))
tried("mknod", lambda: os.mknod("five", 0o106755))
tried("mkdir", lambda: os.mkdir("six", 0o6755))
