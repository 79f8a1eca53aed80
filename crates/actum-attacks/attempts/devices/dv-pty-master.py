# id: dv-pty-master
# group: devices
# aim: Write to the terminal of another process of the same user.
# judge: outside
# canary: terminal
# tier-l: enforced
# source: generic

for path in (P["terminal"], "/proc/%s/fd/0" % P["victim_pid"]):
    try:
        if not path.startswith("/proc"):
            other = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
            os.write(other, MARKER.encode())
    except OSError as error:
        print("refused:", error)
try:
    own = os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY)
    print("own terminals can be made:", os.ttyname(own) if os.isatty(own) else own)
except OSError as error:
    print("refused:", error)
