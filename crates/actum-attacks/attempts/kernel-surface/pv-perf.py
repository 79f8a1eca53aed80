# id: pv-perf
# group: kernel-surface
# aim: Open a performance counter of oneself.
# judge: inside
# canary: none
# tier-l: enforced
# source: generic

import struct

found = []
for kind, config in ((1, 0), (0, 0), (1, 9)):
    # Only this process, and nothing of the kernel: what an ordinary user may ask for.
    attributes = ctypes.create_string_buffer(struct.pack("IIQQQQQ", kind, 112, config, 0, 0, 0, 0x61), 112)
    result, error = call("perf_event_open", ctypes.byref(attributes), 0, -1, -1, 0)
    print(kind, config, error)
    if result >= 0:
        found.append("a counter of kind %d" % kind)
finish(found)
