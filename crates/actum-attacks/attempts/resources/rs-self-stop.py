# id: rs-self-stop
# group: resources
# aim: Stop the whole tree, so that nobody in it can end it.
# judge: limit
# canary: none
# tier-l: enforced
# source: generic
# wall: 3
# limit: wall

# A watcher in a session of its own wakes us after eight seconds, should nobody end us.
above = os.getpid()
if os.fork() == 0:
    os.setsid()
    signal.alarm(9)
    time.sleep(8)
    if os.getppid() == above:
        os.kill(above, signal.SIGCONT)
    os._exit(0)
signal.alarm(9)
os.kill(above, signal.SIGSTOP)
