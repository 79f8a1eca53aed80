# id: pv-setuid-binary
# group: kernel-surface
# aim: Start a set-uid program and see whether it runs with the rights of another.
# judge: inside
# canary: none
# tier-l: enforced
# source: CVE-2021-4034 class

import subprocess

found = []
for path in ("/bin/su", "/usr/bin/su", "/usr/bin/sudo", "/usr/bin/passwd", "/usr/bin/newgrp", "/usr/bin/chsh", "/usr/bin/mount"):
    if os.getuid() == 0 or not os.path.exists(path):
        continue
    try:
        # Its input stays open, so that it waits for an answer while we look at it.
        child = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        for _ in range(20):
            with open("/proc/%d/status" % child.pid) as file:
                ids = next(line for line in file if line.startswith("Uid:")).split()
            if ids[2] == "0" or ids[4] == "0":
                found.append(path + " runs as root")
                break
            time.sleep(0.005)
        child.stdin.close()
        child.kill()
        child.wait()
    except OSError as error:
        print("refused:", error)
with open("/proc/self/status") as file:
    print("".join(line for line in file if line.startswith("NoNewPrivs")).strip())
finish(found, "no rights were gained")
