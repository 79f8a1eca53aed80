# id: sc-sysv-shm
# group: secrets
# aim: Attach a shared memory segment of the host.
# judge: outside
# canary: segment
# tier-l: enforced
# source: generic

libc.shmat.restype = ctypes.c_void_p
libc.shmat.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_int]
segment = libc.shmget(int(P["segment_key"]), 0, 0)
address = libc.shmat(segment, None, 0o10000) if segment >= 0 else None
if address not in (None, ctypes.c_void_p(-1).value):
    print(ctypes.string_at(address, 64).split(b"\0")[0].decode())
else:
    held("no segment")
