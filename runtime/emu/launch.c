/* Launches: what the kernel and the device allow, and how clusters are spread over host threads.
 *
 * Each worker takes a cluster and runs it until it is done or polls in vain. New clusters are taken
 * first, in the order of the grid, as long as no more are running than would fit on the device at
 * once. Those that were put aside come back in turn, so that clusters that wait for each other
 * through global memory all make progress. If nothing has changed for idle_most turns of polling,
 * nothing will change any more: that is a deadlock. (Limits: CUDA C++ Programming Guide, "Technical
 * Specifications per Compute Capability".) */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "emu/hazard.h"
#include "emu/hazard/beside.h"
#include "emu/memory.h"
#include "emu/state.h"

enum { idle_most = 1 << 20, workers_max = 256 };

/* ---- What an architecture allows -------------------------------------------------------- */

typedef struct limits {
  int arch; /* the row is for this and later ones, up to the next row */
  uint32_t cta_shared, sm_shared;
  uint32_t sm_threads, sm_ctas;
  uint32_t cluster;
  uint32_t sms; /* of the device, as attributes.def says */
} limits;

static const limits table[] = {
    {80, 163 << 10, 164 << 10, 2048, 32, 1, 108},  {86, 99 << 10, 100 << 10, 1536, 16, 1, 84},
    {87, 163 << 10, 164 << 10, 1536, 16, 1, 16},   {89, 99 << 10, 100 << 10, 1536, 24, 1, 142},
    {90, 227 << 10, 228 << 10, 2048, 32, 16, 132}, {100, 227 << 10, 228 << 10, 2048, 32, 16, 148},
    {110, 227 << 10, 228 << 10, 1536, 24, 16, 20}, {120, 99 << 10, 100 << 10, 1536, 24, 8, 170},
};

static const limits *limits_of(int arch) {
  const limits *found = &table[0];
  for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
    if (table[i].arch <= arch) found = &table[i];
  }
  return found;
}

static gg_status refuse(const emu_run *run, gg_error *err, const char *format, ...) GG_PRINTF(3, 4);

static gg_status refuse(const emu_run *run, gg_error *err, const char *format, ...) {
  gg_str why = GG_STR_INIT;
  va_list arguments;
  va_start(arguments, format);
  gg_str_vprintf(&why, format, arguments);
  va_end(arguments);
  gg_status st = gg_fail(err, EMU_LAUNCH, NULL, run->kernel->facts.name, gg_str_text(&why));
  gg_str_free(&why);
  return st;
}

static uint64_t product(const unsigned v[3]) {
  return (uint64_t)v[0] * v[1] * v[2];
}

static gg_status check_block(const emu_run *run, gg_error *err) {
  static const unsigned grid_most[3] = {INT32_MAX, 65535, 65535}, block_most[3] = {1024, 1024, 64};
  const unsigned *grid = run->config->grid, *block = run->config->block;
  const ptx_function *ptx = run->kernel->function->ptx;
  for (int i = 0; i < 3; i++) {
    if (!grid[i] || grid[i] > grid_most[i]) {
      return refuse(run, err, "grid %u x %u x %u: %c is 1 to %u", grid[0], grid[1], grid[2],
                    "xyz"[i], grid_most[i]);
    }
    if (!block[i] || block[i] > block_most[i]) {
      return refuse(run, err, "block %u x %u x %u: %c is 1 to %u", block[0], block[1], block[2],
                    "xyz"[i], block_most[i]);
    }
  }
  uint64_t threads = product(block);
  if (threads > 1024) {
    return refuse(run, err, "block %u x %u x %u = %" PRIu64 " threads; 1024 at most", block[0],
                  block[1], block[2], threads);
  }
  if (threads > (uint64_t)run->kernel->facts.max_threads) {
    return refuse(run, err, "block %u x %u x %u = %" PRIu64 " threads; the kernel's .maxntid is %d",
                  block[0], block[1], block[2], threads, run->kernel->facts.max_threads);
  }
  const uint32_t *need = ptx->reqntid;
  for (int i = 0; need[0] && i < 3; i++) {
    if (block[i] != (need[i] ? need[i] : 1)) {
      return refuse(run, err, "block %u x %u x %u; the kernel's .reqntid is %u, %u, %u", block[0],
                    block[1], block[2], need[0], need[1] ? need[1] : 1, need[2] ? need[2] : 1);
    }
  }
  return GG_OK;
}

static gg_status check_cluster(emu_run *run, gg_error *err) {
  const emu_launch_config *config = run->config;
  const ptx_function *ptx = run->kernel->function->ptx;
  const limits *most = limits_of(run->options->arch);
  const uint32_t *need = ptx->reqnctapercluster;
  unsigned *size = run->cluster;
  bool asked = config->cluster[0] || config->cluster[1] || config->cluster[2];
  run->clustered = asked || need[0] || ptx->explicitcluster;
  for (int i = 0; i < 3; i++) {
    unsigned required = need[0] ? (need[i] ? need[i] : 1) : 0;
    size[i] = asked ? config->cluster[i] : required ? required : 1;
    if (!size[i] || config->grid[i] % size[i]) {
      return refuse(run, err, "grid.%c = %u is not a multiple of cluster.%c = %u", "xyz"[i],
                    config -> grid[i], "xyz"[i], size[i]);
    }
    if (required && size[i] != required) {
      return refuse(run, err, "cluster.%c = %u; the kernel's .reqnctapercluster says %u", "xyz"[i],
                    size[i], required);
    }
    run->state->clusters[i] = config->grid[i] / size[i];
  }
  if (ptx->explicitcluster && !asked && !need[0]) {
    return refuse(run, err, "the kernel is .explicitcluster: the launch needs cluster dimensions");
  }
  uint64_t ctas = size[0] > most->cluster || size[1] > most->cluster || size[2] > most->cluster
                      ? most->cluster + 1
                      : product(size);
  if (ctas > most->cluster) {
    return refuse(run, err, "cluster %u x %u x %u; sm_%d has at most %u CTAs in a cluster", size[0],
                  size[1], size[2], run->options->arch, most->cluster);
  }
  if (ptx->maxclusterrank && ctas > ptx->maxclusterrank) {
    return refuse(run, err, "a cluster of %" PRIu64 " CTAs; the kernel's .maxclusterrank is %u",
                  ctas, ptx->maxclusterrank);
  }
  run->state->cluster_count =
      run->state->clusters[0] * run->state->clusters[1] * run->state->clusters[2];
  return GG_OK;
}

static gg_status check_shared(emu_run *run, gg_error *err) {
  const limits *most = limits_of(run->options->arch);
  uint64_t fixed = run->kernel->dynamic_offset, dynamic = run->config->smem_bytes;
  if (fixed > most->cta_shared || dynamic > most->cta_shared - fixed) {
    return refuse(run, err,
                  "%" PRIu64 " static + %" PRIu64 " dynamic = %" PRIu64
                  " bytes of shared memory; a CTA of sm_%d has %u",
                  fixed, dynamic, fixed + dynamic, run->options->arch, most->cta_shared);
  }
  run->state->shared_bytes = (uint32_t)(fixed + dynamic);
  run->state->multiprocessors = most->sms;
  uint32_t threads = (uint32_t)product(run->config->block);
  uint32_t a_sm = most->sm_shared / (run->state->shared_bytes + EMU_SHARED_RESERVED);
  if (a_sm > most->sm_threads / threads) a_sm = most->sm_threads / threads;
  if (a_sm > most->sm_ctas) a_sm = most->sm_ctas;
  uint32_t clusters = a_sm * most->sms / (uint32_t)product(run->cluster);
  run->state->resident_most = clusters ? clusters : 1;
  return GG_OK;
}

static gg_status open_params(emu_run *run, gg_error *err) {
  uint64_t bytes = run->kernel->facts.param_bytes;
  if (bytes && !run->config->params) {
    return refuse(run, err, "it takes %" PRIu64 " bytes of parameters, none are given", bytes);
  }
  emu_bank *range;
  gg_status st = emu_range_open(&range, run->device, bytes, 64, "parameters", err);
  if (st) return st;
  if (bytes) memcpy(range->bytes, run->config->params, (size_t)bytes);
  range->read_only = true;
  run->state->params = range;
  return GG_OK;
}

/* Makes what %envreg1 and %envreg2 name for CUDA's cooperative groups: a size, which they do not
 * read, and the word of the grid's barrier. (CUDA's cooperative_groups/details/driver_abi.h.) */
static gg_status open_workspace(emu_run *run, gg_error *err) {
  enum { workspace_bytes = 64 };
  if (!run->config->cooperative) return GG_OK;
  return emu_range_open(&run->state->workspace, run->device, workspace_bytes, workspace_bytes,
                        "the cooperative launch's workspace", err);
}

/* ---- Workers ---------------------------------------------------------------------------- */

bool emu_launch_cancel(unsigned first[3], emu_run *run) {
  struct emu_run_state *state = run->state;
  pthread_mutex_lock(&state->lock);
  uint64_t index = state->next_cluster;
  bool any = index < state->cluster_count;
  state->next_cluster += any;
  pthread_mutex_unlock(&state->lock);
  if (any) emu_cluster_first(first, run, index);
  return any;
}

/* Finds a place among the residents for a cluster that is about to be opened. */
static emu_cluster **reserve(struct emu_run_state *state) {
  for (uint32_t i = 0; i < state->resident_most; i++) {
    if (!state->residents[i]) return &state->residents[i];
  }
  return NULL;
}

static void stop_for_memory(emu_run *run, const gg_error *cause) {
  struct emu_run_state *state = run->state;
  pthread_mutex_lock(&state->lock);
  if (!atomic_load(&state->stopped)) {
    gg_error_set(state->err, cause->code, "%s", NULL, cause->message);
    atomic_store(&state->stopped, true);
  }
  pthread_mutex_unlock(&state->lock);
}

/* The next cluster to run; NULL if there is none left for this worker. */
static emu_cluster *take_cluster(emu_run *run) {
  struct emu_run_state *state = run->state;
  emu_cluster *cluster = NULL;
  bool fresh = false;
  uint64_t index = 0;
  pthread_mutex_lock(&state->lock);
  if (!atomic_load(&state->stopped)) {
    if (state->next_cluster < state->cluster_count && state->resident < state->resident_most) {
      fresh = true;
      index = state->next_cluster++;
      state->resident++;
    } else if ((cluster = state->aside)) {
      state->aside = cluster->state->next;
      if (!state->aside) state->aside_end = &state->aside;
    }
  }
  pthread_mutex_unlock(&state->lock);
  if (!fresh) return cluster;
  gg_error err = GG_ERROR_INIT;
  if (emu_cluster_open(&cluster, run, index, &err)) {
    emu_cluster_close(cluster);
    stop_for_memory(run, &err);
    return NULL;
  }
  pthread_mutex_lock(&state->lock);
  *reserve(state) = cluster;
  pthread_mutex_unlock(&state->lock);
  return cluster;
}

/* Whether all clusters poll and nothing has changed for long. The lock must be held. */
static bool nobody_moves(struct emu_run_state *state, const emu_cluster *cluster) {
  unsigned long sum = 0;
  for (uint32_t i = 0; i < state->resident_most; i++) {
    if (!state->residents[i]) continue;
    sum += atomic_load_explicit(&state->residents[i]->state->progress, memory_order_relaxed);
  }
  if (sum != state->progress_sum || state->resident < state->resident_most) {
    if (sum != state->progress_sum || state->next_cluster < state->cluster_count) {
      state->progress_sum = sum;
      state->idle_turns = 0;
      return false;
    }
  }
  state->idle_turns += cluster->state->queue_count;
  return state->idle_turns > idle_most;
}

/* Takes back a cluster that a worker has run. */
static void give_cluster(emu_run *run, emu_cluster *cluster, emu_outcome outcome) {
  struct emu_run_state *state = run->state;
  pthread_mutex_lock(&state->lock);
  bool keep = outcome == EMU_ASIDE || (outcome == EMU_STOPPED && state->stuck);
  if (keep) {
    if (nobody_moves(state, cluster)) {
      state->stuck = true;
      atomic_store(&state->stopped, true);
    }
    cluster->state->next = NULL;
    *state->aside_end = cluster;
    state->aside_end = &cluster->state->next;
  } else {
    for (uint32_t i = 0; i < state->resident_most; i++) {
      if (state->residents[i] == cluster) state->residents[i] = NULL;
    }
    state->resident--;
    if (run->config->counters) emu_counters_add(run->config->counters, cluster->counters);
  }
  pthread_mutex_unlock(&state->lock);
  if (!keep) emu_cluster_close(cluster);
}

static void *work(void *argument) {
  emu_run *run = argument;
  emu_cluster *cluster;
  while ((cluster = take_cluster(run))) {
    give_cluster(run, cluster, emu_cluster_run(cluster));
  }
  return NULL;
}

static void run_workers(emu_run *run) {
  pthread_t threads[workers_max];
  uint64_t wanted = (uint64_t)run->options->threads;
  if (wanted > run->state->cluster_count) wanted = run->state->cluster_count;
  if (wanted > workers_max) wanted = workers_max;
  uint64_t started = 0;
  while (started + 1 < wanted && !pthread_create(&threads[started], NULL, work, run)) {
    started++;
  }
  work(run);
  for (uint64_t i = 0; i < started; i++) {
    pthread_join(threads[i], NULL);
  }
}

static int by_index(const void *a, const void *b) {
  const emu_cluster *const *x = a, *const *y = b;
  if (!*x || !*y) return !*x - !*y;
  return ((*x)->state->index > (*y)->state->index) - ((*x)->state->index < (*y)->state->index);
}

/* Closes the clusters that a fault has left aside. In a deadlock, first says who waits for what. */
static void close_asides(emu_run *run) {
  struct emu_run_state *state = run->state;
  if (state->stuck && !state->err->code) {
    qsort(state->residents, state->resident_most, sizeof(*state->residents), by_index);
    emu_cluster_deadlock(run, state->residents, state->resident_most);
  }
  for (emu_cluster *cluster = state->aside, *next; cluster; cluster = next) {
    next = cluster->state->next;
    if (run->config->counters) emu_counters_add(run->config->counters, cluster->counters);
    emu_cluster_close(cluster);
  }
}

gg_status emu_launch(emu_device *device, const emu_kernel *kernel, const emu_launch_config *config,
                     gg_error *err) {
  gg_error first = GG_ERROR_INIT;
  struct emu_run_state state = {.err = &first};
  emu_run run = {.device = device,
                 .kernel = kernel,
                 .config = config,
                 .options = &device->options,
                 .checked = !emu_severities_off(&device->options.severities),
                 .fences = emu_hazard_fences(emu_kernel_ptx(kernel), NULL),
                 .state = &state};
  gg_status st = check_block(&run, err);
  if (!st) st = check_cluster(&run, err);
  if (!st) st = check_shared(&run, err);
  if (!st) st = open_params(&run, err);
  if (st) return st;
  if ((st = open_workspace(&run, err))) goto done;
  if ((st = emu_beside_open(&run, err))) goto done;
  atomic_init(&state.stopped, false);
  atomic_init(&state.steps, 0);
  state.aside_end = &state.aside;
  if (state.resident_most > state.cluster_count) {
    state.resident_most = (uint32_t)state.cluster_count;
  }
  state.residents = gg_malloc(state.resident_most * sizeof(*state.residents));
  if (!state.residents || pthread_mutex_init(&state.lock, NULL)) {
    st = gg_fail(err, MEMORY, NULL, "");
    goto done;
  }
  memset(state.residents, 0, state.resident_most * sizeof(*state.residents));
  if (config->trace) emu_trace_launch(config->trace);
  run_workers(&run);
  close_asides(&run);
  pthread_mutex_destroy(&state.lock);
  st = first.code;
  if (st && err && !err->code) *err = first;
done:
  emu_beside_close(&run, st != GG_OK);
  gg_free(state.residents);
  if (state.workspace) emu_memory_free(device, state.workspace->base, NULL);
  emu_memory_free(device, state.params->base, NULL);
  return st;
}
