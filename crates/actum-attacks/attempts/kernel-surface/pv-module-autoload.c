// id: pv-module-autoload
// group: kernel-surface
// aim: Have the kernel load modules for families and protocols that hardly anyone uses.
// judge: inside
// canary: none
// tier-l: enforced
// source: kernel attack surface
// watch: modules
// never: bare bubblewrap: would load modules into the kernel of the host

static int attempt(void) {
  int families[] = {3, 4, 5, 6, 9, 11, 21, 26, 29, 30, 31, 35, 37, 41, 42, 43};
  char found[400] = "";
  for (unsigned index = 0; index < sizeof families / sizeof *families; index++)
    for (int kind = SOCK_STREAM; kind <= SOCK_SEQPACKET; kind++) {
      int one = socket(families[index], kind, 0);
      if (one >= 0) sprintf(found + strlen(found), " family %d", families[index]), close(one);
      if (one >= 0 || strlen(found) > 300) break;
    }
  struct { int kind, protocol; } protocols[] = {{SOCK_SEQPACKET, 132}, {SOCK_STREAM, 132}, {6, 33}, {SOCK_DGRAM, 115}, {SOCK_DGRAM, 136}};
  for (int index = 0; index < 5; index++) {
    int one = socket(AF_INET, protocols[index].kind, protocols[index].protocol);
    if (one >= 0) sprintf(found + strlen(found), " protocol %d", protocols[index].protocol), close(one);
  }
  if (*found) achieved("sockets of%s", found);
  else held("every family and protocol was refused");
  return 0;
}
