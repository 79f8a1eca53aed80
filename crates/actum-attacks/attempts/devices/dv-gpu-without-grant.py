# id: dv-gpu-without-grant
# group: devices
# aim: Open the graphics cards though none was granted.
# judge: inside
# canary: none
# tier-l: enforced
# source: policy

import glob

paths = glob.glob("/dev/nvidia*") + glob.glob("/dev/dri/*") + ["/dev/nvidia0", "/dev/nvidiactl", "/dev/kfd"]
finish(sorted({path for path in paths if os.path.exists(path) and not os.path.isdir(path) and can_open(path, os.O_RDWR)}), "no card can be opened")
