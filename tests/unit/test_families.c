/* What the table of keys says of families: those that a row names take the key in one of its forms,
 * the others refuse every one, so that nothing that is asked for is passed over in silence. And
 * each multiplies with all atoms that it says it has. */
#include <string.h>

#include "atom/dtype.h"
#include "pipeline.h"
#include "plan/target.h"
#include "spec/keys.h"
#include "suite.h"

static const struct {
  const char *family, *text, *ab; /* the type of what is asked with */
  const char *newest; /* where that has more types, and schedules that other families do not have */
  const char *other;  /* an older one, which takes what the newest refuses */
} families[] = {
    {"naive", "arch: sm_80\nschedule: naive\n", "bf16", NULL, NULL},
    {"simt", "arch: sm_80\nschedule: simt\n", "bf16", NULL, NULL},
    {"sm80", "arch: sm_80\n", "bf16", "arch: sm_90\nschedule: multistage\n",
     "arch: sm_89\nschedule: multistage\n"},
    {"sm90", "arch: sm_90a\n", "bf16", NULL, NULL},
    {"sm100", "arch: sm_100a\n", "bf16", NULL, NULL},
    {"sm120", "arch: sm_120a\n", "e4m3", NULL, NULL},
};

enum { family_count = sizeof families / sizeof *families, value_count = 5 };

/* Values that ask for something, of operands of type `ab`; NULL: the family's. */
static const struct {
  const char *key, *values[value_count], *ab;
} probes[] = {
    {"name", {"name: mine"}, NULL},
    {"c", {"c: auto"}, NULL},
    {"accumulator", {"accumulator: f32"}, NULL},
    {"a.scale", {"name: mine"}, "{type: e4m3, scale: ue8m0}"},
    {"b.scale", {"name: mine"}, "{type: e2m1, scale: {type: ue4m3, block: 16}}"},
    {"a.rounded", {"sweep: {a.rounded: [true]}"}, "tf32"},
    {"b.rounded", {"sweep: {b.rounded: [true]}"}, "tf32"},
    {"a.sparse", {"sweep: {a.sparse: [true]}"}, NULL},
    {"b.sparse", {"sweep: {b.sparse: [true]}"}, NULL},
    {"d.store", {"sweep: {d.store: [lanes]}", "sweep: {d.store: [boxes]}"}, NULL},
    {"promote", {"promote: 4"}, "e4m3"},
    {"bits", {"bits: xor", "bits: and"}, "b1"},
    {"problem.m", {"problem: {m: 64}"}, NULL},
    {"problem.pointers", {"problem: {pointers: true}"}, NULL},
    {"tile", {"tile: [8, 32, 1]", "tile: [128, 128, 64]", "tile: [64, 64, 8]"}, NULL},
    {"stages", {"stages: 3"}, NULL},
    {"atom",
     {"atom: UniversalFMA", "atom: m16n8k16", "atom: m64n256k16", "atom: m128n256k16",
      "atom: m16n8k32"},
     NULL},
    {"swap_ab", {"swap_ab: true"}, NULL},
    {"atom_layout",
     {"atom_layout: [2, 4, 1]", "atom_layout: [2, 1, 1]", "atom_layout: [16, 16, 1]"},
     NULL},
    {"permutation", {"permutation: [_, \"(8,4,8):(1,64,8)\", _]"}, NULL},
    {"swizzle.a", {"swizzle: {a: 64B}", "swizzle: {a: padding}"}, NULL},
    {"swizzle.b", {"swizzle: {b: 64B}", "swizzle: {b: padding}"}, NULL},
    {"swizzle.d", {"swizzle: {d: 64B}", "swizzle: {d: padding}"}, NULL},
    {"operand_source.a", {"operand_source: {a: registers}", "operand_source: {a: shared}"}, NULL},
    {"operand_source.b", {"operand_source: {b: shared}", "operand_source: {b: registers}"}, NULL},
    {"accumulator_stages", {"accumulator_stages: 2"}, NULL},
    {"threads", {"threads: 256", "threads: 384"}, NULL},
    {"ctas_per_sm", {"ctas_per_sm: 1"}, NULL},
    {"cluster", {"cluster: [2, 1, 1]"}, NULL},
    {"cta_group", {"cta_group: 2"}, NULL},
    {"scheduler.kind", {"scheduler: data_parallel"}, NULL},
    {"scheduler.splits", {"scheduler: {splits: 3}", "scheduler: {kind: split_k, splits: 3}"}, NULL},
    {"raster.order", {"raster: along_n"}, NULL},
    {"raster.group", {"raster: {group: 4}"}, NULL},
    {"epilogue", {"epilogue: [relu]"}, NULL},
    {"trace", {"trace: true"}, NULL},
};

/* By the family of that name: what it has no types for may be another's. */
static bool is_taken(const char *name, const char *family, const char *ab, const char *value) {
  gg_str text = GG_STR_INIT;
  gg_error err = GG_ERROR_INIT;
  gg_spec_file *file;
  gg_compilation compilation = GG_COMPILATION_INIT;
  gg_str_printf(&text, "%sa: %s\nb: %s\nd: bf16\n%s\n", family, ab, ab, value);
  gg_status st = gg_spec_file_parse(&file, gg_str_text(&text), text.length, "test", &err);
  ck_assert_msg(st == GG_OK, "%s\n%s", err.message, gg_str_text(&text));
  st = gg_compilation_run(&compilation, gg_spec_file_get(file, 0), &err);
  bool taken = st == GG_OK && strcmp(compilation.plan->target->family, name) == 0;
  gg_compilation_free(&compilation);
  gg_spec_file_free(file);
  gg_str_free(&text);
  gg_error_clear(&err);
  return taken;
}

START_TEST(test_families) {
  const char *path = probes[_i].key;
  const gg_key *key = gg_key_find(path, strlen(path));
  ck_assert_ptr_nonnull(key);
  for (int f = 0; f < family_count; f++) {
    bool named = key->families && strstr(key->families, families[f].family), taken = false;
    const char *newest = families[f].newest, *other = families[f].other;
    const char *ab = probes[_i].ab ? probes[_i].ab : families[f].ab;
    for (int i = 0; i < value_count && probes[_i].values[i]; i++) {
      const char *name = families[f].family, *value = probes[_i].values[i];
      taken = is_taken(name, families[f].text, ab, value) || taken;
      taken = taken || (newest && is_taken(name, newest, ab, value));
      taken = taken || (other && is_taken(name, other, ab, value));
    }
    ck_assert_msg(taken == named, "family %s %s %s, which its row %s", families[f].family,
                  taken ? "takes" : "refuses", path, named ? "names" : "does not name");
  }
}
END_TEST

/* ---- Atoms ------------------------------------------------------------------------------ */

static gg_status compile(gg_compilation *out, gg_spec_file **file, const gg_str *text,
                         gg_error *err) {
  gg_status st = gg_spec_file_parse(file, gg_str_text(text), text->length, "test", err);
  return st ? st : gg_compilation_run(out, gg_spec_file_get(*file, 0), err);
}

/* A spec of a row's types, whose A comes from where the row has it. */
static void write_spec(gg_str *out, const char *family, const gg_mma_row *row) {
  const char *c = gg_dtype_info_of(row->c)->name;
  bool asks = row->kind == GG_MMA_wgmma && row->source_a == GG_MMA_REGISTERS;
  gg_str_printf(out, "%sd: %s\naccumulator: %s\n", family,
                gg_dtype_is_float(row->c) ? "f32" : "s32", c);
  const gg_dtype types[] = {row->a, row->b};
  for (int i = 0; i < 2; i++) {
    gg_str_printf(out, "%c: {type: %s", "ab"[i], gg_dtype_info_of(types[i]) -> name);
    if (row->block) gg_str_printf(out, ", scale: {block: %d}", row->block);
    if (row->sparse && i == 0) gg_str_puts(out, ", sparse: true");
    gg_str_puts(out, "}\n");
  }
  if (asks) gg_str_puts(out, "operand_source: {a: registers}\ntile: [64, 64, 64]\n");
  if (asks && gg_dtype_is_fp8(row->a)) gg_str_puts(out, "promote: 0\n");
  if (row->a == GG_DTYPE_f64) gg_str_printf(out, "atom: m%dn%dk%d\n", row->m, row->n, row->k);
  if (gg_mma_row_is_xor(row)) gg_str_puts(out, "bits: xor\n");
  if (row->source_a == GG_MMA_TENSOR) gg_str_puts(out, "operand_source: {a: tensor_memory}\n");
}

/* A family multiplies with every row that passes its filter. */
START_TEST(test_atoms) {
  const char *family = families[_i].newest ? families[_i].newest : families[_i].text;
  const char *ab = families[_i].ab;
  gg_str text = GG_STR_INIT;
  gg_compilation first = GG_COMPILATION_INIT;
  gg_spec_file *file = NULL;
  gg_str_printf(&text, "%sa: %s\nb: %s\nd: f16\n", family, ab, ab);
  ck_assert_int_eq(compile(&first, &file, &text, NULL), GG_OK);
  const gg_target *target = first.plan->target;
  gg_compilation_free(&first);
  gg_spec_file_free(file);
  gg_str_free(&text);
  size_t count, tried = 0;
  const gg_mma_row *rows = gg_mma_table(&count);
  for (size_t i = 0; i < count; i++) {
    if (!target->has_atom(&rows[i])) continue;
    gg_compilation compilation = GG_COMPILATION_INIT;
    gg_error err = GG_ERROR_INIT;
    file = NULL;
    write_spec(&text, family, &rows[i]);
    gg_status st = compile(&compilation, &file, &text, &err);
    ck_assert_msg(st == GG_OK, "%s: %s", gg_str_text(&text), err.message);
    ck_assert_str_eq(compilation.plan->mma.row->cute, rows[i].cute);
    gg_compilation_free(&compilation);
    gg_spec_file_free(file);
    gg_str_free(&text);
    tried++;
  }
  ck_assert_uint_gt(tried, 0);
}
END_TEST

/* A tile that is not asked for is one that what is asked for leaves room for. */
static const struct {
  const char *text;
  int tile_m, tile_n, threads;
} usual[] = {
    {"arch: sm_90a\na: bf16\nb: bf16\nd: bf16\n", 128, 256, 384},
    {"arch: sm_90a\na: bf16\nb: bf16\nd: bf16\nschedule: pingpong\n", 128, 128, 384},
    {"arch: sm_90a\na: bf16\nb: bf16\nd: bf16\nschedule: warp_specialized\n", 128, 128, 256},
    {"arch: sm_90a\na: e4m3\nb: e4m3\nd: bf16\nschedule: pingpong\n", 64, 128, 384},
    {"arch: sm_90a\na: bf16\nb: bf16\nd: bf16\nctas_per_sm: 2\n", 64, 128, 256},
    {"arch: sm_90a\na: bf16\nb: bf16\nd: bf16\natom_layout: [1, 1, 1]\n", 128, 128, 256},
    {"arch: sm_90a\na: bf16\nb: bf16\nd: bf16\natom: m64n128k16\n", 128, 128, 384},
    {"arch: sm_90a\na: bf16\nb: bf16\nd: bf16\nthreads: 256\n", 64, 128, 256},
    {"arch: sm_80\na: f64\nb: f64\nd: f64\n", 128, 64, 128},
    {"arch: sm_80\na: f64\nb: f64\nd: f64\nscheduler: split_k\n", 128, 64, 256},
    {"arch: sm_80\na: f64\nb: f64\nd: f64\nscheduler: stream_k\n", 128, 64, 256},
};

START_TEST(test_usual_tiles) {
  gg_str text = GG_STR_INIT;
  gg_spec_file *file = NULL;
  gg_compilation compilation = GG_COMPILATION_INIT;
  gg_error err = GG_ERROR_INIT;
  gg_str_puts(&text, usual[_i].text);
  gg_status st = compile(&compilation, &file, &text, &err);
  ck_assert_msg(st == GG_OK, "%s: %s", usual[_i].text, err.message);
  ck_assert_int_eq(compilation.plan->tile_m, usual[_i].tile_m);
  ck_assert_int_eq(compilation.plan->tile_n, usual[_i].tile_n);
  ck_assert_int_eq(compilation.plan->threads, usual[_i].threads);
  gg_compilation_free(&compilation);
  gg_spec_file_free(file);
  gg_str_free(&text);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("families");
  TCase *tcase = tcase_create("families");
  tcase_add_loop_test(tcase, test_families, 0, sizeof probes / sizeof *probes);
  tcase_add_loop_test(tcase, test_atoms, 0, family_count);
  tcase_add_loop_test(tcase, test_usual_tiles, 0, sizeof usual / sizeof *usual);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
