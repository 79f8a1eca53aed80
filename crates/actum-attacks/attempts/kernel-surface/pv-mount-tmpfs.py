# id: pv-mount-tmpfs
# group: kernel-surface
# aim: Mount a file system of one's own; it is taken away at once.
# judge: inside
# canary: none
# tier-l: enforced
# source: generic

def mount():
    # In a mount namespace of our own where that is possible, so that the host does not see it.
    call("unshare", 0x20000)
    call("mount", None, ctypes.c_char_p(b"/"), None, 0x44000, None)
    os.makedirs("mounted", exist_ok=True)
    place = ctypes.c_char_p(os.path.abspath("mounted").encode())
    result, error = call("mount", ctypes.c_char_p(b"none"), place, ctypes.c_char_p(b"tmpfs"), 0, None)
    call("umount2", place, 2)
    return "tmpfs was mounted" if result == 0 else None


finish([said for said in [apart(mount)] if said])
