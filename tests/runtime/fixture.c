#define _XOPEN_SOURCE 700 /* nftw */

#include "fixture.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problem.h"

static const gg_param params[] = {
    {GG_PARAM_ADDRESS, GG_OPERAND_A, 0},
    {GG_PARAM_ADDRESS, GG_OPERAND_B, 0},
    {GG_PARAM_ADDRESS, GG_OPERAND_C, 0},
    {GG_PARAM_ADDRESS, GG_OPERAND_D, 0},
    {.kind = GG_PARAM_M},
    {.kind = GG_PARAM_N},
    {.kind = GG_PARAM_K},
    {.kind = GG_PARAM_BATCH},
    {GG_PARAM_LD, GG_OPERAND_A, 0},
    {GG_PARAM_LD, GG_OPERAND_B, 0},
    {GG_PARAM_LD, GG_OPERAND_C, 0},
    {GG_PARAM_LD, GG_OPERAND_D, 0},
    {GG_PARAM_BATCH_STRIDE, GG_OPERAND_A, 0},
    {GG_PARAM_BATCH_STRIDE, GG_OPERAND_B, 0},
    {GG_PARAM_BATCH_STRIDE, GG_OPERAND_C, 0},
    {GG_PARAM_BATCH_STRIDE, GG_OPERAND_D, 0},
    {.kind = GG_PARAM_ALPHA},
    {.kind = GG_PARAM_BETA},
};

static const char source[] = "extern \"C\" __global__ void tiny(int *out) { *out = 1; }\n";

gg_kernel fixture_kernel(void) {
  return (gg_kernel){
      .name = "tiny",
      .family = "sm80",
      .arch = "sm_80",
      .source = source,
      .source_length = strlen(source),
      .a = {GG_DTYPE_f16, GG_MAJOR_K, 16},
      .b = {GG_DTYPE_f16, GG_MAJOR_K, 16},
      .c = {GG_DTYPE_f32, GG_MAJOR_N, 16},
      .d = {GG_DTYPE_f32, GG_MAJOR_N, 16},
      .accumulator = GG_DTYPE_f32,
      .fixed_m = GG_FIXED_NONE,
      .fixed_n = GG_FIXED_NONE,
      .fixed_k = GG_FIXED_NONE,
      .fixed_batch = GG_FIXED_NONE,
      .operations = {{.kind = GG_OP_LINEAR, .alpha = true, .beta = true}},
      .operation_count = 1,
      .grid = GG_GRID_TILES,
      .tile_m = 128,
      .tile_n = 64,
      .tile_k = 32,
      .threads = 128,
      .cluster_m = 1,
      .cluster_n = 1,
      .cluster_k = 1,
      .smem_bytes = 49152,
      .params = params,
      .param_count = sizeof params / sizeof *params,
  };
}

static const gg_param mapped_params[] = {
    {GG_PARAM_MAP, GG_OPERAND_A, 0},
    {GG_PARAM_MAP, GG_OPERAND_B, 0},
    {GG_PARAM_MAP, GG_OPERAND_D, 0},
    {.kind = GG_PARAM_M},
    {.kind = GG_PARAM_N},
    {.kind = GG_PARAM_K},
    {.kind = GG_PARAM_BATCH},
    {.kind = GG_PARAM_ALPHA},
};

static gg_tensor_map map_of(gg_operand_id operand, gg_dtype type, int line, int lines,
                            int swizzle) {
  return (gg_tensor_map){.operand = operand,
                         .type = type,
                         .rank = 3,
                         .modes = {GG_MAP_LINE, GG_MAP_LINES, GG_MAP_BATCH},
                         .box = {line, lines, 1},
                         .swizzle_bytes = swizzle};
}

gg_kernel fixture_mapped_kernel(void) {
  gg_kernel kernel = fixture_kernel();
  kernel.params = mapped_params;
  kernel.param_count = sizeof mapped_params / sizeof *mapped_params;
  kernel.maps[0] = map_of(GG_OPERAND_A, GG_DTYPE_f16, 64, 128, 128);
  kernel.maps[1] = map_of(GG_OPERAND_B, GG_DTYPE_f16, 32, 64, 64);
  kernel.maps[2] = map_of(GG_OPERAND_D, GG_DTYPE_f32, 4, 16, 0);
  kernel.map_count = 3;
  return kernel;
}

static const gg_param claiming_params[] = {{.kind = GG_PARAM_WORKSPACE}, {.kind = GG_PARAM_GPCS}};

void fixture_claim(gg_kernel *kernel) {
  kernel->grid = GG_GRID_PERSISTENT;
  kernel->params = claiming_params;
  kernel->param_count = sizeof claiming_params / sizeof *claiming_params;
}

gg_problem fixture_problem(int64_t m, int64_t n, int64_t k, int64_t batch) {
  gg_kernel kernel = fixture_kernel();
  gg_problem problem = GG_PROBLEM_INIT;
  problem.m = m, problem.n = n, problem.k = k, problem.batch = batch;
  problem.a = 0x1000, problem.b = 0x2000, problem.c = 0x3000, problem.d = 0x4000;
  gg_error err = GG_ERROR_INIT;
  gg_problem_pack(&problem, &kernel, &err);
  gg_error_clear(&err);
  return problem;
}

void fixture_check_problem(const gg_kernel *kernel, const gg_problem *problem, int arch,
                           gg_status wanted, const char *part, size_t row) {
  enum { resident = 264 }; /* CTAs */
  gg_launch_facts prepared;
  gg_error err = GG_ERROR_INIT;
  gg_status st = gg_problem_check(&prepared, kernel, problem, resident, gg_device_row(arch), &err);
  ck_assert_msg(st == wanted, "row %zu: %s", row, st ? err.message : "no error");
  if (st) assert_error(&err, st, part);
}

static char root[] = "/tmp/gemmgen-test.XXXXXX";

void fixture_begin(void) {
  if (!mkdtemp(root)) abort();
}

static int remove_entry(const char *path, const struct stat *facts, int type, struct FTW *level) {
  (void)facts, (void)type, (void)level;
  return remove(path);
}

void fixture_end(void) {
  nftw(root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

const char *fixture_directory(void) {
  static char path[64];
  snprintf(path, sizeof path, "%s/XXXXXX", root);
  ck_assert_ptr_nonnull(mkdtemp(path));
  return path;
}

bool fixture_has_nvrtc(void) {
  gg_compiler_options options = {.size = sizeof(gg_compiler_options), .cache = ""};
  gg_compiler *compiler;
  if (gg_compiler_open(&compiler, &options, NULL)) return false;
  gg_compiler_facts facts = *gg_compiler_facts_of(compiler);
  if (!facts.nvrtc) printf("skipped what needs NVRTC: %s\n", facts.why_not);
  gg_compiler_close(compiler);
  return facts.nvrtc != NULL;
}
