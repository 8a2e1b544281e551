/* NCCL by dlopen, with its declarations written out as nccl.h of 2.18 and newer has them; and the
 * host's stand-in. */
#include "transport.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>

#include "bf16.h"

typedef int nccl_result; /* ncclResult_t: 0 is success */
typedef struct ncclComm *nccl_comm;

typedef struct nccl_id {
  char internal[128];
} nccl_id;

/* ncclConfig_t as of 2.18. A newer NCCL takes its own values for the members that it lacks, by its
 * size. */
typedef struct nccl_config {
  size_t size;
  unsigned magic, version;
  int blocking, cga_cluster_size, min_ctas, max_ctas;
  const char *net_name;
  int split_share;
} nccl_config;

enum { NCCL_BFLOAT16 = 9, NCCL_SUM = 0, NCCL_2_18 = 21800 };

static const unsigned nccl_magic = 0xcafebeef;

typedef struct nccl_calls {
  void *library;
  const char *(*error_string)(nccl_result);
  nccl_result (*get_version)(int *);
  nccl_result (*get_unique_id)(nccl_id *);
  nccl_result (*init)(nccl_comm *, int size, nccl_id id, int rank, nccl_config *);
  nccl_result (*destroy)(nccl_comm);
  nccl_result (*all_gather)(const void *, void *, size_t count, int type, nccl_comm, stream);
  nccl_result (*reduce_scatter)(const void *, void *, size_t count, int type, int operation,
                                nccl_comm, stream);
} nccl_calls;

struct transport {
  device *device;
  const world *world;
  nccl_calls nccl;
  nccl_comm comm; /* NULL: over the host */
  int ctas;
};

/* ---- NCCL ----------------------------------------------------------------------------- */

static void find(void *function, void *library, const char *name) {
  *(void **)function = dlsym(library, name);
  if (!*(void **)function) die("the NCCL that was loaded has no %s: 2.18 or newer is needed", name);
}

static void load(nccl_calls *out, const char *path) {
  const char *name = path ? path : "libnccl.so.2";
  int version = 0;
  out->library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!out->library)
    die("there is no NCCL: %s; --nccl PATH names it, which is nvidia/nccl/lib/libnccl.so.2 in the "
        "site-packages of a Python that has torch",
        dlerror());
  find(&out->error_string, out->library, "ncclGetErrorString");
  find(&out->get_version, out->library, "ncclGetVersion");
  find(&out->get_unique_id, out->library, "ncclGetUniqueId");
  find(&out->init, out->library, "ncclCommInitRankConfig");
  find(&out->destroy, out->library, "ncclCommDestroy");
  find(&out->all_gather, out->library, "ncclAllGather");
  find(&out->reduce_scatter, out->library, "ncclReduceScatter");
  if (out->get_version(&version) || version < NCCL_2_18)
    die("%s is of version %d; 2.18 (%d) or newer is needed", name, version, NCCL_2_18);
}

static void check(const nccl_calls *nccl, const char *call, nccl_result result) {
  if (result) die("%s: %s (NCCL_DEBUG=WARN says more)", call, nccl->error_string(result));
}

transport *transport_nccl(device *device, const world *world, const char *library, int ctas) {
  transport *out = host_alloc(sizeof *out);
  *out = (transport){.device = device, .world = world, .ctas = ctas};
  load(&out->nccl, library);
  nccl_id id = {{0}}, *all = host_alloc((size_t)world->size * sizeof *all);
  if (world->rank == 0) check(&out->nccl, "ncclGetUniqueId", out->nccl.get_unique_id(&id));
  world_exchange(world, &id, sizeof id, all);
  nccl_config config = {
      .size = sizeof config,
      .magic = nccl_magic,
      .version = NCCL_2_18,
      .blocking = INT_MIN, /* undefined: as NCCL chooses */
      /* CTAs by themselves find room among a product's, clusters of them may not */
      .cga_cluster_size = ctas ? 1 : INT_MIN,
      .min_ctas = ctas ? 1 : INT_MIN,
      .max_ctas = ctas ? ctas : INT_MIN,
      .split_share = INT_MIN};
  check(&out->nccl, "ncclCommInitRankConfig",
        out->nccl.init(&out->comm, world->size, all[0], world->rank, &config));
  free(all);
  return out;
}

/* ---- The host ------------------------------------------------------------------------- */

transport *transport_host(device *device, const world *world) {
  transport *out = host_alloc(sizeof *out);
  *out = (transport){.device = device, .world = world};
  return out;
}

/* What of every rank lies at `from`, in host memory: the caller's to free. */
static uint16_t *exchange(const transport *t, uint64_t from, int64_t count, stream on) {
  size_t bytes = (size_t)count * sizeof(uint16_t);
  uint16_t *mine = host_alloc(bytes), *all = host_alloc((size_t)t->world->size * bytes);
  device_wait(on);
  device_read(t->device, mine, from, (int64_t)bytes);
  world_exchange(t->world, mine, bytes, all);
  free(mine);
  return all;
}

static void gather_on_host(const transport *t, uint64_t from, uint64_t to, int64_t count,
                           stream on) {
  uint16_t *all = exchange(t, from, count, on);
  device_write(t->device, to, all, t->world->size * count * (int64_t)sizeof *all);
  free(all);
}

static void scatter_on_host(const transport *t, uint64_t from, uint64_t to, int64_t count,
                            stream on) {
  int64_t whole = t->world->size * count;
  uint16_t *all = exchange(t, from, whole, on);
  for (int64_t i = 0; i < count; i++) {
    float sum = 0;
    for (int rank = 0; rank < t->world->size; rank++)
      sum += float_of(all[rank * whole + t->world->rank * count + i]);
    all[i] = bf16_of(sum); /* of rank 0's first part, which is read no more */
  }
  device_write(t->device, to, all, count * (int64_t)sizeof *all);
  free(all);
}

/* ---- Both ----------------------------------------------------------------------------- */

void transport_close(transport *transport) {
  if (!transport) return;
  if (transport->comm) transport->nccl.destroy(transport->comm);
  free(transport);
}

int transport_ctas(const transport *transport) {
  return transport->ctas;
}

static void *pointer_of(uint64_t address) {
  return (void *)(uintptr_t)address;
}

void all_gather(transport *t, uint64_t from, uint64_t to, int64_t count, stream on) {
  if (!t->comm) {
    gather_on_host(t, from, to, count, on);
    return;
  }
  check(&t->nccl, "ncclAllGather",
        t->nccl.all_gather(pointer_of(from), pointer_of(to), (size_t)count, NCCL_BFLOAT16, t->comm,
                           on));
}

void reduce_scatter(transport *t, uint64_t from, uint64_t to, int64_t count, stream on) {
  if (!t->comm) {
    scatter_on_host(t, from, to, count, on);
    return;
  }
  check(&t->nccl, "ncclReduceScatter",
        t->nccl.reduce_scatter(pointer_of(from), pointer_of(to), (size_t)count, NCCL_BFLOAT16,
                               NCCL_SUM, t->comm, on));
}
