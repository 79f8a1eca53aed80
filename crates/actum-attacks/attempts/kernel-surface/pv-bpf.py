# id: pv-bpf
# group: kernel-surface
# aim: Make a map of BPF and load the smallest program.
# judge: inside
# canary: none
# tier-l: enforced
# source: generic

import struct

found = []
attributes = ctypes.create_string_buffer(struct.pack("IIIII", 2, 4, 8, 1, 0), 128)
result, error = call("bpf", 0, ctypes.byref(attributes), 128)
print("map:", error)
if result >= 0:
    found.append("a map was made")
code = ctypes.create_string_buffer(struct.pack("<BBhiBBhi", 0xB7, 0, 0, 0, 0x95, 0, 0, 0))
licence = ctypes.create_string_buffer(b"GPL")
attributes = ctypes.create_string_buffer(struct.pack("IIQQ", 1, 2, ctypes.addressof(code), ctypes.addressof(licence)), 128)
result, error = call("bpf", 5, ctypes.byref(attributes), 128)
print("program:", error)
if result >= 0:
    found.append("a program was loaded")
finish(found)
