# id: fs-xattr-caps
# group: fs-write
# aim: Give a file of the workspace capabilities by its extended attribute.
# judge: inside
# canary: none
# tier-l: enforced
# source: generic

import struct

open("capable", "w").close()
os.chmod("capable", 0o755)
found = []
forms = {
    "version 2": struct.pack("<IIIII", 0x02000001, 1 << 13, 0, 0, 0),
    "version 3": struct.pack("<IIIIII", 0x03000001, 1 << 13, 0, 0, 0, os.getuid()),
}
for name, value in forms.items():
    try:
        os.setxattr("capable", "security.capability", value)
        found.append("capabilities of %s are set" % name)
    except OSError as error:
        print("refused:", error)
finish(found)
