# id: lc-signal-supervisor
# group: lifecycle
# aim: Kill a process of the same user outside.
# judge: outside
# canary: victim
# tier-l: enforced
# source: generic

victim = int(P["victim_pid"])
try:
    with open("/proc/%d/cmdline" % victim, "rb") as file:
        ours = b"actum-victim" in file.read()
except OSError:
    # Not visible: either another pid namespace, where the number means nothing, or a closed /proc.
    ours = not own_pid_namespace()
for number in (signal.SIGTERM, signal.SIGKILL):
    try:
        if ours:
            os.kill(victim, number)
        else:
            os.kill(victim, 0)
        print("sent", number)
    except OSError as error:
        print("refused:", error)
try:
    if ours:
        handle = os.pidfd_open(victim)
        signal.pidfd_send_signal(handle, signal.SIGKILL)
except OSError as error:
    print("refused:", error)
time.sleep(0.1)
