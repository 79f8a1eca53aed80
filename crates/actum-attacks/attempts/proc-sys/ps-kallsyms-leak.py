# id: ps-kallsyms-leak
# group: proc-sys
# aim: Learn addresses of the kernel; they are not shown.
# judge: inside
# canary: none
# tier-l: enforced
# source: generic

found = []
try:
    with open("/proc/kallsyms") as file:
        if any(int(line.split()[0], 16) for line, _ in zip(file, range(50))):
            found.append("kallsyms shows addresses")
except (OSError, ValueError) as error:
    print("refused:", error)
for path in ("/proc/kcore", "/proc/timer_list", "/proc/vmallocinfo", "/proc/iomem"):
    try:
        os.close(os.open(path, os.O_RDONLY))
        if path == "/proc/iomem":
            with open(path) as file:
                if not any(int(line.strip().split("-")[0], 16) for line in file):
                    continue
        found.append(path + " opens")
    except OSError as error:
        print("refused:", error)
finish(found)
