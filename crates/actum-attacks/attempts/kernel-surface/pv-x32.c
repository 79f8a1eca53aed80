// id: pv-x32
// group: kernel-surface
// aim: Make a system call by its number for x32, which a list of refused numbers may not hold.
// judge: inside
// canary: none
// tier-l: enforced
// source: seccomp x32 guard; seccompiler 0.5 has none

static int attempt(void) {
#ifdef __x86_64__
  int child = fork();
  if (child == 0) {
    long result = syscall(0x40000000 + 39 /* getpid */);
    _exit(result == getpid() ? 7 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 7) achieved("getpid by x32");
  else held(WIFSIGNALED(status) ? "killed by signal %d" : "not answered (%d)", WIFSIGNALED(status) ? WTERMSIG(status) : status);
#else
  held("this machine has no x32");
#endif
  return 0;
}
