/* What the default order hides: launches in the emulator whose copies land at random moments and
 * whose warps take turns of random length, by a seed; and which may begin while one ahead of them
 * still runs. */
#include <stdio.h>

#include "atom/dtype.h"
#include "gemmgen_emu.h"
#include "gpu_check.h"

/* Extents that the spec does not fix: so many tiles of the cluster along M and N, the last ones cut
 * off, and so many K tiles. */
static gg_problem shape_of(const gg_kernel *kernel, int64_t m, int64_t n, int64_t k) {
  gg_problem p = usual_shape(kernel);
  if (kernel->fixed_m == GG_FIXED_NONE) p.m = m * kernel->tile_m * kernel->cluster_m - 5;
  if (kernel->fixed_n == GG_FIXED_NONE)
    p.n = whole_n(kernel, n * kernel->tile_n * kernel->cluster_n - 3);
  if (kernel->fixed_k == GG_FIXED_NONE)
    p.k = whole_k(kernel, k * kernel->tile_k * kernel->cluster_k - 1);
  if (kernel->fixed_batch == GG_FIXED_NONE) p.batch = 1;
  if (gg_kernel_takes(kernel, GG_PARAM_BETA)) p.beta = -1;
  return p;
}

/* C, where there is one, is added: of every other number in D's place.
 *
 * One tile a CTA, and enough K tiles to fill every stage more than twice; or several tiles for one
 * cluster, of few K tiles, for what happens where one tile ends and the next begins: of a batch by
 * arrays of addresses in several matrices. Sometimes they have so many K tiles that C is fetched
 * late. */
static gg_problem nth_shape(const gg_kernel *kernel, uint64_t number) {
  static const int64_t k_tiles[] = {1, 2, 3, 33};
  int64_t stage = (int64_t)(kernel->tile_m + kernel->tile_n) * kernel->tile_k *
                  gg_dtype_info_of(kernel->a.type)->bits / 8;
  if (number % 3 == 0) return shape_of(kernel, 1, 1, 5 * (kernel->smem_bytes / stage + 1) / 2 + 1);
  gg_problem p = shape_of(kernel, 3, kernel->pointers ? 1 : 3, k_tiles[number % 4]);
  if (kernel->pointers && kernel->fixed_batch == GG_FIXED_NONE) p.batch = 3;
  return p;
}

static gg_status run_order(bool *passed, subject *s, const gg_binary *binary, uint64_t seed,
                           gg_str *why, gg_error *err) {
  gg_trial trial = {0};
  /* Those that claim their work do so also beside others. */
  bool alone = !gg_kernel_takes(s->kernel, GG_PARAM_GPCS) || seed / 2 % 2 == 0;
  gg_trial_options options = {.padding = 1,
                              .least_aligned = true,
                              .in_place = seed % 2,
                              .clusters = alone ? 1 : 0,
                              .beside = true};
  gg_problem shape = nth_shape(s->kernel, seed);
  gg_status st = gg_module_load_binary(&s->module, s->context, s->kernel, binary, err);
  if (!st) st = gg_trial_inputs_make(&s->integers, s->kernel, GG_INPUTS_INTEGERS, shape.k, 1, err);
  if (!st) st = gg_trial_open(&trial, s->context, s->kernel, &shape, &options, &s->integers, err);
  if (!st) st = gg_trial_run(&trial, s->module, NULL, err);
  if (!st) st = judge_trial(passed, s, &trial, why, err);
  gg_trial_close(&trial);
  close_subject(s);
  return st;
}

/* One host thread: then the seed alone decides. */
static void check_order(totals *out, const gg_kernel *kernel, const gg_binary *binary,
                        uint64_t seed) {
  gg_error err = GG_ERROR_INIT;
  gg_str what = GG_STR_INIT;
  subject s = {.kernel = kernel};
  gg_context_options options = {
      .size = sizeof(gg_context_options),
      .provider = GG_PROVIDER_EMU,
      .compiler = &(gg_compiler_options){.size = sizeof(gg_compiler_options), .cache = ""}};
  gg_emu_options emulator = GG_EMU_OPTIONS_INIT;
  bool passed = false;
  gg_emu_options_init(&emulator);
  emulator.threads = 1;
  emulator.random = 1;
  emulator.seed = seed;
  gg_str_printf(&what, "emulator's seed %llu: ", (unsigned long long)seed);
  bool configured = gg_emu_configure(&emulator) == CUDA_SUCCESS;
  gg_status st = configured ? gg_context_open(&s.context, &options, &err) : GG_E_DRIVER;
  if (!st) st = run_order(&passed, &s, binary, seed, &what, &err);
  count_check(out, &s, gg_str_text(&what), !st && passed, &err);
  gg_context_close(s.context);
  gg_emu_configure(NULL);
  gg_str_free(&what);
}

void check_orders(totals *out, const gg_kernel *kernel, uint64_t seeds) {
  gg_error err = GG_ERROR_INIT;
  const subject s = {.kernel = kernel};
  gg_compiler *compiler = NULL;
  gg_binary *binary = NULL;
  gg_status st = gg_compiler_open(&compiler, NULL, &err);
  if (!st) st = gg_compile(&binary, compiler, kernel, NULL, GG_FORMAT_PTX, &err);
  if (st) count_check(out, &s, "compile", false, &err);
  for (uint64_t seed = 1; !st && seed <= seeds; seed++)
    check_order(out, kernel, binary, seed);
  gg_binary_free(binary);
  gg_compiler_close(compiler);
}
