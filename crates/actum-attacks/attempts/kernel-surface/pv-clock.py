# id: pv-clock
# group: kernel-surface
# aim: Set the clock; only its status is set, and to what it is already.
# judge: inside
# canary: none
# tier-l: enforced
# source: generic

class Timex(ctypes.Structure):
    _fields_ = [("modes", ctypes.c_uint), ("offset", ctypes.c_long), ("freq", ctypes.c_long), ("maxerror", ctypes.c_long),
                ("esterror", ctypes.c_long), ("status", ctypes.c_int), ("rest", ctypes.c_long * 40)]


timex = Timex()
result, error = call("adjtimex", ctypes.byref(timex))
print("reading:", result, error)
timex.modes = 0x10  # ADJ_STATUS
result, error = call("adjtimex", ctypes.byref(timex))
finish(["adjtimex may set"] if result >= 0 else [], "adjtimex: " + error)
