/* ptx_check [--seeds N] SPEC...: kernels by their PTX templates against the same by NVRTC, in the
 * emulator: launch facts are the same, and so is every bit that they store; of products that no
 * tile divides, of several batches, without any K, in several random orders of what is
 * asynchronous. Lines have at most 100 columns. A spec of which no kernel has a template fails. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "cli/kernels.h"
#include "gemmgen_emu.h"
#include "trial.h"

enum { columns_most = 100, longest_k = 400 };

static long passed, failed;

static bool check(bool right, const gg_kernel *kernel, const char *what, gg_error *err) {
  if (right)
    passed++;
  else
    failed++;
  if (!right)
    printf("FAILED %s: %s%s%s\n", kernel->name, what, err->code ? ": " : "", err->message);
  if (!right && err->log) printf("%s\n", err->log);
  gg_error_clear(err);
  return right;
}

/* ---- Text and facts -------------------------------------------------------------------- */

static bool lines_fit(const char *text) {
  for (const char *line = text; *line; line += strspn(line, "\n")) {
    size_t length = strcspn(line, "\n");
    if (length > columns_most) return false;
    line += length;
  }
  return true;
}

static bool same_params(const gg_kernel *a, const gg_kernel *b) {
  bool same = a->param_count == b->param_count;
  for (size_t i = 0; i < a->param_count && same; i++)
    same = a->params[i].kind == b->params[i].kind && a->params[i].operand == b->params[i].operand;
  return same;
}

static bool same_facts(const gg_kernel *a, const gg_kernel *b) {
  return strcmp(a->name, b->name) == 0 && strcmp(a->arch, b->arch) == 0 && same_params(a, b) &&
         a->map_count == b->map_count && memcmp(a->maps, b->maps, sizeof a->maps) == 0 &&
         a->grid == b->grid && a->threads == b->threads && a->smem_bytes == b->smem_bytes &&
         a->cluster_m == b->cluster_m && a->cluster_n == b->cluster_n &&
         a->dependent == b->dependent && a->tile_m == b->tile_m && a->tile_n == b->tile_n;
}

/* ---- Bits ------------------------------------------------------------------------------ */

/* One kernel on one device. */
typedef struct subject {
  gg_context *context;
  const gg_kernel *kernel;
  gg_module *module;
  const gg_trial_inputs *inputs;
} subject;

/* What D's memory is behind a launch, guard zones and all. */
static gg_status run(uint64_t *bits, const subject *s, const gg_problem *problem, int64_t padding,
                     int clusters, gg_error *err) {
  const gg_trial_options options = {
      .padding = padding, .least_aligned = true, .clusters = clusters};
  gg_trial trial;
  gg_status st = gg_trial_open(&trial, s->context, s->kernel, problem, &options, s->inputs, err);
  if (st) return st;
  st = gg_trial_run(&trial, s->module, NULL, err);
  gg_trial_buffer *d = &trial.d;
  if (!st) st = gg_memory_read(s->context, d->host, d->device, (size_t)d->bytes, err);
  if (!st) *bits = gg_hash_bytes(GG_HASH_BEGIN, d->host, (size_t)d->bytes);
  gg_trial_close(&trial);
  return st;
}

static int64_t extent(int64_t fixed, int64_t usual) {
  return fixed == GG_FIXED_NONE ? usual : fixed;
}

/* A product, and by how many clusters it is computed: by few each computes several tiles, by many
 * they share tiles, where they can. */
typedef struct shape {
  int64_t m, n, k, batch;
  int clusters;
} shape;

static gg_problem problem_of(const gg_kernel *kernel, const shape *of) {
  gg_problem p = {.size = sizeof p, .alpha = 1};
  int64_t unit = gg_kernel_k_unit(kernel), k = extent(kernel->fixed_k, of->k);
  p.m = extent(kernel->fixed_m, of->m);
  p.n = extent(kernel->fixed_n, of->n);
  p.k = (k + unit - 1) / unit * unit;
  p.batch = extent(kernel->fixed_batch, of->batch);
  if (gg_kernel_takes(kernel, GG_PARAM_ALPHA)) p.alpha = -0.7f;
  if (gg_kernel_takes(kernel, GG_PARAM_BETA)) p.beta = of->m % 2 ? 1.3f : 0;
  return p;
}

/* Both of a pair, on one device, for every shape. */
static void compare(subject pair[2], uint64_t seed) {
  static const shape shapes[] = {{300, 280, 200, 1, 1}, {129, 70, 72, 3, 2}, {31, 7, 33, 2, 3},
                                 {64, 520, 0, 1, 1},    {1, 1, 1, 1, 2},     {127, 90, 900, 1, 5},
                                 {260, 270, 700, 1, 7}};
  enum { of_whole_tiles = 5 };
  gg_error err = GG_ERROR_INIT;
  bool shares = gg_kernel_takes(pair[0].kernel, GG_PARAM_SHARED_TILES) ||
                gg_kernel_takes(pair[0].kernel, GG_PARAM_NEXT_BESIDE);
  size_t count = shares ? sizeof shapes / sizeof *shapes : of_whole_tiles;
  if (pair[0].kernel->fixed_m != GG_FIXED_NONE) count = 1;
  for (size_t i = 0; i < count; i++) {
    gg_problem p = problem_of(pair[0].kernel, &shapes[i]);
    uint64_t bits[2] = {0, 1};
    char what[160];
    snprintf(what, sizeof what, "seed %llu, M %lld N %lld K %lld batch %lld: other bits",
             (unsigned long long)seed, (long long)p.m, (long long)p.n, (long long)p.k,
             (long long)p.batch);
    gg_status st = run(&bits[0], &pair[0], &p, (int64_t)i % 3, shapes[i].clusters, &err);
    if (!st) st = run(&bits[1], &pair[1], &p, (int64_t)i % 3, shapes[i].clusters, &err);
    check(!st && bits[0] == bits[1], pair[1].kernel, what, &err);
  }
}

/* `seed` 0: the emulator's usual order. */
static void compare_in_order(subject pair[2], uint64_t seed) {
  gg_error err = GG_ERROR_INIT;
  gg_context *context = NULL;
  gg_context_options options = {.size = sizeof options, .provider = GG_PROVIDER_EMU};
  gg_emu_options emulator = GG_EMU_OPTIONS_INIT;
  gg_emu_options_init(&emulator);
  emulator.random = seed > 0;
  emulator.seed = seed;
  gg_status st = gg_emu_configure(&emulator) ? GG_E_DRIVER : GG_OK;
  if (!st) st = gg_context_open(&context, &options, &err);
  for (int i = 0; i < 2 && !st; i++) {
    pair[i].context = context;
    st = gg_module_load(&pair[i].module, context, pair[i].kernel, &err);
  }
  if (!st) compare(pair, seed);
  if (st) check(false, pair[1].kernel, "load", &err);
  for (int i = 0; i < 2; i++) {
    gg_module_free(pair[i].module);
    pair[i].module = NULL;
  }
  gg_context_close(context);
  gg_emu_configure(NULL);
}

static void check_pair(const gg_kernel *cu, const gg_kernel *ptx, uint64_t seeds) {
  gg_error err = GG_ERROR_INIT;
  gg_trial_inputs inputs = {0};
  subject pair[2] = {{.kernel = cu, .inputs = &inputs}, {.kernel = ptx, .inputs = &inputs}};
  int64_t k = extent(cu->fixed_k, longest_k);
  check(lines_fit(ptx->source), ptx, "a line of more than 100 columns", &err);
  check(same_facts(cu, ptx), ptx, "other launch facts", &err);
  gg_status st = gg_trial_inputs_make(&inputs, cu, GG_INPUTS_NORMAL, k, 7, &err);
  if (st) check(false, ptx, "inputs", &err);
  for (uint64_t seed = 0; seed <= seeds && !st; seed++)
    compare_in_order(pair, seed);
  gg_trial_inputs_free(&inputs);
}

int main(int argc, char **argv) {
  uint64_t seeds = 0;
  int first = 1, pairs = 0;
  cli_kernels kernels;
  if (argc > 2 && strcmp(argv[1], "--seeds") == 0) {
    seeds = strtoull(argv[2], NULL, 10);
    first = 3;
  }
  int code =
      cli_kernels_load(&kernels, argc - first, argv + first, CLI_TEXT_CU | CLI_TEXT_PTX, false);
  for (size_t i = 1; i < kernels.count && !code; i++) {
    if (!kernels.list[i]->ptx) continue;
    check_pair(kernels.list[i - 1], kernels.list[i], seeds);
    pairs++;
  }
  cli_kernels_free(&kernels);
  printf("%d kernels, %ld passed, %ld failed\n", pairs, passed, failed);
  return code ? code : failed || !pairs ? EXIT_FAILURE : EXIT_SUCCESS;
}
