/* YAML to gg_spec: what a good file becomes, what the table promises of every key, and that no
 * input costs more than an error. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/yaml.h"
#include "spec/keys.h"
#include "spec/reference.h"
#include "suite.h"

#define BASE "arch: sm_80\na: f16\nb: f16\nd: f16\n"

static gg_spec_file *parse(const char *text) {
  gg_spec_file *file;
  gg_error err = GG_ERROR_INIT;
  gg_status st = gg_spec_file_parse(&file, text, strlen(text), "spec.yaml", &err);
  ck_assert_msg(st == GG_OK, "%d:%d: %s\n%s", err.line, err.column, err.message, text);
  return file;
}

static gg_status parse_bytes(const char *text, size_t length, gg_error *err) {
  gg_spec_file *file;
  gg_error_clear(err);
  gg_status st = gg_spec_file_parse(&file, text, length, "spec.yaml", err);
  ck_assert_int_eq(st, err->code);
  ck_assert((file == NULL) == (st != GG_OK));
  gg_spec_file_free(file);
  return st;
}

static gg_status parse_status(const char *text) {
  gg_error err = GG_ERROR_INIT;
  return parse_bytes(text, strlen(text), &err);
}

/* ---- Good files ----------------------------------------------------------------------- */

static const char full[] = "name: gemm\n"
                           "arch: sm_90a\n"
                           "a: {type: f16, major: m, align: 8}\n"
                           "b:\n"
                           "  type: bf16\n"
                           "  major: n\n"
                           "c: none\n"
                           "d: f32\n"
                           "accumulator: f32\n"
                           "problem: {m: 4096, n: dynamic, batch: 1}\n"
                           "tile: [128, 256, 32]\n"
                           "stages: 4\n"
                           "atom: m16n8k16\n"
                           "atom_layout: [2, 4, 1]\n"
                           "permutation: [_, 32, \"(8,2,2):(1,16,8)\"]\n"
                           "swizzle: 64B\n"
                           "operand_source: {a: registers}\n"
                           "cluster: [2, 1, 1]\n"
                           "cta_group: 2\n"
                           "accumulator_stages: auto\n"
                           "schedule: pingpong\n"
                           "scheduler: {kind: split_k, splits: 4}\n"
                           "raster: along_n\n"
                           "epilogue:\n"
                           "  - linear: {alpha: false}\n"
                           "  - bias: {along: m, type: f32}\n"
                           "  - gelu:\n"
                           "  - relu\n"
                           "threads: 256\n"
                           "ctas_per_sm: 2\n";

START_TEST(every_key) {
  gg_spec_file *file = parse(full);
  ck_assert_uint_eq(gg_spec_file_count(file), 1);
  const gg_spec *spec = gg_spec_file_get(file, 0);
  ck_assert_ptr_null(gg_spec_file_get(file, 1));
  ck_assert_str_eq(gg_spec_file_source(file), full);
  ck_assert_str_eq(spec->variant, "");
  ck_assert_str_eq(spec->name.text, "gemm");
  ck_assert_int_eq(spec->arch.arch.number, 90);
  ck_assert_int_eq(spec->arch.arch.suffix, 'a');
  ck_assert_int_eq(spec->a.type.number, GG_DTYPE_f16);
  ck_assert_int_eq(spec->a.major.number, GG_MAJOR_M);
  ck_assert_int_eq(spec->a.align.number, 8);
  ck_assert_int_eq(spec->b.type.number, GG_DTYPE_bf16);
  ck_assert_int_eq(spec->b.major.number, GG_MAJOR_N);
  ck_assert_int_eq(spec->c.here.state, GG_SPEC_NONE);
  ck_assert(!gg_spec_has_c(spec));
  ck_assert_int_eq(spec->d.type.number, GG_DTYPE_f32);
  ck_assert_int_eq(spec->accumulator.number, GG_DTYPE_f32);
  ck_assert_int_eq(spec->problem.m.number, 4096);
  ck_assert_int_eq(spec->problem.n.state, GG_SPEC_SET);
  ck_assert_int_eq(spec->problem.n.number, GG_FIXED_NONE);
  ck_assert_int_eq(spec->problem.k.state, GG_SPEC_UNSET);
  ck_assert_int_eq(spec->problem.batch.number, 1);
  ck_assert_int_eq(spec->tile.tuple[1], 256);
  ck_assert_int_eq(spec->stages.number, 4);
  ck_assert_str_eq(spec->atom.text, "m16n8k16");
  ck_assert_int_eq(spec->atom_layout.tuple[2], 1);
  ck_assert_str_eq(spec->permutation.texts[0], "_");
  ck_assert_str_eq(spec->permutation.texts[1], "32");
  ck_assert_str_eq(spec->permutation.texts[2], "(8,2,2):(1,16,8)");
  ck_assert_int_eq(spec->swizzle.a.number, GG_SWIZZLE_64B);
  ck_assert_int_eq(spec->swizzle.b.number, GG_SWIZZLE_64B);
  ck_assert_int_eq(spec->swizzle.d.state, GG_SPEC_UNSET);
  ck_assert_int_eq(spec->operand_source.a.number, GG_SOURCE_REGISTERS);
  ck_assert_int_eq(spec->cluster.tuple[0], 2);
  ck_assert_int_eq(spec->cta_group.number, 2);
  ck_assert_int_eq(spec->accumulator_stages.state, GG_SPEC_AUTO);
  ck_assert_int_eq(spec->schedule.number, GG_SCHEDULE_PINGPONG);
  ck_assert_int_eq(spec->scheduler.kind.number, GG_SCHEDULER_SPLIT_K);
  ck_assert_int_eq(spec->scheduler.splits.number, 4);
  ck_assert_int_eq(spec->raster.order.number, GG_RASTER_ALONG_N);
  ck_assert_int_eq(spec->raster.group.state, GG_SPEC_UNSET);
  ck_assert_int_eq(spec->threads.number, 256);
  ck_assert_int_eq(spec->ctas_per_sm.number, 2);
  gg_spec_file_free(file);
}
END_TEST

START_TEST(epilogue) {
  gg_spec_file *file = parse(full);
  const gg_spec *spec = gg_spec_file_get(file, 0);
  ck_assert_uint_eq(spec->op_count, 4);
  ck_assert_int_eq(spec->ops[0].kind, GG_OP_LINEAR);
  ck_assert_int_eq(spec->ops[0].alpha.state, GG_SPEC_SET);
  ck_assert_int_eq(spec->ops[0].alpha.number, 0);
  ck_assert_int_eq(spec->ops[0].beta.state, GG_SPEC_UNSET);
  ck_assert_int_eq(spec->ops[1].along.number, GG_ALONG_M);
  ck_assert_int_eq(spec->ops[1].type.number, GG_DTYPE_f32);
  ck_assert_str_eq(spec->ops[1].type.mark.path, "epilogue[1].bias.type");
  ck_assert_int_eq(spec->ops[2].kind, GG_OP_GELU);
  ck_assert_int_eq(spec->ops[3].kind, GG_OP_RELU);
  ck_assert_str_eq(spec->ops[3].mark.path, "epilogue[3]");
  gg_spec_file_free(file);
  file = parse(BASE "epilogue: []\n");
  spec = gg_spec_file_get(file, 0);
  ck_assert_int_eq(spec->epilogue.state, GG_SPEC_SET);
  ck_assert_uint_eq(spec->op_count, 0);
  gg_spec_file_free(file);
}
END_TEST

START_TEST(marks) {
  gg_spec_file *file = parse(full);
  const gg_spec *spec = gg_spec_file_get(file, 0);
  ck_assert_str_eq(spec->b.major.mark.file, "spec.yaml");
  ck_assert_int_eq(spec->b.major.mark.line, 6);
  ck_assert_int_eq(spec->b.major.mark.column, 10);
  ck_assert_str_eq(spec->b.major.mark.path, "b.major");
  ck_assert_int_eq(spec->tile.marks[1].column, 13);
  ck_assert_str_eq(spec->tile.marks[1].path, "tile[1]");
  /* What is absent stands where it would go. */
  ck_assert_int_eq(spec->b.align.mark.line, 5);
  ck_assert_str_eq(spec->b.align.mark.path, "b.align");
  ck_assert_int_eq(spec->raster.group.mark.line, 1);
  gg_spec_file_free(file);
}
END_TEST

START_TEST(c_operand) {
  static const struct {
    const char *text;
    bool has_c;
    gg_spec_state type;
  } cases[] = {
      {BASE, false, GG_SPEC_UNSET},
      {BASE "c: none\n", false, GG_SPEC_UNSET},
      {BASE "c: auto\n", true, GG_SPEC_AUTO},
      {BASE "c: f32\n", true, GG_SPEC_SET},
      {BASE "c: {major: m}\n", true, GG_SPEC_UNSET},
      {BASE "c: {}\n", true, GG_SPEC_UNSET},
      {BASE "sweep: {c.type: [f32]}\n", true, GG_SPEC_SET},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    gg_spec_file *file = parse(cases[i].text);
    const gg_spec *spec = gg_spec_file_get(file, 0);
    ck_assert_int_eq(gg_spec_has_c(spec), cases[i].has_c);
    ck_assert_int_eq(spec->c.type.state, cases[i].type);
    gg_spec_file_free(file);
  }
}
END_TEST

START_TEST(sweep_order_and_variants) {
  static const char *const variants[] = {"k_64x128x32", "k_128x128x32", "m_64x128x32",
                                         "m_128x128x32"};
  gg_spec_file *file = parse("name: g\n" BASE "sweep:\n  a.major: [k, m]\n"
                             "  tile: [[64, 128, 32], [128, 128, 32]]\n");
  ck_assert_uint_eq(gg_spec_file_count(file), 4);
  for (size_t i = 0; i < 4; i++) {
    const gg_spec *spec = gg_spec_file_get(file, i);
    ck_assert_str_eq(spec->variant, variants[i]);
    ck_assert_str_eq(spec->name.text, "g");
    ck_assert_int_eq(spec->a.type.number, GG_DTYPE_f16);
    ck_assert_int_eq(spec->a.major.number, i < 2 ? GG_MAJOR_K : GG_MAJOR_M);
    ck_assert_int_eq(spec->tile.tuple[0], i % 2 ? 128 : 64);
  }
  ck_assert_str_eq(gg_spec_file_get(file, 3)->tile.marks[0].path, "sweep.tile[1][0]");
  gg_spec_file_free(file);
}
END_TEST

START_TEST(sweep_of_whole_mappings) {
  gg_spec_file *file = parse("sweep:\n  arch: [sm_80, sm_90a]\n  a: [f16, {type: bf16, major: m}]\n"
                             "  c: [none, f32]\nb: f16\nd: f16\n");
  ck_assert_uint_eq(gg_spec_file_count(file), 8);
  ck_assert_str_eq(gg_spec_file_get(file, 0)->variant, "sm_80_f16_none");
  ck_assert_str_eq(gg_spec_file_get(file, 7)->variant, "sm_90a_bf16_m_f32");
  ck_assert_int_eq(gg_spec_file_get(file, 3)->a.major.number, GG_MAJOR_M);
  ck_assert_int_eq(gg_spec_file_get(file, 1)->a.major.state, GG_SPEC_UNSET);
  gg_spec_file_free(file);
}
END_TEST

START_TEST(sweep_variants_are_distinct) {
  gg_spec_file *file = parse(BASE "sweep: {atom: [m16.n8, m16_n8]}\n");
  ck_assert_str_eq(gg_spec_file_get(file, 0)->variant, "m16_n8_0");
  ck_assert_str_eq(gg_spec_file_get(file, 1)->variant, "m16_n8_1");
  gg_spec_file_free(file);
}
END_TEST

START_TEST(aliases_are_values) {
  gg_spec_file *file = parse("arch: sm_80\na: &half {type: &t f16, align: 8}\nb: *half\nd: *t\n");
  const gg_spec *spec = gg_spec_file_get(file, 0);
  ck_assert_int_eq(spec->b.align.number, 8);
  ck_assert_int_eq(spec->b.align.mark.line, 2);
  ck_assert_str_eq(spec->b.align.mark.path, "b.align");
  ck_assert_int_eq(spec->d.type.number, GG_DTYPE_f16);
  gg_spec_file_free(file);
}
END_TEST

START_TEST(other_spellings) {
  static const char *const texts[] = {
      "{\"arch\": \"sm_80\", \"a\": {\"type\": \"f16\"}, \"b\": \"f16\", \"d\": \"f16\"}",
      "%YAML 1.1\n---\n" BASE "...\n",
      ("\xEF\xBB\xBF" BASE),
      "arch: sm_80\r\na: f16\r\nb: f16\r\nd: f16\r\n",
      "? arch\n: sm_80\na: f16\nb: f16\nd: 'f16' # result\n",
      "arch: |-\n  sm_80\na: f16\nb: f16\nd: f16",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    gg_spec_file_free(parse(texts[i]));
}
END_TEST

/* ---- Every row of the table ----------------------------------------------------------- */

/* A spec where `key` alone has `value`; the operands stay complete. */
static gg_status try_value(const gg_key *key, const char *value) {
  gg_str text = GG_STR_INIT;
  const gg_key *parent = gg_key_parent(key), *above = parent ? gg_key_parent(parent) : NULL;
  const gg_key *top = above ? above : parent ? parent : key, *below = above ? parent : key;
  static const char *const needed[][2] = {
      {"arch", "arch: sm_80\n"}, {"a", "a: f16\n"}, {"b", "b: f16\n"}, {"d", "d: f16\n"}};
  for (size_t i = 0; i < 4; i++) {
    if (strcmp(top->path, needed[i][0]) != 0) gg_str_puts(&text, needed[i][1]);
  }
  bool is_operand = parent && strchr("abd", top->path[0]) && !top->path[1];
  bool is_type = strcmp(gg_key_leaf(below), "type") == 0;
  gg_str_puts(&text, top->path);
  if (parent) {
    gg_str_printf(&text, ": {%s%s", is_operand && !is_type ? "type: f16, " : "",
                  gg_key_leaf(below));
  }
  if (above) gg_str_printf(&text, ": {%s", gg_key_leaf(key));
  gg_str_printf(&text, ": %s%s%s\n", value, above ? "}" : "", parent ? "}" : "");
  gg_status st = parse_status(gg_str_text(&text));
  gg_str_free(&text);
  return st;
}

static gg_status try_number(const gg_key *key, int64_t number) {
  char value[96];
  bool three = key->kind == GG_KEY_INT3 || key->kind == GG_KEY_MODES;
  snprintf(value, sizeof value, three ? "[%lld, %lld, %lld]" : "%lld", (long long)number,
           (long long)number, (long long)number);
  return try_value(key, value);
}

START_TEST(words_of_every_key) {
  for (const gg_key *key = gg_keys; key->path; key++) {
    gg_word word;
    for (size_t i = 0; gg_key_word(&word, key, i); i++) {
      ck_assert_msg(try_value(key, word.text) == GG_OK, "%s: %s", key->path, word.text);
    }
    gg_status with_auto = try_value(key, "auto");
    ck_assert_msg((with_auto == GG_OK) == gg_key_takes_auto(key), "%s: auto", key->path);
    ck_assert_msg(try_value(key, "") == GG_E_SPEC_TYPE || key->kind == GG_KEY_SWEEP, "%s: nothing",
                  key->path);
    ck_assert_msg(try_value(key, "[[[]]]") != GG_OK, "%s: [[[]]]", key->path);
    ck_assert_msg(try_value(key, "{{a: b}: c}") != GG_OK, "%s: {{a: b}: c}", key->path);
  }
}
END_TEST

START_TEST(limits_of_every_key) {
  for (const gg_key *key = gg_keys; key->path; key++) {
    if (key->high == 0) continue;
    ck_assert_msg(try_number(key, key->low) == GG_OK, "%s: low", key->path);
    ck_assert_msg(try_number(key, key->high) == GG_OK, "%s: high", key->path);
    ck_assert_int_eq(try_number(key, key->low - 1), GG_E_SPEC_RANGE);
    ck_assert_int_eq(try_number(key, key->high + 1), GG_E_SPEC_RANGE);
    if (key->kind == GG_KEY_MODES) continue; /* '-' is in no layout */
    ck_assert_int_eq(try_number(key, INT64_MIN), GG_E_SPEC_RANGE);
  }
}
END_TEST

START_TEST(rows_are_complete) {
  for (const gg_key *key = gg_keys; key->path; key++) {
    ck_assert_ptr_eq(gg_key_find(key->path, strlen(key->path)), key);
    ck_assert(key->help[0] && key->help[strlen(key->help) - 1] == '.');
    if (strchr(key->path, '.')) ck_assert_int_eq(gg_key_parent(key)->kind, GG_KEY_MAP);
    for (const gg_key *other = gg_keys; other != key; other++) {
      ck_assert_msg(other->offset != key->offset || key->kind == GG_KEY_SWEEP, "%s and %s",
                    other->path, key->path);
    }
  }
}
END_TEST

START_TEST(near_misses) {
  static const char *const cases[][3] = {
      {"stage", "stages", "stages"},
      {"F16", "f16", "f16"},
      {"tiel", "tile", "tile"},
      {"atom-layout", "atom_layout", "atom_layout"},
      {"round", "rounded", "rounded"},
      {"alignment", "align", "align"},
      {"n", "name", ""},
      {"x", "k", ""},
      {"", "k", ""},
      {"accumulater", "accumulator", "accumulator"},
      {"a_word_that_is_much_longer_than_any_key_could_ever_be_and_then_some", "tile", ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    gg_near near;
    gg_near_start(&near, cases[i][0]);
    gg_near_try(&near, cases[i][1]);
    ck_assert_str_eq(near.best, cases[i][2]);
  }
}
END_TEST

/* ---- Bad bytes, big files ------------------------------------------------------------- */

START_TEST(bytes_that_are_not_text) {
  static const struct {
    const char *text;
    size_t length;
    int line, column;
  } cases[] = {
      {"arch: \0", 7, 1, 7},
      {"a: 1\nb: \xFF", 9, 2, 4},
      {"\xFF\xFE"
       "a\0",
       4, 1, 1},
      {"\xFE\xFF\0a", 4, 1, 1},
      {"a: \xC3", 4, 1, 4},
      {"a: \xC0\x80", 5, 1, 4},
      {"a: \xED\xA0\x80", 6, 1, 4},
      {"a: \xC2\x85", 5, 1, 4},
      {"\n\xE2\x80\xA8", 4, 2, 1},
      {"a: \x7F", 4, 1, 4},
      {"\xC3\xA4: \x1B", 5, 1, 4},
      {"\r\r\n\x01", 4, 3, 1},
      {"a: \xEF\xBB\xBF", 6, 1, 4},
      {"a: \xF4\x90\x80\x80", 7, 1, 4},
  };
  gg_error err = GG_ERROR_INIT;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ck_assert_int_eq(parse_bytes(cases[i].text, cases[i].length, &err), GG_E_SPEC_ENCODING);
    ck_assert_int_eq(err.line, cases[i].line);
    ck_assert_int_eq(err.column, cases[i].column);
  }
}
END_TEST

/* `count` times `unit`, behind `head`. */
static char *repeated(const char *head, const char *unit, size_t count) {
  gg_str text = GG_STR_INIT;
  gg_str_puts(&text, head);
  for (size_t i = 0; i < count; i++)
    gg_str_puts(&text, unit);
  return gg_str_take(&text);
}

static void check_big(const char *head, const char *unit, size_t count, gg_status expected) {
  char *text = repeated(head, unit, count);
  clock_t start = clock();
  ck_assert_int_eq(parse_status(text), expected);
  double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  ck_assert_msg(seconds < 2, "%s %s x %zu took %g s", head, unit, count, seconds);
  gg_free(text);
}

START_TEST(big_files) {
  check_big("", "# ten megabytes\n", 10u << 16, GG_E_SPEC_LIMIT);
  check_big("", "# one, hardly\n", 74000, GG_E_SPEC_EMPTY);
  check_big("a: ", "x", 1 << 20, GG_E_SPEC_LIMIT);
  check_big("a: ", "x", 1 << 19, GG_E_SPEC_CHOICE);
  check_big("", "x", 1 << 19, GG_E_SPEC_TYPE);
  check_big("stages: ", "9", 1 << 19, GG_E_SPEC_RANGE);
  check_big("atom: ", "m", 1 << 19, GG_E_SPEC_TYPE);
  check_big("", "[", 1 << 19, GG_E_SPEC_LIMIT);
  check_big("", "{a: ", 1 << 17, GG_E_SPEC_LIMIT);
  check_big("", "- ", 1 << 18, GG_E_SPEC_LIMIT);
  check_big("a: ", "[", 1000, GG_E_SPEC_LIMIT);
  check_big("tile: [", "1, ", 1 << 18, GG_E_SPEC_LIMIT);
  check_big("tile: [", "1, ", 4000, GG_E_SPEC_SYNTAX);
  check_big("a: ", "\"", 1 << 19, GG_E_SPEC_SYNTAX);
  check_big("a: ", "&a ", 1 << 18, GG_E_SPEC_SYNTAX);
  check_big("a: [", "&x 1, ", 1000, GG_E_SPEC_LIMIT);
  check_big("a: [&x 1, ", "*x, ", 10000, GG_E_SPEC_LIMIT);
  check_big("", "? ", 1 << 18, GG_E_SPEC_YAML);
  check_big("a: ", "\t", 1 << 18, GG_E_SPEC_TYPE);
}
END_TEST

START_TEST(many_keys) {
  gg_str text = GG_STR_INIT;
  for (int i = 0; i < 20000; i++)
    gg_str_printf(&text, "a_rather_long_key_%d: 1\n", i);
  ck_assert_int_eq(parse_status(gg_str_text(&text)), GG_E_SPEC_LIMIT);
  gg_str_free(&text);
}
END_TEST

/* Each list has nine of the one before: 9^9 values if aliases were taken at their word. */
START_TEST(aliases_do_not_multiply) {
  gg_str text = GG_STR_INIT;
  gg_str_puts(&text, "a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
  for (int i = 1; i < 10; i++) {
    gg_str_printf(&text, "a%d: &a%d [", i, i);
    for (int j = 0; j < 9; j++)
      gg_str_printf(&text, "%s*a%d", j ? ", " : "", i - 1);
    gg_str_puts(&text, "]\n");
  }
  ck_assert_int_eq(parse_status(gg_str_text(&text)), GG_E_SPEC_LIMIT);
  gg_str_free(&text);
}
END_TEST

START_TEST(aliases_do_not_deepen) {
  gg_str text = GG_STR_INIT;
  gg_str_puts(&text, "a0: &a0 [x]\n");
  for (int i = 1; i < 100; i++)
    gg_str_printf(&text, "a%d: &a%d [*a%d]\n", i, i, i - 1);
  ck_assert_int_eq(parse_status(gg_str_text(&text)), GG_E_SPEC_LIMIT);
  gg_str_free(&text);
}
END_TEST

START_TEST(depth_is_counted_to_the_limit) {
  char text[256] = "a: ";
  for (int i = 0; i < GG_YAML_DEPTH_MAX - 1; i++)
    strcat(text, "[");
  strcat(text, "x");
  for (int i = 0; i < GG_YAML_DEPTH_MAX - 1; i++)
    strcat(text, "]");
  ck_assert_int_eq(parse_status(text), GG_E_SPEC_TYPE);
}
END_TEST

START_TEST(largest_sweep) {
  gg_str text = GG_STR_INIT;
  gg_str_puts(&text, "name: g\n" BASE "sweep:\n  problem.m: [");
  for (int i = 1; i <= 4096; i++)
    gg_str_printf(&text, "%s%d", i > 1 ? ", " : "", i);
  gg_str_puts(&text, "]\n");
  gg_spec_file *file = parse(gg_str_text(&text));
  ck_assert_uint_eq(gg_spec_file_count(file), 4096);
  ck_assert_str_eq(gg_spec_file_get(file, 4095)->variant, "4096");
  gg_spec_file_free(file);
  gg_str_free(&text);
}
END_TEST

START_TEST(files) {
  gg_spec_file *file;
  gg_error err = GG_ERROR_INIT;
  ck_assert_int_eq(gg_spec_file_load(&file, "/nonexistent/spec.yaml", &err), GG_E_FILE_READ);
  ck_assert_ptr_null(file);
  gg_error_clear(&err);
  ck_assert_int_eq(gg_spec_file_load(&file, "/", &err), GG_E_FILE_READ);
  gg_error_clear(&err);
  ck_assert_int_eq(gg_spec_file_load(&file, "/dev/zero", &err), GG_E_SPEC_LIMIT);
  gg_error_clear(&err);
  gg_spec_file_free(NULL);
}
END_TEST

/* ---- Memory and time ------------------------------------------------------------------ */

static void check_memory(const char *text) {
  for (long allowed = 0;; allowed++) {
    gg_error err = GG_ERROR_INIT;
    gg_spec_file *file;
    gg_alloc_fail_after(allowed);
    gg_status st = gg_spec_file_parse(&file, text, strlen(text), "spec.yaml", &err);
    gg_alloc_fail_after(-1);
    gg_spec_file_free(file);
    if (st == GG_OK) return;
    ck_assert_int_eq(st, GG_E_MEMORY);
    ck_assert_int_lt(allowed, 100000);
  }
}

START_TEST(memory_runs_out) {
  check_memory(full);
  check_memory("name: g\n" BASE "sweep:\n  a.major: [k, m]\n  c: [none, f32]\n"
               "  atom: [a.b, a_b]\n  epilogue: [[linear], [{linear: {alpha: false}}, relu]]\n"
               "  stages: [2, 3, 4, 5, 6, 7, 8]\n");
}
END_TEST

START_TEST(parsing_is_fast) {
  double fastest = 1e3; /* ms; other programs only ever make a round slower */
  for (int round = 0; round < 100; round++) {
    clock_t start = clock();
    gg_spec_file_free(parse(full));
    double milliseconds = 1e3 * (double)(clock() - start) / CLOCKS_PER_SEC;
    if (milliseconds < fastest) fastest = milliseconds;
  }
  /* Optimised it is below 0.1 ms; this leaves room for sanitizers. */
  ck_assert_msg(fastest < 5, "a spec takes %g ms", fastest);
}
END_TEST

/* ---- The references ------------------------------------------------------------------- */

static void check_document(void (*make)(gg_str *out), const char *name) {
  const char *docs = getenv("GEMMGEN_DOCS");
  char path[1024], *committed;
  size_t length;
  gg_str text = GG_STR_INIT;
  snprintf(path, sizeof path, "%s/%s", docs ? docs : "docs", name);
  ck_assert_msg(gg_file_read(&committed, &length, path, 1 << 20, NULL) == GG_OK, "no %s", path);
  make(&text);
  ck_assert_msg(strcmp(gg_str_text(&text), committed) == 0,
                "docs/%s is not what the tables say; run `ninja update-docs`", name);
  gg_free(committed);
  gg_str_free(&text);
}

START_TEST(documents_are_current) {
  check_document(gg_reference_markdown, "spec.md");
  check_document(gg_reference_errors, "errors.md");
  check_document(gg_reference_schema, "gemmgen.schema.json");
}
END_TEST

START_TEST(every_key_is_explained) {
  gg_str text = GG_STR_INIT;
  for (const gg_key *key = gg_keys; key->path; key++) {
    ck_assert(gg_reference_key(&text, key->path));
  }
  for (int kind = 0; kind < GG_OP_COUNT; kind++) {
    ck_assert(gg_reference_key(&text, gg_op_info_of((gg_op_kind)kind)->name));
  }
  ck_assert(!gg_reference_key(&text, "colour"));
  gg_str_free(&text);
}
END_TEST

static TCase *good_files(void) {
  TCase *tests = tcase_create("good files");
  tcase_add_test(tests, every_key);
  tcase_add_test(tests, epilogue);
  tcase_add_test(tests, marks);
  tcase_add_test(tests, c_operand);
  tcase_add_test(tests, sweep_order_and_variants);
  tcase_add_test(tests, sweep_of_whole_mappings);
  tcase_add_test(tests, sweep_variants_are_distinct);
  tcase_add_test(tests, aliases_are_values);
  tcase_add_test(tests, other_spellings);
  return tests;
}

static TCase *table(void) {
  TCase *tests = tcase_create("table");
  tcase_add_test(tests, words_of_every_key);
  tcase_add_test(tests, limits_of_every_key);
  tcase_add_test(tests, rows_are_complete);
  tcase_add_test(tests, near_misses);
  tcase_add_test(tests, documents_are_current);
  tcase_add_test(tests, every_key_is_explained);
  return tests;
}

static TCase *hostile_files(void) {
  TCase *tests = tcase_create("hostile files");
  tcase_set_timeout(tests, 60);
  tcase_add_test(tests, bytes_that_are_not_text);
  tcase_add_test(tests, big_files);
  tcase_add_test(tests, many_keys);
  tcase_add_test(tests, aliases_do_not_multiply);
  tcase_add_test(tests, aliases_do_not_deepen);
  tcase_add_test(tests, depth_is_counted_to_the_limit);
  tcase_add_test(tests, largest_sweep);
  tcase_add_test(tests, files);
  tcase_add_test(tests, memory_runs_out);
  tcase_add_test(tests, parsing_is_fast);
  return tests;
}

int main(void) {
  Suite *suite = suite_create("spec");
  suite_add_tcase(suite, good_files());
  suite_add_tcase(suite, table());
  suite_add_tcase(suite, hostile_files());
  return run_suite(suite);
}
