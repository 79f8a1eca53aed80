# id: lc-double-fork-daemon
# group: lifecycle
# aim: Leave the tree by forking twice and starting a session, and go on after the run.
# judge: outside
# canary: none
# tier-l: enforced
# source: DMOJ 318
# watch: late-write

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        signal.alarm(4)
        null = os.open("/dev/null", os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(null, number)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        for number in range(70):
            with open("result.txt", "w") as file:
                file.write("still here %d\n" % number)
            time.sleep(0.05)
    os._exit(0)
