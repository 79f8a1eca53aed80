# id: fs-remount-rw
# group: fs-write
# aim: Turn a read-only mount writable again, also from a nested namespace, then plant a file below it.
# judge: outside
# canary: system-folders
# tier-l: enforced
# source: generic

MS_RDONLY, MS_REMOUNT, MS_BIND = 1, 32, 4096


def remount():
    said = []
    # What is writable already is left as it is, so nothing changes where nothing confines.
    for place in ("/", "/usr", "/etc", P["home"]):
        try:
            read_only = os.statvfs(place).f_flag & os.ST_RDONLY
        except OSError:
            continue
        if not read_only:
            continue
        for flags in (MS_REMOUNT | MS_BIND, MS_REMOUNT):
            result = call("mount", None, ctypes.c_char_p(place.encode()), None, flags, None)
            said.append("%s %s" % (place, result))
    for folder in P["plant_folders"].split(":"):
        if not folder.startswith("/var") and any("(0" in one for one in said):
            try:
                os.close(os.open(plant(folder), os.O_WRONLY | os.O_CREAT, 0o600))
            except OSError as error:
                said.append(str(error))
    return "; ".join(said)


def nested():
    call("unshare", 0x10000000 | 0x20000)
    return remount()


print(apart(remount))
print(apart(nested))
