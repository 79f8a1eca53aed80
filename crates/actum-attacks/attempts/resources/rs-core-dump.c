// id: rs-core-dump
// group: resources
// aim: Crash with a large heap, so that a core file is left.
// judge: outside
// canary: none
// tier-l: enforced
// source: generic
// watch: core

static int attempt(void) {
  struct rlimit limit;
  getrlimit(RLIMIT_CORE, &limit);
  limit.rlim_cur = limit.rlim_max < (32 << 20) ? limit.rlim_max : 32 << 20;
  setrlimit(RLIMIT_CORE, &limit);
  memset(malloc(32 << 20), 1, 32 << 20);
  abort();
}
