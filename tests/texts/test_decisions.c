/* Every decision of plan.def tells kernels apart, and nothing else does: each is changed by itself,
 * to what another spec's plan has there, and the emitted text or the launch facts have to change
 * with it, as the plan's identity and the report do. */
#include <stddef.h>
#include <string.h>

#include "base/hash.h"
#include "choice/catalogue.h"
#include "emit/emit.h"
#include "emit/report.h"
#include "kernel_hash.h"
#include "plan/decisions.h"
#include "plan/target.h"
#include "suite.h"

/* ---- Plans ---------------------------------------------------------------------------- */

typedef struct planned {
  gg_spec_file *file;
  gg_arena arena;
  gg_plan plan;
} planned;

/* `front`: a line before the spec, such as a name. */
static planned choose_with(const char *front, const char *spec) {
  planned out = {.arena = GG_ARENA_INIT};
  gg_error err = GG_ERROR_INIT;
  gg_str text = GG_STR_INIT;
  gg_str_printf(&text, "%s\n%s\n", front, spec);
  gg_status st = gg_spec_file_parse(&out.file, gg_str_text(&text), text.length, "test", &err);
  ck_assert_msg(st == GG_OK, "%s\n%s", err.message, spec);
  st = gg_plan_choose(&out.plan, gg_spec_file_get(out.file, 0), &out.arena, &err);
  ck_assert_msg(st == GG_OK, "%s\n%s", err.message, spec);
  gg_str_free(&text);
  return out;
}

/* Of a kernel that is named alike, whatever it is. */
static planned choose(const char *spec) {
  return choose_with("name: alike", spec);
}

static void forget(planned *p) {
  gg_arena_free(&p->arena);
  gg_spec_file_free(p->file);
}

static uint64_t hash_plan(const char *what, const gg_plan *plan) {
  static gg_layouts layouts; /* large */
  gg_error err = GG_ERROR_INIT;
  gg_kernel *kernel;
  gg_status st = gg_layouts_derive(&layouts, plan, &err);
  ck_assert_msg(st == GG_OK, "%s: %s", what, err.message);
  st = gg_kernel_emit(&kernel, plan, &layouts, false, &err);
  ck_assert_msg(st == GG_OK, "%s: %s", what, err.message);
  uint64_t hash = kernel_hash(GG_HASH_BEGIN, kernel);
  gg_kernel_free(kernel);
  return hash;
}

static bool same_identity(const gg_plan *x, const gg_plan *y) {
  gg_identity of_y;
  gg_plan_identity(&of_y, y);
  return gg_plan_is_same(x, &of_y);
}

/* ---- One decision at a time ----------------------------------------------------------- */

#define SM90     "arch: sm_90a\na: bf16\nb: bf16\nd: bf16\nstages: 2\n"
#define TILE     "tile: [128, 128, 64]\n"
#define SM100    "arch: sm_100a\na: bf16\nb: bf16\nd: bf16\ntile: [128, 64, 64]\n"
#define SUBTILES "arch: sm_100a\na: bf16\nb: bf16\nc: f32\nd: bf16\ntile: [128, 256, 64]\n"
#define SM80     "arch: sm_80\na: f16\nb: f16\nd: f16\ntile: [64, 64, 32]\nstages: 2\n"
#define BITS     "arch: sm_80\na: b1\nb: b1\nd: s32\n"
#define LINES    "arch: sm_90a\nb: f16\nd: f16\ntile: [64, 64, 64]\n"
#define NVFP4(scale)                                                                               \
  "arch: sm_100a\na: {type: e2m1, scale: " scale "}\nb: {type: e2m1, scale: " scale "}\nd: bf16\n"
#define SM100_D(result)                                                                            \
  "arch: sm_100a\na: bf16\nb: bf16\nd: {type: " result "}\ntile: [128, 64, 64]\n"
#define FP8  "arch: sm_90a\na: e4m3\nb: e4m3\nd: bf16\n"
#define INT8 "arch: sm_90a\na: s8\nb: s8\n"
#define TF32(type)                                                                                 \
  "arch: sm_80\na: {type: " type "}\nb: {type: " type "}\nd: f32\ntile: [64, 64, 32]\n"
#define WARP_FP8 "a: e4m3\nb: e4m3\nd: bf16\nschedule: multistage\ntile: [64, 64, 64]\n"
#define GATED                                                                                      \
  "arch: sm_90a\na: f16\nb: {type: f16, major: n}\nd: f16\nepilogue: [gated: {columns: split}]\n"

/* A kernel of spec `of`, whose `member` becomes what it is for spec `from`. `whole`: why it
 * cannot change by itself; then all of the two plans is compared. */
static const struct flip {
  const char *member, *of, *from, *whole;
} flips[] = {
    {"target", SM90 TILE, SM90 TILE "schedule: multistage",
     "families' templates take other names and texts"},
    {"arch", SM80, "arch: sm_86\na: f16\nb: f16\nd: f16\ntile: [64, 64, 32]\nstages: 2", NULL},
    {"a", SM90 TILE, "arch: sm_90a\na: {type: bf16, major: m}\nb: bf16\nd: bf16", NULL},
    {"b", SM90 TILE, "arch: sm_90a\na: bf16\nb: {type: bf16, major: n}\nd: bf16", NULL},
    {"rounded_a", TF32("tf32"), TF32("tf32, rounded: true"), NULL},
    {"rounded_b", TF32("tf32"), TF32("tf32, rounded: true"), NULL},
    {"scale_a", NVFP4("{type: ue8m0, block: 16}"), NVFP4("ue4m3"), NULL},
    {"scale_b", NVFP4("{type: ue8m0, block: 16}"), NVFP4("ue4m3"), NULL},
    {"scale_d", SM100_D("e2m1, scale: {type: ue8m0, block: 16}"), SM100_D("e2m1, scale: ue4m3"),
     NULL},
    {"sparse_a", "arch: sm_100a\na: bf16\nb: bf16\nd: bf16\ntile: [128, 128, 128]",
     "arch: sm_100a\na: {type: bf16, sparse: true}\nb: bf16\nd: bf16\ntile: [128, 128, 128]",
     "a sparse A has an atom of its own"},
    {"c", SM90 TILE "c: auto", SM90 TILE "c: f32", NULL},
    {"has_c", SM90 TILE "c: auto", SM90 TILE, NULL},
    {"d", SM90 TILE, "arch: sm_90a\na: bf16\nb: bf16\nd: {type: bf16, align: 8}", NULL},
    {"accumulator", SM80, SM80 "accumulator: f16", NULL},
    {"accumulator_bits", SM90 TILE, FP8, NULL},
    {"promote", FP8, FP8 "promote: 2", NULL},
    {"sum_sets", FP8 "tile: [128, 128, 128]", FP8 "tile: [128, 128, 128]\nscheduler: split_k",
     NULL},
    {"fixed_m", SM90 TILE, SM90 TILE "problem: {m: 1000}", NULL},
    {"fixed_n", SM90 TILE, SM90 TILE "problem: {n: 1000}", NULL},
    {"fixed_k", SM90 TILE, SM90 TILE "problem: {k: 1000}", NULL},
    {"xor_bits", BITS, BITS "bits: xor\n", "an atom counts bits in one way"},
    {"pointers", SM80, SM80 "problem: {pointers: true}", NULL},
    {"fixed_batch", SM90 TILE, SM90 TILE "problem: {batch: 3}", NULL},
    {"tile_m", SM90 TILE, SM90 "tile: [256, 128, 64]", NULL},
    {"tile_n", SM90 TILE, SM90 "tile: [128, 256, 64]", NULL},
    {"tile_k", SM90 TILE, SM90 "tile: [128, 128, 128]", NULL},
    {"mma", SM90 TILE, SM90 "tile: [128, 64, 64]", NULL},
    {"widens", "arch: sm_89\n" WARP_FP8 "promote: 0", "arch: sm_90\n" WARP_FP8, NULL},
    {"swap_ab", SM90 TILE, SM90 TILE "swap_ab: true", NULL},
    {"a_in_registers", SM90 TILE, SM90 TILE "operand_source: {a: registers}",
     "the atom's A is where it says"},
    {"a_in_tensor", SM100, SM100 "operand_source: {a: tensor_memory}",
     "the atom's A is where it says"},
    {"atoms_m", SM90 TILE, SM90 "tile: [64, 128, 64]", NULL},
    {"atoms_n", SM80 "atom_layout: [2, 2, 1]", SM80 "atom_layout: [2, 1, 1]", NULL},
    {"atoms_k", SM80 "atom_layout: [2, 2, 1]", SM80 "atom_layout: [2, 2, 2]", NULL},
    {"turns_m", SM80 "atom_layout: [2, 1, 1]",
     SM80 "atom_layout: [2, 1, 1]\npermutation: [_, _, _]", NULL},
    {"stages", SM90 TILE, "arch: sm_90a\na: bf16\nb: bf16\nd: bf16\nstages: 3", NULL},
    {"copy_bytes_a", SM80, "arch: sm_80\na: {type: f16, align: 8}\nb: f16\nd: f16", NULL},
    {"copy_bytes_b", SM80, "arch: sm_80\na: f16\nb: {type: f16, align: 8}\nd: f16", NULL},
    {"copies_ahead", LINES "a: {type: f16, align: 2}\nstages: 4",
     LINES "a: {type: f16, align: 2}\nstages: 2", NULL},
    {"swizzle_a", SM90 TILE, SM90 TILE "swizzle: {a: 64B}", NULL},
    {"split_columns", GATED "tile: [128, 128, 64]", GATED "tile: [128, 96, 64]", NULL},
    {"swizzle_b", SM90 TILE, SM90 TILE "swizzle: {b: 64B}", NULL},
    {"cta_group", SM100, SM100 "cta_group: 2", "a pair has an atom and a cluster of its own"},
    {"accumulator_stages", SM100, SM100 "accumulator_stages: 1", NULL},
    {"consumers", SM90 TILE, SM90 "tile: [64, 128, 64]", NULL},
    {"specialised", SM90 TILE, SM90 TILE "schedule: multistage",
     "the family's templates take other names and texts"},
    {"pingpong", SM90 TILE, SM90 TILE "schedule: pingpong", NULL},
    {"consumer_registers", SM90 TILE, SM90 "tile: [192, 128, 64]", NULL},
    {"producer_registers", SM90 TILE, SM90 "tile: [192, 128, 64]", NULL},
    {"scheduler", SM90 TILE, SM90 TILE "scheduler: data_parallel", NULL},
    {"splits", SM90 TILE "scheduler: split_k", SM90 TILE "scheduler: {kind: split_k, splits: 3}",
     NULL},
    {"cluster_m", SM90 TILE, SM90 TILE "cluster: [2, 1, 1]", NULL},
    {"cluster_n", SM90 TILE, SM90 TILE "cluster: [1, 2, 1]", NULL},
    {"cluster_k", SM90 TILE, SM90 TILE "cluster: [1, 1, 2]", NULL},
    {"turns_pairs", "arch: sm_100a\na: e2m1\nb: e2m1\nd: bf16\ntile: [64, 256, 256]\ncta_group: 2",
     NVFP4("ue4m3") "tile: [64, 256, 256]\ncta_group: 2", NULL},
    {"turns_columns",
     "arch: sm_100a\na: e2m1\nb: e2m1\nd: bf16\ntile: [64, 128, 256]\ncta_group: 2",
     NVFP4("ue4m3") "tile: [64, 128, 256]\ncta_group: 2", NULL},
    {"raster", SM90 TILE, SM90 TILE "raster: along_n", NULL},
    {"raster_group", SM90 TILE, SM90 TILE "raster: {group: 2}", NULL},
    {"claims", SM90 TILE, SM90 TILE "raster: {neighbours: gpc}", NULL},
    {"operations", SM90 TILE "epilogue: [relu]", SM90 TILE "epilogue: [silu]", NULL},
    {"operations", SM90 TILE "epilogue: [{leaky_relu: {slope: 0.5}}]",
     SM90 TILE "epilogue: [{leaky_relu: {slope: 0.25}}]", NULL},
    {"operations", SM90 TILE "epilogue: [dgelu]", SM90 TILE "epilogue: [{dgelu: {form: tanh}}]",
     NULL},
    {"operations", SM90 TILE "epilogue: [gated]", SM90 TILE "epilogue: [gated: {act: relu}]", NULL},
    {"operations", SM90 TILE "epilogue: [gated]", SM90 TILE "epilogue: [gated: {columns: split}]",
     NULL},
    {"operation_count", SM90 TILE "epilogue: [linear, relu]", SM90 TILE, NULL},
    {"operations", SM90 TILE "epilogue: [operand, expr: x * t1]",
     SM90 TILE "epilogue: [{operand: {along: n}}, expr: x * t1]", NULL},
    {"expressions", SM90 TILE "epilogue: [expr: x * 2]", SM90 TILE "epilogue: [expr: x * 3]", NULL},
    {"compute", INT8 "d: s32\nepilogue: [relu]", INT8 "d: f32", NULL},
    {"alpha", SM90 TILE, SM90 TILE "epilogue: [relu]", NULL},
    {"epi_m", SM80, "arch: sm_80\na: f16\nb: f16\nd: {type: f16, major: m}\n" TILE, NULL},
    {"epi_n", SM80, SM80 "atom_layout: [2, 4, 1]", NULL},
    {"box_warps", "arch: sm_90a\na: bf16\nb: bf16\nd: {type: bf16, major: m}\n" TILE, SM90 TILE,
     NULL},
    {"epi_buffers", SM90 TILE, SM90 TILE "schedule: pingpong", NULL},
    {"read_n", SM90 TILE "c: auto", SM90 "tile: [128, 32, 64]\nc: auto", NULL},
    {"access_bytes_c", SM80 "c: auto", SM80 "c: {align: 4}", NULL},
    {"access_bytes_d", SM80, "arch: sm_80\na: f16\nb: f16\nd: {type: f16, align: 4}", NULL},
    {"access_bytes_d", SM90 TILE,
     "arch: sm_90a\na: bf16\nb: bf16\nd: {type: bf16, store: lanes}\nstages: 2\n" TILE, NULL},
    {"fetches", SM90 TILE "c: auto", SM90 TILE "c: {align: 2}", NULL},
    {"trace", SM90 TILE, SM90 TILE "trace: true", NULL},
    {"subtile_stages", SUBTILES "stages: 2", SUBTILES "stages: 3", NULL},
    {"vector_buffers", SM90 TILE "epilogue: [bias]",
     SM90 TILE "epilogue: [bias]\nschedule: pingpong", NULL},
    {"threads", SM90 TILE, SM90 "tile: [64, 128, 64]", NULL},
    {"ctas_per_sm", SM80, SM80 "ctas_per_sm: 2", NULL},
};

static const struct place {
  const char *member;
  size_t offset, size;
} places[] = {
#define GG_DECISION(type, member, ...)                                                             \
  {#member, offsetof(gg_plan, member), sizeof(((gg_plan *)NULL)->member)},
#include "plan/plan.def"
};

enum { count = sizeof places / sizeof *places };

static const struct flip *flip_of(const char *member) {
  for (size_t i = 0; i < sizeof flips / sizeof *flips; i++) {
    if (strcmp(flips[i].member, member) == 0) return &flips[i];
  }
  return NULL;
}

static const struct place *place_of(const char *member) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(places[i].member, member) == 0) return &places[i];
  }
  return NULL;
}

START_TEST(every_decision_has_a_row) {
  ck_assert_msg(flip_of(places[_i].member), "%s has no row here that changes it",
                places[_i].member);
}
END_TEST

START_TEST(every_decision_tells_kernels_apart) {
  const struct flip *flip = &flips[_i];
  const struct place *place = place_of(flip->member);
  planned of = choose(flip->of), from = choose(flip->from);
  gg_plan changed = flip->whole ? from.plan : of.plan;
  char *to = (char *)&changed + place->offset;
  memcpy(to, (const char *)&from.plan + place->offset, place->size);
  ck_assert_msg(memcmp(to, (const char *)&of.plan + place->offset, place->size) != 0,
                "%s is the same for both specs", place->member);
  ck_assert_msg(!same_identity(&of.plan, &changed), "%s is not in the identity", place->member);
  ck_assert_msg(hash_plan(place->member, &of.plan) != hash_plan(place->member, &changed),
                "%s changes nothing that is emitted", place->member);
  forget(&of);
  forget(&from);
}
END_TEST

/* What people read of a plan, beside one plan's layouts: those of another would show it too. */
static void print_report(gg_str *out, const gg_plan *plan, const gg_layouts *layouts) {
  gg_error err = GG_ERROR_INIT;
  gg_report report;
  ck_assert_int_eq(gg_report_make(&report, plan, layouts, &err), GG_OK);
  gg_report_print(out, &report, "");
  gg_report_free(&report);
}

START_TEST(every_decision_is_shown) {
  static gg_layouts layouts;
  const struct place *place = &places[_i];
  const struct flip *flip = flip_of(place->member);
  gg_error err = GG_ERROR_INIT;
  gg_str before = GG_STR_INIT, after = GG_STR_INIT;
  planned of = choose(flip->of), from = choose(flip->from);
  gg_plan changed = flip->whole ? from.plan : of.plan;
  memcpy((char *)&changed + place->offset, (const char *)&from.plan + place->offset, place->size);
  /* There is an alpha where an operation has one, and by itself it cannot be seen. */
  if (strcmp(place->member, "alpha") == 0) changed.operations[0].alpha = changed.alpha;
  ck_assert_int_eq(gg_layouts_derive(&layouts, &of.plan, &err), GG_OK);
  print_report(&before, &of.plan, &layouts);
  print_report(&after, &changed, &layouts);
  ck_assert_msg(strcmp(gg_str_text(&before), gg_str_text(&after)) != 0, "%s is not shown",
                place->member);
  gg_str_free(&before);
  gg_str_free(&after);
  forget(&of);
  forget(&from);
}
END_TEST

/* No extent of a tensor map's box is more than 256. Tiles may have more columns, or rows where A is
 * M-major, and each of A, B, C and D may have its lines along them. What the epilogue reads is
 * fetched nevertheless. */
START_TEST(boxes_are_no_larger_than_maps_have) {
  static const struct {
    const char *spec;
    size_t fetched;
  } cases[] = {
      {SM90 "tile: [128, 288, 64]", 0},
      {"arch: sm_90a\na: bf16\nb: bf16\nc: {type: bf16, major: m}\nd: bf16\ntile: [128, 288, 64]",
       1},
      {"arch: sm_90a\na: s8\nb: u8\nc: {type: bf16, major: m}\nd: {type: bf16, major: m, align: 2}\n"
       "tile: [128, 288, 96]\ncluster: [2, 2, 1]",
       1},
      {"arch: sm_90a\na: bf16\nb: bf16\nc: bf16\nd: bf16\ntile: [304, 128, 64]\nswap_ab: true", 1},
      {"arch: sm_90a\na: bf16\nb: {type: bf16, major: n}\nd: {type: bf16, major: m}\n"
       "tile: [128, 304, 64]",
       0},
      {"arch: sm_90a\na: {type: bf16, major: m}\nb: bf16\nc: bf16\nd: {type: bf16, major: m}\n"
       "tile: [384, 64, 64]\nepilogue: [linear, residual]",
       2},
  };
  static gg_layouts layouts;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    gg_error err = GG_ERROR_INIT;
    planned p = choose(cases[i].spec);
    ck_assert_int_eq(gg_layouts_derive(&layouts, &p.plan, &err), GG_OK);
    ck_assert_uint_eq(layouts.fetched_count, cases[i].fetched);
    for (size_t map = 0; map < layouts.map_count; map++) {
      for (int mode = 0; mode < layouts.maps[map].rank; mode++)
        ck_assert_int_le(layouts.maps[map].box[mode], GG_BOX_EXTENT_MAX);
    }
    forget(&p);
  }
}
END_TEST

/* What is said and what would have been chosen are one kernel. */
START_TEST(what_is_asked_for_does_not_matter) {
  static const char *const pairs[][2] = {
      {SM90 TILE, SM90 TILE "swizzle: 128B\nschedule: cooperative\natom_layout: [2, 1, 1]"},
      {SM90 TILE, SM90 TILE "epilogue: [linear]\nscheduler: persistent\nthreads: 384"},
      {SM80, SM80 "problem: {m: dynamic}\ncluster: auto\naccumulator: f32"},
  };
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    planned x = choose(pairs[i][0]), y = choose(pairs[i][1]);
    ck_assert_msg(same_identity(&x.plan, &y.plan), "%s", pairs[i][1]);
    ck_assert_msg(hash_plan("x", &x.plan) == hash_plan("y", &y.plan), "%s", pairs[i][1]);
    forget(&x);
    forget(&y);
  }
}
END_TEST

/* No two kernels of a lineup have one text; of the newest families. */
START_TEST(lineups_have_no_kernel_twice) {
  static const int devices[] = {90, 100};
  enum { most = 2048 };
  const gg_form form = {.size = sizeof(gg_form),
                        .a = {GG_DTYPE_bf16, GG_MAJOR_K, 16},
                        .b = {GG_DTYPE_bf16, GG_MAJOR_K, 16},
                        .d = {GG_DTYPE_bf16, GG_MAJOR_N, 16},
                        .accumulator = GG_DTYPE_f32};
  static uint64_t hashes[most];
  gg_error err = GG_ERROR_INIT;
  gg_catalogue *catalogue;
  gg_lineup *lineup;
  ck_assert_int_eq(gg_catalogue_open(&catalogue, &err), GG_OK);
  ck_assert_int_eq(gg_lineup_make(&lineup, catalogue, &form, devices[_i], &err), GG_OK);
  ck_assert_uint_le(lineup->count, most);
  for (size_t i = 0; i < lineup->count; i++) {
    gg_candidate *candidate = &lineup->list[i];
    const char *name = candidate->plan.name;
    candidate->plan.name = "alike";
    hashes[i] = hash_plan(name, &candidate->plan);
    for (size_t j = 0; j < i; j++)
      ck_assert_msg(hashes[i] != hashes[j], "%s is there twice", name);
  }
  gg_lineup_free(lineup);
  gg_catalogue_close(catalogue);
}
END_TEST

/* What tells kernels apart is in their names, where those are derived. */
START_TEST(names_tell_kernels_apart) {
  planned of = choose_with("", flips[_i].of), from = choose_with("", flips[_i].from);
  ck_assert_str_ne(of.plan.name, from.plan.name);
  forget(&of);
  forget(&from);
}
END_TEST

/* Figures of tune are kept by identities: a row above others in a table must not change those. */
START_TEST(tables_may_grow_in_their_middle) {
  planned p = choose(SM90 TILE);
  gg_plan moved = p.plan;
  gg_mma_row row = *p.plan.mma.row;
  gg_target target = *p.plan.target;
  moved.mma.row = &row;
  ck_assert_msg(same_identity(&p.plan, &moved), "the place of an atom's row");
  target.id = GG_TARGET_COUNT;
  moved.target = &target;
  ck_assert_msg(same_identity(&p.plan, &moved), "the number of a target");
  forget(&p);
}
END_TEST

/* ---- Transposed ----------------------------------------------------------------------- */

START_TEST(transposed_twice_is_as_before) {
  planned p = choose(flips[_i].of);
  gg_plan once = gg_plan_transposed(&p.plan), twice = gg_plan_transposed(&once);
  ck_assert_msg(same_identity(&p.plan, &twice), "%s", flips[_i].of);
  ck_assert_int_eq(once.tile_m, p.plan.tile_n);
  ck_assert_int_eq(once.epi_n, p.plan.epi_m);
  ck_assert_int_eq(once.d.major, p.plan.d.major == GG_MAJOR_N ? GG_MAJOR_M : GG_MAJOR_N);
  forget(&p);
}
END_TEST

int main(void) {
  TCase *tests = tcase_create("decisions");
  tcase_set_timeout(tests, 120);
  tcase_add_loop_test(tests, every_decision_has_a_row, 0, count);
  tcase_add_loop_test(tests, every_decision_tells_kernels_apart, 0,
                      (int)(sizeof flips / sizeof *flips));
  tcase_add_loop_test(tests, every_decision_is_shown, 0, count);
  tcase_add_test(tests, boxes_are_no_larger_than_maps_have);
  tcase_add_test(tests, what_is_asked_for_does_not_matter);
  tcase_add_test(tests, tables_may_grow_in_their_middle);
  tcase_add_loop_test(tests, lineups_have_no_kernel_twice, 0, 2);
  tcase_add_loop_test(tests, names_tell_kernels_apart, 0, (int)(sizeof flips / sizeof *flips));
  tcase_add_loop_test(tests, transposed_twice_is_as_before, 0, (int)(sizeof flips / sizeof *flips));
  Suite *suite = suite_create("decisions");
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
