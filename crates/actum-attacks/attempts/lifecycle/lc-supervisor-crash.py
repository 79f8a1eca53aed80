# id: lc-supervisor-crash
# group: lifecycle
# aim: Outlive a supervisor that is killed in the middle of the run.
# judge: outside
# canary: none
# tier-l: enforced
# source: crash safety
# wall: 5
# watch: kill-supervisor

for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        signal.alarm(7)
        time.sleep(6)
        os._exit(0)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.signal(signal.SIGHUP, signal.SIG_IGN)
time.sleep(6)
