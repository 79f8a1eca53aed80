# id: in-exec-memfd
# group: kernel-surface
# aim: Run a program from memory that was never a file; refused under the profile `locked`.
# judge: inside
# canary: none
# tier-l: enforced
# source: fileless malware
# profile: locked

def run():
    program = os.memfd_create("program", 0)
    with open("/bin/true", "rb") as file:
        os.write(program, file.read())
    child = os.fork()
    if child == 0:
        try:
            os.execve(program, ["true"], {})
        finally:
            os._exit(9)
    return "a program ran from memory" if os.waitpid(child, 0)[1] == 0 else None


finish([said for said in [apart(run)] if said])
