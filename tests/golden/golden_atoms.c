/* The atoms' golden cases: atoms, tiled MMAs and copies, their partitions.
 *
 * A case is spelled in the calculator's language; where `out` is an object each of its fields is
 * an expression of its own, held to the field's text. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "golden.h"

/* ---- Spelling ----------------------------------------------------------------------------- */

/* "Tile<_64,_32,_16>" is (64,32,16); "thr (4,1):(1,1)" is the layout in it. */
static void put_plain(gg_str *out, const char *text) {
  bool tile = strncmp(text, "Tile<", 5) == 0;
  if (tile) text += 5;
  if (strncmp(text, "thr ", 4) == 0 || strncmp(text, "val ", 4) == 0) text += 4;
  if (tile) gg_str_putc(out, '(');
  for (; *text; text++) {
    bool marked = text[0] == '_' && text[1] >= '0' && text[1] <= '9';
    if (tile && *text == '>') {
      gg_str_putc(out, ')');
    } else if (!(tile && marked)) {
      gg_str_putc(out, *text);
    }
  }
}

/* tiled_mma(NAME, layout, permutation), from inputs `at` on; "NAME x layout" is one input. */
static void put_mma(gg_str *out, golden_case *c, int at, bool joined) {
  const char *name = golden_input(c, at), *times = strstr(name, " x ");
  gg_str_puts(out, "tiled_mma(");
  if (times) {
    gg_str_append(out, name, (size_t)(times - name));
    gg_str_printf(out, ", %s", times + 3);
  } else {
    gg_str_puts(out, name);
  }
  for (int i = at + 1; !joined && i < golden_inputs(c); i++) {
    const char *text = golden_input(c, i);
    if (strcmp(text, "default") == 0) continue;
    gg_str_puts(out, ", ");
    put_plain(out, text);
  }
  gg_str_puts(out, ")");
}

/* make_tmem_copy(NAME, type, D): the last input says of which D, "tmem C fragment 1SM 128x64". */
static void put_tmem_copy(gg_str *out, golden_case *c) {
  int ctas = 0, m = 0, n = 0;
  sscanf(golden_input(c, 2), "tmem C fragment %dSM %dx%d", &ctas, &m, &n);
  gg_str_printf(out, "make_tmem_copy(%s, %s, get(tmem_frg(float, float, %d, ((%d,%d),1,1)), 0))",
                golden_input(c, 0), golden_input(c, 1), ctas, m, n);
}

/* make_tiled_copy_...(NAME, type, ...), from the inputs up to `end`. */
static void put_copy(gg_str *out, golden_case *c, const char *op, int end) {
  bool of_mma = strlen(op) == strlen("make_tiled_copy_A") && strchr("ABC", op[16]);
  gg_str_printf(out, "%s(%s, %s", op, golden_input(c, 0), golden_input(c, 1));
  if (of_mma) {
    gg_str_puts(out, ", ");
    put_mma(out, c, 2, false);
  }
  for (int i = 2; !of_mma && i < end; i++) {
    gg_str_puts(out, ", ");
    put_plain(out, golden_input(c, i));
  }
  gg_str_puts(out, ")");
}

/* A field as a template argument: e2m1p is e2m1, packed. */
static void put_argument(gg_str *out, golden_case *c, const char *field, const char *separator) {
  const char *text = golden_text(c, field);
  if (!text) return;
  gg_str_printf(out, "%s%s", separator, strcmp(text, "e2m1p") == 0 ? "e2m1" : text);
}

/* The atom of an mma_atom or copy_atom case; wgmma's majors are fields of the case, and so is all
 * of tcgen05's template arguments. */
static void put_atom(gg_str *out, golden_case *c) {
  const char *a = golden_text(c, "a_major"), *b = golden_text(c, "b_major");
  gg_str_puts(out, golden_input(c, 0));
  if (golden_text(c, "M")) {
    static const char *const fields[] = {"b", "c", "sf", "M", "N", "vs", "a_major", "b_major"};
    put_argument(out, c, "a", "<");
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
      put_argument(out, c, fields[i], ",");
    gg_str_puts(out, ">");
  } else if (a && b) {
    gg_str_printf(out, "<%s,%s>", a, b);
  }
}

/* The extents of an operand out of (M,N,K). */
static void put_extents(gg_str *out, const char *mnk, char operand) {
  long long m = 0, n = 0, k = 0;
  sscanf(mnk, "(%lld,%lld,%lld)", &m, &n, &k);
  gg_str_printf(out, "(%lld,%lld)", operand == 'B' ? n : m, operand == 'C' ? n : k);
}

/* The expression of one field of `out`. */
static void put_field(gg_str *out, golden_case *c, const char *field) {
  bool mma = strcmp(c->op, "tiled_mma") == 0, shape = strcmp(c->op, "partition_shape") == 0;
  gg_str_printf(out, "%s(", strcmp(field, "num_threads") == 0 ? "size" : field);
  if (mma || shape) {
    put_mma(out, c, 0, shape);
    if (strncmp(field, "partition_shape_", 16) == 0) {
      gg_str_puts(out, ", ");
      put_extents(out, golden_input(c, 1), field[16]);
    }
  } else if (strcmp(c->op, "make_tmem_copy") == 0) {
    put_tmem_copy(out, c);
  } else if (strncmp(c->op, "make_tiled_copy", 15) == 0) {
    bool dsl = strcmp(c->op, "make_tiled_copy_tv") == 0;
    put_copy(out, c, dsl ? "make_tiled_copy" : c->op, dsl ? 4 : golden_inputs(c));
  } else {
    put_atom(out, c);
  }
  gg_str_puts(out, ")");
}

/* partition_A(mma, tensor, thread), partition_S(copy, tensor, thread). */
static void put_partition(gg_str *out, golden_case *c) {
  int last = golden_inputs(c) - 1;
  const char *thread = strchr(golden_input(c, last), ' ');
  bool copy = strncmp(c->op, "tiled_copy_", 11) == 0;
  gg_str_printf(out, "%s(", copy ? c->op + 11 : c->op);
  if (copy) {
    put_copy(out, c, "make_tiled_copy", last - 1);
  } else {
    put_mma(out, c, 0, true);
  }
  gg_str_printf(out, ", %s,%s)", golden_input(c, last - 1), thread ? thread : " 0");
}

/* ---- Types, as the compiler names them ------------------------------------------------------ */

static const char *const type_names[GG_DTYPE_COUNT] = {
    [GG_DTYPE_f16] = "cutlass::half_t",
    [GG_DTYPE_bf16] = "cutlass::bfloat16_t",
    [GG_DTYPE_tf32] = "cutlass::tfloat32_t",
    [GG_DTYPE_f32] = "float",
    [GG_DTYPE_f64] = "double",
    [GG_DTYPE_e4m3] = "cutlass::float_e4m3_t",
    [GG_DTYPE_e5m2] = "cutlass::float_e5m2_t",
    [GG_DTYPE_e3m2] = "cutlass::float_e3m2_t",
    [GG_DTYPE_e2m3] = "cutlass::float_e2m3_t",
    [GG_DTYPE_e2m1] = "cutlass::float_e2m1_t",
    [GG_DTYPE_s4] = "cutlass::integer_subbyte<4, true>",
    [GG_DTYPE_u4] = "cutlass::integer_subbyte<4, false>",
    [GG_DTYPE_s8] = "signed char",
    [GG_DTYPE_u8] = "unsigned char",
    [GG_DTYPE_b1] = "cutlass::integer_subbyte<1, false>",
    [GG_DTYPE_s32] = "int",
    [GG_DTYPE_c64] = "cutlass::complex<double>",
    [GG_DTYPE_gc64] = "cute::SM80_8x8x4_GC64C64C64GC64_TN::GaussComplex",
};

/* An element as registers or shared memory have it: in a byte, where it has fewer bits. */
static void put_value_type(gg_str *out, const gg_mma_atom *atom, char operand) {
  static const char *const unpacked[GG_DTYPE_COUNT] = {
      [GG_DTYPE_e3m2] = "e3m2", [GG_DTYPE_e2m3] = "e2m3", [GG_DTYPE_e2m1] = "e2m1"};
  gg_dtype type = operand == 'A' ? atom->a : operand == 'B' ? atom->b : atom->c;
  const char *name = type_names[type] ? type_names[type] : "?";
  bool sparse = operand == 'A' && atom->row->sparse, packed = atom->row->a == GG_DTYPE_e2m1;
  bool mixed = atom->row->kind == GG_MMA_mixed, sums = operand != 'A' && operand != 'B';
  if (sums) {
    gg_str_puts(out, name);
  } else if (mixed && !sparse) {
    gg_str_puts(out, packed ? "cutlass::integer_subbyte<4, false>" : "unsigned char");
  } else if (packed && sparse) {
    gg_str_puts(out, "cute::sparse_elem<4, unsigned char>");
  } else if (unpacked[type] && !packed && !mixed) {
    gg_str_printf(out, "%scutlass::detail::float_%s_unpacksmem_t%s",
                  sparse ? "cute::sparse_elem<2, " : "", unpacked[type], sparse ? ">" : "");
  } else {
    gg_str_printf(out, sparse ? "cute::sparse_elem<2, %s>" : "%s", name);
  }
}

static void put_fragment_type(gg_str *out, const gg_mma_atom *atom, char operand) {
  bool umma = atom->row->kind == GG_MMA_tcgen05, of_a = operand == 'A';
  bool mn = of_a ? atom->a_mn_major : atom->b_mn_major, pair = atom->row->threads == GG_TV_pair;
  if (umma && of_a && atom->row->source_a == GG_MMA_TENSOR) {
    gg_str type = GG_STR_INIT;
    put_value_type(&type, atom, operand);
    gg_str_printf(out, "cute::UMMA::tmem_frg<%s, %s, %d, cute::UMMA::TmemAllocMode::%s>",
                  gg_str_text(&type), gg_str_text(&type), pair ? 2 : 1,
                  pair ? "Duplicated" : "NonInterleaved");
    gg_str_free(&type);
    return;
  }
  const char *space = umma ? "cute::UMMA" : "cute::SM90::GMMA";
  gg_str_printf(out, "%s::%ssmem_desc<%s::Major::%s>", space,
                umma && of_a && atom->row->sparse ? "sparse_" : "",
                umma ? space : "cute::SM90::GMMA", mn ? "MN" : "K");
}

/* ValTypeA, FrgTypeB and their like, and the instruction descriptor; false where the field is
 * another. */
static bool type_of_field(gg_str *out, const gg_mma_atom *atom, const char *field) {
  if (strcmp(field, "idesc") == 0) {
    gg_instr_desc what = gg_mma_atom_instr_desc(atom);
    uint32_t bits = 0;
    if (gg_instr_desc_make(&bits, &what, NULL)) return false;
    gg_str_printf(out, "0x%08" PRIx32, bits);
    return true;
  }
  bool value = strncmp(field, "ValType", 7) == 0, fragment = strncmp(field, "FrgType", 7) == 0;
  if (fragment) put_fragment_type(out, atom, field[7]);
  if (value) put_value_type(out, atom, field[7]);
  return value || fragment;
}

/* ---- Judging ------------------------------------------------------------------------------ */

/* Ours and CuTe's way to write a tiler: (128,8) is (128:1,8:1). */
static bool same_tiler(const char *want, const gg_value *value, gg_arena *arena) {
  gg_value expected;
  gg_tiler a, b;
  return !gg_expr_eval(&expected, want, NULL, 1, NULL, arena, NULL) &&
         gg_value_as_tiler(&a, &expected) && gg_value_as_tiler(&b, value) &&
         a.layouts == b.layouts && gg_layout_equal(&a.tiles, &b.tiles);
}

/* Drops the outer of two pairs of parentheses around the same: CuTe's SM80_16x8x128 has a stride
 * ((16,8)) against a shape (32,2). */
static void unwrap(gg_str *out, const char *text) {
  bool dropped[256] = {false};
  size_t open[64], depth = 0, length = strlen(text);
  size_t first_child[64], children[64];
  for (size_t i = 0; i < length && i < sizeof dropped; i++) {
    if (text[i] == '(' && depth < 64) {
      if (depth > 0) first_child[depth - 1] = i, children[depth - 1]++;
      children[depth] = 0;
      open[depth++] = i;
    } else if (text[i] == ')' && depth > 0) {
      depth--;
      bool double_open = children[depth] == 1 && first_child[depth] == open[depth] + 1;
      if (double_open && text[i - 1] == ')') dropped[open[depth]] = dropped[i] = true;
    }
  }
  for (size_t i = 0; i < length; i++) {
    if (i >= sizeof dropped || !dropped[i]) gg_str_putc(out, text[i]);
  }
}

static bool same_unwrapped(const char *a, const char *b) {
  gg_str left = GG_STR_INIT, right = GG_STR_INIT;
  unwrap(&left, a);
  unwrap(&right, b);
  bool same = strcmp(gg_str_text(&left), gg_str_text(&right)) == 0;
  gg_str_free(&left);
  gg_str_free(&right);
  return same;
}

static golden_verdict judge_text(const char *want, const char *text, const gg_value *value,
                                 gg_arena *arena) {
  if (strcmp(text, want) == 0) return GOLDEN_PASSED;
  if (value->kind == GG_VALUE_TILER) {
    return same_tiler(want, value, arena) ? GOLDEN_PASSED : GOLDEN_FAILED;
  }
  bool equal = golden_same_function(want, value, arena) || same_unwrapped(want, text);
  return equal ? GOLDEN_EQUAL : GOLDEN_FAILED;
}

static golden_verdict judge_field(golden_case *c, const char *field, const char *want,
                                  gg_str *got) {
  gg_arena arena = GG_ARENA_INIT;
  gg_error err = GG_ERROR_INIT;
  gg_str expression = GG_STR_INIT, text = GG_STR_INIT;
  gg_value value;
  golden_verdict verdict = GOLDEN_FAILED;
  put_field(&expression, c, field);
  if (gg_expr_eval(&value, gg_str_text(&expression), NULL, 1, NULL, &arena, &err)) {
    gg_str_printf(got, " %s: error: %s;", field, err.message);
  } else {
    gg_value_print(&text, &value, GG_NOTATION_PLAIN);
    verdict = judge_text(want, gg_str_text(&text), &value, &arena);
    if (verdict == GOLDEN_FAILED) gg_str_printf(got, " %s: %s;", field, gg_str_text(&text));
  }
  gg_str_free(&expression);
  gg_str_free(&text);
  gg_error_clear(&err);
  gg_arena_free(&arena);
  return verdict;
}

/* A type's name of an MMA atom. */
static golden_verdict judge_type(golden_case *c, const char *field, const char *want, bool *is_type,
                                 gg_str *got) {
  gg_mma_atom atom;
  gg_str name = GG_STR_INIT, text = GG_STR_INIT;
  put_atom(&name, c);
  *is_type = strcmp(c->op, "mma_atom") == 0 &&
             gg_mma_atom_find(&atom, gg_str_text(&name), NULL) == GG_OK &&
             type_of_field(&text, &atom, field);
  bool same = *is_type && strcmp(gg_str_text(&text), want) == 0;
  if (*is_type && !same) gg_str_printf(got, " %s: %s;", field, gg_str_text(&text));
  gg_str_free(&name);
  gg_str_free(&text);
  return same ? GOLDEN_PASSED : GOLDEN_FAILED;
}

/* The PTX name of a Blackwell atom, an MMA's up to its types where those are parameters; empty
 * where it is of others. */
static void put_ptx(gg_str *out, golden_case *c) {
  gg_mma_atom mma;
  gg_copy_atom copy;
  gg_str name = GG_STR_INIT;
  put_atom(&name, c);
  if (gg_mma_atom_find(&mma, gg_str_text(&name), NULL) == GG_OK) {
    if (mma.row->kind >= GG_MMA_tcgen05) gg_mma_atom_ptx(out, &mma);
  } else if (gg_copy_atom_find(&copy, gg_str_text(&name), NULL) == GG_OK) {
    if (copy.row->kind >= GG_COPY_wide) gg_copy_atom_ptx(out, &copy);
  }
  gg_str_free(&name);
}

/* Whether the PTX name is one that CuTe's text has for the atom. The block of kind mxf8f6f4, which
 * CuTe leaves out, may stand behind. */
static bool has_ptx(golden_case *c, gg_str *got) {
  yaml_node_t *list = golden_field(c, "ptx");
  gg_str ptx = GG_STR_INIT;
  put_ptx(&ptx, c);
  bool found = ptx.length == 0;
  for (int i = 0; !found && i < golden_count(list); i++) {
    const char *want = golden_scalar(golden_item(c, list, i));
    found = want && strncmp(gg_str_text(&ptx), want, strlen(want)) == 0;
  }
  if (!found) gg_str_printf(got, " ptx: %s;", gg_str_text(&ptx));
  gg_str_free(&ptx);
  return found;
}

/* The worst of the fields: failed, equal, passed. */
static golden_verdict judge_fields(golden_case *c, gg_str *got) {
  yaml_node_t *out = golden_field(c, "out");
  golden_verdict worst = GOLDEN_PASSED;
  bool atom = strcmp(c->op, "mma_atom") == 0 || strcmp(c->op, "copy_atom") == 0;
  if (atom && !has_ptx(c, got)) return GOLDEN_FAILED;
  if (!out || out->type != YAML_MAPPING_NODE) return GOLDEN_FAILED;
  for (yaml_node_pair_t *pair = out->data.mapping.pairs.start; pair < out->data.mapping.pairs.top;
       pair++) {
    const char *field = golden_scalar(yaml_document_get_node(&c->document, pair->key));
    const char *want = golden_scalar(yaml_document_get_node(&c->document, pair->value));
    if (!field || !want) return GOLDEN_FAILED;
    bool is_type;
    golden_verdict verdict = judge_type(c, field, want, &is_type, got);
    if (!is_type) verdict = judge_field(c, field, want, got);
    if (verdict == GOLDEN_FAILED || (verdict == GOLDEN_EQUAL && worst == GOLDEN_PASSED)) {
      worst = verdict;
    }
  }
  return worst;
}

/* One value, or a refusal. */
static golden_verdict judge_expression(golden_case *c, const gg_str *expression, gg_str *got) {
  gg_arena arena = GG_ARENA_INIT;
  gg_error err = GG_ERROR_INIT;
  gg_value value;
  golden_verdict verdict;
  bool refuse = golden_field(c, "error") != NULL;
  if (gg_expr_eval(&value, gg_str_text(expression), NULL, 1, NULL, &arena, &err)) {
    gg_str_printf(got, "error: %s", err.message);
    verdict = refuse ? GOLDEN_PASSED : GOLDEN_FAILED;
  } else if (refuse) {
    gg_value_print(got, &value, GG_NOTATION_PLAIN);
    verdict = GOLDEN_FAILED;
  } else {
    verdict = golden_judge_value(c, &value, GG_NOTATION_PLAIN, &arena, got);
  }
  gg_error_clear(&err);
  gg_arena_free(&arena);
  return verdict;
}

/* ---- The cases ---------------------------------------------------------------------------- */

static bool has_inputs(golden_case *c, int count) {
  for (int i = 0; i < golden_inputs(c); i++) {
    if (!golden_input(c, i)) return false;
  }
  return golden_inputs(c) >= count;
}

/* The ops evaluated here, with how many inputs they have. */
typedef enum op_kind { OP_FIELDS, OP_VALUE } op_kind;

static const struct op {
  const char *name;
  int inputs;
  op_kind kind;
} ops[] = {
    {"mma_atom", 1, OP_FIELDS},
    {"copy_atom", 1, OP_FIELDS},
    {"tiled_mma", 1, OP_FIELDS},
    {"partition_shape", 2, OP_FIELDS},
    {"make_tiled_copy", 4, OP_FIELDS},
    {"make_tiled_copy_tv", 4, OP_FIELDS},
    {"make_tiled_copy_impl", 4, OP_FIELDS},
    {"make_tmem_copy", 3, OP_FIELDS},
    {"make_tiled_copy_A", 3, OP_FIELDS},
    {"make_tiled_copy_B", 3, OP_FIELDS},
    {"make_tiled_copy_C", 3, OP_FIELDS},
    {"partition_A", 3, OP_VALUE},
    {"partition_B", 3, OP_VALUE},
    {"partition_C", 3, OP_VALUE},
    {"tiled_copy_partition_S", 6, OP_VALUE},
    {"tiled_copy_partition_D", 6, OP_VALUE},
};

static golden_verdict judge_op(golden_case *c, const struct op *op, gg_str *got) {
  if (!has_inputs(c, op->inputs)) return GOLDEN_FAILED;
  if (op->kind == OP_FIELDS && !golden_field(c, "error")) return judge_fields(c, got);
  gg_str expression = GG_STR_INIT;
  if (op->kind == OP_VALUE) {
    put_partition(&expression, c);
  } else { /* what must be refused is asked for one of its fields */
    put_field(&expression, c, op->inputs > 1 ? "num_threads" : "ThrID");
  }
  golden_verdict verdict = judge_expression(c, &expression, got);
  gg_str_free(&expression);
  return verdict;
}

bool golden_eval_atoms(golden_case *c, golden_verdict *verdict, gg_str *got) {
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
    if (strcmp(c->op, ops[i].name) != 0) continue;
    *verdict = judge_op(c, &ops[i], got);
    return true;
  }
  return false;
}
