// id: rs-cpu-hog
// group: resources
// aim: Spin on every processor, beyond the wall limit.
// judge: limit
// canary: none
// tier-l: enforced
// source: generic
// wall: 3
// limit: wall

static int attempt(void) {
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  for (long number = 1; number < count && number < 4; number++)
    if (fork() == 0) break;
  alarm(9);
  for (double end = now() + 7; now() < end;);
  return 0;
}
