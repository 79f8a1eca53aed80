// Put before every attempt in C: parameters as name=value arguments, and the two words of a verdict.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <netinet/in.h>
#include <time.h>
#include <unistd.h>

static int attempt(void);
static char **words;

static const char *parameter(const char *name) {
  size_t length = strlen(name);
  for (char **word = words + 1; *word; word++)
    if (!strncmp(*word, name, length) && (*word)[length] == '=') return *word + length + 1;
  return "";
}

static void say(const char *word, const char *format, va_list values) {
  printf("%s: ", word);
  vprintf(format, values);
  printf("\n");
  fflush(stdout);
}
static void achieved(const char *format, ...) { va_list v; va_start(v, format); say("ACHIEVED", format, v); va_end(v); }
static void held(const char *format, ...) { va_list v; va_start(v, format); say("HELD", format, v); va_end(v); }

static double now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return at.tv_sec + at.tv_nsec / 1e9;
}

int main(int count, char **values) {
  words = values;
  alarm(11); // Nothing of an attempt outlives this, even where no one limits it.
  printf("STARTED\n");
  fflush(stdout);
  return attempt();
}
