# id: pv-keyctl
# group: kernel-surface
# aim: Put a key into a keyring, where it could outlive the run; only into that of this process.
# judge: inside
# canary: none
# tier-l: enforced
# source: isolate syscall flag 1

found = []
result, error = call("add_key", ctypes.c_char_p(b"user"), ctypes.c_char_p(b"actum-canary"), ctypes.c_char_p(b"x"), 1, -2)
print("add_key:", error)
if result >= 0:
    found.append("a key was added")
    call("keyctl", 3, result)
result, error = call("keyctl", 0, -2, 0)
print("keyctl:", error)
if result >= 0:
    found.append("keyctl answers")
finish(found)
