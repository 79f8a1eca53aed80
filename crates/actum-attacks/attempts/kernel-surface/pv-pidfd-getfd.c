// id: pv-pidfd-getfd
// group: kernel-surface
// aim: Copy descriptors out of the init or of a process outside; they are closed at once.
// judge: inside
// canary: victim
// tier-l: enforced
// source: generic

static int attempt(void) {
  char here[100] = "";
  readlink("/proc/self/ns/pid", here, sizeof here - 1);
  // Where pid 1 is the host's it is left alone: it is not ours to touch.
  int target = strcmp(here, parameter("host_pid_namespace")) ? 1 : atoi(parameter("victim_pid"));
  int handle = syscall(SYS_pidfd_open, target, 0);
  if (handle < 0) return held("pidfd_open: %s", strerror(errno)), 0;
  int count = 0;
  for (int number = 0; number < 16; number++) {
    int copy = syscall(438 /* pidfd_getfd */, handle, number, 0);
    if (copy >= 0) count++, close(copy);
  }
  if (count) achieved("%d descriptors of pid %d", count, target);
  else held("pidfd_getfd: %s", strerror(errno));
  return 0;
}
