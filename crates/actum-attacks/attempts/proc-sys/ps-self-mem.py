# id: ps-self-mem
# group: proc-sys
# aim: Open the memory of another process for writing; nothing is written.
# judge: inside
# canary: victim-name
# tier-l: enforced
# source: generic

buffer = ctypes.create_string_buffer(b"before")
try:
    with open("/proc/self/mem", "r+b", buffering=0) as memory:
        memory.seek(ctypes.addressof(buffer))
        memory.write(b"after!")
    print("own memory: harmless,", buffer.value)
except OSError as error:
    print("own memory refused:", error)
finish(["/proc/%d/mem opens" % pid for pid in neighbours() if can_open("/proc/%d/mem" % pid, os.O_RDWR)])
