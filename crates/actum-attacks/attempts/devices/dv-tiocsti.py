# id: dv-tiocsti
# group: devices
# aim: Push characters into the controlling terminal, as if the user had typed them.
# judge: inside
# canary: none
# tier-l: enforced
# source: CVE-2017-5226
# wrap: terminal

import fcntl

TIOCSTI, TIOCLINUX = 0x5412, 0x541C
found = []
terminals = [0, 1, 2]
try:
    terminals.append(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
except OSError as error:
    print("no controlling terminal:", error)
for terminal in terminals:
    if not os.isatty(terminal):
        continue
    for name, request in (("TIOCSTI", TIOCSTI), ("TIOCLINUX", TIOCLINUX)):
        # Without an argument nothing is pushed: a fault means that the call itself was permitted.
        ctypes.set_errno(0)
        libc.ioctl(terminal, ctypes.c_ulong(request), None)
        if ctypes.get_errno() == errno.EFAULT:
            found.append("%s on descriptor %d" % (name, terminal))
# High bits that a filter on 64 bits may not see, but that the kernel drops.
if os.isatty(1):
    ctypes.set_errno(0)
    libc.ioctl(1, ctypes.c_ulong(0x100000000 | TIOCSTI), None)
    if ctypes.get_errno() == errno.EFAULT:
        found.append("TIOCSTI with high bits")
finish(found)
