/* Instruction descriptors. Each field is a row that says where it lies, and a value for what is
 * asked. */
#include "atom/instr_desc.h"

#include <stdio.h>

typedef enum group { GROUP_NONE, GROUP_F16, GROUP_TF32, GROUP_I8, GROUP_F8F6F4 } group;

/* The number that a descriptor has for a type of A and B. Each group of types numbers its own. */
static const struct format {
  group group;
  int number;
} formats[GG_DTYPE_COUNT] = {
    [GG_DTYPE_f16] = {GROUP_F16, 0},     [GG_DTYPE_bf16] = {GROUP_F16, 1},
    [GG_DTYPE_tf32] = {GROUP_TF32, 2},   [GG_DTYPE_u8] = {GROUP_I8, 0},
    [GG_DTYPE_s8] = {GROUP_I8, 1},       [GG_DTYPE_e4m3] = {GROUP_F8F6F4, 0},
    [GG_DTYPE_e5m2] = {GROUP_F8F6F4, 1}, [GG_DTYPE_e2m3] = {GROUP_F8F6F4, 3},
    [GG_DTYPE_e3m2] = {GROUP_F8F6F4, 4}, [GG_DTYPE_e2m1] = {GROUP_F8F6F4, 5},
};

enum { packed_number = 1 }; /* number of e2m1 in mxf4 and mxf4nvf4 */

static const char *name_of(gg_dtype type) {
  return gg_dtype_info_of(type)->name;
}

static gg_status check_types(const gg_instr_desc *what, gg_error *err) {
  group a = formats[what->a].group, b = formats[what->b].group;
  bool f16 = a == GROUP_F16;
  if (a == GROUP_NONE || a != b || (f16 && what->a != what->b))
    return gg_fail(err, INSTR_DESC, NULL, "operands of", name_of(what->a), name_of(what->b),
                   "both f16, bf16 or tf32, of s8 and u8, or of e4m3, e5m2, e2m3, e3m2 and e2m1");
  bool sums_f16 =
      what->c == GG_DTYPE_f16 && !what->scaled && (what->a == GG_DTYPE_f16 || a == GROUP_F8F6F4);
  gg_dtype sums = a == GROUP_I8 ? GG_DTYPE_s32 : GG_DTYPE_f32;
  if (what->c != sums && !sums_f16)
    return gg_fail(err, INSTR_DESC, NULL, "sums of", name_of(what->c), name_of(what->a),
                   "f32; s32 of s8 and u8; f16 too of f16, and of 8, 6 and 4 bits unscaled");
  return GG_OK;
}

static gg_status check_scales(const gg_instr_desc *what, gg_error *err) {
  if (!what->scaled) return GG_OK;
  if (formats[what->a].group != GROUP_F8F6F4 ||
      (what->packed && (what->a != GG_DTYPE_e2m1 || what->b != GG_DTYPE_e2m1)))
    return gg_fail(err, INSTR_DESC, NULL, "scaled operands of", name_of(what->a), name_of(what->b),
                   "e4m3, e5m2, e2m3, e3m2 and e2m1; packed, e2m1 alone");
  bool ue4m3 = what->scale == GG_DTYPE_ue4m3;
  if (what->scale != GG_DTYPE_ue8m0 && !(ue4m3 && what->packed))
    return gg_fail(err, INSTR_DESC, NULL, "scale factors of", name_of(what->scale),
                   name_of(what->a), "ue8m0; of packed e2m1 ue4m3 too");
  return GG_OK;
}

static gg_status check_extent(char name, int extent, int unit, int most, gg_error *err) {
  char text[2] = {name, '\0'}, given[16], legal[64];
  if (extent >= unit && extent % unit == 0 && extent <= most) return GG_OK;
  snprintf(given, sizeof given, "%d", extent);
  int rounded = extent > most ? most : extent < unit ? unit : (extent + unit / 2) / unit * unit;
  snprintf(legal, sizeof legal, "a multiple of %d up to %d, the nearest %d", unit, most, rounded);
  return gg_fail(err, ATOM_PARAMETER, NULL, "instruction descriptor", text, given, legal);
}

gg_status gg_instr_desc_make(uint32_t *out, const gg_instr_desc *what, gg_error *err) {
  gg_status st;
  if ((st = check_types(what, err))) return st;
  if ((st = check_scales(what, err))) return st;
  if ((st = check_extent('M', what->m, 16, 496, err))) return st;
  if ((st = check_extent('N', what->n, 8, 504, err))) return st;
  int sums = what->c == GG_DTYPE_f32 ? 1 : what->c == GG_DTYPE_s32 ? 2 : 0;
  bool scaled = what->scaled;
  const struct field {
    int begin, value;
  } fields[] = {
      {0, what->sparse_id},
      {2, what->sparse},
      {3, what->saturates && !scaled},
      {4, scaled ? what->scale_id_b : sums},
      {7, what->packed ? packed_number : formats[what->a].number},
      {10, what->packed ? packed_number : formats[what->b].number},
      {13, what->a_negated},
      {14, what->b_negated},
      {15, what->a_mn_major},
      {16, what->b_mn_major},
      {17, what->n / 8},
      {23, scaled && what->scale == GG_DTYPE_ue8m0},
      {24, what->m / 16},
      {scaled ? 29 : 30, scaled                  ? what->scale_id_a
                         : what->max_shift == 32 ? 3
                                                 : what->max_shift / 8},
      {31, scaled && what->long_k},
  };
  uint32_t bits = 0;
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    bits |= (uint32_t)fields[i].value << fields[i].begin;
  *out = bits;
  return GG_OK;
}
