# id: lc-kill-init
# group: lifecycle
# aim: Kill and stop the init of the sandbox.
# judge: inside
# canary: none
# tier-l: enforced
# source: generic
# never: bare: pid 1 is the host's there

if own_pid_namespace():
    for number in (signal.SIGSTOP, signal.SIGTERM, signal.SIGKILL):
        try:
            os.kill(1, number)
        except OSError as error:
            print("refused:", error)
    time.sleep(0.2)
    with open("/proc/1/stat") as file:
        state = file.read().rpartition(")")[2].split()[0]
    finish(["pid 1 is in state " + state] if state in "TtZX" else [], "pid 1 goes on")
else:
    held("pid 1 is the host's and was not touched")
