/* The processes that compute together: which of them this one is, and small messages between them.
 */
#ifndef WORLD_H
#define WORLD_H

#include <stddef.h>

typedef struct world {
  int rank, size; /* of all processes */
  int local;      /* of those on this host: the GPU's ordinal */
  int *sockets;   /* of rank 0 one to each other rank; of the others one, to rank 0 */
} world;

/* Says what is wrong, and which rank says so, and ends the process. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2), noreturn))
#endif
void die(const char *format, ...);

/* Memory of the host, zeroed; or the process ends. */
void *host_alloc(size_t bytes);

/* Makes `count` processes of this one and returns in each of them; the first process waits for
 * them, and ends as the first of them ends that fails. Nothing of CUDA has been called before. */
void world_spawn(int count);

/* Reads rank and size from the variables of torchrun (RANK, WORLD_SIZE, LOCAL_RANK), mpirun
 * (OMPI_COMM_WORLD_RANK and so on) or world_spawn, one process where there are none, and connects
 * to rank 0. That listens at MASTER_ADDR (127.0.0.1), at the port behind MASTER_PORT (29500), which
 * torchrun itself listens at. */
void world_open(world *out);
void world_close(world *world);

/* Everybody gives `bytes` bytes and gets those of all, in the order of ranks. */
void world_exchange(const world *world, const void *mine, size_t bytes, void *all);

/* Nobody goes on before all are here. */
void world_barrier(const world *world);

/* The largest of a number that everybody has. */
double world_most(const world *world, double mine);

#endif
