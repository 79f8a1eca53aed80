# Put before every attempt in Python: the parameters, raw system calls, and the two words of a verdict.
import ctypes
import errno
import json
import os
import signal
import socket
import sys
import time

P = json.loads(sys.argv[1])
MARKER = P["marker"]
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
# Whatever happens, nothing of an attempt outlives this, even where no one limits it.
signal.alarm(11)
print("STARTED", flush=True)

NUMBERS = {  # x86_64, aarch64
    "mount": (165, 40), "umount2": (166, 39), "unshare": (272, 97), "setns": (308, 268), "capset": (126, 91),
    "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265), "memfd_create": (319, 279), "bpf": (321, 280),
    "perf_event_open": (298, 241), "userfaultfd": (323, 282), "io_uring_setup": (425, 425), "add_key": (248, 217),
    "keyctl": (250, 219), "ptrace": (101, 117), "personality": (135, 92), "init_module": (175, 105),
    "finit_module": (313, 273), "delete_module": (176, 106), "kexec_load": (246, 104), "swapon": (167, 224),
    "reboot": (169, 142), "acct": (163, 89), "sethostname": (170, 161), "setdomainname": (171, 162),
    "adjtimex": (159, 171), "pidfd_open": (434, 434), "pidfd_getfd": (438, 438), "fsopen": (430, 430),
    "open_tree": (428, 428), "move_mount": (429, 429), "mount_setattr": (442, 442), "fchmodat2": (452, 452),
}
COLUMN = 0 if os.uname().machine == "x86_64" else 1


def call(name, *arguments):
    """A raw system call: its result and the name of its error."""
    ctypes.set_errno(0)
    words = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = libc.syscall(ctypes.c_long(NUMBERS[name][COLUMN]), *words)
    number = ctypes.get_errno()
    return result, errno.errorcode.get(number, str(number)) if result < 0 else ""


def achieved(detail):
    print("ACHIEVED: " + str(detail).replace("\n", " "), flush=True)


def held(detail):
    print("HELD: " + str(detail).replace("\n", " "), flush=True)


def finish(found, otherwise="every way was refused"):
    achieved("; ".join(map(str, found))) if found else held(otherwise)


def show(path):
    """Prints a canary file; only canaries are ever printed."""
    try:
        with open(path, "rb") as file:
            sys.stdout.write(file.read(4096).decode(errors="replace") + "\n")
            sys.stdout.flush()
            return True
    except OSError as error:
        print("refused:", errno.errorcode.get(error.errno, error.errno), flush=True)
        return False


def apart(action):
    """Does it in a child, so that it cannot stick to us; returns what the child says, or None."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(5)
        try:
            said = action()
            os.write(writer, str(said).encode()[:4000] if said else b"")
        finally:
            os._exit(0)
    os.close(writer)
    said = b""
    while piece := os.read(reader, 4096):
        said += piece
    os.close(reader)
    os.waitpid(child, 0)
    return said.decode() or None


def own_pid_namespace():
    """Whether pid 1 is the sandbox's. If it is the host's, it is left alone: it is not ours to touch."""
    try:
        return os.readlink("/proc/self/ns/pid") != P["host_pid_namespace"]
    except OSError:
        return False


def neighbours():
    """Processes that are fair game: the sandbox's init, or the victim and the supervisor."""
    if own_pid_namespace():
        return sorted({1, os.getppid()} - {0})
    return [int(P["victim_pid"]), os.getppid()]


def plant(folder):
    return os.path.join(folder, ".actum-planted-" + MARKER)


def can_open(path, flags):
    """Whether it can be opened so; nothing is read or written."""
    try:
        os.close(os.open(path, flags | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY))
        return True
    except OSError:
        return False
