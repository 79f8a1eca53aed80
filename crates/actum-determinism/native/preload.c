/* Preloaded into dynamically linked programs of a strict run: entropy comes from a seed, and the clock from a fixed start.
 *
 * What it promises: no allocation, safe with threads and across fork, no symbol of a new libc needed (the other functions are
 * looked up when they are called), and no variable of the environment read: `settings` is filled in by the caller, in the file.
 * Why each function is here: docs/design/determinism.md. Order: settings, entropy, devices, clock, waiting, processes. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* Other headers make the long names the short ones. */
#undef open64
#undef openat64
#undef fopen64

#pragma weak dlsym

#define EXPORT __attribute__((visibility("default")))
#define SECOND 1000000000LL

/* Volatile, because the bytes in the file are not those that the compiler saw. */
static const volatile struct {
    char mark[16];
    uint64_t seed;
    uint64_t start; /* nanoseconds since 1970 */
    uint64_t mixes_pid;
} settings = {{'a', 'c', 't', 'u', 'm', '-', 'p', 'r', 'e', 'l', 'o', 'a', 'd', '-', '0', '1'}, 0, 0, 0};

/* ---- the functions behind ours ---- */

static void *find(void **slot, const char *name) {
    void *there = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
    if (!there && dlsym) {
        there = dlsym(RTLD_NEXT, name);
        __atomic_store_n(slot, there, __ATOMIC_RELEASE);
    }
    return there;
}

/* `NEXT(f)` is a pointer to the function that would have been called without us. */
#define NEXT(name)                   \
    ({                               \
        static void *slot;           \
        (void *)find(&slot, #name);  \
    })

#if defined(__x86_64__)
static long raw(long number, long a, long b, long c, long d, long e, long f) {
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}
#elif defined(__aarch64__)
static long raw(long number, long a, long b, long c, long d, long e, long f) {
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc 0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory");
    return x0;
}
#else
#error "system calls of this processor are not known"
#endif

static long as_libc(long result) {
    if (result < 0 && result > -4096) {
        errno = (int)-result;
        return -1;
    }
    return result;
}

/* ---- entropy ---- */

/* Which process this is: the name it was started by, and the forks that led to it. */
static uint64_t name_hash = 0;
static uint64_t fork_path = 0;
static uint64_t forks = 0;
/* Which thread of it, in the order of their first draw, and how many blocks that one has drawn. */
static uint32_t threads = 0;
static __thread uint32_t thread_ordinal __attribute__((tls_model("initial-exec")));
static __thread uint64_t blocks __attribute__((tls_model("initial-exec")));

static uint64_t mix(uint64_t value) {
    value += 0x9E3779B97F4A7C15ULL;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
    return value ^ (value >> 31);
}

static inline uint32_t rotate(uint32_t value, int by) { return (value << by) | (value >> (32 - by)); }

#define QUARTER(a, b, c, d)                                \
    a += b, d = rotate(d ^ a, 16), c += d, b = rotate(b ^ c, 12), \
    a += b, d = rotate(d ^ a, 8), c += d, b = rotate(b ^ c, 7)

/* One block of ChaCha20: the key says which process, the nonce which thread, the counter which block. */
static void block(const uint32_t key[8], uint64_t counter, uint32_t thread, uint32_t out[16]) {
    uint32_t in[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
    for (int i = 0; i < 8; i++) in[4 + i] = key[i];
    in[12] = (uint32_t)counter;
    in[13] = (uint32_t)(counter >> 32);
    in[14] = thread;
    in[15] = 0;
    for (int i = 0; i < 16; i++) out[i] = in[i];
    for (int round = 0; round < 10; round++) {
        QUARTER(out[0], out[4], out[8], out[12]);
        QUARTER(out[1], out[5], out[9], out[13]);
        QUARTER(out[2], out[6], out[10], out[14]);
        QUARTER(out[3], out[7], out[11], out[15]);
        QUARTER(out[0], out[5], out[10], out[15]);
        QUARTER(out[1], out[6], out[11], out[12]);
        QUARTER(out[2], out[7], out[8], out[13]);
        QUARTER(out[3], out[4], out[9], out[14]);
    }
    for (int i = 0; i < 16; i++) out[i] += in[i];
}

static void draw(void *into, size_t length) {
    uint64_t pid = settings.mixes_pid ? (uint64_t)raw(SYS_getpid, 0, 0, 0, 0, 0, 0) : 0;
    uint64_t words[4] = {settings.seed, name_hash, fork_path, pid};
    uint32_t key[8];
    for (int i = 0; i < 8; i++) key[i] = (uint32_t)(words[i / 2] >> (i % 2 * 32));
    if (!thread_ordinal) thread_ordinal = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
    unsigned char *to = into;
    while (length > 0) {
        uint32_t drawn[16];
        block(key, blocks++, thread_ordinal, drawn);
        size_t part = length < sizeof drawn ? length : sizeof drawn;
        const unsigned char *from = (const unsigned char *)drawn;
        for (size_t i = 0; i < part; i++) to[i] = from[i];
        to += part;
        length -= part;
    }
}

EXPORT ssize_t getrandom(void *into, size_t length, unsigned flags) {
    (void)flags;
    if (length > 0x1ffffff) length = 0x1ffffff; /* as the kernel does */
    draw(into, length);
    return (ssize_t)length;
}

EXPORT int getentropy(void *into, size_t length) {
    if (length > 256) {
        errno = EIO;
        return -1;
    }
    draw(into, length);
    return 0;
}

EXPORT void arc4random_buf(void *into, size_t length) { draw(into, length); }

EXPORT uint32_t arc4random(void) {
    uint32_t value;
    draw(&value, sizeof value);
    return value;
}

EXPORT uint32_t arc4random_uniform(uint32_t bound) {
    if (bound < 2) return 0;
    uint32_t least = -bound % bound; /* below it, some remainders would come up once more than others */
    for (;;) {
        uint32_t value = arc4random();
        if (value >= least) return value % bound;
    }
}

/* `std::random_device` asks the processor, not the system. */
EXPORT unsigned random_device(void *self) __asm__("_ZNSt13random_device9_M_getvalEv");
EXPORT unsigned random_device(void *self) {
    (void)self;
    return arc4random();
}

/* ---- devices ---- */

#define DEVICE_LENGTH (1 << 20)
#define DEVICES 16
/* Inodes of the files that stand for devices, so that they never end for who reads on. */
static uint64_t devices[DEVICES];
static unsigned device_count = 0;

static int is_same(const char *a, const char *b) {
    while (*a && *a == *b) a++, b++;
    return *a == *b;
}

enum device { NONE, BYTES, IDENTIFIER };

static enum device device_of(const char *path) {
    if (!path || path[0] != '/') return NONE;
    if (is_same(path, "/dev/urandom") || is_same(path, "/dev/random")) return BYTES;
    if (is_same(path, "/proc/sys/kernel/random/uuid")) return IDENTIFIER;
    return NONE;
}

static int write_all(int file, const unsigned char *from, size_t length) {
    while (length > 0) {
        long wrote = raw(SYS_write, file, (long)from, (long)length, 0, 0, 0);
        if (wrote <= 0) return -1;
        from += wrote;
        length -= (size_t)wrote;
    }
    return 0;
}

/* A random identifier of version 4 as text, with its line end. */
static size_t identifier(unsigned char *into) {
    static const char digits[] = "0123456789abcdef";
    unsigned char value[16];
    draw(value, sizeof value);
    value[6] = (value[6] & 0x0f) | 0x40;
    value[8] = (value[8] & 0x3f) | 0x80;
    size_t at = 0;
    for (int i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) into[at++] = '-';
        into[at++] = (unsigned char)digits[value[i] >> 4];
        into[at++] = (unsigned char)digits[value[i] & 15];
    }
    into[at++] = '\n';
    return at;
}

/* Where files in memory are forbidden: a pipe with as much as one holds, after which it ends. */
static int open_pipe(enum device device, int flags) {
    int ends[2];
    /* Without blocking, because a user with many pipes gets small ones. */
    if (raw(SYS_pipe2, (long)ends, (flags & O_CLOEXEC) | O_NONBLOCK, 0, 0, 0, 0) < 0) return -1;
    unsigned char part[4096];
    if (device == IDENTIFIER) {
        write_all(ends[1], part, identifier(part));
    } else {
        do {
            draw(part, sizeof part);
        } while (write_all(ends[1], part, sizeof part) == 0);
    }
    raw(SYS_close, ends[1], 0, 0, 0, 0, 0);
    raw(SYS_fcntl, ends[0], F_SETFL, 0, 0, 0, 0);
    return ends[0];
}

/* A file in memory with what the device would have given. */
static int open_device(enum device device, int flags) {
    static const char name[] = "random";
    /* Files in memory count against the limit for files, and writing beyond it is deadly. */
    struct rlimit most;
    if (raw(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, (long)&most, 0, 0) == 0 && most.rlim_cur < DEVICE_LENGTH)
        return open_pipe(device, flags);
    long file = raw(SYS_memfd_create, (long)name, flags & O_CLOEXEC ? 1 : 0, 0, 0, 0, 0);
    if (file < 0) return open_pipe(device, flags);
    unsigned char part[4096];
    int failed = 0;
    if (device == IDENTIFIER) {
        failed = write_all((int)file, part, identifier(part));
    } else {
        for (int done = 0; done < DEVICE_LENGTH && !failed; done += (int)sizeof part) {
            draw(part, sizeof part);
            failed = write_all((int)file, part, sizeof part);
        }
    }
    struct stat is;
    failed = failed || raw(SYS_lseek, file, 0, SEEK_SET, 0, 0, 0) < 0;
    failed = failed || raw(SYS_fstat, file, (long)&is, 0, 0, 0, 0) < 0;
    if (failed) {
        raw(SYS_close, file, 0, 0, 0, 0, 0);
        return -1;
    }
    if (device == BYTES) {
        unsigned at = __atomic_fetch_add(&device_count, 1, __ATOMIC_RELAXED) % DEVICES;
        __atomic_store_n(&devices[at], is.st_ino, __ATOMIC_RELAXED);
    }
    return (int)file;
}

static int is_device(int file) {
    if (!__atomic_load_n(&device_count, __ATOMIC_RELAXED)) return 0;
    struct stat is;
    if (raw(SYS_fstat, file, (long)&is, 0, 0, 0, 0) < 0 || is.st_nlink != 0 || is.st_size != DEVICE_LENGTH) return 0;
    for (int i = 0; i < DEVICES; i++)
        if (__atomic_load_n(&devices[i], __ATOMIC_RELAXED) == is.st_ino) return 1;
    return 0;
}

static int open_at(int folder, const char *path, int flags, unsigned mode) {
    enum device device = device_of(path);
    if (device != NONE && !(flags & (O_DIRECTORY | O_PATH))) {
        int file = open_device(device, flags);
        if (file >= 0) return file;
    }
    int (*next)(int, const char *, int, ...) = NEXT(openat);
    if (next) return next(folder, path, flags, mode);
    return (int)as_libc(raw(SYS_openat, folder, (long)path, flags, mode, 0, 0));
}

static unsigned mode_of(int flags, va_list more) {
    return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(more, unsigned) : 0;
}

#define OPENS(name)                                        \
    EXPORT int name(const char *path, int flags, ...) {    \
        va_list more;                                      \
        va_start(more, flags);                             \
        unsigned mode = mode_of(flags, more);              \
        va_end(more);                                      \
        return open_at(AT_FDCWD, path, flags, mode);       \
    }
#define OPENS_AT(name)                                     \
    EXPORT int name(int folder, const char *path, int flags, ...) { \
        va_list more;                                      \
        va_start(more, flags);                             \
        unsigned mode = mode_of(flags, more);              \
        va_end(more);                                      \
        return open_at(folder, path, flags, mode);         \
    }
OPENS(open)
OPENS(open64)
OPENS_AT(openat)
OPENS_AT(openat64)
/* What the compiler makes of them with _FORTIFY_SOURCE. */
EXPORT int __open_2(const char *path, int flags) { return open_at(AT_FDCWD, path, flags, 0); }
EXPORT int __open64_2(const char *path, int flags) { return open_at(AT_FDCWD, path, flags, 0); }
EXPORT int __openat_2(int folder, const char *path, int flags) { return open_at(folder, path, flags, 0); }
EXPORT int __openat64_2(int folder, const char *path, int flags) { return open_at(folder, path, flags, 0); }

#define OPENS_STREAM(name)                                 \
    EXPORT FILE *name(const char *path, const char *mode) { \
        enum device device = device_of(path);              \
        if (device != NONE) {                              \
            FILE *(*adopt)(int, const char *) = NEXT(fdopen); \
            int file = adopt ? open_device(device, O_CLOEXEC) : -1; \
            FILE *stream = file >= 0 ? adopt(file, mode) : 0; \
            if (stream) return stream;                     \
        }                                                  \
        FILE *(*next)(const char *, const char *) = NEXT(name); \
        return next ? next(path, mode) : 0;                \
    }
OPENS_STREAM(fopen)
OPENS_STREAM(fopen64)

EXPORT ssize_t read(int file, void *into, size_t length) {
    ssize_t (*next)(int, void *, size_t) = NEXT(read);
    ssize_t got = next ? next(file, into, length) : as_libc(raw(SYS_read, file, (long)into, (long)length, 0, 0, 0));
    if (got == 0 && length > 0 && is_device(file)) {
        draw(into, length);
        return (ssize_t)length;
    }
    return got;
}

/* ---- clock ---- */

/* How long the clock has gone since its start. It goes on with each look, so that no difference is zero and each loop that
 * waits for a time ends, and with each wait by as long as was to be waited. */
static uint64_t passed = 0;
#define STEP 1000

/* The last look at the monotonic clock: deadlines are computed from it. */
static __thread int64_t last_monotonic __attribute__((tls_model("initial-exec")));

static int64_t now(void) { return (int64_t)(settings.start + __atomic_load_n(&passed, __ATOMIC_RELAXED)); }
static int64_t look(void) {
    return (int64_t)(settings.start + __atomic_add_fetch(&passed, STEP, __ATOMIC_RELAXED));
}
static void pass(int64_t nanoseconds) {
    if (nanoseconds > 0) __atomic_add_fetch(&passed, (uint64_t)nanoseconds, __ATOMIC_RELAXED);
}

static int64_t in_nanoseconds(const struct timespec *time) { return (int64_t)time->tv_sec * SECOND + time->tv_nsec; }
static struct timespec as_timespec(int64_t time) {
    return (struct timespec){.tv_sec = time / SECOND, .tv_nsec = time % SECOND};
}

static int is_wall(clockid_t clock) {
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

static int real_clock(clockid_t clock, struct timespec *into) {
    int (*next)(clockid_t, struct timespec *) = NEXT(clock_gettime);
    return next ? next(clock, into) : (int)as_libc(raw(SYS_clock_gettime, clock, (long)into, 0, 0, 0, 0));
}

EXPORT int clock_gettime(clockid_t clock, struct timespec *into) {
    if (is_wall(clock)) {
        *into = as_timespec(look());
        return 0;
    }
    int result = real_clock(clock, into);
    if (result == 0 && clock == CLOCK_MONOTONIC) last_monotonic = in_nanoseconds(into);
    return result;
}

EXPORT int gettimeofday(struct timeval *restrict into, void *restrict zone) {
    if (zone) *(struct timezone *)zone = (struct timezone){0, 0};
    int64_t time = look();
    /* Its prototype says that it is never NULL; callers have it otherwise, and the compiler would believe the prototype. */
    struct timeval *volatile there = into;
    if (there) *into = (struct timeval){.tv_sec = time / SECOND, .tv_usec = time % SECOND / 1000};
    return 0;
}

EXPORT time_t time(time_t *into) {
    time_t seconds = look() / SECOND;
    if (into) *into = seconds;
    return seconds;
}

EXPORT int timespec_get(struct timespec *into, int base) {
    if (base != TIME_UTC) return 0;
    *into = as_timespec(look());
    return base;
}

/* ---- waiting ---- */

/* How long a caller wanted to wait for a time of the monotonic clock: from when it last looked, not from now, which varies. */
static int64_t wanted(const struct timespec *deadline) {
    return last_monotonic ? in_nanoseconds(deadline) - last_monotonic : 0;
}

/* A time of our clock as one of the real one. */
static struct timespec real_deadline(const struct timespec *deadline) {
    struct timespec real = {0, 0};
    real_clock(CLOCK_REALTIME, &real);
    return as_timespec(in_nanoseconds(&real) + in_nanoseconds(deadline) - now());
}

EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left) {
    int (*next)(clockid_t, int, const struct timespec *, struct timespec *) = NEXT(clock_nanosleep);
    if (!next) return ENOSYS;
    int64_t length = in_nanoseconds(time);
    struct timespec relative = *time;
    if (flags & TIMER_ABSTIME && is_wall(clock)) {
        length -= now();
        if (length <= 0) return 0;
        relative = as_timespec(length);
        flags = 0;
        clock = CLOCK_MONOTONIC;
        left = 0;
    } else if (flags & TIMER_ABSTIME) {
        length = clock == CLOCK_MONOTONIC ? wanted(time) : 0;
    }
    int result = next(clock, flags, &relative, left);
    if (result == 0) pass(length);
    return result;
}

EXPORT int nanosleep(const struct timespec *time, struct timespec *left) {
    int (*next)(const struct timespec *, struct timespec *) = NEXT(nanosleep);
    if (!next) return (int)as_libc(-ENOSYS);
    int result = next(time, left);
    if (result == 0) pass(in_nanoseconds(time));
    return result;
}

EXPORT int usleep(useconds_t microseconds) {
    struct timespec time = as_timespec((int64_t)microseconds * 1000);
    return nanosleep(&time, 0);
}

EXPORT unsigned sleep(unsigned seconds) {
    struct timespec time = {.tv_sec = seconds}, left = {0, 0};
    if (nanosleep(&time, &left) == 0) return 0;
    return (unsigned)left.tv_sec + (left.tv_nsec >= SECOND / 2);
}

EXPORT int poll(struct pollfd *files, nfds_t count, int milliseconds) {
    int (*next)(struct pollfd *, nfds_t, int) = NEXT(poll);
    if (!next) return (int)as_libc(-ENOSYS);
    int ready = next(files, count, milliseconds);
    if (ready == 0) pass((int64_t)milliseconds * 1000000);
    return ready;
}

EXPORT int ppoll(struct pollfd *files, nfds_t count, const struct timespec *time, const sigset_t *mask) {
    int (*next)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *) = NEXT(ppoll);
    if (!next) return (int)as_libc(-ENOSYS);
    int ready = next(files, count, time, mask);
    if (ready == 0 && time) pass(in_nanoseconds(time));
    return ready;
}

EXPORT int select(int count, fd_set *restrict readable, fd_set *restrict writable, fd_set *restrict others,
                  struct timeval *restrict time) {
    int (*next)(int, fd_set *, fd_set *, fd_set *, struct timeval *) = NEXT(select);
    if (!next) return (int)as_libc(-ENOSYS);
    int64_t length = time ? (int64_t)time->tv_sec * SECOND + (int64_t)time->tv_usec * 1000 : 0;
    int ready = next(count, readable, writable, others, time);
    if (ready == 0) pass(length);
    return ready;
}

EXPORT int pselect(int count, fd_set *restrict readable, fd_set *restrict writable, fd_set *restrict others,
                   const struct timespec *restrict time, const sigset_t *restrict mask) {
    int (*next)(int, fd_set *, fd_set *, fd_set *, const struct timespec *, const sigset_t *) = NEXT(pselect);
    if (!next) return (int)as_libc(-ENOSYS);
    int ready = next(count, readable, writable, others, time, mask);
    if (ready == 0 && time) pass(in_nanoseconds(time));
    return ready;
}

EXPORT int epoll_wait(int poll, struct epoll_event *events, int most, int milliseconds) {
    int (*next)(int, struct epoll_event *, int, int) = NEXT(epoll_wait);
    if (!next) return (int)as_libc(-ENOSYS);
    int ready = next(poll, events, most, milliseconds);
    if (ready == 0) pass((int64_t)milliseconds * 1000000);
    return ready;
}

EXPORT int epoll_pwait(int poll, struct epoll_event *events, int most, int milliseconds, const sigset_t *mask) {
    int (*next)(int, struct epoll_event *, int, int, const sigset_t *) = NEXT(epoll_pwait);
    if (!next) return (int)as_libc(-ENOSYS);
    int ready = next(poll, events, most, milliseconds, mask);
    if (ready == 0) pass((int64_t)milliseconds * 1000000);
    return ready;
}

/* A deadline of ours for a function that looks at the real clock, and how long it is until then. */
struct wait {
    struct timespec deadline;
    int64_t length;
};

static struct wait wait_until(int is_of_wall, const struct timespec *deadline) {
    if (is_of_wall) return (struct wait){real_deadline(deadline), in_nanoseconds(deadline) - now()};
    return (struct wait){*deadline, wanted(deadline)};
}

/* A condition variable does not say which clock it goes by, but no machine has been up for thirteen years. */
static int is_of_wall(const struct timespec *deadline) { return deadline->tv_sec > 400000000; }

EXPORT int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict deadline) {
    int (*next)(sem_t *, const struct timespec *) = NEXT(sem_timedwait);
    if (!next) return (int)as_libc(-ENOSYS);
    struct wait wait = wait_until(1, deadline);
    int result = next(semaphore, &wait.deadline);
    if (result != 0 && errno == ETIMEDOUT) pass(wait.length);
    return result;
}

EXPORT int sem_clockwait(sem_t *restrict semaphore, clockid_t clock, const struct timespec *restrict deadline) {
    int (*next)(sem_t *, clockid_t, const struct timespec *) = NEXT(sem_clockwait);
    if (!next) return (int)as_libc(-ENOSYS);
    struct wait wait = wait_until(is_wall(clock), deadline);
    int result = next(semaphore, clock, &wait.deadline);
    if (result != 0 && errno == ETIMEDOUT) pass(wait.length);
    return result;
}

EXPORT int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                                  const struct timespec *restrict deadline) {
    int (*next)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *) = NEXT(pthread_cond_timedwait);
    if (!next) return ENOSYS;
    struct wait wait = wait_until(is_of_wall(deadline), deadline);
    int result = next(condition, mutex, &wait.deadline);
    if (result == ETIMEDOUT) pass(wait.length);
    return result;
}

EXPORT int pthread_cond_clockwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, clockid_t clock,
                                  const struct timespec *restrict deadline) {
    int (*next)(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *) = NEXT(pthread_cond_clockwait);
    if (!next) return ENOSYS;
    struct wait wait = wait_until(is_wall(clock), deadline);
    int result = next(condition, mutex, clock, &wait.deadline);
    if (result == ETIMEDOUT) pass(wait.length);
    return result;
}

EXPORT int pthread_mutex_timedlock(pthread_mutex_t *restrict mutex, const struct timespec *restrict deadline) {
    int (*next)(pthread_mutex_t *, const struct timespec *) = NEXT(pthread_mutex_timedlock);
    if (!next) return ENOSYS;
    struct wait wait = wait_until(1, deadline);
    int result = next(mutex, &wait.deadline);
    if (result == ETIMEDOUT) pass(wait.length);
    return result;
}

/* ---- system calls by number, and processes ---- */

EXPORT long syscall(long number, ...) {
    long a[6];
    va_list more;
    va_start(more, number);
    for (int i = 0; i < 6; i++) a[i] = va_arg(more, long);
    va_end(more);
    if (number == SYS_getrandom) return getrandom((void *)a[0], (size_t)a[1], (unsigned)a[2]);
    if (number == SYS_clock_gettime && is_wall((clockid_t)a[0])) return clock_gettime((clockid_t)a[0], (void *)a[1]);
    if (number == SYS_gettimeofday) return gettimeofday((void *)a[0], (void *)a[1]);
    long (*next)(long, ...) = NEXT(syscall);
    if (next) return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    return as_libc(raw(number, a[0], a[1], a[2], a[3], a[4], a[5]));
}

EXPORT pid_t fork(void) {
    pid_t (*next)(void) = NEXT(fork);
    if (!next) return (pid_t)as_libc(-ENOSYS);
    uint64_t ordinal = __atomic_add_fetch(&forks, 1, __ATOMIC_RELAXED);
    pid_t child = next();
    if (child == 0) {
        fork_path = mix(fork_path ^ mix(ordinal));
        forks = 0;
        blocks = 0;
    }
    return child;
}

__attribute__((constructor)) static void begin(int count, char **arguments) {
    if (!thread_ordinal) thread_ordinal = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
    if (count < 1 || !arguments || !arguments[0]) return;
    const char *name = arguments[0];
    for (const char *at = name; *at; at++)
        if (*at == '/') name = at + 1;
    uint64_t hash = 0xcbf29ce484222325ULL;
    for (; *name; name++) hash = (hash ^ (unsigned char)*name) * 0x100000001b3ULL;
    name_hash = hash;
}
