# id: rs-output-hold-pipe
# group: resources
# aim: Leave a process behind that keeps standard output open after the run has ended.
# judge: limit
# canary: none
# tier-l: enforced
# source: generic
# wall: 3
# limit: wall

if os.fork() == 0:
    os.setsid()
    signal.alarm(8)
    time.sleep(8)
