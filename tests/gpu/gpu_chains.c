/* Launches that read what the one ahead of them wrote, and may begin beside it.
 *
 *     gpu_chains [--emu]
 *
 * X becomes X * P over and over, between two buffers, P a permutation: every result is exact, and
 * an element that is read too early or not computed at all moves to a place where it is missed.
 * Kernels take turns that share a workspace: those that claim their work (raster.neighbours gpc)
 * behind each other and behind those that count shares of tiles in it. Its counters are zero in the
 * end.
 *
 * Exit status 0, 1, or 77 without a GPU; in the emulator, which runs launches one after the other,
 * a small one that shows that kernels leave the counters to each other as they should, and touch
 * nothing of each other's before they have waited. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "gemmgen_runtime.h"

enum { SKIPPED = 77, values = 256 /* that bf16 has exactly */, one = 0x3f80 /* in bf16 */ };

static const char *const ends[] = {
    "tile: [128, 96, 64]\nraster: {neighbours: gpc}\n",
    "tile: [64, 64, 128]\nscheduler: split_k\nraster: {neighbours: gpc}\n",
    "tile: [128, 128, 64]\nscheduler: stream_k\n",
    "tile: [128, 64, 64]\ncluster: [2, 1, 1]\nraster: {neighbours: gpc}\n",
    "tile: [128, 128, 64]\nscheduler: split_k\nraster: {neighbours: gpc}\n",
    "tile: [64, 128, 64]\nschedule: pingpong\nraster: {neighbours: gpc}\n",
    "tile: [128, 256, 64]\n",
    "tile: [64, 32, 128]\nraster: {neighbours: gpc}\n",
    "tile: [128, 128, 64]\ncluster: [2, 2, 1]\nraster: {neighbours: gpc}\n",
};

enum { kernels = sizeof ends / sizeof *ends };

/* Rows of X, and rows and columns of P. */
typedef struct extents {
  int64_t m, n;
} extents;

typedef struct chain {
  gg_context *context;
  gg_module *modules[kernels];
  extents size;
  uint16_t *x, *p, *moved;
  int64_t *to, *at;           /* where P moves a column, and where it is in the end */
  uint64_t addresses[2], map; /* of X, of what the odd launches make of it, and of P */
  uint64_t workspace;
} chain;

static uint32_t next_random(void) {
  static uint64_t state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 33);
}

static gg_status load(gg_module **out, gg_context *context, const char *end, gg_error *err) {
  char text[512];
  gg_spec_file *file;
  gg_kernel *kernel = NULL;
  int length = snprintf(text, sizeof text, "arch: sm_90a\na: bf16\nb: bf16\nd: bf16\n%s", end);
  gg_status st = gg_spec_file_parse(&file, text, (size_t)length, "<spec>", err);
  if (st) return st;
  st = gg_kernel_generate(&kernel, gg_spec_file_get(file, 0), err);
  gg_spec_file_free(file);
  if (!st) st = gg_module_load(out, context, kernel, err);
  gg_kernel_free(kernel);
  return st;
}

static uint16_t bf16_of(int value) {
  float f = (float)value;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  return (uint16_t)(bits >> 16);
}

/* D[m, n] is the sum over k of X[m, k] * P[n, k]: P has a one where column k becomes column n. */
static void fill(chain *c) {
  int64_t n = c->size.n;
  for (int64_t i = 0; i < c->size.m * n; i++)
    c->x[i] = bf16_of((int)(next_random() % values));
  for (int64_t i = 0; i < n; i++)
    c->to[i] = c->at[i] = i;
  for (int64_t i = n - 1; i > 0; i--) {
    int64_t j = next_random() % (i + 1), moved = c->to[i];
    c->to[i] = c->to[j];
    c->to[j] = moved;
  }
  for (int64_t k = 0; k < n; k++)
    c->p[c->to[k] * n + k] = one;
}

static gg_status begin_chain(chain *c, gg_error *err) {
  size_t n = (size_t)c->size.n, elements = (size_t)c->size.m * n;
  c->x = gg_malloc(elements * sizeof *c->x);
  c->moved = gg_malloc(elements * sizeof *c->moved);
  c->p = gg_calloc(n * n, sizeof *c->p);
  c->to = gg_malloc(n * sizeof *c->to);
  c->at = gg_malloc(n * sizeof *c->at);
  if (!c->x || !c->moved || !c->p || !c->to || !c->at) return gg_fail(err, MEMORY, NULL, "");
  fill(c);
  gg_status st = gg_workspace_alloc(&c->workspace, c->context, 64 << 20, err);
  for (int i = 0; i < 2 && !st; i++)
    st = gg_memory_alloc(&c->addresses[i], c->context, elements * sizeof *c->x, err);
  if (!st) st = gg_memory_alloc(&c->map, c->context, n * n * sizeof *c->p, err);
  if (!st) st = gg_memory_write(c->context, c->addresses[0], c->x, elements * sizeof *c->x, err);
  return st ? st : gg_memory_write(c->context, c->map, c->p, n * n * sizeof *c->p, err);
}

static void end_chain(chain *c) {
  gg_memory_free(c->context, c->addresses[0]);
  gg_memory_free(c->context, c->addresses[1]);
  gg_memory_free(c->context, c->map);
  gg_memory_free(c->context, c->workspace);
  gg_free(c->x);
  gg_free(c->moved);
  gg_free(c->p);
  gg_free(c->to);
  gg_free(c->at);
}

/* By kernel `which`, or, from `kernels` on, by all in turn or at random. */
static gg_status run(chain *c, int which, int launches, gg_error *err) {
  struct CUstream_st *stream = NULL;
  gg_problem problem = GG_PROBLEM_INIT;
  problem.m = c->size.m, problem.n = problem.k = c->size.n;
  problem.lda = problem.ldb = problem.ldd = c->size.n;
  problem.b = c->map;
  problem.workspace = c->workspace;
  problem.workspace_bytes = 64 << 20;
  gg_status st = gg_stream_open(&stream, c->context, err);
  for (int i = 0; i < launches && !st; i++) {
    int kernel = which < kernels    ? which
                 : which == kernels ? i % kernels
                                    : (int)(next_random() % kernels);
    problem.a = c->addresses[i % 2];
    problem.d = c->addresses[(i + 1) % 2];
    st = gg_launch(c->modules[kernel], &problem, stream, err);
    for (int64_t k = 0; k < c->size.n; k++)
      c->at[k] = c->to[c->at[k]];
  }
  if (!st) st = gg_synchronize(c->context, stream, err);
  gg_stream_close(c->context, stream);
  return st;
}

static gg_status count_wrong(int64_t *out, const chain *c, int launches, gg_error *err) {
  static unsigned char counters[GG_WORKSPACE_COUNTERS];
  int64_t n = c->size.n;
  size_t bytes = (size_t)(c->size.m * n) * sizeof *c->moved;
  gg_status st = gg_memory_read(c->context, c->moved, c->addresses[launches % 2], bytes, err);
  if (!st) st = gg_memory_read(c->context, counters, c->workspace, sizeof counters, err);
  *out = 0;
  for (int64_t i = 0; i < c->size.m; i++) {
    for (int64_t k = 0; k < n; k++)
      *out += c->moved[i * n + c->at[k]] != c->x[i * n + k];
  }
  for (size_t i = 0; i < sizeof counters; i++)
    *out += counters[i] != 0;
  return st;
}

static gg_status check_size(int *failed, chain *c, bool emulated, gg_error *err) {
  int launches = emulated ? kernels : 400;
  gg_status st = GG_OK;
  for (int which = emulated ? kernels : 0; which < kernels + 2 && !st; which++) {
    int64_t wrong = 0;
    st = begin_chain(c, err);
    if (!st) st = run(c, which, launches, err);
    if (!st) st = count_wrong(&wrong, c, launches, err);
    if (wrong)
      printf("FAILED %lld x %lld, kernels %d: %lld elements or counters are wrong\n",
             (long long)c->size.m, (long long)c->size.n, which, (long long)wrong);
    *failed += wrong != 0;
    end_chain(c);
  }
  return st;
}

static gg_status check(int *failed, gg_context *context, gg_error *err) {
  static const extents large[] = {{472, 1024},  {2256, 616}, {1024, 1024}, {640, 2048},
                                  {3000, 1000}, {128, 4096}, {4096, 256},  {512, 512}},
                       small = {140, 136};
  bool emulated = gg_context_device(context)->emulated;
  chain c = {.context = context};
  gg_status st = GG_OK;
  for (int i = 0; i < kernels && !st; i++)
    st = load(&c.modules[i], context, ends[i], err);
  for (size_t i = 0; i < (emulated ? 1 : sizeof large / sizeof *large) && !st; i++) {
    c.size = emulated ? small : large[i];
    st = check_size(failed, &c, emulated, err);
  }
  for (int i = 0; i < kernels; i++)
    gg_module_free(c.modules[i]);
  return st;
}

int main(int argc, char **argv) {
  gg_error err = GG_ERROR_INIT;
  gg_context *context;
  gg_context_options options = GG_CONTEXT_OPTIONS_INIT;
  int failed = 0;
  options.provider = argc > 1 && strcmp(argv[1], "--emu") == 0 ? GG_PROVIDER_EMU : GG_PROVIDER_CUDA;
  gg_status st = gg_context_open(&context, &options, &err);
  bool none = st == GG_E_NO_DRIVER || st == GG_E_NO_DEVICE;
  if (!st && gg_context_device(context)->arch != 90) none = true;
  if (!st && !none) st = check(&failed, context, &err);
  if (!st) gg_context_close(context);
  if (none) {
    puts("skipped: there is no device of sm_90");
    gg_error_clear(&err);
    return SKIPPED;
  }
  if (st) fprintf(stderr, "%s\n", err.message);
  gg_error_clear(&err);
  printf("%d chains failed\n", failed);
  return st || failed;
}
