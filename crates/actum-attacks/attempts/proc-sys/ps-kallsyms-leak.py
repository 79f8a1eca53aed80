# id: ps-kallsyms-leak
# group: proc-sys
# aim: Learn addresses of the kernel; they are not shown.
# judge: inside
# canary: none
# tier-l: enforced
# source: generic

import re

found = []
try:
    with open("/proc/kallsyms") as file:
        if any(int(line.split()[0], 16) for line, _ in zip(file, range(50))):
            found.append("kallsyms shows addresses")
except (OSError, ValueError) as error:
    print("refused:", error)
# The memory of the kernel itself: opening it is enough.
try:
    os.close(os.open("/proc/kcore", os.O_RDONLY))
    found.append("/proc/kcore opens")
except OSError as error:
    print("refused:", error)
# Text that may name addresses: what counts is whether it does, not whether it opens.
for path in ("/proc/timer_list", "/proc/vmallocinfo", "/proc/iomem", "/proc/modules"):
    try:
        with open(path, errors="replace") as file:
            text = file.read(1 << 20)
    except OSError as error:
        print("refused:", error)
        continue
    if any(int(word, 16) >= 0xFFFF800000000000 for word in re.findall(r"\b(?:0x)?([0-9a-f]{16})\b", text)):
        found.append(path + " shows addresses of the kernel")
finish(found)
