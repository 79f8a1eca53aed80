# id: fs-proc-root
# group: fs-read
# aim: Reach the tree of the host through the root and working folder of other processes.
# judge: outside
# canary: ssh-key, victim-folder
# tier-l: enforced
# source: container escape classic

show("/proc/self/root" + P["secret"])
show("/proc/thread-self/root" + P["secret"])
for pid in neighbours():
    show("/proc/%d/root%s" % (pid, P["secret"]))
    show("/proc/%d/cwd/secret.txt" % pid)
    show("/proc/%d/task/%d/cwd/secret.txt" % (pid, pid))
