/* golden_check FILE.jsonl...: evaluates golden cases by the rules of tests/golden/README.md.
 *
 * A case becomes an expression of the layout calculator: `op(in0, in1, ...)`, or as the table of
 * `spellings` says. It passes when the printed result is `out`, or when it is the same function
 * (size, map, probe), which is counted apart; where CuTe refuses, or answers with a wrong
 * function, ours must refuse. Nothing is skipped: an operation that nothing here evaluates fails.
 * Prints each failure, and ends with "N passed, N failed"; exits 1 if any failed. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "golden.h"
#include "layout/calc.h"

/* ---- From a case to an expression ---------------------------------------------------------- */

/* How a golden op is spelled in the calculator: $n is input n, $n... inputs n on. Operations whose
 * cases do not say whether CuTe's answer is the function are held to CuTe's answer: _weak. */
static const struct spelling {
  const char *op, *expression;
} spellings[] = {
    {"composition_by", "composition_weak($0...)"},
    {"composition_inverse_TV", "composition_weak(right_inverse($1), $0)"},
    {"compact_col_major", "make_layout($0, compact_col_major($0))"},
    {"compact_row_major", "make_layout($0, compact_row_major($0))"},
    {"composed_slice", "slice_weak($1, $0)"},
    {"composed_composition", "composition($0...)"},
    {"composed_upcast", "upcast($0...)"},
    {"composed_downcast", "downcast($0...)"},
    {"composed_coalesce", "coalesce($0...)"},
    {"composed_zipped_divide", "zipped_divide($0...)"},
    {"composed_tile_to_shape", "tile_to_shape($0...)"},
    {"composed_left_inverse", "left_inverse_weak($0...)"},
    {"composed_right_inverse", "right_inverse_weak($0...)"},
    {"cosize", "make_layout(cosize($0))"},
    {"crd2crd_idx", "crd2idx($0...)"},
    {"dice", "dice($1, $0)"},
    {"idx2crd_stride", "idx2crd($0...)"},
    {"layout_o_composed", "composition_weak($0...)"},
    {"make_layout_concat", "make_layout($0, $1)"},
    {"sm90_TensorEAtom", "sm90_TensorEAtom($0, 64)"},
    {"sm90_fill_layoutE", "sm90_fill_layoutE($0, 64, $2)"},
    {"mode", "get($0...)"},
    {"SfAtom_MN", "SfAtom($0, MN)"},
    {"slice", "slice($1, $0)"},
    {"slice_offset", "crd2idx($1, $0)"},
    {"smem_tile_to_shape", "tile_to_shape(smem_atom($0, $1), $2...)"},
    {"swizzle", "$0"},
    {"swizzle_compose", "composition($0...)"},
    {"tensor_slice", "slice($1, make_tensor(0, $0))"},
    {"zipped_divide_identity", "zipped_divide(make_identity_layout($0), $1)"},
};

static const char *find_spelling(const char *op) {
  for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
    if (strcmp(spellings[i].op, op) == 0) return spellings[i].expression;
  }
  return NULL;
}

/* A list is a tuple: (M,N,K,L). Of the types of 8 bits one stands for both. */
static void put_input(gg_str *out, golden_case *c, int index) {
  const char *text = golden_input(c, index), *comma = "(";
  yaml_node_t *list = golden_item(c, golden_field(c, "in"), index);
  for (int i = 0; !text && i < golden_count(list); i++) {
    const char *item = golden_scalar(golden_item(c, list, i));
    gg_str_printf(out, "%s%s", comma, item ? item : "?");
    comma = ",";
  }
  if (!text) {
    gg_str_puts(out, golden_count(list) ? ")" : "?");
  } else if (strcmp(text, "f8") == 0) {
    gg_str_puts(out, "e4m3");
  } else if (strcmp(text, "f4") == 0) {
    gg_str_puts(out, "e2m1");
  } else if (strcmp(text, "RowMajor") == 0) { /* of A: K-major */
    gg_str_puts(out, "K");
  } else if (strcmp(text, "ColumnMajor") == 0) {
    gg_str_puts(out, "MN");
  } else if (strncmp(text, "identity ", 9) == 0) {
    gg_str_printf(out, "make_identity_layout(%s)", text + 9);
  } else {
    gg_str_puts(out, text);
  }
}

/* op(in...), the suffix _by of a by-mode case dropped. */
static void spell_call(gg_str *out, golden_case *c) {
  size_t length = strlen(c->op);
  if (length > 3 && strcmp(c->op + length - 3, "_by") == 0) length -= 3;
  gg_str_append(out, c->op, length);
  for (int i = 0; i < golden_inputs(c); i++) {
    gg_str_puts(out, i ? ", " : "(");
    put_input(out, c, i);
  }
  gg_str_puts(out, ")");
}

static void spell(gg_str *out, golden_case *c) {
  const char *s = find_spelling(c->op);
  if (!s) {
    spell_call(out, c);
    return;
  }
  for (; *s; s++) {
    if (*s != '$') {
      gg_str_putc(out, *s);
      continue;
    }
    int index = *++s - '0';
    put_input(out, c, index);
    if (strncmp(s + 1, "...", 3) != 0) continue;
    s += 3;
    while (++index < golden_inputs(c)) {
      gg_str_puts(out, ", ");
      put_input(out, c, index);
    }
  }
}

/* ---- Comparing functions ------------------------------------------------------------------- */

static bool value_at(gg_tuple *out, const gg_value *value, int64_t index) {
  gg_tensor tensor;
  return gg_value_as_tensor(&tensor, value) && !gg_tensor_at(out, &tensor, index, NULL);
}

static int64_t value_size(const gg_value *value) {
  gg_tensor tensor;
  return gg_value_as_tensor(&tensor, value) ? gg_composed_size(&tensor.layout) : -1;
}

/* Equal coordinates: modes that one lacks are 0, and 3@0 is (3). */
static bool same_coordinate(const gg_tuple *a, int at, const gg_tuple *b, int bt) {
  if (at < 0 || bt < 0) {
    const gg_tuple *t = at < 0 ? b : a;
    int root = at < 0 ? bt : at;
    for (int i = root; i < root + t->nodes[root].span; i++) {
      if (!gg_is_tuple(t, i) && t->nodes[i].value != 0) return false;
    }
    return true;
  }
  if (!gg_is_tuple(a, at) && !gg_is_tuple(b, bt)) return a->nodes[at].value == b->nodes[bt].value;
  int ranks[2] = {gg_rank_at(a, at), gg_rank_at(b, bt)};
  bool same = true;
  for (int i = 0; i < ranks[0] || i < ranks[1]; i++) {
    same &= same_coordinate(a, i < ranks[0] ? gg_tuple_child(a, at, i) : -1, b,
                            i < ranks[1] ? gg_tuple_child(b, bt, i) : -1);
  }
  return same;
}

/* An entry of a map against the offset that we have there. */
static bool same_offset(const char *expected, const gg_tuple *got) {
  gg_tuple want;
  if (gg_tuple_is_int(got)) return strtoll(expected, NULL, 10) == got->nodes[0].value;
  if (gg_tuple_parse(&want, expected, NULL)) return false;
  gg_node leaf = want.nodes[0];
  if (gg_tuple_is_int(&want) && leaf.basis_rank) { /* v@p@q is a lone unit vector */
    gg_tuple one = gg_tuple_int(1);
    if (gg_crd2idx(&want, &one, &one, &want, NULL)) return false;
  }
  return same_coordinate(&want, 0, got, 0);
}

/* 1 where the map or probe agrees everywhere, 0 where not, -1 where the case has neither. */
static int compare_map(golden_case *c, const gg_value *value) {
  yaml_node_t *map = golden_field(c, "map"), *probe = golden_field(c, "probe");
  gg_tuple got;
  for (int i = 0; i < golden_count(map); i++) {
    const char *want = golden_scalar(golden_item(c, map, i));
    if (!want || !value_at(&got, value, i) || !same_offset(want, &got)) return 0;
  }
  for (int i = 0; i < golden_count(probe); i++) {
    yaml_node_t *pair = golden_item(c, probe, i);
    const char *index = golden_scalar(golden_item(c, pair, 0));
    const char *want = golden_scalar(golden_item(c, pair, 1));
    if (!index || !want || !value_at(&got, value, strtoll(index, NULL, 10))) return 0;
    if (!same_offset(want, &got)) return 0;
  }
  return map || probe ? 1 : -1;
}

bool golden_same_points(golden_case *c, const gg_value *value) {
  return compare_map(c, value) != 0;
}

/* Of a case that has no map: every point of `out` itself. */
bool golden_same_function(const char *out, const gg_value *value, gg_arena *arena) {
  gg_value want;
  gg_tuple a, b;
  if (gg_expr_eval(&want, out, NULL, 1, NULL, arena, NULL)) return false;
  int64_t size = value_size(&want);
  if (size < 0 || size > 1 << 20 || size != value_size(value)) return false;
  for (int64_t i = 0; i < size; i++) {
    if (!value_at(&a, &want, i) || !value_at(&b, value, i)) return false;
    if (!same_coordinate(&a, 0, &b, 0)) return false;
  }
  return true;
}

/* Whether the calculator has the case's operation. */
static bool is_known(golden_case *c) {
  if (find_spelling(c->op)) return true;
  size_t length = strlen(c->op);
  if (length > 3 && strcmp(c->op + length - 3, "_by") == 0) length -= 3;
  for (const gg_op *op = gg_ops; op->name; op++) {
    if (strlen(op->name) == length && memcmp(op->name, c->op, length) == 0) return true;
  }
  return false;
}

/* ---- Judging ------------------------------------------------------------------------------- */

/* The text that is compared with `out`: of a tensor the layout alone, its base standing apart. */
static void print_result(gg_str *out, golden_case *c, const gg_value *value, gg_notation notation) {
  gg_value layout = *value;
  if (value->kind == GG_VALUE_TENSOR && golden_field(c, "base")) {
    layout.kind = GG_VALUE_LAYOUT;
    layout.layout = value->tensor.layout;
  }
  gg_value_print(out, &layout, notation);
}

static bool same_base(golden_case *c, const gg_value *value) {
  const char *base = golden_text(c, "base");
  return !base || value->kind != GG_VALUE_TENSOR || same_offset(base, &value->tensor.base);
}

golden_verdict golden_judge_value(golden_case *c, const gg_value *value, gg_notation notation,
                                  gg_arena *arena, gg_str *got) {
  const char *want = golden_text(c, "out"), *size = golden_text(c, "size");
  print_result(got, c, value, notation);
  if (!want) return GOLDEN_FAILED;
  if (!same_base(c, value)) {
    gg_str_puts(got, " at base ");
    gg_tuple_print(got, &value->tensor.base, notation);
    return GOLDEN_FAILED;
  }
  if (size && value_size(value) >= 0 && strtoll(size, NULL, 10) != value_size(value)) {
    return GOLDEN_FAILED;
  }
  int map = compare_map(c, value);
  if (map == 0) gg_str_puts(got, ", with another map");
  if (strcmp(gg_str_text(got), want) == 0) return map == 0 ? GOLDEN_FAILED : GOLDEN_PASSED;
  bool equal = map == 1 || (map < 0 && golden_same_function(want, value, arena));
  return equal ? GOLDEN_EQUAL : GOLDEN_FAILED;
}

/* A list of swizzled indices. */
static golden_verdict judge_swizzle_apply(golden_case *c, gg_str *got) {
  gg_arena arena = GG_ARENA_INIT;
  gg_value value;
  yaml_node_t *out = golden_field(c, "out");
  const char *lo = golden_text(c, "lo"), *step = golden_text(c, "step");
  bool same = lo && step && golden_input(c, 0) &&
              !gg_expr_eval(&value, golden_input(c, 0), NULL, 1, NULL, &arena, NULL) &&
              value.kind == GG_VALUE_SWIZZLE;
  for (int i = 0; same && i < golden_count(out); i++) {
    int64_t x = strtoll(lo, NULL, 10) + i * strtoll(step, NULL, 10);
    const char *want = golden_scalar(golden_item(c, out, i));
    same = want && strtoll(want, NULL, 10) == gg_swizzle_apply(value.swizzle, x);
  }
  gg_arena_free(&arena);
  if (!same) gg_str_puts(got, "other indices");
  return same ? GOLDEN_PASSED : GOLDEN_FAILED;
}

/* ---- Errors that CuTe's text or compiler states --------------------------------------------- */

/* Conditions that were read in CuTe's headers, whose cases have no inputs: an expression or more
 * that break each, and must be refused. */
static const struct broken {
  const char *op, *expressions[3];
} broken[] = {
    {"coalesce_by", {"coalesce((4,8):(1,4), (1,1,1))"}},
    {"filter_by", {"filter((4,8):(1,4), (1,1,1))"}},
    {"complement", {"complement((4,_8):(1,_4), 64)"}},
    {"left_inverse", {"left_inverse((2,2):(2,3))", "left_inverse((2,2,2):(1,4,10))"}},
    {"logical_divide", {"logical_divide((4,8):(1,4), (2,2,2))"}},
    {"logical_product", {"logical_product((4,8):(1,4), (2,2,2))"}},
    {"tile_to_shape", {"tile_to_shape((4,8):(1,4), 32)", "tile_to_shape((4,8):(1,4), (6,8))"}},
    {"recast_layout", {"recast_layout((4,8):(3,12), 8, 16)", "recast_layout((4,8):(2,8), 16, 8)"}},
    {"upcast(ComposedLayout)", {"upcast<3>(Sw<2,2,3> o 0 o (6,8):(1,6))"}},
    {"Swizzle", {"Sw<1,-1,3>", "Sw<-1,4,3>", "Sw<3,0,2>"}},
    {"composition(Swizzle,Swizzle)", {"composition(Sw<2,0,3>, Sw<2,0,4>)"}},
    {"crd2idx", {"crd2idx((1,2,3), (4,8), (1,4))", "crd2idx((1,(2,3)), (4,8), (1,4))"}},
    {"make_ordered_layout", {"make_ordered_layout((4,(2,2)), (1,(2,3,4)))"}},
    {"shape_div", {"shape_div(4, 6)", "shape_div((4,6), (3,6))"}},
    {"take", {"take<1,3>((4,8):(1,4))", "take<1,1>((4,8):(1,4))"}},
};

/* What is refused by C++ typing alone, and answered here; docs/layout-differences.md says how. */
static const char *const answered[] = {"raked_product", "domain_distribute"};

static bool is_refused(const char *expression, gg_str *got) {
  gg_arena arena = GG_ARENA_INIT;
  gg_value value;
  bool refused = gg_expr_eval(&value, expression, NULL, 1, NULL, &arena, NULL) != GG_OK;
  if (!refused) gg_value_print(got, &value, GG_NOTATION_PLAIN);
  gg_arena_free(&arena);
  return refused;
}

static bool is_answered(golden_case *c) {
  for (size_t i = 0; i < sizeof answered / sizeof *answered; i++) {
    if (strcmp(c->op, answered[i]) == 0) return true;
  }
  return false;
}

static golden_verdict judge_read(golden_case *c, gg_str *got) {
  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
    if (strcmp(broken[i].op, c->op) != 0) continue;
    for (int k = 0; k < 3 && broken[i].expressions[k]; k++) {
      if (!is_refused(broken[i].expressions[k], got)) return GOLDEN_FAILED;
    }
    return GOLDEN_PASSED;
  }
  return is_answered(c) ? GOLDEN_PASSED : GOLDEN_FAILED;
}

/* An error whose text is the C++ compiler's, not a condition of CuTe's. */
static bool is_typing(golden_case *c) {
  const char *error = golden_text(c, "error"), *kind = golden_text(c, "error_kind");
  if (!error) return false;
  if (kind) return strcmp(kind, "no overload / type error") == 0;
  return strncmp(error, "static_assert", 13) != 0;
}

static golden_verdict judge(golden_case *c, gg_str *got) {
  golden_verdict verdict;
  const char *source = golden_text(c, "source");
  if (golden_eval_atoms(c, &verdict, got)) return verdict;
  if (golden_eval_descriptors(c, &verdict, got)) return verdict;
  if (source && strcmp(source, "read") == 0) return judge_read(c, got);
  if (is_typing(c) && is_answered(c)) return GOLDEN_PASSED;
  if (strcmp(c->op, "swizzle_apply") == 0) return judge_swizzle_apply(c, got);
  if (!is_known(c)) {
    gg_str_puts(got, "nothing that evaluates it");
    return GOLDEN_FAILED;
  }

  gg_arena arena = GG_ARENA_INIT;
  gg_error err = GG_ERROR_INIT;
  gg_str text = GG_STR_INIT;
  gg_value value;
  const char *dynamic = golden_text(c, "dynamic"), *functional = golden_text(c, "functional");
  bool cute = dynamic && strcmp(dynamic, "true") == 0;
  bool refuse = golden_field(c, "error") || (functional && strcmp(functional, "false") == 0);
  gg_notation notation = cute ? GG_NOTATION_CUTE : GG_NOTATION_PLAIN;
  spell(&text, c);
  gg_status st = gg_expr_eval(&value, gg_str_text(&text), NULL, 1, &notation, &arena, &err);
  if (st) {
    gg_str_printf(got, "error: %s", err.message);
    verdict = refuse ? GOLDEN_PASSED : GOLDEN_FAILED;
  } else {
    verdict = golden_judge_value(c, &value, notation, &arena, got);
    if (refuse) verdict = GOLDEN_FAILED;
  }
  gg_str_free(&text);
  gg_error_clear(&err);
  gg_arena_free(&arena);
  return verdict;
}

/* ---- Files --------------------------------------------------------------------------------- */

typedef struct tally {
  long passed, equal, failed;
} tally;

static void print_failure(golden_case *c, const gg_str *got) {
  gg_str text = GG_STR_INIT;
  spell(&text, c);
  const char *out = golden_text(c, "out"), *functional = golden_text(c, "functional");
  bool refuse = functional && strcmp(functional, "false") == 0;
  if (refuse || !out) out = "a refusal";
  printf("%s:%d: %s: %s\n  expected %s\n  got      %s\n", c->file, c->line, c->op,
         gg_str_text(&text), out, gg_str_text(got));
  gg_str_free(&text);
}

static void run_case(golden_case *c, tally *t) {
  gg_str got = GG_STR_INIT;
  c->op = golden_text(c, "op");
  golden_verdict verdict = c->op ? judge(c, &got) : GOLDEN_FAILED;
  t->passed += verdict == GOLDEN_PASSED || verdict == GOLDEN_EQUAL;
  t->equal += verdict == GOLDEN_EQUAL;
  t->failed += verdict == GOLDEN_FAILED;
  if (verdict == GOLDEN_FAILED && c->op) print_failure(c, &got);
  if (!c->op) printf("%s:%d: no op\n", c->file, c->line);
  gg_str_free(&got);
}

static void run_line(const char *file, int number, const char *line, size_t length, tally *t) {
  golden_case c = {.file = file, .line = number};
  yaml_parser_t parser;
  if (!yaml_parser_initialize(&parser)) abort();
  yaml_parser_set_input_string(&parser, (const unsigned char *)line, length);
  if (yaml_parser_load(&parser, &c.document)) {
    if (yaml_document_get_root_node(&c.document)) run_case(&c, t);
    yaml_document_delete(&c.document);
  } else {
    printf("%s:%d: not JSON: %s\n", file, number, parser.problem ? parser.problem : "");
    t->failed++;
  }
  yaml_parser_delete(&parser);
}

static int run_file(const char *path, tally *t) {
  FILE *file = fopen(path, "r");
  if (!file) {
    perror(path);
    return 1;
  }
  char *line = NULL;
  size_t capacity = 0;
  ssize_t length;
  for (int number = 1; (length = getline(&line, &capacity, file)) > 0; number++) {
    run_line(path, number, line, (size_t)length, t);
  }
  free(line);
  fclose(file);
  return 0;
}

int main(int argc, char **argv) {
  tally t = {0};
  int status = argc < 2 ? 2 : 0;
  if (status) fprintf(stderr, "usage: golden_check FILE.jsonl...\n");
  for (int i = 1; i < argc; i++)
    status |= run_file(argv[i], &t);
  printf("%ld passed as equal functions with another text\n", t.equal);
  printf("%ld passed, %ld failed\n", t.passed, t.failed);
  return status || t.failed ? 1 : 0;
}
