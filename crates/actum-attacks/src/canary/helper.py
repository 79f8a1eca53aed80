# Holds canaries for the harness until its input ends. argv[1]: the canary home; argv[2]: the folder of the suite.
# First line in: four secrets. First line out: keys, names and paths. Then questions, one line each.
import ctypes
import errno
import os
import pty
import random
import shutil
import socket
import signal
import sys
import threading
import tty

# An interrupt from the keyboard is for the harness; we end when our input does.
signal.signal(signal.SIGINT, signal.SIG_IGN)
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
libc.shmat.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_int]
IPC_CREAT, IPC_EXCL, IPC_RMID = 0o1000, 0o2000, 0
segment_secret, queue_secret, file_secret, passed_secret = sys.stdin.readline().split()
home = sys.argv[1]


class Message(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_long), ("text", ctypes.c_char * 64)]


def with_fresh_key(make):
    while True:
        key = random.randrange(0x41430000, 0x4143FFFF)
        made = make(key)
        if made >= 0:
            return key, made
        if ctypes.get_errno() != errno.EEXIST:
            raise OSError(ctypes.get_errno(), "cannot make it")


segment_key, segment = with_fresh_key(lambda key: libc.shmget(key, 4096, IPC_CREAT | IPC_EXCL | 0o600))
address = libc.shmat(segment, None, 0)
ctypes.memmove(address, segment_secret.encode(), len(segment_secret))
queue_key, queue = with_fresh_key(lambda key: libc.msgget(key, IPC_CREAT | IPC_EXCL | 0o600))


def fill_queue():
    message = Message(1, queue_secret.encode())
    while libc.msgsnd(queue, ctypes.byref(message), 64, 0o4000) == 0 and fill_queue.count < 8:
        fill_queue.count += 1


fill_queue.count = 0
fill_queue()
# The home is named after the suite, and so is the file.
shared_file = "/dev/shm/" + os.path.basename(home).lstrip(".")
with open(shared_file, "w") as file:
    file.write(file_secret)
os.chmod(shared_file, 0o600)

master, slave = pty.openpty()
tty.setraw(slave)
os.set_blocking(master, False)

passed_file = os.path.join(home, "passed.txt")
with open(passed_file, "w") as file:
    file.write(passed_secret)
passing_path = os.path.join(home, "passing.sock")
listener = socket.socket(socket.AF_UNIX)
listener.bind(passing_path)
listener.listen(8)


def pass_descriptors():
    while True:
        caller, _ = listener.accept()
        with open(passed_file) as file:
            socket.send_fds(caller, [b"here"], [file.fileno()])
        caller.close()


def inotify_left():
    held = []
    while True:
        one = libc.inotify_init1(0)
        if one < 0 or len(held) > 4000:
            break
        held.append(one)
    for one in held:
        os.close(one)
    return len(held)


def terminal_heard():
    try:
        return os.read(master, 4096).decode(errors="replace").replace("\n", " ")
    except BlockingIOError:
        return ""


threading.Thread(target=pass_descriptors, daemon=True).start()
try:
    print(segment_key, queue_key, shared_file, os.ttyname(slave), passing_path, flush=True)
    for question in sys.stdin:
        answer = inotify_left() if question.strip() == "inotify" else terminal_heard()
        print(answer or "-", flush=True)
finally:
    libc.shmctl(segment, IPC_RMID, None)
    libc.msgctl(queue, IPC_RMID, None)
    os.unlink(shared_file)
    # The harness does this too; it cannot when it was killed.
    for folder in sys.argv[1:3]:
        shutil.rmtree(folder, ignore_errors=True)
