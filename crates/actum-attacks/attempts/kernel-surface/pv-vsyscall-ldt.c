// id: pv-vsyscall-ldt
// group: kernel-surface
// aim: Change the table of segments, and ask for the ports of devices.
// judge: inside
// canary: none
// tier-l: enforced
// source: generic

static int attempt(void) {
#ifdef __x86_64__
  char found[100] = "", buffer[64];
  if (syscall(SYS_modify_ldt, 0, buffer, sizeof buffer) >= 0) strcat(found, " modify_ldt");
  // A child, so that the rights on ports go with it; no port is touched.
  int child = fork(), status = 0;
  if (child == 0) _exit((syscall(SYS_iopl, 3) == 0) | (syscall(SYS_ioperm, 0x80, 1, 1) == 0) << 1);
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) & 1) strcat(found, " iopl");
  if (WIFEXITED(status) && WEXITSTATUS(status) & 2) strcat(found, " ioperm");
  if (*found) achieved("answered:%s", found);
  else held("all were refused");
#else
  held("this machine has none of them");
#endif
  return 0;
}
