# id: rs-fork-bomb
# group: resources
# aim: Fork many processes at once: at most 250, each for at most two seconds.
# judge: limit
# canary: none
# tier-l: enforced
# source: generic
# limit: processes

children = []
try:
    for _ in range(250):
        child = os.fork()
        if child == 0:
            signal.alarm(2)
            time.sleep(2)
            os._exit(0)
        children.append(child)
except OSError as error:
    print("refused:", error)
time.sleep(0.8)
for child in children:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
held("%d processes were alive at once" % len(children))
