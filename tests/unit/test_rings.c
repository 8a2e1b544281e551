/* Rings and roles: how a list is given its memory and barriers, and what holds for the lists of
 * every kind of kernel. */
#include <stdlib.h>
#include <string.h>

#include "pipeline.h"
#include "plan/operands.h"
#include "suite.h"

/* ---- A list by hand ---------------------------------------------------------------------- */

START_TEST(test_place) {
  gg_rings rings = {.count = 0};
  gg_rings_add(&rings, (gg_ring){.id = GG_RING_STAGES,
                                 .depth = 3,
                                 .instances = 1,
                                 .bytes = 1000,
                                 .full = {"full", 3, 1, 0},
                                 .empty = {{"empty of A", 3, 8, 0}, {"empty of B", 3, 4, 0}},
                                 .empties = 2});
  gg_rings_add(&rings, (gg_ring){.id = GG_RING_STAGING, .depth = 2, .instances = 4, .bytes = 64});
  gg_rings_add(&rings, (gg_ring){.id = GG_RING_SUMS,
                                 .depth = 1,
                                 .instances = 1,
                                 .bytes = 488,
                                 .full = {"full sums", 4, 1, 0}});
  gg_rings_place(&rings);
  const gg_ring *stages = gg_rings_find(&rings, GG_RING_STAGES),
                *staging = gg_rings_find(&rings, GG_RING_STAGING),
                *sums = gg_rings_find(&rings, GG_RING_SUMS);
  ck_assert_int_eq(stages->begin, 0);
  ck_assert_int_eq(staging->begin, 3000);
  ck_assert_int_eq(sums->begin, 3000 + 2 * 4 * 64);
  ck_assert_int_eq(rings.barriers_begin, 4000);
  ck_assert_int_eq(stages->full.begin, 4000);
  ck_assert_int_eq(stages->empty[0].begin, 4000 + 3 * 8);
  ck_assert_int_eq(stages->empty[1].begin, 4000 + 6 * 8);
  ck_assert_int_eq(sums->full.begin, 4000 + 9 * 8);
  ck_assert_int_eq(rings.barriers, 13);
  ck_assert_int_eq(rings.bytes, 4000 + 13 * 8);
  ck_assert_ptr_null(gg_rings_find(&rings, GG_RING_VECTORS));
  ck_assert_int_eq(gg_ring_bytes(NULL), 0);
}
END_TEST

/* A ring that lies where the one before it does takes memory only beyond that. */
START_TEST(test_reuse) {
  for (int large = 0; large < 2; large++) {
    gg_rings rings = {.count = 0};
    gg_rings_add(&rings, (gg_ring){.id = GG_RING_STAGES, .depth = 2, .instances = 1, .bytes = 512});
    gg_rings_add(&rings, (gg_ring){.id = GG_RING_STAGING,
                                   .depth = 1,
                                   .instances = large ? 16 : 4,
                                   .bytes = 128,
                                   .reuses = true});
    gg_rings_place(&rings);
    ck_assert_int_eq(rings.list[1].begin, 0);
    ck_assert_int_eq(rings.bytes, large ? 2048 : 1024);
  }
}
END_TEST

/* ---- The lists of families --------------------------------------------------------------- */

static const char *const specs[] = {
    "arch: sm_80\na: f16\nb: f16\nd: bf16\nc: {type: f32}\n",
    "arch: sm_90a\na: bf16\nb: bf16\nd: bf16\nschedule: multistage\n",
    "arch: sm_90a\na: bf16\nb: bf16\nd: bf16\nc: {type: bf16}\nschedule: pingpong\n"
    "tile: [128, 128, 64]\n",
    "arch: sm_90a\na: bf16\nb: bf16\nd: bf16\ncluster: [2, 2, 1]\n",
    "arch: sm_90a\na: bf16\nb: bf16\nd: bf16\ncluster: [1, 1, 4]\n",
    "arch: sm_90a\na: {type: bf16, align: 2}\nb: bf16\nd: bf16\n",
    "arch: sm_90a\na: bf16\nb: bf16\nd: bf16\nepilogue:\n  - bias: {type: f32}\n"
    "  - residual: {type: bf16}\n",
};

static void check_memory(const gg_layouts *layouts) {
  const gg_rings *rings = &layouts->rings;
  int64_t at = rings->barriers_begin;
  ck_assert_int_eq(at % GG_BARRIER_BYTES, 0);
  for (size_t i = 0; i < rings->count; i++) {
    const gg_ring *ring = &rings->list[i];
    ck_assert_int_gt(gg_ring_bytes(ring), 0);
    ck_assert_int_eq(ring->begin % 16, 0);
    ck_assert_int_le(ring->tx_bytes, ring->bytes);
    ck_assert_int_le(ring->begin + gg_ring_bytes(ring), rings->barriers_begin);
    for (size_t j = 0; j < i && !ring->reuses; j++)
      ck_assert_int_ge(ring->begin, rings->list[j].begin + gg_ring_bytes(&rings->list[j]));
    for (int k = -1; k < ring->empties; k++) {
      const gg_ring_barriers *barriers = k < 0 ? &ring->full : &ring->empty[k];
      if (barriers->count) ck_assert_int_eq(barriers->begin, at);
      at += (int64_t)barriers->count * GG_BARRIER_BYTES;
    }
    ck_assert_ptr_nonnull(gg_rings_role(rings, ring->filled_by));
    ck_assert_ptr_nonnull(gg_rings_role(rings, ring->drained_by));
  }
  ck_assert_int_eq(at, layouts->smem_bytes);
}

/* Warps of a kernel whose roles have warps of their own are of one role each. */
static void check_roles(const gg_plan *plan, const gg_rings *rings) {
  int warps = plan->threads / 32, taken = 0;
  for (size_t i = 0; i < rings->role_count; i++) {
    const gg_role *role = &rings->roles[i];
    int mask = ((1 << role->warps) - 1) << role->first_warp;
    ck_assert_int_gt(role->warps, 0);
    ck_assert_int_le(role->first_warp + role->warps, warps);
    if (plan->specialised) {
      ck_assert_int_eq(taken & mask, 0);
      ck_assert_ptr_nonnull(role->part);
    }
    taken |= mask;
  }
}

/* An operand in shared memory lies within a stage of its ring. */
static void check_operands(const gg_plan *plan, const gg_layouts *layouts) {
  gg_operand_row rows[GG_OPERAND_ROWS_MAX];
  size_t count = gg_operand_rows(rows, plan, layouts);
  for (size_t i = 0; i < count; i++) {
    const gg_operand_row *row = &rows[i];
    ck_assert_int_eq(row->home == GG_HOME_SHARED, row->ring != NULL);
    ck_assert_int_eq(row->copy == GG_COPY_MAP, row->map != NULL);
    if (row->bytes) ck_assert_int_le(row->offset + row->bytes, row->ring->bytes);
  }
  ck_assert_int_eq(rows[0].bytes + rows[1].bytes, rows[0].ring->bytes);
}

/* Free the compilation, then the file. */
static gg_spec_file *compile(gg_compilation *out, const char *text) {
  gg_spec_file *file;
  gg_error err = GG_ERROR_INIT;
  gg_status st = gg_spec_file_parse(&file, text, strlen(text), "test", &err);
  ck_assert_msg(st == GG_OK, "%s\n%s", err.message, text);
  st = gg_compilation_run(out, gg_spec_file_get(file, 0), &err);
  ck_assert_msg(st == GG_OK, "%s\n%s", err.message, text);
  return file;
}

START_TEST(test_families) {
  gg_compilation compilation = GG_COMPILATION_INIT;
  gg_spec_file *file = compile(&compilation, specs[_i]);
  check_memory(compilation.layouts);
  check_roles(compilation.plan, &compilation.layouts->rings);
  check_operands(compilation.plan, compilation.layouts);
  gg_compilation_free(&compilation);
  gg_spec_file_free(file);
}
END_TEST

/* Stages that leave about as much as is reserved for barriers: the epilogue's vectors take what
 * barriers leave of it. */
static const char *const full_memories[] = {
    "arch: sm_90a\na: bf16\nb: bf16\nd: bf16\ntile: [128, 112, 64]\ncluster: [4, 2, 1]\n"
    "epilogue:\n  - bias: {along: n, type: bf16}\n",
    "arch: sm_90a\na: e4m3\nb: e4m3\nd: bf16\ntile: [128, 112, 128]\ncluster: [2, 4, 1]\n"
    "epilogue:\n  - bias: {along: n, type: f32}\n",
};

START_TEST(test_full_memory) {
  gg_compilation compilation = GG_COMPILATION_INIT;
  gg_spec_file *file = compile(&compilation, full_memories[_i]);
  ck_assert_ptr_nonnull(gg_rings_find(&compilation.layouts->rings, GG_RING_VECTORS));
  ck_assert_int_le(compilation.layouts->smem_bytes, compilation.plan->limits->smem_per_cta);
  check_memory(compilation.layouts);
  gg_compilation_free(&compilation);
  gg_spec_file_free(file);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("rings");
  TCase *tcase = tcase_create("rings");
  tcase_add_test(tcase, test_place);
  tcase_add_test(tcase, test_reuse);
  tcase_add_loop_test(tcase, test_families, 0, sizeof specs / sizeof *specs);
  tcase_add_loop_test(tcase, test_full_memory, 0, sizeof full_memories / sizeof *full_memories);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
