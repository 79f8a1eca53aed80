# id: ar-late-write
# group: artefacts
# aim: Rewrite a result from a left-over process after the run has ended.
# judge: outside
# canary: none
# tier-l: enforced
# source: evidence tampering
# watch: late-write

if os.fork() == 0:
    os.setsid()
    signal.alarm(4)
    if os.fork() == 0:
        signal.alarm(4)
        null = os.open("/dev/null", os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(null, number)
        for number in range(60):
            with open("result.txt", "w") as file:
                file.write("late %d\n" % number)
            time.sleep(0.05)
    os._exit(0)
