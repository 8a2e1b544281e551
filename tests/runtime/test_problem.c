/* A problem against a kernel: every check, and the arguments. How its tiles are distributed is in
 * test_distribution.c. */
#include <string.h>

#include "fixture.h"
#include "problem.h"
#include "suite.h"

static gg_error err = GG_ERROR_INIT;

START_TEST(packs_to_the_alignment) {
  gg_kernel kernel = fixture_kernel();
  kernel.b.major = GG_MAJOR_N;
  kernel.d.major = GG_MAJOR_M;
  gg_problem p = {.size = sizeof(gg_problem), .m = 5, .n = 7, .k = 9, .batch = 2};
  ck_assert_int_eq(gg_problem_pack(&p, &kernel, &err), GG_OK);
  ck_assert_int_eq(p.lda, 16); /* k = 9 of f16, 16 bytes */
  ck_assert_int_eq(p.batch_stride_a, 5 * 16);
  ck_assert_int_eq(p.ldb, 8); /* n = 7 */
  ck_assert_int_eq(p.batch_stride_b, 9 * 8);
  ck_assert_int_eq(p.ldc, 8); /* n = 7 of f32 */
  ck_assert_int_eq(p.ldd, 8); /* m = 5 */
  ck_assert_int_eq(p.batch_stride_d, 7 * 8);
}
END_TEST

/* Of the product's columns D has half, and so has what stands behind the gate. */
START_TEST(a_gated_d_has_half_of_the_columns) {
  gg_kernel kernel = fixture_kernel();
  const gg_operation operations[] = {
      {.kind = GG_OP_BIAS, .along = GG_ALONG_N, .operand = {GG_DTYPE_bf16, GG_MAJOR_N, 2}},
      {.kind = GG_OP_GATED, .expression = GG_OP_SILU},
      {.kind = GG_OP_AUX, .operand = {GG_DTYPE_f16, GG_MAJOR_N, 2}}};
  memcpy(kernel.operations, operations, sizeof operations);
  kernel.operation_count = 3;
  gg_problem p = {.size = sizeof(gg_problem), .m = 5, .n = 76, .k = 9, .batch = 2};
  ck_assert_int_eq(gg_problem_pack(&p, &kernel, &err), GG_OK);
  ck_assert_int_eq(p.ldd, 40);
  ck_assert_int_eq(p.batch_stride_d, 5 * 40);
  ck_assert_int_eq(p.extras[0].batch_stride, 76);
  ck_assert_int_eq(p.extras[2].ld, 38);
}
END_TEST

START_TEST(pack_passes_int64) {
  gg_kernel kernel = fixture_kernel();
  gg_problem p = {.size = sizeof(gg_problem), .m = INT64_MAX, .n = 1, .k = INT64_MAX, .batch = 1};
  ck_assert_int_eq(gg_problem_pack(&p, &kernel, &err), GG_E_PROBLEM_SIZE);
  assert_error(&err, GG_E_PROBLEM_SIZE, "A is larger");
}
END_TEST

START_TEST(grid_and_arguments) {
  gg_kernel kernel = fixture_kernel();
  gg_problem p = fixture_problem(129, 130, 9, 3);
  p.alpha = 2, p.beta = 0.5f;
  gg_launch_facts prepared;
  ck_assert_int_eq(gg_problem_check(&prepared, &kernel, &p, 264, gg_device_row(90), &err), GG_OK);
  ck_assert_uint_eq(prepared.grid[0], 2 * 3 * 3);
  ck_assert_uint_eq(prepared.grid[1], 1);
  ck_assert_uint_eq(prepared.grid[2], 1);
  ck_assert_uint_eq(prepared.arguments[0], 0x1000);
  ck_assert_uint_eq(prepared.arguments[3], 0x4000);
  ck_assert_uint_eq(prepared.arguments[4], 129);
  ck_assert_uint_eq(prepared.arguments[8], 16);
  ck_assert_uint_eq(prepared.arguments[12], 129 * 16);
  ck_assert_uint_eq(prepared.arguments[16], 0x40000000);
  ck_assert_uint_eq(prepared.arguments[17], 0x3f000000);
}
END_TEST

/* D's lines leave the L2 cache first where it has no room for them and they are at least four
 * fifths of what is read and written; operands that all of a batch share are read once. */
START_TEST(large_results_leave_the_cache_first) {
  static const struct {
    int64_t k, batch;
    bool shared, first;
  } rows[] = {
      {64, 100, false, true}, {256, 100, false, true}, {257, 100, false, false},
      {64, 11, false, false}, {64, 12, false, true},   {512, 100, true, true},
  };
  gg_kernel kernel = fixture_kernel(); /* 4 bytes an element of D, 2 of A and B */
  const gg_param param = {.kind = GG_PARAM_EVICT_FIRST};
  kernel.params = &param, kernel.param_count = 1;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    gg_problem p = fixture_problem(1024, 1024, rows[i].k, rows[i].batch);
    if (rows[i].shared) p.batch_stride_a = p.batch_stride_b = 0;
    gg_launch_facts prepared;
    ck_assert_int_eq(gg_problem_check(&prepared, &kernel, &p, 264, gg_device_row(90), &err), GG_OK);
    ck_assert_msg(prepared.arguments[0] == rows[i].first, "row %zu", i);
  }
}
END_TEST

/* Coordinates are 32-bit, strides less than 2^40 bytes. */
START_TEST(what_tensor_maps_cannot_address) {
  gg_kernel kernel = fixture_mapped_kernel();
  const int64_t most = (INT64_C(1) << 39) - 8; /* elements of f16 */
  static const struct {
    int64_t m, lda, batch_stride_a, batch;
    const char *part; /* NULL: can */
  } rows[] = {
      {128, 1024, 0, 1, NULL},
      {128, 1024, 0, 2, NULL},
      {INT64_C(1) << 31, 64, 0, 1,
       "m = 2147483648 is more than a tensor map's coordinates reach, 2147483519"},
      {2, most, 0, 1, NULL},
      {2, most + 8, 0, 1, "lda = 549755813888 is more than the 549755813880 elements"},
      {1, most + 8, 0, 1, NULL}, /* there is nothing to step over */
      {2, 64, most + 8, 2, "batch_stride_a = 549755813888 is more than the 549755813880 elements"},
      {2, 64, most + 8, 1, NULL},
      {2, 60, 0, 1, "lda = 60 is not a multiple of the 8 elements"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    gg_problem p = fixture_problem(rows[i].m, 64, 50, rows[i].batch);
    gg_launch_facts prepared;
    p.lda = rows[i].lda;
    p.batch_stride_a = rows[i].batch_stride_a;
    gg_status st = gg_problem_check(&prepared, &kernel, &p, 264, gg_device_row(90), &err);
    ck_assert_msg(!st == !rows[i].part, "row %zu: %s", i, st ? err.message : "no error");
    if (st) assert_error(&err, st, rows[i].part);
  }
}
END_TEST

/* From one half of B's rows to the other. */
START_TEST(halves_that_tensor_maps_cannot_step_over) {
  gg_kernel kernel = fixture_mapped_kernel();
  const int64_t most = (INT64_C(1) << 39) / 512 - 8; /* elements of f16 */
  kernel.maps[1].rank = 4;
  kernel.maps[1].modes[1] = GG_MAP_HALF, kernel.maps[1].modes[2] = GG_MAP_HALF_LINES;
  kernel.maps[1].modes[3] = GG_MAP_BATCH;
  for (int beyond = 0; beyond < 2; beyond++) {
    gg_problem p = fixture_problem(128, 1024, 50, 1);
    gg_launch_facts prepared;
    p.ldb = most + 8 * beyond;
    gg_status st = gg_problem_check(&prepared, &kernel, &p, 264, gg_device_row(90), &err);
    ck_assert_int_eq(st, beyond ? GG_E_PROBLEM_SIZE : GG_OK);
    if (beyond) assert_error(&err, st, "ldb = 1073741824 is more than the 1073741816 elements");
  }
}
END_TEST

START_TEST(nothing_to_compute) {
  gg_kernel kernel = fixture_kernel();
  const int64_t shapes[][4] = {{0, 8, 8, 1}, {8, 0, 8, 1}, {8, 8, 8, 0}, {0, 0, 0, 0}};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    gg_problem p = {.size = sizeof(gg_problem),
                    .m = shapes[i][0],
                    .n = shapes[i][1],
                    .k = shapes[i][2],
                    .batch = shapes[i][3]};
    p.alpha = 1;
    gg_launch_facts prepared;
    ck_assert_int_eq(gg_problem_check(&prepared, &kernel, &p, 264, gg_device_row(90), &err), GG_OK);
    ck_assert_uint_eq(prepared.grid[0], 0);
  }
}
END_TEST

START_TEST(k_of_zero_launches_without_a_and_b) {
  gg_kernel kernel = fixture_kernel();
  gg_problem p = fixture_problem(8, 8, 0, 1);
  p.a = p.b = 0;
  gg_launch_facts prepared;
  ck_assert_int_eq(gg_problem_check(&prepared, &kernel, &p, 264, gg_device_row(90), &err), GG_OK);
  ck_assert_uint_eq(prepared.grid[0], 1);
}
END_TEST

START_TEST(c_is_not_looked_at_without_beta) {
  gg_kernel kernel = fixture_kernel();
  gg_problem p = fixture_problem(8, 8, 8, 1);
  p.c = 0, p.ldc = -1;
  gg_launch_facts prepared;
  ck_assert_int_eq(gg_problem_check(&prepared, &kernel, &p, 264, gg_device_row(90), &err), GG_OK);
  p.beta = 1;
  gg_problem_check(&prepared, &kernel, &p, 264, gg_device_row(90), &err);
  assert_error(&err, GG_E_PROBLEM_LD, "ldc = -1");
}
END_TEST

START_TEST(broadcast_of_inputs_and_interleaved_outputs) {
  gg_kernel kernel = fixture_kernel();
  gg_problem p = fixture_problem(8, 8, 8, 4);
  gg_launch_facts prepared;
  p.batch_stride_a = p.batch_stride_b = p.batch_stride_c = 0;
  p.beta = 1;
  p.ldd = 4 * 8, p.batch_stride_d = 8; /* D[m][batch][n] */
  ck_assert_int_eq(gg_problem_check(&prepared, &kernel, &p, 264, gg_device_row(90), &err), GG_OK);
}
END_TEST

/* One change to a good problem, and what it must give. */
typedef struct bad_case {
  void (*spoil)(gg_problem *, gg_kernel *);
  gg_status code;
  const char *part;
} bad_case;

#define SPOIL(name, change)                                                                        \
  static void name(gg_problem *p, gg_kernel *k) {                                                  \
    (void)p, (void)k;                                                                              \
    change;                                                                                        \
  }

SPOIL(negative_m, p->m = -1)
SPOIL(negative_batch, p->batch = INT64_MIN)
SPOIL(fixed_k, k->fixed_k = 4096)
SPOIL(small_lda, p->lda = 8)
SPOIL(small_ldb, (k->b.major = GG_MAJOR_N, p->n = 100, p->ldb = 96))
SPOIL(odd_lda, p->lda = 41)
SPOIL(huge_lda, p->lda = INT64_MAX / 8 * 8)
SPOIL(huge_stride, p->batch_stride_a = INT64_MAX / 8 * 8)
SPOIL(end_of_memory, p->a = UINT64_MAX - 15)
SPOIL(negative_stride, p->batch_stride_b = -8)
SPOIL(odd_stride, p->batch_stride_b += 4)
SPOIL(no_stride_d, p->batch_stride_d = 0)
SPOIL(overlap_d, p->batch_stride_d -= 8)
SPOIL(null_a, p->a = 0)
SPOIL(null_d, p->d = 0)
SPOIL(null_c, (p->beta = 1, p->c = 0))
SPOIL(odd_b, p->b += 8)
SPOIL(no_alpha, (k->param_count = 16, p->alpha = 3))
SPOIL(no_beta, (k->param_count = 16, p->beta = 2))
SPOIL(stray_alpha, p->alpha_at = 0x1000)

/* Of a kernel that reads both in device memory. */
static void no_beta_there(gg_problem *p, gg_kernel *kernel) {
  kernel->operations[0] = (gg_operation){
      .kind = GG_OP_LINEAR, .alpha = true, .beta = true, .scalars = GG_SCALARS_DEVICE};
  kernel->operation_count = 1;
  p->alpha_at = 0x1000;
}

static void odd_beta(gg_problem *p, gg_kernel *kernel) {
  no_beta_there(p, kernel);
  p->beta_at = 0x1002;
}

static void no_c_there(gg_problem *p, gg_kernel *kernel) {
  no_beta_there(p, kernel);
  p->beta_at = 0x1004, p->c = 0;
}

static void gate(gg_kernel *kernel) {
  kernel->operations[1] = (gg_operation){.kind = GG_OP_GATED, .expression = GG_OP_SILU};
  kernel->operation_count = 2;
}

static void odd_columns(gg_problem *p, gg_kernel *kernel) {
  gate(kernel);
  p->n = 101;
}

static void last_columns(gg_problem *p, gg_kernel *kernel) {
  gate(kernel);
  p->n = INT64_MAX;
}

static void half_a_byte_of_k(gg_problem *p, gg_kernel *kernel) {
  kernel->a.type = kernel->b.type = GG_DTYPE_s4;
  p->k = INT64_MAX;
}

static void odd_half_of_lines(gg_problem *p, gg_kernel *kernel) {
  gate(kernel);
  kernel->operations[1].expression |= GG_GATED_SPLIT;
  kernel->b.major = GG_MAJOR_N;
  p->n = 104;
}

static void odd_half_of_factors(gg_problem *p, gg_kernel *kernel) {
  gate(kernel);
  kernel->operations[1].expression |= GG_GATED_SPLIT;
  kernel->scale_b = (gg_scaling){.type = GG_DTYPE_ue8m0, .block = 32};
  p->n = 384;
}

static void short_gated_d(gg_problem *p, gg_kernel *kernel) {
  gate(kernel);
  p->ldd = 32;
}

SPOIL(stray_pointers, p->pointers = true)

/* Of a kernel that takes arrays of addresses: batch strides count for nothing, and an operand's
 * alignment is that of the addresses in the array. */
static void no_pointers(gg_problem *p, gg_kernel *kernel) {
  kernel->pointers = 1;
  p->batch_stride_a = p->batch_stride_d = -1;
}

static void odd_array(gg_problem *p, gg_kernel *kernel) {
  no_pointers(p, kernel);
  p->pointers = true, p->a = 0x1008, p->b = 0x100c;
}

SPOIL(huge_grid, (p->m = (int64_t)1 << 40))
SPOIL(many_tiles, (p->batch = 1 << 30))
SPOIL(huge_k, (p->k = INT32_MAX - 31))

static void no_workspace(gg_problem *p, gg_kernel *kernel) {
  kernel->grid = GG_GRID_SPLIT_K, kernel->splits = 2, kernel->tile_warps = 4;
  p->workspace_bytes = 65536;
}

/* Parts of one row of tiles, four for each of 72 columns of 3 batches. */
static void no_room_for_sums(gg_problem *p, gg_kernel *kernel) {
  kernel->sum_bytes_n = 16;
  p->workspace_bytes = 65536;
}

/* Six CTAs' tensor maps, behind the counters. */
static void no_room_for_maps(gg_problem *p, gg_kernel *kernel) {
  kernel->map_bytes = 640;
  p->workspace_bytes = 65536;
}

static void no_counters(gg_problem *p, gg_kernel *kernel) {
  fixture_claim(kernel);
  p->workspace = 0x10000, p->workspace_bytes = 65280;
}

static void odd_workspace(gg_problem *p, gg_kernel *kernel) {
  no_workspace(p, kernel);
  p->workspace = 0x10010, p->workspace_bytes = 1 << 30;
}

static const bad_case bad_cases[] = {
    {negative_m, GG_E_PROBLEM_EXTENT, "m = -1"},
    {negative_batch, GG_E_PROBLEM_EXTENT, "batch = -9223372036854775808"},
    {fixed_k, GG_E_PROBLEM_EXTENT, "k = 33, where the kernel has k fixed at 4096"},
    {small_lda, GG_E_PROBLEM_LD,
     "lda = 8 is less than k = 33; the least that the kernel takes is 40"},
    {small_ldb, GG_E_PROBLEM_LD, "ldb = 96 is less than n = 100"},
    {odd_lda, GG_E_PROBLEM_ALIGN, "lda = 41 is not a multiple of the 8 elements"},
    {huge_lda, GG_E_PROBLEM_SIZE, "A is larger than int64"},
    {huge_stride, GG_E_PROBLEM_SIZE, "A is larger than int64"},
    {end_of_memory, GG_E_PROBLEM_SIZE, "A is larger than int64"},
    {negative_stride, GG_E_PROBLEM_STRIDE, "batch_stride_b = -8"},
    {odd_stride, GG_E_PROBLEM_ALIGN, "batch_stride_b = "},
    {no_stride_d, GG_E_PROBLEM_STRIDE, "batch_stride_d = 0: the batches overlap"},
    {overlap_d, GG_E_PROBLEM_STRIDE, "the batches overlap"},
    {null_a, GG_E_PROBLEM_POINTER, "the pointer to A is null"},
    {null_d, GG_E_PROBLEM_POINTER, "the pointer to D is null"},
    {null_c, GG_E_PROBLEM_POINTER, "the pointer to C is null"},
    {odd_b, GG_E_PROBLEM_ALIGN, "b = 8200 is not a multiple of the 16 bytes"},
    {no_alpha, GG_E_PROBLEM_SCALAR, "alpha = 3, but kernel tiny has no alpha"},
    {no_beta, GG_E_PROBLEM_SCALAR, "beta = 2"},
    {stray_pointers, GG_E_PROBLEM_POINTERS,
     "gg_problem.pointers is true, but kernel tiny takes matrices at a constant stride"},
    {no_pointers, GG_E_PROBLEM_POINTERS,
     "gg_problem.pointers is false, but kernel tiny takes arrays of addresses"},
    {odd_array, GG_E_PROBLEM_ALIGN, "b = 4108 is not a multiple of the 8 bytes"},
    {stray_alpha, GG_E_PROBLEM_SCALAR_AT, "gg_problem.alpha_at is given, but kernel tiny reads"},
    {no_beta_there, GG_E_PROBLEM_POINTER, "the pointer to beta_at is null"},
    {odd_beta, GG_E_PROBLEM_ALIGN, "beta_at = 4098 is not a multiple of the 4 bytes"},
    {no_c_there, GG_E_PROBLEM_POINTER, "the pointer to C is null"},
    {odd_columns, GG_E_PROBLEM_EXTENT,
     "n = 101, where the kernel has an even n, two columns for each of D's (epilogue gated); the "
     "nearest are 100 and 102"},
    {last_columns, GG_E_PROBLEM_EXTENT, "the nearest are 9223372036854775806"},
    {half_a_byte_of_k, GG_E_PROBLEM_EXTENT, "k of whole bytes, 2 elements of s4 each"},
    {odd_half_of_lines, GG_E_PROBLEM_EXTENT,
     "n = 104, where the kernel has n of whole 16: halves of an N-major B's lines that begin at "
     "multiples of 8 elements (epilogue gated); the next is 112"},
    {odd_half_of_factors, GG_E_PROBLEM_EXTENT,
     "n = 384, where the kernel has n of whole 256: halves of B's scale factors that begin at "
     "multiples of 128 elements (epilogue gated); the next is 512"},
    {short_gated_d, GG_E_PROBLEM_LD,
     "ldd = 32 is less than n / 2 = 36; the least that the kernel takes is 36"},
    {no_workspace, GG_E_PROBLEM_WORKSPACE, "a workspace of 0 bytes, where 12 shares of 6 tiles"},
    {no_room_for_sums, GG_E_PROBLEM_SUMS,
     "a workspace of 0 bytes, where parts of sums over D of 3456 bytes take 68992"},
    {no_room_for_maps, GG_E_PROBLEM_MAPS,
     "a workspace of 0 bytes, where tensor maps of 3840 bytes, with the addresses of a batch, take "
     "69376"},
    {no_counters, GG_E_PROBLEM_CLAIMS,
     "a workspace of 65280 bytes, where the counters by which clusters claim tiles take 65536"},
    {odd_workspace, GG_E_PROBLEM_ALIGN, "workspace = 65552 is not a multiple of the 256 bytes"},
    {huge_grid, GG_E_PROBLEM_SIZE, "8589934592 x 2 tiles of 128 x 64, batch 1, are more than a"},
    {many_tiles, GG_E_PROBLEM_SIZE, "1 x 2 tiles of 128 x 64, batch 1073741824, are more than"},
    {huge_k, GG_E_PROBLEM_EXTENT, "k = 2147483616, where the kernel has k up to 2147483615"},
};

/* A kernel whose epilogue has a vector along M, a number, and a matrix that it stores. */
static gg_kernel kernel_with_extras(void) {
  gg_kernel kernel = fixture_kernel();
  const gg_operation operations[] = {
      {.kind = GG_OP_BIAS, .along = GG_ALONG_M, .operand = {GG_DTYPE_bf16, GG_MAJOR_N, 2}},
      {.kind = GG_OP_RELU},
      {.kind = GG_OP_AUX, .operand = {GG_DTYPE_f16, GG_MAJOR_N, 8}},
      {.kind = GG_OP_SCALE, .along = GG_ALONG_ALL, .operand = {GG_DTYPE_f32, GG_MAJOR_N, 4}},
  };
  memcpy(kernel.operations, operations, sizeof operations);
  kernel.operation_count = 4;
  return kernel;
}

START_TEST(extras_are_packed_and_checked) {
  gg_kernel kernel = kernel_with_extras();
  gg_problem good = fixture_problem(5, 7, 9, 2);
  ck_assert_int_eq(gg_problem_pack(&good, &kernel, &err), GG_OK);
  ck_assert_int_eq(good.extras[0].batch_stride, 5);
  ck_assert_int_eq(good.extras[2].ld, 8); /* 7 of f16, 8 bytes */
  ck_assert_int_eq(good.extras[2].batch_stride, 5 * 8);
  ck_assert_int_eq(good.extras[3].batch_stride, 1);
  good.extras[0].address = 0x5002, good.extras[2].address = 0x6008, good.extras[3].address = 0x7004;
  const struct {
    int64_t address0, ld2, batch_stride0, batch_stride2, address3;
    gg_status status;
    const char *part;
  } rows[] = {
      {0x5002, 8, 0, 40, 0x7004, GG_OK, NULL},
      {0, 8, 0, 40, 0x7004, GG_E_PROBLEM_POINTER, "the pointer to extras[0] is null"},
      {0x5002, 4, 0, 40, 0x7004, GG_E_PROBLEM_LD, "extras[2].ld = 4 is less than n = 7"},
      {0x5002, 10, 0, 60, 0x7004, GG_E_PROBLEM_ALIGN, "extras[2].ld = 10 is not a multiple of"},
      {0x5002, 8, -1, 40, 0x7004, GG_E_PROBLEM_STRIDE, "extras[0].batch_stride = -1: batch str"},
      {0x5002, 8, 0, 0, 0x7004, GG_E_PROBLEM_STRIDE, "extras[2].batch_stride = 0: the batches"},
      {0x5002, 8, 0, 40, 0x7001, GG_E_PROBLEM_ALIGN, "extras[3] = 28673 is not a multiple of"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    gg_problem p = good;
    p.extras[0].address = (uint64_t)rows[i].address0;
    p.extras[0].batch_stride = rows[i].batch_stride0;
    p.extras[2].ld = rows[i].ld2, p.extras[2].batch_stride = rows[i].batch_stride2;
    p.extras[3].address = (uint64_t)rows[i].address3;
    fixture_check_problem(&kernel, &p, 90, rows[i].status, rows[i].part, i);
  }
}
END_TEST

/* Elements that maps unpack come in whole 128 along K; of packed ones there are two to a byte. */
START_TEST(narrow_lines_are_whole) {
  gg_kernel kernel = fixture_mapped_kernel();
  gg_launch_facts prepared;
  kernel.a.type = kernel.maps[0].type = GG_DTYPE_e2m1;
  for (int unpacks = 0; unpacks < 2; unpacks++) {
    kernel.maps[0].unpacks = unpacks;
    gg_problem p = fixture_problem(100, 72, 129, 1);
    p.lda = p.ldb = 256;
    ck_assert_int_eq(gg_kernel_k_unit(&kernel), unpacks ? 128 : 2);
    gg_problem_check(&prepared, &kernel, &p, 264, gg_device_row(100), &err);
    assert_error(&err, GG_E_PROBLEM_EXTENT,
                 unpacks ? "A of whole 128 elements of e2m1; the next is 256"
                         : "A of whole 2 elements of e2m1; the next is 130");
  }
}
END_TEST

/* Lines of A and B that threads copy end with a byte. */
START_TEST(lines_of_nibbles_are_whole_bytes) {
  gg_kernel kernel = fixture_kernel();
  gg_launch_facts prepared;
  kernel.a.type = kernel.b.type = GG_DTYPE_u4;
  gg_problem p = fixture_problem(100, 72, 33, 1);
  p.lda = p.ldb = 64;
  ck_assert_int_eq(gg_kernel_k_unit(&kernel), 2);
  gg_problem_check(&prepared, &kernel, &p, 264, gg_device_row(80), &err);
  assert_error(
      &err, GG_E_PROBLEM_EXTENT,
      "k = 33, where the kernel has k of whole bytes, 2 elements of u4 each; the next is 34");
  p.k = 34;
  ck_assert_int_eq(gg_problem_check(&prepared, &kernel, &p, 264, gg_device_row(80), &err), GG_OK);
}
END_TEST

START_TEST(refuses) {
  const bad_case *bad = &bad_cases[_i];
  gg_kernel kernel = fixture_kernel();
  gg_problem p = fixture_problem(100, 72, 33, 3);
  gg_launch_facts prepared;
  bad->spoil(&p, &kernel);
  if (bad->spoil == huge_grid) p.batch = 1;
  ck_assert_int_eq(gg_problem_check(&prepared, &kernel, &p, 264, gg_device_row(90), &err),
                   bad->code);
  assert_error(&err, bad->code, bad->part);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("problem");
  TCase *tests = tcase_create("check");
  tcase_add_test(tests, packs_to_the_alignment);
  tcase_add_test(tests, a_gated_d_has_half_of_the_columns);
  tcase_add_test(tests, pack_passes_int64);
  tcase_add_test(tests, grid_and_arguments);
  tcase_add_test(tests, large_results_leave_the_cache_first);
  tcase_add_test(tests, what_tensor_maps_cannot_address);
  tcase_add_test(tests, halves_that_tensor_maps_cannot_step_over);
  tcase_add_test(tests, nothing_to_compute);
  tcase_add_test(tests, k_of_zero_launches_without_a_and_b);
  tcase_add_test(tests, c_is_not_looked_at_without_beta);
  tcase_add_test(tests, broadcast_of_inputs_and_interleaved_outputs);
  tcase_add_test(tests, extras_are_packed_and_checked);
  tcase_add_test(tests, narrow_lines_are_whole);
  tcase_add_test(tests, lines_of_nibbles_are_whole_bytes);
  tcase_add_loop_test(tests, refuses, 0, sizeof bad_cases / sizeof *bad_cases);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
