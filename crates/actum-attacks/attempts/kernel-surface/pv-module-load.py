# id: pv-module-load
# group: kernel-surface
# aim: Ask for what only the owner of the machine may: modules, another kernel, swap, reboot; each in a form that cannot succeed.
# judge: inside
# canary: none
# tier-l: enforced
# source: generic

nothing = ctypes.c_char_p(b"/nonexistent/actum-canary")
# What the kernel answers only after it has found that we may.
telling = {
    "init_module": (call("init_module", None, 0, ctypes.c_char_p(b"")), {"ENOEXEC", "EFAULT"}),
    "finit_module": (call("finit_module", -1, ctypes.c_char_p(b""), 0), {"EBADF"}),
    "delete_module": (call("delete_module", ctypes.c_char_p(b"actum_canary_none"), os.O_NONBLOCK), {"ENOENT"}),
    "kexec_load": (call("kexec_load", 0, 1 << 40, None, 0xFFFF), {"EINVAL"}),
    "swapon": (call("swapon", nothing, 0), {"ENOENT"}),
    "acct": (call("acct", nothing), {"ENOENT"}),
    "reboot": (call("reboot", 0, 0, 0, None), {"EINVAL"}),
}
for name, (answer, _) in telling.items():
    print(name, answer)
finish([name for name, ((_, error), errors) in telling.items() if error in errors])
