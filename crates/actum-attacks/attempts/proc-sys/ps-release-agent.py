# id: ps-release-agent
# group: proc-sys
# aim: Mount a hierarchy of cgroup version 1 and open its release agent for writing; nothing is written.
# judge: inside
# canary: none
# tier-l: enforced
# source: CVE-2022-0492

def mount_and_open():
    said = []
    call("unshare", 0x20000)
    call("mount", None, ctypes.c_char_p(b"/"), None, 0x44000, None)  # private, all below
    os.makedirs("hierarchy", exist_ok=True)
    with open("/proc/cgroups") as file:
        # Only hierarchies that are mounted already, so that no new one is left in the kernel.
        live = [line.split()[0] for line in file if not line.startswith("#") and line.split()[1] != "0"]
    for controller in live[:4] + ["name=actum_none"]:
        if controller.startswith("name="):
            continue
        result, error = call("mount", ctypes.c_char_p(b"cgroup"), ctypes.c_char_p(b"hierarchy"),
                             ctypes.c_char_p(b"cgroup"), 0, ctypes.c_char_p(controller.encode()))
        if result == 0:
            if can_open("hierarchy/release_agent", os.O_WRONLY):
                said.append("release_agent of " + controller + " can be written")
            call("umount2", ctypes.c_char_p(b"hierarchy"), 2)
    return "; ".join(said)


def nested():
    call("unshare", 0x10000000 | 0x20000 | 0x2000000)
    return mount_and_open()


finish([said for said in (apart(mount_and_open), apart(nested)) if said])
