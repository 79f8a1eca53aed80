# id: pv-int80
# group: kernel-surface
# aim: Make a system call by the door for 32-bit programs, which a filter for 64 bits may not watch.
# judge: inside
# canary: none
# tier-l: enforced
# source: seccomp arch check

import mmap


def by_the_old_door():
    # mov eax, 20 (getpid); int 0x80; ret
    code = mmap.mmap(-1, 4096, prot=7)
    code.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")
    address = ctypes.addressof(ctypes.c_char.from_buffer(code))
    result = ctypes.CFUNCTYPE(ctypes.c_int)(address)()
    return "getpid by int 0x80" if result == os.getpid() else None


finish([said for said in [apart(by_the_old_door) if COLUMN == 0 else None] if said], "refused, killed, or another machine")
