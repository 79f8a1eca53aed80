# id: rs-zombies
# group: resources
# aim: Leave children that nobody waits for: at most 200.
# judge: limit
# canary: none
# tier-l: enforced
# source: generic
# limit: processes

count = 0
try:
    for _ in range(200):
        if os.fork() == 0:
            os._exit(0)
        count += 1
except OSError as error:
    print("refused:", error)
time.sleep(0.3)
over = count > int(P["processes_limit"]) + 32
(achieved if over else held)("%d children were never waited for" % count)
