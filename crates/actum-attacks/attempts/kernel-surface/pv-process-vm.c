// id: pv-process-vm
// group: kernel-surface
// aim: Write into the memory of a sibling.
// judge: inside
// canary: none
// tier-l: enforced
// source: generic

static volatile int target;

static int attempt(void) {
  int child = fork();
  if (child == 0) {
    alarm(3);
    for (double end = now() + 1; now() < end && !target;) usleep(1000);
    return 0;
  }
  int value = 1;
  struct iovec from = {&value, sizeof value}, to = {(void *)&target, sizeof target};
  long written = syscall(SYS_process_vm_writev, child, &from, 1, &to, 1, 0);
  int number = errno;
  kill(child, SIGKILL);
  waitpid(child, 0, 0);
  if (written > 0) achieved("%ld bytes were written into a sibling", written);
  else held("process_vm_writev: %s", strerror(number));
  return 0;
}
