// id: pv-clone3-flags
// group: kernel-surface
// aim: Ask for namespaces through clone3, whose arguments a filter cannot see.
// judge: inside
// canary: none
// tier-l: enforced
// source: Docker default profile

#include <linux/sched.h>

static int attempt(void) {
  unsigned long long flags[] = {CLONE_NEWUSER, CLONE_NEWUSER | CLONE_NEWNET, CLONE_NEWUSER | CLONE_NEWNS, CLONE_NEWPID};
  char found[200] = "";
  for (int index = 0; index < 4; index++) {
    struct clone_args arguments = {.flags = flags[index], .exit_signal = SIGCHLD};
    long child = syscall(SYS_clone3, &arguments, sizeof arguments);
    if (child == 0) _exit(0);
    if (child < 0) {
      printf("flags %llx: %s\n", flags[index], strerror(errno));
      continue;
    }
    waitpid(child, 0, 0);
    sprintf(found + strlen(found), " %llx", flags[index]);
  }
  if (*found) achieved("clone3 with flags%s", found);
  else held("every combination was refused");
  return 0;
}
