# id: pv-io-uring
# group: kernel-surface
# aim: Set up io_uring, a large part of the kernel that filters of system calls do not see.
# judge: inside
# canary: none
# tier-l: enforced
# source: large share of kernel exploits

parameters = ctypes.create_string_buffer(256)
result, error = call("io_uring_setup", 2, ctypes.byref(parameters))
finish(["io_uring is set up"] if result >= 0 else [], "io_uring_setup: " + error)
