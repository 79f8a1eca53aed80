# id: ps-see-host-processes
# group: proc-sys
# aim: See the processes of the host and their command lines.
# judge: outside
# canary: victim-name
# tier-l: open: command lines are readable where /proc is the host's
# source: generic

for pid in [P["victim_pid"]] + [name for name in os.listdir("/proc") if name.isdigit()]:
    try:
        with open("/proc/%s/cmdline" % pid, "rb") as file:
            line = file.read().replace(b"\0", b" ")
    except OSError:
        continue
    if b"actum-victim" in line and b"import sys; sys.stdin.read()" in line[:60]:
        print(line.decode())
        break
