# id: pv-sysv-ipc
# group: kernel-surface
# aim: Take a message from a queue of the host.
# judge: outside
# canary: queue
# tier-l: enforced
# source: generic

class Message(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_long), ("text", ctypes.c_char * 64)]


queue = libc.msgget(int(P["queue_key"]), 0)
message = Message()
result = libc.msgrcv(queue, ctypes.byref(message), 64, 0, 0o4000)
print(queue, result, message.text.decode())
