/* Golden cases whose input is one object of named parameters: matrix descriptors of wgmma and
 * tcgen05, tcgen05's instruction descriptors, scale factors, and what is in tensor memory. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "atom/dtype.h"
#include "atom/instr_desc.h"
#include "atom/scale_layout.h"
#include "atom/smem_desc.h"
#include "atom/umma_fragment.h"
#include "golden.h"
#include "layout/calc.h"

static const char *word(golden_case *c, const char *name) {
  yaml_node_t *parameters = golden_item(c, golden_field(c, "in"), 0);
  const char *text = golden_scalar(golden_member(c, parameters, name));
  return text ? text : "";
}

static int64_t number(golden_case *c, const char *name) {
  return strtoll(word(c, name), NULL, 0);
}

static bool is_mn(golden_case *c, const char *name) {
  return strcmp(word(c, name), "MN") == 0;
}

static golden_verdict verdict_of(bool passed) {
  return passed ? GOLDEN_PASSED : GOLDEN_FAILED;
}

/* ---- Matrix descriptors ------------------------------------------------------------------- */

static gg_status atom_of(gg_composed *out, golden_case *c, gg_error *err) {
  static const char *const names[] = {"INTER", "SW32", "SW64", "SW128", "SW128_32B"};
  gg_smem_swizzle swizzle = GG_SMEM_INTER;
  for (int i = 0; i < 5; i++)
    if (strcmp(word(c, "atom"), names[i]) == 0) swizzle = (gg_smem_swizzle)i;
  return gg_smem_atom(out, is_mn(c, "major"), swizzle, (int)number(c, "bits"), err);
}

static int64_t address_of(golden_case *c) {
  const char *address = golden_text(c, "addr");
  return address ? strtoll(address, NULL, 0) : 0;
}

/* The whole operand in shared memory, and the descriptor of the first instruction's tile. */
static gg_status make_gmma(gg_composed *smem, gg_smem_desc *desc, golden_case *c, gg_error *err) {
  gg_tuple shape = GG_TUPLE(number(c, "smem_shape_MN"), number(c, "smem_shape_K"));
  gg_tuple tile_shape = GG_TUPLE(number(c, "tile_MN"), number(c, "tile_K"));
  gg_tuple origin = GG_TUPLE(0, 0);
  gg_tiler tiler = gg_tiler_of_shape(&tile_shape);
  gg_layout whole;
  gg_tensor tile;
  gg_status st;
  if ((st = atom_of(smem, c, err))) return st;
  if ((st = gg_layout_tile_to_shape(&whole, &smem->layout, &shape, NULL, err))) return st;
  *smem = gg_composed_with(smem, &whole);
  gg_tensor tensor = gg_tensor_of(smem);
  if ((st = gg_tensor_local_tile(&tile, &tensor, &tiler, &origin, NULL, err))) return st;
  return gg_smem_desc_make(desc, GG_SMEM_DESC_WGMMA, &tile.layout, is_mn(c, "major"), address_of(c),
                           err);
}

static gg_status make_umma(gg_composed *smem, gg_smem_desc *desc, golden_case *c, gg_error *err) {
  gg_tuple mma = GG_TUPLE(number(c, "mma_tile_MN"), number(c, "mma_tile_K"));
  gg_tuple shape = GG_TUPLE(0, number(c, "rest_MN"), number(c, "rest_K"));
  gg_composed atom;
  gg_layout tiled, first;
  gg_status st;
  if ((st = atom_of(&atom, c, err))) return st;
  if ((st = gg_tuple_replace(&shape, &shape, 0, &mma, err))) return st;
  if ((st = gg_tile_to_mma_shape(&tiled, &atom.layout, &shape, NULL, err))) return st;
  *smem = gg_composed_with(&atom, &tiled);
  if ((st = gg_layout_get(&first, &smem->layout, 0, err))) return st;
  gg_composed tile = gg_composed_with(smem, &first);
  return gg_smem_desc_make(desc, GG_SMEM_DESC_TCGEN05, &tile, is_mn(c, "major"), address_of(c),
                           err);
}

/* How far each instruction's descriptor is from the first, in units of 16 bytes. */
static bool same_steps(const char *want, const gg_composed *smem) {
  gg_layout steps;
  gg_str text = GG_STR_INIT;
  if (gg_umma_descriptor_steps(&steps, smem, NULL)) return false;
  gg_layout_print(&text, &steps, GG_NOTATION_PLAIN);
  bool same = strcmp(gg_str_text(&text), want) == 0;
  gg_str_free(&text);
  return same;
}

static golden_verdict judge_matrix(golden_case *c, gg_str *got) {
  gg_error err = GG_ERROR_INIT;
  gg_composed smem;
  gg_smem_desc desc;
  const char *out = golden_text(c, "out"), *layout = golden_text(c, "smem_layout");
  const char *steps = golden_text(c, "desc_tensor_layout_u128");
  bool refuse = golden_field(c, "error") != NULL, passed = refuse;
  bool umma = strcmp(c->op, "make_umma_desc") == 0;
  if (umma ? make_umma(&smem, &desc, c, &err) : make_gmma(&smem, &desc, c, &err)) {
    gg_str_printf(got, "error: %s", err.message);
  } else {
    gg_str text = GG_STR_INIT;
    gg_composed_print(&text, &smem, GG_NOTATION_PLAIN);
    gg_str_printf(got, "0x%016" PRIx64 " of %s", desc.bits, gg_str_text(&text));
    passed = !refuse && out && strtoull(out, NULL, 0) == desc.bits && layout &&
             strcmp(gg_str_text(&text), layout) == 0 && (!steps || same_steps(steps, &smem));
    gg_str_free(&text);
  }
  gg_error_clear(&err);
  return verdict_of(passed);
}

/* ---- Instruction descriptors -------------------------------------------------------------- */

/* "e2m1_mxf4" is e2m1, packed. */
static bool read_type(gg_dtype *out, bool *packed, const char *text) {
  const char *mxf4 = strstr(text, "_mxf4");
  char name[16];
  snprintf(name, sizeof name, "%.*s", (int)(mxf4 ? mxf4 - text : 15), text);
  *packed = *packed || mxf4;
  return gg_dtype_find(out, name);
}

static golden_verdict judge_instruction(golden_case *c, gg_str *got) {
  bool runtime = strncmp(c->op, "make_runtime", 12) == 0;
  bool scaled = strstr(c->op, "block_scaled") != NULL, ignored = false;
  int64_t a = number(c, "tmem_sfa"), b = number(c, "tmem_sfb");
  gg_instr_desc what = {.c = GG_DTYPE_f32,
                        .m = (int)number(c, "M"),
                        .n = (int)number(c, "N"),
                        .a_mn_major = is_mn(c, "a_major"),
                        .b_mn_major = is_mn(c, "b_major"),
                        .a_negated = number(c, "a_neg"),
                        .b_negated = number(c, "b_neg"),
                        .saturates = number(c, "saturate"),
                        .sparse = number(c, "sparse"),
                        .max_shift = (int)number(c, "max_shift"),
                        .sparse_id = (int)number(c, "sparse_id2"),
                        .scaled = scaled,
                        .scale_id_a = (int)(a >> 30),
                        .scale_id_b = (int)(b >> 30)};
  const char *out = golden_text(c, "out");
  gg_error err = GG_ERROR_INIT;
  uint32_t bits = 0;
  bool known = read_type(&what.a, &what.packed, word(c, "a")) &&
               read_type(&what.b, &what.packed, word(c, "b")) &&
               (runtime || read_type(&what.c, &ignored, word(c, "c"))) &&
               (!scaled || read_type(&what.scale, &ignored, word(c, "sf")));
  bool passed = known && out && !gg_instr_desc_make(&bits, &what, &err) &&
                strtoull(out, NULL, 0) == (uint64_t)bits << (runtime ? 32 : 0);
  if (!passed) gg_str_printf(got, "0x%08" PRIx32 ": %s", bits, err.message);
  gg_error_clear(&err);
  return verdict_of(passed);
}

/* ---- Tensor memory ------------------------------------------------------------------------ */

static int bits_of(const char *type) {
  return strcmp(type, "half_t") == 0 ? 16 : 32;
}

static gg_tmem_tile tile_of(golden_case *c) {
  static const char *const allocs[] = {"Interleaved", "NonInterleaved", "Duplicated"};
  int64_t stages = number(c, "stages");
  gg_tmem_tile tile = {.ctas = (int)number(c, "n_sm"),
                       .m = (int)number(c, "M_per_sm"),
                       .n = (int)number(c, "N"),
                       .rest = {number(c, "rest_m"), number(c, "rest_n"), stages},
                       .rests = stages ? 3 : 2,
                       .value_bits = bits_of(word(c, "value")),
                       .storage_bits = bits_of(word(c, "storage"))};
  for (int i = 0; i < 3; i++)
    if (strcmp(word(c, "alloc"), allocs[i]) == 0) tile.alloc = (gg_tmem_alloc)i;
  return tile;
}

/* The text, size and map (or probe) of `out` itself, or of its field `layout`, whose columns are
 * counted, too; -1 columns: there are none to count. */
static golden_verdict judge_layout(golden_case *c, const gg_layout *layout, int64_t columns,
                                   gg_str *got) {
  yaml_node_t *out = golden_field(c, "out");
  yaml_node_t *field = golden_member(c, out, "layout"), *count = golden_member(c, out, "columns");
  const char *want = golden_scalar(field ? field : out), *counted = golden_scalar(count);
  gg_value value = {.kind = GG_VALUE_LAYOUT, .layout = gg_composed_of(layout)};
  bool same_columns = columns < 0 || (counted && strtoll(counted, NULL, 0) == columns);
  gg_str text = GG_STR_INIT;
  gg_layout_print(&text, layout, GG_NOTATION_PLAIN);
  bool passed = want && strcmp(gg_str_text(&text), want) == 0 && same_columns &&
                golden_same_points(c, &value);
  gg_str_printf(got, "%s of %" PRId64 " columns", gg_str_text(&text), columns);
  gg_str_free(&text);
  return verdict_of(passed);
}

static golden_verdict failed(gg_error *err, gg_str *got) {
  gg_str_printf(got, "error: %s", err->message);
  gg_error_clear(err);
  return GOLDEN_FAILED;
}

static golden_verdict judge_tmem(golden_case *c, gg_str *got) {
  gg_tmem_tile tile = tile_of(c);
  gg_error err = GG_ERROR_INIT;
  gg_layout layout;
  if (gg_tmem_frg(&layout, &tile, &err)) return failed(&err, got);
  return judge_layout(c, &layout, gg_tmem_columns(&layout, tile.value_bits), got);
}

/* ((M,K),m,k) of metadata: of a type, with its columns, or of so many bits, with the unit. */
static golden_verdict judge_tmem_e(golden_case *c, gg_str *got) {
  static const struct {
    const char *name;
    int bits, unit_half_bits;
  } types[] = {{"tfloat32_t", 32, 4}, {"half_t", 16, 2}, {"int8_t", 8, 2}, {"float_e2m1_t", 4, 1}};
  bool named = *word(c, "value"), ws = strcmp(word(c, "form"), ".ws") == 0;
  gg_tuple pair = GG_TUPLE(number(c, "M"), number(c, "K"));
  gg_tuple shape =
      GG_TUPLE(0, named ? number(c, "rest_m") : 1, number(c, named ? "rest_k" : "steps"));
  const char *unit = golden_scalar(golden_member(c, golden_field(c, "out"), "unit_half_bits"));
  gg_error err = GG_ERROR_INIT;
  gg_layout layout;
  size_t i = 0, last = sizeof types / sizeof *types - 1;
  while (i < last && (named ? strcmp(word(c, "value"), types[i].name) != 0
                            : number(c, "bits") != types[i].bits))
    i++;
  if (!named && (!unit || atoi(unit) != types[i].unit_half_bits)) return GOLDEN_FAILED;
  if (gg_tuple_replace(&shape, &shape, 0, &pair, &err)) return failed(&err, got);
  if (gg_tmem_e_frg(&layout, types[i].bits, ws, &shape, &err)) return failed(&err, got);
  return judge_layout(c, &layout, named ? gg_tmem_e_columns(&layout, types[i].bits) : -1, got);
}

/* ---- Scale factors ------------------------------------------------------------------------ */

/* A list of integers, `dynamic` where CuTe was called with run-time ones. */
static gg_tuple numbers(golden_case *c, const char *name, bool dynamic) {
  int64_t values[8] = {0};
  yaml_node_t *list = golden_member(c, golden_item(c, golden_field(c, "in"), 0), name);
  int count = golden_count(list);
  for (int i = 0; i < count && i < 8; i++)
    values[i] = strtoll(golden_scalar(golden_item(c, list, i)), NULL, 10);
  gg_tuple tuple = gg_tuple_make(count, values);
  GG_EACH_LEAF(i, &tuple) tuple.nodes[i].dynamic = dynamic;
  return tuple;
}

static golden_verdict judge_scale_layout(golden_case *c, gg_str *got) {
  gg_scale_operand operand = c->op[strlen(c->op) - 1] == 'A' ? GG_SCALE_A : GG_SCALE_B;
  gg_tuple problem = numbers(c, "problem", strcmp(word(c, "static"), "false") == 0);
  gg_error err = GG_ERROR_INIT;
  gg_layout layout;
  if (gg_scale_layout(&layout, operand, (int)number(c, "sf_vec"), false, &problem, &err))
    return failed(&err, got);
  return judge_layout(c, &layout, -1, got);
}

/* deduce_smem_layoutSFA and tmem_SFA, of a tiled MMA of one atom; and of B. */
static golden_verdict judge_scale_tile(golden_case *c, gg_str *got) {
  gg_mma_operand operand = c->op[strlen(c->op) - 1] == 'A' ? GG_MMA_SFA : GG_MMA_SFB;
  gg_tuple tile = numbers(c, "tile_MNK", false);
  gg_error err = GG_ERROR_INIT;
  gg_layout layout, one = gg_layout_flat(1, 0);
  gg_tiler permutation = gg_tiler_empty();
  gg_mma_atom atom;
  gg_tiled_mma mma;
  if (gg_mma_atom_find(&atom, word(c, "mma"), &err)) return failed(&err, got);
  if (atom.row->block != number(c, "sf_vec")) return GOLDEN_FAILED;
  if (gg_tiled_mma_make(&mma, &atom, &one, &permutation, &err)) return failed(&err, got);
  if (strncmp(c->op, "deduce", 6) == 0) {
    if (gg_umma_smem_sf(&layout, &mma, operand, &tile, &err)) return failed(&err, got);
    return judge_layout(c, &layout, -1, got);
  }
  if (gg_umma_fragment_sf(&layout, &mma, operand, &tile, &err)) return failed(&err, got);
  return judge_layout(c, &layout, gg_tmem_columns(&layout, 8), got);
}

/* ---- Fragments ---------------------------------------------------------------------------- */

/* make_fragment_C(MMA, (M,N), "stages S"), make_fragment_A_tmem(MMA, (M,K)). */
static golden_verdict judge_fragment(golden_case *c, gg_str *got) {
  bool of_c = strcmp(c->op, "make_fragment_C") == 0;
  const char *name = golden_input(c, 0), *shape = golden_input(c, 1), *last = golden_input(c, 2);
  gg_error err = GG_ERROR_INIT;
  gg_layout layout, one = gg_layout_flat(1, 0);
  gg_tiler permutation = gg_tiler_empty();
  gg_tuple extents;
  gg_mma_atom atom;
  gg_tiled_mma mma;
  if (!name || !shape || (of_c && !last)) return GOLDEN_FAILED;
  if (gg_tuple_parse(&extents, shape, &err)) return failed(&err, got);
  if (gg_mma_atom_find(&atom, name, &err)) return failed(&err, got);
  if (gg_tiled_mma_make(&mma, &atom, &one, &permutation, &err)) return failed(&err, got);
  int64_t stages = of_c ? strtoll(last + strlen("stages "), NULL, 10) : 0;
  if (of_c ? gg_umma_fragment_c(&layout, &mma, &extents, stages, &err)
           : gg_umma_fragment_a(&layout, &mma, &extents, &err))
    return failed(&err, got);
  return judge_layout(
      c, &layout, gg_tmem_columns(&layout, gg_dtype_info_of(of_c ? atom.c : atom.a)->bits), got);
}

bool golden_eval_descriptors(golden_case *c, golden_verdict *verdict, gg_str *got) {
  static const struct op {
    const char *name;
    golden_verdict (*judge)(golden_case *c, gg_str *got);
  } ops[] = {
      {"make_gmma_desc", judge_matrix},
      {"make_umma_desc", judge_matrix},
      {"make_instr_desc", judge_instruction},
      {"make_instr_desc_block_scaled", judge_instruction},
      {"make_runtime_instr_desc_block_scaled", judge_instruction},
      {"tmem_frg", judge_tmem},
      {"tmem_E", judge_tmem_e},
      {"tile_atom_to_shape_SFA", judge_scale_layout},
      {"tile_atom_to_shape_SFB", judge_scale_layout},
      {"deduce_smem_layoutSFA", judge_scale_tile},
      {"deduce_smem_layoutSFB", judge_scale_tile},
      {"tmem_SFA", judge_scale_tile},
      {"tmem_SFB", judge_scale_tile},
      {"make_fragment_C", judge_fragment},
      {"make_fragment_A_tmem", judge_fragment},
  };
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
    if (strcmp(c->op, ops[i].name) != 0) continue;
    *verdict = ops[i].judge(c, got);
    return true;
  }
  return false;
}
