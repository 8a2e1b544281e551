/* The calculator's operations on how operands of tensor cores lie in memory: sparse operands, scale
 * factors, descriptors, tensor memory. Each only calls gen/atom. */
#include <stdio.h>
#include <string.h>

#include "atom/atom_name.h"
#include "atom/instr_desc.h"
#include "atom/scale_layout.h"
#include "atom/smem_desc.h"
#include "atom/sparse_layout.h"
#include "atom/tmem.h"
#include "atom/umma_fragment.h"
#include "calculator/expr_ops.h"

/* ---- Arguments ----------------------------------------------------------------------------- */

static gg_status major_of(bool *mn, const char *op, const gg_value *value, gg_error *err) {
  char name[GG_VALUE_NAME_MAX];
  *mn = strcmp(gg_value_name(name, value), "MN") == 0;
  if (*mn || strcmp(name, "K") == 0) return GG_OK;
  return gg_fail(err, ATOM_PARAMETER, NULL, op, "the major", name, "K or MN");
}

/* Whether the one word that may be given is given. Another word is an error. */
static gg_status option_of(bool *given, const char *op, const char *word, args arg, int at,
                           int count, gg_error *err) {
  char name[GG_VALUE_NAME_MAX];
  *given = count > at;
  if (count <= at || strcmp(gg_value_name(name, arg[at]), word) == 0) return GG_OK;
  return gg_fail(err, ATOM_PARAMETER, NULL, op, "an option", name, word);
}

/* ---- Sparse operands ---------------------------------------------------------------------- */

OP(sparse_metadata_tile) {
  (void)count;
  return gg_sparse_metadata_tile(to_layout(out), positive_of(arg[0]), INT(1), err);
}

OP(sparse_layout_e) {
  (void)count;
  return gg_sparse_layout_e(to_layout(out), positive_of(arg[0]), INT(1), TUPLE(2), err);
}

OP(sparse_layout_a) {
  (void)count;
  bool mn_major;
  gg_status st = major_of(&mn_major, "sm90_fill_layoutA", arg[1], err);
  return st ? st : gg_sparse_layout_a(to_layout(out), positive_of(arg[0]), mn_major, TUPLE(2), err);
}

/* Reads an element of A from the arguments: its type first, "unpacksmem" last. */
static gg_status element_of(gg_sparse_element *out, const char *op, args arg, int at, int count,
                            gg_error *err) {
  out->bits = positive_of(arg[0]);
  return option_of(&out->unpacked, op, "unpacksmem", arg, at, count, err);
}

OP(sm1xx_sparse_metadata_tile) {
  gg_sparse_element element;
  gg_status st = element_of(&element, "sm1xx_TensorEAtom", arg, 1, count, err);
  return st ? st : gg_sm1xx_sparse_metadata_tile(to_layout(out), element, err);
}

OP(sm1xx_sparse_layout_e) {
  gg_sparse_element element;
  gg_status st = element_of(&element, "sm1xx_fill_layoutE", arg, 2, count, err);
  return st ? st : gg_sm1xx_sparse_layout_e(to_layout(out), element, TUPLE(1), err);
}

OP(sm1xx_sparse_layout_a) {
  gg_sparse_element element;
  bool mn_major;
  gg_status st = element_of(&element, "sm1xx_fill_layoutA", arg, 3, count, err);
  if (!st) st = major_of(&mn_major, "sm1xx_fill_layoutA", arg[1], err);
  return st ? st : gg_sm1xx_sparse_layout_a(to_layout(out), element, mn_major, TUPLE(2), err);
}

/* ---- Scale factors ------------------------------------------------------------------------ */

OP(scale_atom) {
  bool mn_major = false;
  gg_status st = count > 1 ? major_of(&mn_major, "SfAtom", arg[1], err) : GG_OK;
  return st ? st : gg_scale_atom(to_layout(out), positive_of(arg[0]), mn_major, err);
}

static gg_status scale_layout(gg_value *out, args arg, int count, gg_scale_operand operand,
                              gg_error *err) {
  bool mn_major = false;
  gg_status st = count > 2 ? major_of(&mn_major, "tile_atom_to_shape_SFD", arg[2], err) : GG_OK;
  if (st) return st;
  return gg_scale_layout(to_layout(out), operand, positive_of(arg[0]), mn_major, TUPLE(1), err);
}

OP(scale_layout_a) {
  return scale_layout(out, arg, count, GG_SCALE_A, err);
}

OP(scale_layout_b) {
  return scale_layout(out, arg, count, GG_SCALE_B, err);
}

OP(scale_layout_d) {
  return scale_layout(out, arg, count, GG_SCALE_D, err);
}

/* The shared memory layout of scale factors, with the block that the atom has. */
static gg_status scale_smem(gg_value *out, args arg, gg_mma_operand operand, gg_error *err) {
  gg_tiled_mma mma;
  gg_status st = gg_expr_mma_of(&mma, arg[0], err);
  if (st) return st;
  char given[24], legal[24];
  int block = mma.atom.row->block;
  if (block && INT(2) != block) {
    snprintf(given, sizeof given, "%lld", (long long)INT(2));
    snprintf(legal, sizeof legal, "%d", block);
    return gg_fail(err, ATOM_PARAMETER, NULL, mma.atom.row->cute, "the block of a scale factor",
                   given, legal);
  }
  return gg_umma_smem_sf(to_layout(out), &mma, operand, TUPLE(1), err);
}

OP(scale_smem_a) {
  (void)count;
  return scale_smem(out, arg, GG_MMA_SFA, err);
}

OP(scale_smem_b) {
  (void)count;
  return scale_smem(out, arg, GG_MMA_SFB, err);
}

/* ---- Descriptors -------------------------------------------------------------------------- */

/* Makes a descriptor, shown as (start address, LBO, SBO, layout type), since its 64 bits may not
 * fit a signed integer. The base of a tile counts from the address. */
static gg_status matrix_descriptor(gg_value *out, const char *op, gg_smem_desc_kind kind, args arg,
                                   int count, gg_error *err) {
  gg_smem_desc desc;
  const gg_tensor *tile = &arg[1]->tensor;
  bool mn_major;
  gg_status st = major_of(&mn_major, op, arg[0], err);
  if (st) return st;
  gg_calc c = GG_CALC(op, err);
  int64_t bits = gg_calc_mul(&c, tile->base.nodes[0].value, tile->layout.ptr_bits);
  int64_t address = gg_calc_add(&c, count > 2 ? INT(2) : 0, bits / 8);
  st = c.status;
  if (st || (st = gg_smem_desc_make(&desc, kind, &tile->layout, mn_major, address, err))) return st;
  gg_tuple fields =
      GG_TUPLE(desc.start_address, desc.leading_offset, desc.stride_offset, desc.layout_type);
  return give_tuple(out, &fields);
}

OP(make_gmma_desc) {
  return matrix_descriptor(out, "make_gmma_desc", GG_SMEM_DESC_WGMMA, arg, count, err);
}

OP(make_umma_desc) {
  return matrix_descriptor(out, "make_umma_desc", GG_SMEM_DESC_TCGEN05, arg, count, err);
}

OP(tile_to_mma_shape) {
  return gg_tile_to_mma_shape(to_layout(out), LAYOUT(0), TUPLE(1), GIVEN(2), err);
}

static gg_status type_of(gg_dtype *out, const char *op, const gg_value *value, gg_error *err) {
  char name[GG_VALUE_NAME_MAX];
  int bits;
  if (gg_atom_argument_type(out, &bits, gg_value_name(name, value))) return GG_OK;
  return gg_fail(err, ATOM_PARAMETER, NULL, op, "a type", name, "f16, e4m3, float_e4m3_t, ...");
}

/* Reads an option behind the majors; they may come in any order. */
static gg_status read_instr_option(gg_instr_desc *what, const gg_value *value, gg_error *err) {
  char name[GG_VALUE_NAME_MAX];
  const struct option {
    const char *name;
    bool *flag;
  } options[] = {{"neg_a", &what->a_negated},
                 {"neg_b", &what->b_negated},
                 {"saturate", &what->saturates},
                 {"sparse", &what->sparse},
                 {"packed", &what->packed}};
  gg_value_name(name, value);
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    if (strcmp(name, options[i].name) != 0) continue;
    *options[i].flag = true;
    return GG_OK;
  }
  what->scaled = true;
  if (gg_dtype_find(&what->scale, name)) return GG_OK;
  return gg_fail(err, ATOM_PARAMETER, NULL, "make_instr_desc", "an option", name,
                 "neg_a, neg_b, saturate, sparse, packed; ue8m0 or ue4m3 of scale factors");
}

OP(make_instr_desc) {
  gg_instr_desc what = {.m = positive_of(arg[3]), .n = positive_of(arg[4])};
  gg_dtype *types[] = {&what.a, &what.b, &what.c};
  uint32_t bits;
  gg_status st = GG_OK;
  for (int i = 0; i < 3 && !st; i++)
    st = type_of(types[i], "make_instr_desc", arg[i], err);
  if (!st) st = major_of(&what.a_mn_major, "make_instr_desc", arg[5], err);
  if (!st) st = major_of(&what.b_mn_major, "make_instr_desc", arg[6], err);
  for (int i = 7; i < count && !st; i++)
    st = read_instr_option(&what, arg[i], err);
  if (st || (st = gg_instr_desc_make(&bits, &what, err))) return st;
  gg_tuple number = gg_tuple_int(bits);
  return give_tuple(out, &number);
}

/* ---- Tensor memory ------------------------------------------------------------------------ */

static gg_status alloc_of(gg_tmem_alloc *out, const gg_value *value, gg_error *err) {
  static const char *const names[] = {[GG_TMEM_INTERLEAVED] = "Interleaved",
                                      [GG_TMEM_NON_INTERLEAVED] = "NonInterleaved",
                                      [GG_TMEM_DUPLICATED] = "Duplicated"};
  char name[GG_VALUE_NAME_MAX];
  gg_value_name(name, value);
  for (int i = 0; i < 3; i++) {
    if (strcmp(name, names[i]) != 0) continue;
    *out = (gg_tmem_alloc)i;
    return GG_OK;
  }
  return gg_fail(err, ATOM_PARAMETER, NULL, "tmem_frg", "the allocation", name,
                 "Interleaved, NonInterleaved or Duplicated");
}

OP(tmem_frg) {
  gg_tmem_tile tile = {.ctas = positive_of(arg[2]),
                       .value_bits = positive_of(arg[0]),
                       .storage_bits = positive_of(arg[1])};
  const gg_tuple *shape = TUPLE(3);
  enum { m = 2, n = 3, rest = 4 }; /* nodes */
  tile.rests = gg_rank_at(shape, 0) - 1;
  if (!gg_is_mma_shape(shape) || tile.rests > GG_TMEM_RESTS)
    return gg_fail(err, LAYOUT_VALUE, NULL, "tmem_frg",
                   "the shape must be ((M,N),tiles along M,along N), or with stages behind");
  gg_status st = count > 4 ? alloc_of(&tile.alloc, arg[4], err) : GG_OK;
  if (st) return st;
  tile.m = in_range(shape->nodes[m].value);
  tile.n = in_range(shape->nodes[n].value);
  for (int i = 0; i < tile.rests; i++)
    tile.rest[i] = shape->nodes[rest + i].value;
  return gg_tmem_frg(to_layout(out), &tile, err);
}

OP(tmem_sf_frg) {
  bool halved;
  gg_status st = option_of(&halved, "tmem_sf_frg", "ScaleFactorDuplicated2by2", arg, 1, count, err);
  return st ? st : gg_tmem_sf_frg(to_layout(out), TUPLE(0), halved, err);
}

OP(tmem_e_frg) {
  bool ws;
  gg_status st = option_of(&ws, "tmem_e_frg", "ws", arg, 2, count, err);
  return st ? st : gg_tmem_e_frg(to_layout(out), positive_of(arg[0]), ws, TUPLE(1), err);
}

/* ---- Fragments of tcgen05.mma --------------------------------------------------------------- */

OP(fragment_a) {
  (void)count;
  gg_tiled_mma mma;
  gg_status st = gg_expr_mma_of(&mma, arg[0], err);
  return st ? st : gg_umma_fragment_a(to_layout(out), &mma, TUPLE(1), err);
}

OP(fragment_e) {
  (void)count;
  gg_tiled_mma mma;
  gg_status st = gg_expr_mma_of(&mma, arg[0], err);
  return st ? st : gg_umma_fragment_e(to_layout(out), &mma, TUPLE(1), err);
}

static gg_status fragment_sf(gg_value *out, args arg, gg_mma_operand operand, gg_error *err) {
  gg_tiled_mma mma;
  gg_status st = gg_expr_mma_of(&mma, arg[0], err);
  return st ? st : gg_umma_fragment_sf(to_layout(out), &mma, operand, TUPLE(1), err);
}

OP(fragment_sfa) {
  (void)count;
  return fragment_sf(out, arg, GG_MMA_SFA, err);
}

OP(fragment_sfb) {
  (void)count;
  return fragment_sf(out, arg, GG_MMA_SFB, err);
}

/* For an operand in shared memory: the distance of each instruction's descriptor from the first
 * one. */
OP(fragment_descriptors) {
  (void)count;
  return gg_umma_descriptor_steps(to_layout(out), &TENSOR(1)->layout, err);
}
