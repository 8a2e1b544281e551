/* Ranks and their messages. Rank 0 holds a connection to every other one; whatever is exchanged
 * goes through it. Nothing of speed depends on that: it carries NCCL's id, barriers and times. */
#define _DEFAULT_SOURCE /* sockets, fork, setenv */

#include "world.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { usual_port = 29500, patience = 60 /* seconds */ };

static int own_rank; /* for messages */

void die(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "rank %d: ", own_rank);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  exit(EXIT_FAILURE);
}

void *host_alloc(size_t bytes) {
  void *memory = calloc(bytes ? bytes : 1, 1);
  if (!memory) die("no %zu bytes of host memory", bytes);
  return memory;
}

/* ---- Who there is --------------------------------------------------------------------- */

static int number_in(const char *name, int least, int most) {
  const char *text = getenv(name);
  char *end;
  long value = strtol(text, &end, 10);
  if (end == text || *end || value < least || value > most)
    die("%s is \"%s\"; it has to be from %d to %d", name, text, least, most);
  return (int)value;
}

/* Rank, size and local rank as their launcher calls them. */
static const char *const launchers[][3] = {
    {"RANK", "WORLD_SIZE", "LOCAL_RANK"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"},
};

static void find_rank(world *out) {
  enum { ranks_most = 1024 };
  out->size = 1;
  for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
    const char *const *names = launchers[i];
    if (!getenv(names[0]) || !getenv(names[1])) continue;
    out->size = number_in(names[1], 1, ranks_most);
    out->rank = number_in(names[0], 0, out->size - 1);
    out->local = getenv(names[2]) ? number_in(names[2], 0, ranks_most) : out->rank;
    own_rank = out->rank;
    return;
  }
}

static void set_number(const char *name, int value) {
  char text[16];
  snprintf(text, sizeof text, "%d", value);
  setenv(name, text, 1);
}

/* A port that nobody listens at, for processes that are to find each other on this host. */
static int free_port(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  int probe = socket(AF_INET, SOCK_STREAM, 0);
  if (probe < 0 || bind(probe, (struct sockaddr *)&address, length) ||
      getsockname(probe, (struct sockaddr *)&address, &length))
    die("no port of this host: %s", strerror(errno));
  close(probe);
  return ntohs(address.sin_port);
}

/* Waits for all; the first that fails takes the others with it. */
static void await(const pid_t *children, int count) {
  int failed = 0;
  for (int left = count; left > 0; left--) {
    int status = 0;
    if (wait(&status) < 0) die("wait: %s", strerror(errno));
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
    if (code == 0 || failed) continue;
    failed = code;
    for (int i = 0; i < count; i++)
      kill(children[i], SIGTERM);
  }
  exit(failed);
}

void world_spawn(int count) {
  pid_t *children = host_alloc((size_t)count * sizeof *children);
  setenv("MASTER_ADDR", "127.0.0.1", 1);
  set_number("MASTER_PORT", free_port() - 1);
  set_number("WORLD_SIZE", count);
  for (int i = 0; i < count; i++) {
    children[i] = fork();
    if (children[i] < 0) die("fork: %s", strerror(errno));
    if (children[i] > 0) continue;
    free(children);
    set_number("RANK", i);
    set_number("LOCAL_RANK", i);
    return;
  }
  await(children, count);
}

/* ---- Connections ---------------------------------------------------------------------- */

static void address_of_master(struct sockaddr_in *out) {
  const char *host = getenv("MASTER_ADDR") ? getenv("MASTER_ADDR") : "127.0.0.1";
  int port = getenv("MASTER_PORT") ? number_in("MASTER_PORT", 1, 65534) : usual_port;
  struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM}, *found;
  int result = getaddrinfo(host, NULL, &hints, &found);
  if (result) die("MASTER_ADDR is \"%s\": %s", host, gai_strerror(result));
  memcpy(out, found->ai_addr, sizeof *out);
  freeaddrinfo(found);
  out->sin_port = htons((unsigned short)(port + 1));
}

static void move_all(int socket, void *data, size_t bytes, int sends) {
  for (size_t at = 0; at < bytes;) {
    char *here = (char *)data + at;
    ssize_t moved =
        sends ? send(socket, here, bytes - at, MSG_NOSIGNAL) : recv(socket, here, bytes - at, 0);
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0) die("another rank has ended");
    at += (size_t)moved;
  }
}

static void listen_for_all(world *world, const struct sockaddr_in *master) {
  struct timeval limit = {.tv_sec = patience};
  const struct timeval forever = {0};
  int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  if (listener < 0 || bind(listener, (const struct sockaddr *)master, sizeof *master) ||
      listen(listener, world->size))
    die("port %d: %s; MASTER_PORT is the number before it", ntohs(master->sin_port),
        strerror(errno));
  for (int i = 1; i < world->size; i++) {
    int rank = 0, socket = accept(listener, NULL, NULL);
    if (socket < 0) die("%d of %d ranks have come in %d seconds", i, world->size, patience);
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &forever, sizeof forever);
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    move_all(socket, &rank, sizeof rank, 0);
    if (rank < 1 || rank >= world->size || world->sockets[rank] >= 0)
      die("a process says that it is rank %d of %d, which is not missing", rank, world->size);
    world->sockets[rank] = socket;
  }
  close(listener);
}

static void connect_to_master(world *world, const struct sockaddr_in *master) {
  const struct timespec pause = {.tv_nsec = 100000000};
  const int on = 1;
  for (int tries = 0; tries < patience * 10; tries++) {
    int made = socket(AF_INET, SOCK_STREAM, 0);
    if (made >= 0) setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (made >= 0 && connect(made, (const struct sockaddr *)master, sizeof *master) == 0) {
      world->sockets[0] = made;
      move_all(made, &world->rank, sizeof world->rank, 1);
      return;
    }
    if (made >= 0) close(made);
    nanosleep(&pause, NULL);
  }
  die("rank 0 does not answer at port %d: %s", ntohs(master->sin_port), strerror(errno));
}

void world_open(world *out) {
  *out = (world){0};
  find_rank(out);
  out->sockets = host_alloc((size_t)out->size * sizeof *out->sockets);
  for (int i = 0; i < out->size; i++)
    out->sockets[i] = -1;
  if (out->size == 1) return;
  struct sockaddr_in master;
  address_of_master(&master);
  if (out->rank == 0) {
    listen_for_all(out, &master);
  } else {
    connect_to_master(out, &master);
  }
}

void world_close(world *world) {
  for (int i = 0; i < world->size; i++)
    if (world->sockets[i] >= 0) close(world->sockets[i]);
  free(world->sockets);
}

/* ---- Messages ------------------------------------------------------------------------- */

void world_exchange(const world *world, const void *mine, size_t bytes, void *all) {
  char *own = (char *)all + (size_t)world->rank * bytes;
  size_t whole = (size_t)world->size * bytes;
  memmove(own, mine, bytes);
  if (world->rank > 0) {
    move_all(world->sockets[0], own, bytes, 1);
    move_all(world->sockets[0], all, whole, 0);
    return;
  }
  for (int i = 1; i < world->size; i++)
    move_all(world->sockets[i], (char *)all + (size_t)i * bytes, bytes, 0);
  for (int i = 1; i < world->size; i++)
    move_all(world->sockets[i], all, whole, 1);
}

void world_barrier(const world *world) {
  world_most(world, 0);
}

double world_most(const world *world, double mine) {
  double *all = host_alloc((size_t)world->size * sizeof *all), most = mine;
  world_exchange(world, &mine, sizeof mine, all);
  for (int i = 0; i < world->size; i++)
    if (all[i] > most) most = all[i];
  free(all);
  return most;
}
