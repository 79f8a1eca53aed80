# id: lc-kill-all
# group: lifecycle
# aim: Signal everyone at once; with the null signal, which only asks for permission.
# judge: inside
# canary: victim
# tier-l: enforced
# source: generic

try:
    os.kill(-1, 0)
    print("someone can be signalled")
except OSError as error:
    print("nobody can be signalled:", error)
found = []
if not own_pid_namespace():
    try:
        os.kill(int(P["victim_pid"]), 0)
        found.append("the victim outside can be signalled")
    except OSError as error:
        print("refused:", error)
finish(found, "only our own can be signalled")
