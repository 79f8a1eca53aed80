# id: rs-inotify
# group: resources
# aim: Take inotify instances from the user: at most 80, for one second and a half.
# judge: outside
# canary: none
# tier-l: open: the limit of a user is shared with all that the user runs
# source: generic
# watch: inotify

count = 0
for _ in range(80):
    if libc.inotify_init1(0) < 0:
        break
    count += 1
time.sleep(1.5)
held("%d instances were held" % count)
