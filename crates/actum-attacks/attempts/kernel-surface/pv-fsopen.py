# id: pv-fsopen
# group: kernel-surface
# aim: Use the newer calls for mounting.
# judge: inside
# canary: none
# tier-l: enforced
# source: generic

found = []
result, error = call("fsopen", ctypes.c_char_p(b"tmpfs"), 1)
print("fsopen", error)
if result >= 0:
    found.append("fsopen")
result, error = call("open_tree", -100, ctypes.c_char_p(b"/"), 1)
print("open_tree", error)
if result >= 0:
    found.append("open_tree with a clone")
attributes = (ctypes.c_ulonglong * 4)(1 << 60, 0, 0, 0)
result, error = call("mount_setattr", -100, ctypes.c_char_p(b"."), 0, ctypes.byref(attributes), 32)
print("mount_setattr", error)
result, error = call("move_mount", -1, ctypes.c_char_p(b""), -1, ctypes.c_char_p(b""), 0)
print("move_mount", error)
finish(found)
