/* The two collectives of tensor parallelism, over NCCL, or over the host where several ranks share
 * a GPU or compute in gemmgen's emulator. Elements are bf16. */
#ifndef TRANSPORT_H
#define TRANSPORT_H

#include "device.h"
#include "world.h"

typedef struct transport transport;

/* A communicator of NCCL of at most `ctas` CTAs (0: as NCCL chooses), which is how many
 * multiprocessors a collective takes. `library` is a path of libnccl, NULL: libnccl.so.2, wherever
 * the loader finds it. */
transport *transport_nccl(device *device, const world *world, const char *library, int ctas);

/* Through host memory and the ranks' sockets: slow, and done when the call returns. */
transport *transport_host(device *device, const world *world);
void transport_close(transport *transport);

int transport_ctas(const transport *transport);

/* `count` elements of every rank, at `from`, follow each other at `to` of all of them. */
void all_gather(transport *transport, uint64_t from, uint64_t to, int64_t count, stream on);

/* Of size * count elements of every rank, the sums of those that are this rank's, `count`. */
void reduce_scatter(transport *transport, uint64_t from, uint64_t to, int64_t count, stream on);

#endif
