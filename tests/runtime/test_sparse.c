/* Compressing a sparse A: against the layouts of CUTLASS, back again, and what is refused. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "atom/dtype.h"
#include "atom/sparse_layout.h"
#include "fixture.h"
#include "inputs.h"
#include "number.h"
#include "problem.h"
#include "sparse.h"
#include "suite.h"

enum { rows = 150, bytes_max = 1 << 18 };

static gg_error err = GG_ERROR_INIT;
static unsigned char dense[bytes_max], pruned[bytes_max], stored[bytes_max], back[bytes_max],
    metadata[bytes_max];

/* Every type, of pairs or not, of either major; K ends within a group where elements have bytes. */
static const struct {
  gg_dtype type;
  bool pairs;
  gg_major major;
  int k;
} kinds[] = {
    {GG_DTYPE_f16, false, GG_MAJOR_K, 301},  {GG_DTYPE_bf16, false, GG_MAJOR_M, 128},
    {GG_DTYPE_tf32, false, GG_MAJOR_K, 101}, {GG_DTYPE_tf32, false, GG_MAJOR_M, 64},
    {GG_DTYPE_s8, false, GG_MAJOR_K, 259},   {GG_DTYPE_u8, false, GG_MAJOR_M, 1},
    {GG_DTYPE_e4m3, false, GG_MAJOR_M, 130}, {GG_DTYPE_e5m2, false, GG_MAJOR_K, 7},
    {GG_DTYPE_e3m2, false, GG_MAJOR_K, 256}, {GG_DTYPE_e2m3, false, GG_MAJOR_K, 129},
    {GG_DTYPE_e2m1, false, GG_MAJOR_K, 300}, {GG_DTYPE_e2m1, true, GG_MAJOR_K, 510},
};

enum { kind_count = sizeof kinds / sizeof *kinds };

static gg_sparse sparse_of(int kind) {
  gg_sparse out = GG_SPARSE_INIT;
  bool k_major = kinds[kind].major == GG_MAJOR_K;
  int64_t stored_k, bytes;
  out.type = kinds[kind].type;
  out.pairs = kinds[kind].pairs;
  out.major = kinds[kind].major;
  out.rows = rows;
  out.k = kinds[kind].k;
  ck_assert_int_eq(gg_sparse_sizes(&stored_k, &bytes, &out, &err), GG_OK);
  out.ld_dense = (k_major ? out.k : rows) + 2;
  out.ld = (k_major ? stored_k : rows) + 4;
  return out;
}

static int64_t dense_at(const gg_sparse *is, int64_t row, int64_t k) {
  return is->major == GG_MAJOR_K ? row * is->ld_dense + k : k * is->ld_dense + row;
}

static int64_t stored_at(const gg_sparse *is, int64_t row, int64_t k) {
  return is->major == GG_MAJOR_K ? row * is->ld + k : k * is->ld + row;
}

/* Random numbers, of which about a third is zero. */
static void draw(const gg_sparse *is, uint64_t seed) {
  memset(dense, 0xff, sizeof dense);
  for (int64_t row = 0; row < is->rows; row++) {
    for (int64_t k = 0; k < is->k; k++) {
      uint64_t random = gg_random(seed, (uint64_t)(row * is->k + k));
      double value = random % 3 == 0 ? 0 : (double)(random / 3 % 31) - 15;
      gg_number_set(is->type, dense, dense_at(is, row, k),
                    is->type == GG_DTYPE_u8 ? value + 15 : value);
    }
  }
  memcpy(pruned, dense, sizeof dense);
  ck_assert_int_eq(gg_sparse_prune(is, pruned, &err), GG_OK);
}

/* ---- Results ---------------------------------------------------------------------------- */

/* A group keeps the half of its units with the largest sums of magnitudes; others become zero. */
START_TEST(pruning_keeps_the_largest) {
  const gg_sparse is = sparse_of(_i);
  int each = is.pairs ? 2 : 1, units = is.type == GG_DTYPE_tf32 ? 2 : 4, wrong = 0;
  draw(&is, (uint64_t)_i);
  for (int64_t row = 0; row < rows; row++) {
    for (int64_t group = 0; group < is.k; group += each * units) {
      double least_kept = 1e9, most_lost = 0;
      int kept = 0;
      for (int unit = 0; unit < units; unit++) {
        double before = 0, after = 0;
        for (int64_t k = group + unit * each; k < group + (unit + 1) * each && k < is.k; k++) {
          before += fabs(gg_number_get(is.type, dense, dense_at(&is, row, k)));
          after += fabs(gg_number_get(is.type, pruned, dense_at(&is, row, k)));
        }
        wrong += after != before && after != 0;
        kept += after > 0;
        if (after > 0 && before < least_kept) least_kept = before;
        if (after != before && before > most_lost) most_lost = before;
      }
      wrong += kept > units / 2 || least_kept < most_lost;
    }
  }
  ck_assert_int_eq(wrong, 0);
}
END_TEST

/* What comes back is what was compressed; nothing else is written. */
START_TEST(expanding_is_the_inverse) {
  const gg_sparse is = sparse_of(_i);
  int64_t stored_k, bytes, wrong = 0;
  draw(&is, (uint64_t)_i + 100);
  ck_assert_int_eq(gg_sparse_sizes(&stored_k, &bytes, &is, &err), GG_OK);
  memset(metadata, 0xff, sizeof metadata);
  memset(back, 0xff, sizeof back);
  ck_assert_int_eq(gg_sparse_compress(&is, stored, metadata, pruned, &err), GG_OK);
  ck_assert_uint_eq(metadata[bytes], 0xff);
  ck_assert_int_eq(gg_sparse_expand(&is, back, stored, metadata, &err), GG_OK);
  for (int64_t row = 0; row < rows; row++) {
    for (int64_t k = 0; k < is.k; k++) {
      double was = gg_number_get(is.type, pruned, dense_at(&is, row, k));
      wrong += gg_number_get(is.type, back, dense_at(&is, row, k)) != was;
    }
  }
  ck_assert_int_eq(wrong, 0);
  ck_assert_uint_eq(back[gg_dtype_bytes(is.type, dense_at(&is, rows - 1, is.k - 1)) + 8], 0xff);
}
END_TEST

/* Where metadata is, is where CUTLASS's layout has it; what it names is what the PTX ISA says. */
START_TEST(metadata_follows_the_layout) {
  const gg_sparse is = sparse_of(_i);
  int bits = gg_dtype_info_of(is.type)->bits, each = is.pairs ? 2 : 1, units = bits == 32 ? 2 : 4;
  const gg_sparse_element element = {.bits = bits, .unpacked = bits < 8 && !is.pairs};
  const gg_tuple mnkl = GG_TUPLE(rows, 1, is.k, 1);
  int64_t stored_k, bytes, group = (int64_t)each * units, wrong = 0;
  gg_layout layout;
  draw(&is, (uint64_t)_i + 200);
  ck_assert_int_eq(gg_sparse_sizes(&stored_k, &bytes, &is, &err), GG_OK);
  ck_assert_int_eq(gg_sm1xx_sparse_layout_e(&layout, element, &mnkl, &err), GG_OK);
  ck_assert_int_eq(gg_layout_cosize(&layout) * 4, bytes * 8 * group);
  ck_assert_int_eq(gg_sparse_compress(&is, stored, metadata, pruned, &err), GG_OK);
  for (int64_t row = 0; row < rows; row++) {
    for (int64_t k = 0; k < is.k; k += group) {
      int64_t at = gg_layout_at(&layout, row + k * gg_layout_mode_size(&layout, 0)) * 4 / group;
      unsigned named = metadata[at / 8] >> at % 8 & 15, first = named & 3, second = named >> 2;
      wrong += units == 2 ? named != 0x4 && named != 0xe : first >= second;
      if (units == 2) first = second = named == 0xe;
      for (int64_t i = 0; i < group / 2; i++) {
        int64_t from = k + (i / each ? second : first) * each + i % each;
        double was = from < is.k ? gg_number_get(is.type, pruned, dense_at(&is, row, from)) : 0;
        wrong += gg_number_get(is.type, stored, stored_at(&is, row, k / 2 + i)) != was;
      }
    }
  }
  ck_assert_int_eq(wrong, 0);
}
END_TEST

/* ---- Refusals --------------------------------------------------------------------------- */

static void assert_refused(gg_status st, gg_status status, const char *part) {
  ck_assert_int_eq(st, status);
  ck_assert_msg(strstr(err.message, part) != NULL, "%s", err.message);
  gg_error_clear(&err);
}

START_TEST(a_dense_group_is_refused) {
  gg_sparse is = sparse_of(0);
  draw(&is, 1);
  for (int64_t k = 8; k < 12; k++)
    gg_number_set(is.type, pruned, dense_at(&is, 7, k), k == 9 ? 0 : 1);
  assert_refused(
      gg_sparse_compress(&is, stored, metadata, pruned, &err), GG_E_PROBLEM_SPARSE,
      "row 7 of the sparse matrix, columns 8 to 11: 3 elements are not zero, and 2 of 4");
  is = sparse_of(kind_count - 1);
  draw(&is, 1);
  for (int64_t k = 16; k < 24; k++)
    gg_number_set(is.type, pruned, dense_at(&is, 3, k), 2);
  assert_refused(gg_sparse_compress(&is, stored, metadata, pruned, &err), GG_E_PROBLEM_SPARSE,
                 "row 3 of the sparse matrix, columns 16 to 23: 4 pairs are not zero, and 2 of 4");
}
END_TEST

START_TEST(wrong_metadata_is_refused) {
  const gg_sparse is = sparse_of(0);
  draw(&is, 2);
  gg_number_set(is.type, pruned, dense_at(&is, 0, 0), 3);
  ck_assert_int_eq(gg_sparse_compress(&is, stored, metadata, pruned, &err), GG_OK);
  metadata[0] &= 0xf0;
  assert_refused(gg_sparse_expand(&is, back, stored, metadata, &err), GG_E_PROBLEM_SPARSE,
                 "row 0 of the sparse matrix, columns 0 to 3: metadata 0x0");
}
END_TEST

START_TEST(what_is_no_sparse_matrix_is_refused) {
  int64_t stored_k, bytes;
  const gg_sparse good = sparse_of(0);
  gg_sparse is = good;
  is.type = GG_DTYPE_f64;
  assert_refused(gg_sparse_sizes(&stored_k, &bytes, &is, &err), GG_E_PROBLEM_SIZE, "of this type");
  is = good, is.pairs = true;
  assert_refused(gg_sparse_sizes(&stored_k, &bytes, &is, &err), GG_E_PROBLEM_SIZE, "e2m1 alone");
  is = good, is.major = GG_MAJOR_N;
  assert_refused(gg_sparse_sizes(&stored_k, &bytes, &is, &err), GG_E_PROBLEM_SIZE, "m-major");
  is = good, is.k = -1;
  assert_refused(gg_sparse_sizes(&stored_k, &bytes, &is, &err), GG_E_PROBLEM_EXTENT, "k = -1");
  is = good, is.rows = is.k = INT64_MAX / 2;
  assert_refused(gg_sparse_sizes(&stored_k, &bytes, &is, &err), GG_E_PROBLEM_SIZE, "larger than");
  is = good, is.ld = 3;
  assert_refused(gg_sparse_compress(&is, stored, metadata, pruned, &err), GG_E_PROBLEM_LD,
                 "ld = 3 is less than stored k = 152");
  is = good, is.ld_dense = 3;
  assert_refused(gg_sparse_prune(&is, pruned, &err), GG_E_PROBLEM_LD, "ld_dense = 3");
  is = good, is.size = 0;
  assert_refused(gg_sparse_prune(&is, pruned, &err), GG_E_STRUCT_SIZE, "gg_sparse");
  assert_refused(gg_sparse_prune(&good, NULL, &err), GG_E_NULL_ARGUMENT, "dense");
}
END_TEST

/* ---- Problems --------------------------------------------------------------------------- */

static gg_kernel sparse_kernel(void) {
  gg_kernel kernel = fixture_kernel();
  kernel.sparse_a = true;
  return kernel;
}

/* A 300 x 201, of which 102 are stored along K, and 3 x 2 tiles of metadata. */
START_TEST(a_problem_is_packed) {
  const gg_kernel kernel = sparse_kernel();
  gg_problem p = fixture_problem(300, 70, 201, 2);
  gg_sparse is = GG_SPARSE_INIT;
  ck_assert_int_eq(gg_problem_pack(&p, &kernel, &err), GG_OK);
  const gg_view a = gg_problem_view(&kernel, &p, 'a');
  ck_assert_int_eq(a.length, 102);
  ck_assert_int_ge(p.lda, 102);
  ck_assert_int_lt(p.lda, 201);
  ck_assert_int_eq(p.batch_stride_metadata, 3 * 2 * 2048);
  ck_assert_int_eq(gg_problem_sparse(&is, &kernel, &p, &err), GG_OK);
  ck_assert_int_eq(is.k, 201);
  ck_assert_int_eq(is.ld, p.lda);
}
END_TEST

/* Likewise of a B whose N is contiguous: 70 x 201. */
START_TEST(a_sparse_b_is_packed) {
  gg_kernel kernel = fixture_kernel();
  kernel.sparse_b = true;
  kernel.b.major = GG_MAJOR_N;
  gg_problem p = fixture_problem(300, 70, 201, 2);
  gg_sparse is = GG_SPARSE_INIT;
  ck_assert_int_eq(gg_problem_pack(&p, &kernel, &err), GG_OK);
  const gg_view a = gg_problem_view(&kernel, &p, 'a'), b = gg_problem_view(&kernel, &p, 'b');
  ck_assert_int_eq(a.length, 201);
  ck_assert_int_eq(b.length, 70);
  ck_assert_int_eq(b.rows, 102);
  ck_assert_int_eq(p.batch_stride_metadata, 1 * 2 * 2048);
  ck_assert_int_eq(gg_problem_sparse(&is, &kernel, &p, &err), GG_OK);
  ck_assert_int_eq(is.rows, 70);
  ck_assert_int_eq(is.k, 201);
  ck_assert_int_eq(is.major, GG_MAJOR_M);
  ck_assert_int_eq(is.ld, p.ldb);
  ck_assert_int_eq(is.ld_dense, 70);
}
END_TEST

START_TEST(metadata_is_checked) {
  const gg_kernel kernel = sparse_kernel();
  gg_problem good = fixture_problem(300, 70, 201, 2);
  ck_assert_int_eq(gg_problem_pack(&good, &kernel, &err), GG_OK);
  const struct {
    uint64_t address;
    int64_t stride;
    gg_status status;
    const char *part;
  } cases[] = {
      {0x8000, 12288, GG_OK, NULL},
      {0x8000, 0, GG_OK, NULL}, /* shared by the batches */
      {0, 12288, GG_E_PROBLEM_POINTER, "the pointer to metadata is null"},
      {0x8008, 12288, GG_E_PROBLEM_ALIGN, "metadata = 32776 is not a multiple of the 16 bytes"},
      {0x8000, -16, GG_E_PROBLEM_STRIDE, "batch_stride_metadata = -16"},
      {0x8000, 1030, GG_E_PROBLEM_ALIGN, "batch_stride_metadata = 1030"},
      {0x8000, INT64_MAX, GG_E_PROBLEM_ALIGN, "the next is 9223372036854775792"},
      {0x8000, INT64_C(1) << 40, GG_E_PROBLEM_SIZE, "farther apart"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    gg_problem p = good;
    p.metadata = cases[i].address;
    p.batch_stride_metadata = cases[i].stride;
    fixture_check_problem(&kernel, &p, 100, cases[i].status, cases[i].part, i);
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("sparse");
  TCase *tests = tcase_create("sparse");
  tcase_add_loop_test(tests, pruning_keeps_the_largest, 0, kind_count);
  tcase_add_loop_test(tests, expanding_is_the_inverse, 0, kind_count);
  tcase_add_loop_test(tests, metadata_follows_the_layout, 0, kind_count);
  tcase_add_test(tests, a_dense_group_is_refused);
  tcase_add_test(tests, wrong_metadata_is_refused);
  tcase_add_test(tests, what_is_no_sparse_matrix_is_refused);
  tcase_add_test(tests, a_problem_is_packed);
  tcase_add_test(tests, a_sparse_b_is_packed);
  tcase_add_test(tests, metadata_is_checked);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
