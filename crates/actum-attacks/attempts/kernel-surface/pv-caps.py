# id: pv-caps
# group: kernel-surface
# aim: Hold capabilities, or raise them by capset, the ambient set and the secure bits.
# judge: inside
# canary: none
# tier-l: enforced
# source: codex inner-stage check

import struct

found = []
with open("/proc/self/status") as file:
    sets = {line.split()[0]: int(line.split()[1], 16) for line in file if line.startswith("Cap")}
found += ["%s %x" % pair for pair in sets.items() if pair[1] and pair[0] != "CapBnd:"]
print(sets)


def raise_them():
    header = ctypes.create_string_buffer(struct.pack("II", 0x20080522, 0))
    every = ctypes.create_string_buffer(struct.pack("6I", *[0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0x1FF, 0x1FF, 0x1FF]))
    if call("capset", ctypes.byref(header), ctypes.byref(every))[0] == 0:
        return "capset"
    if libc.prctl(47, 2, 12, 0, 0) == 0:
        return "ambient"
    return "secure bits" if libc.prctl(28, 1, 0, 0, 0) == 0 else None


said = apart(raise_them)
finish(found + ([said] if said else []), "no set holds any, and none can be raised")
