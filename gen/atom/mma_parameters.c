/* Reads and checks the parameters of MMA families: types, extents, blocks of scale factors, majors.
 * The row alone says what is legal. */
#include "atom/mma_parameters.h"

#include <stdio.h>
#include <string.h>

#include "atom/dtype.h"

gg_status gg_mma_bad_parameter(const gg_mma_row *row, const char *what, const char *given,
                               const char *legal, gg_error *err) {
  const char *name = row->cute;
  for (const char *c; (c = strstr(name, "::")) != NULL;)
    name = c + 2;
  return gg_fail(err, ATOM_PARAMETER, NULL, name, what, given, legal);
}

static gg_status bad_number(const gg_mma_row *row, const char *what, int given, const char *legal,
                            gg_error *err) {
  char text[16];
  snprintf(text, sizeof text, "%d", given);
  return gg_mma_bad_parameter(row, what, text, legal, err);
}

/* ---- Types ---------------------------------------------------------------------------------- */

/* Reads the type of an operand. float_e2m1_unpacksmem_t is CuTe's name for e2m1 as it lies in
 * shared memory for kinds f8f6f4 and mxf8f6f4. */
static gg_status read_type(gg_dtype *out, const gg_mma_row *row, const char *argument,
                           gg_error *err) {
  static const char suffix[] = "_unpacksmem_t";
  char plain[GG_ATOM_NAME_ARGUMENT];
  const char *end = strstr(argument, suffix);
  int bits;
  snprintf(plain, sizeof plain, "%.*s%s", end ? (int)(end - argument) : (int)sizeof plain, argument,
           end ? "_t" : "");
  if (gg_atom_argument_type(out, &bits, plain) && *out != GG_DTYPE_COUNT) return GG_OK;
  return gg_mma_bad_parameter(row, "type", argument, "a number type such as float or half_t", err);
}

bool gg_mma_row_takes(const gg_mma_row *row, gg_dtype type) {
  if (row->kind != GG_MMA_tcgen05 && row->kind != GG_MMA_mixed) return type == row->a;
  const gg_dtype_info *info = gg_dtype_info_of(type);
  switch (row->a) {
  case GG_DTYPE_f16:
    return info->kind == 'f' && info->bits == 16;
  case GG_DTYPE_tf32:
    return type == GG_DTYPE_tf32 || type == GG_DTYPE_f32;
  case GG_DTYPE_s8:
    return type == GG_DTYPE_s8 || type == GG_DTYPE_u8;
  case GG_DTYPE_e4m3:
    return gg_dtype_is_fp8(type) || type == GG_DTYPE_e3m2 || type == GG_DTYPE_e2m3 ||
           type == GG_DTYPE_e2m1;
  default:
    return type == row->a;
  }
}

static const char *taken_types(const gg_mma_row *row) {
  return row->a == GG_DTYPE_f16    ? "16 bits"
         : row->a == GG_DTYPE_tf32 ? "32 bits"
         : row->a == GG_DTYPE_s8   ? "s8 or u8"
         : row->a == GG_DTYPE_e2m1 ? "e2m1"
                                   : "e4m3, e5m2, e3m2, e2m3 or e2m1";
}

/* Whether the row sums in the atom's C. Besides the row's own type that is f16, for f16 and for
 * unscaled operands of 8, 6 and 4 bits. */
static bool sums(const gg_mma_atom *atom) {
  const gg_mma_row *row = atom->row;
  bool halves = row->a == GG_DTYPE_f16 ? atom->a == GG_DTYPE_f16 : row->a == GG_DTYPE_e4m3;
  return atom->c == row->c || (atom->c == GG_DTYPE_f16 && halves && !row->block);
}

gg_dtype gg_mma_row_scale(const gg_mma_row *row) {
  bool fine = row->a == GG_DTYPE_e2m1 && row->block == (row->sparse ? 32 : 16);
  return fine ? GG_DTYPE_ue4m3 : GG_DTYPE_ue8m0;
}

/* Whether the row takes scale factors of this type. For tcgen05, CuTe takes both types for packed
 * elements, whatever the block is. */
static bool scales(const gg_mma_row *row, gg_dtype scale) {
  if (row->kind == GG_MMA_mixed || row->a != GG_DTYPE_e2m1) return scale == gg_mma_row_scale(row);
  return scale == GG_DTYPE_ue8m0 || scale == GG_DTYPE_ue4m3;
}

static gg_status check_types(const gg_mma_atom *atom, gg_error *err) {
  const gg_mma_row *row = atom->row;
  gg_dtype types[] = {atom->a, atom->b};
  for (int i = 0; i < 2; i++)
    if (!gg_mma_row_takes(row, types[i]))
      return gg_mma_bad_parameter(row, "type", gg_dtype_info_of(types[i])->name, taken_types(row),
                                  err);
  if (row->a == GG_DTYPE_f16 && atom->a != atom->b)
    return gg_mma_bad_parameter(row, "type of B", gg_dtype_info_of(atom->b)->name, "that of A",
                                err);
  if (!sums(atom))
    return gg_mma_bad_parameter(row, "type of the sums", gg_dtype_info_of(atom->c)->name,
                                row->c == GG_DTYPE_s32 ? "s32"
                                : row->block           ? "f32"
                                                       : "f32, of f16 and of 8 bits and fewer f16",
                                err);
  if (row->block && !scales(row, atom->scale))
    return gg_mma_bad_parameter(row, "type of scale factors", gg_dtype_info_of(atom->scale)->name,
                                row->a != GG_DTYPE_e2m1       ? "ue8m0"
                                : row->kind == GG_MMA_tcgen05 ? "ue8m0 or ue4m3"
                                : row->block == 16            ? "ue4m3"
                                                              : "ue8m0",
                                err);
  return GG_OK;
}

/* ---- Majors --------------------------------------------------------------------------------- */

static gg_status read_major(bool *out, const gg_mma_row *row, const char *what,
                            gg_mma_source source, const char *argument, gg_error *err) {
  if (!gg_atom_argument_mn_major(out, argument)) {
    return gg_mma_bad_parameter(row, what, argument, "K or MN", err);
  }
  if (*out && (row->k_major || source != GG_MMA_SHARED)) {
    return gg_mma_bad_parameter(row, what, argument, "K alone", err);
  }
  return GG_OK;
}

static gg_status read_majors(gg_mma_atom *atom, const char *a, const char *b, gg_error *err) {
  const gg_mma_row *row = atom->row;
  gg_status st = read_major(&atom->a_mn_major, row, "major of A", row->source_a, a, err);
  return st ? st : read_major(&atom->b_mn_major, row, "major of B", GG_MMA_SHARED, b, err);
}

/* ---- Families -------------------------------------------------------------------------------- */

/* Reads the majors of A and B. Scales and a sparsity selector may follow; they change nothing here.
 * TN atoms have no majors, only scales. */
static gg_status read_wgmma(gg_mma_atom *atom, const gg_atom_name *name, gg_error *err) {
  if (atom->row->k_major || name->count == 0) return GG_OK;
  if (name->count < 2)
    return gg_mma_bad_parameter(atom->row, "arguments", name->arguments[0], "majorA, majorB", err);
  return read_majors(atom, name->arguments[0], name->arguments[1], err);
}

/* Reads UniversalFMA<D, A, B, C>. A type that is left out is the same as the one before it. */
static gg_status read_fma(gg_mma_atom *atom, const gg_atom_name *name, gg_error *err) {
  gg_dtype types[4] = {GG_DTYPE_f32, GG_DTYPE_f32, GG_DTYPE_f32, GG_DTYPE_f32};
  gg_status st;
  for (int i = 0; i < 4; i++) {
    if (i >= name->count) {
      types[i] = i ? types[i == 3 ? 0 : i - 1] : GG_DTYPE_f32;
    } else if ((st = read_type(&types[i], atom->row, name->arguments[i], err))) {
      return st;
    }
  }
  atom->c = types[3], atom->a = types[1], atom->b = types[2];
  return GG_OK;
}

/* The step of N. Source: PTX ISA, "tcgen05 Matrix Shape". Two wider steps are CuTe's instead: those
 * of pairs (A in tensor memory, or a sparse A of 8 bits), which the row has, and that of M = 128,
 * for which the ISA has 8. */
static int umma_step(const gg_mma_atom *atom) {
  const gg_mma_row *row = atom->row;
  bool pair = row->threads == GG_TV_pair;
  int step = row->n_step;
  if (row->block) return atom->b_mn_major ? 2 * (pair ? 16 : 8) : step;
  if (pair) return step;
  if (row->a == GG_DTYPE_s8 && atom->n > 32) return 16;
  return atom->m == 128 ? 16 : step;
}

gg_status gg_mma_umma_check(const gg_mma_atom *atom, gg_error *err) {
  const gg_mma_row *row = atom->row;
  int ctas = row->threads == GG_TV_pair ? 2 : 1, m = atom->m / ctas;
  gg_status st = check_types(atom, err);
  if (st) return st;
  bool majors = atom->a_mn_major || atom->b_mn_major;
  bool bytes = gg_dtype_info_of(atom->a)->bits >= 8 || !atom->a_mn_major;
  bytes &= gg_dtype_info_of(atom->b)->bits >= 8 || !atom->b_mn_major;
  if (majors && (row->k_major || !bytes))
    return gg_mma_bad_parameter(row, "major of 4 or 6 bits", "MN", "K alone", err);
  if (atom->a_mn_major && row->source_a != GG_MMA_SHARED)
    return gg_mma_bad_parameter(row, "major of A", "MN", "K alone", err);
  /* with scale factors: 128 rows a CTA; in a pair also 64, if A is dense and K is not 96 */
  bool small = !row->block || (ctas == 2 && !row->sparse && row->k != 96);
  if (atom->m % ctas != 0 || (m != 128 && !(m == 64 && small)))
    return bad_number(row, "M", atom->m,
                      ctas == 2 ? small ? "128 or 256" : "256"
                      : small   ? "64 or 128"
                                : "128",
                      err);
  int step = umma_step(atom);
  if (atom->n < step || atom->n % step != 0 || atom->n > 256)
    return bad_number(row, "N", atom->n,
                      step == 8    ? "a multiple of 8 up to 256"
                      : step == 16 ? "a multiple of 16 up to 256"
                                   : "a multiple of 32 up to 256",
                      err);
  return GG_OK;
}

/* Whether the block is one of the name's arguments. */
static bool names_block(const gg_mma_row *row) {
  return row->block && (row->k_major || row->kind == GG_MMA_mixed);
}

static gg_status read_int(int *out, const gg_mma_row *row, const char *what, const char *argument,
                          gg_error *err) {
  if (gg_atom_argument_int(out, argument)) return GG_OK;
  return gg_mma_bad_parameter(row, what, argument, "an integer", err);
}

/* Reads the types, which come first: A, B, C, and that of scale factors. */
static gg_status read_types(gg_mma_atom *atom, const gg_atom_name *name, gg_error *err) {
  gg_dtype *types[] = {&atom->a, &atom->b, &atom->c, &atom->scale};
  gg_status st = GG_OK;
  for (int i = 0; i < (atom->row->block ? 4 : 3) && !st; i++)
    st = read_type(types[i], atom->row, name->arguments[i], err);
  return st;
}

static gg_status check_block(const gg_mma_row *row, const char *argument, gg_error *err) {
  int block;
  gg_status st = read_int(&block, row, "the block of a scale factor", argument, err);
  bool tag = row->kind == GG_MMA_mixed && (block == 16 || block == 32);
  if (st || block == row->block || tag) return st;
  return gg_mma_bad_parameter(row, "the block of a scale factor", argument,
                              row->sparse && row->kind == GG_MMA_tcgen05 ? "32 or 64" : "16 or 32",
                              err);
}

/* Reads <A, B, C, [scales,] M, N, [block,] majorA, majorB>. Signs and the like may follow; they
 * change nothing here. */
static gg_status read_umma(gg_mma_atom *atom, const gg_atom_name *name, gg_error *err) {
  const gg_mma_row *row = atom->row;
  bool block = names_block(row);
  int at = row->block ? 4 : 3;
  gg_status st;
  if (name->count < at + 4 + block)
    return bad_number(row, "the number of arguments", name->count,
                      block        ? "A, B, C, scales, M, N, block, majorA, majorB"
                      : row->block ? "A, B, C, scales, M, N, majorA, majorB"
                                   : "A, B, C, M, N, majorA, majorB",
                      err);
  if ((st = read_types(atom, name, err))) return st;
  if ((st = read_int(&atom->m, row, "M", name->arguments[at++], err))) return st;
  if ((st = read_int(&atom->n, row, "N", name->arguments[at++], err))) return st;
  if (block && (st = check_block(row, name->arguments[at++], err))) return st;
  if ((st = read_majors(atom, name->arguments[at], name->arguments[at + 1], err))) return st;
  return gg_mma_umma_check(atom, err);
}

/* Reads <A, B, C>, or <A, B, C, scales, block>. */
static gg_status read_mixed(gg_mma_atom *atom, const gg_atom_name *name, gg_error *err) {
  const gg_mma_row *row = atom->row;
  gg_status st;
  if (name->count != (row->block ? 5 : 3))
    return bad_number(row, "the number of arguments", name->count,
                      row->block ? "A, B, C, scales, block" : "A, B, C", err);
  if ((st = read_types(atom, name, err))) return st;
  if (row->block && (st = check_block(row, name->arguments[4], err))) return st;
  return check_types(atom, err);
}

gg_status gg_mma_read_arguments(gg_mma_atom *atom, const gg_atom_name *name, gg_error *err) {
  switch (atom->row->kind) {
  case GG_MMA_wgmma:
    return read_wgmma(atom, name, err);
  case GG_MMA_tcgen05:
    return read_umma(atom, name, err);
  case GG_MMA_mixed:
    return read_mixed(atom, name, err);
  case GG_MMA_fma:
    return read_fma(atom, name, err);
  default:
    if (name->count == 0) return GG_OK;
    return gg_mma_bad_parameter(atom->row, "arguments", name->arguments[0], "none", err);
  }
}

bool gg_mma_asks_for_block(const gg_mma_row *row, const gg_atom_name *name) {
  int at = 6, block;
  gg_dtype scale;
  if (row->kind == GG_MMA_mixed && row->block)
    return name->count < 4 || read_type(&scale, row, name->arguments[3], NULL) ||
           scales(row, scale);
  if (!names_block(row) || name->count <= at) return true;
  return !gg_atom_argument_int(&block, name->arguments[at]) || block == row->block;
}

/* ---- Text ------------------------------------------------------------------------------------ */

static const char *cute_of(gg_dtype type) {
  return gg_dtype_info_of(type)->cute;
}

void gg_mma_put_arguments(gg_str *out, const gg_mma_atom *atom) {
  const gg_mma_row *row = atom->row;
  const char *a_major = atom->a_mn_major ? "MN" : "K", *b_major = atom->b_mn_major ? "MN" : "K";
  const char *a = cute_of(atom->a), *b = cute_of(atom->b), *c = cute_of(atom->c);
  bool typed = row->kind == GG_MMA_tcgen05 || row->kind == GG_MMA_mixed;
  if (row->kind == GG_MMA_wgmma && !row->k_major) {
    gg_str_printf(out, "<%s,%s>", a_major, b_major);
  } else if (row->kind == GG_MMA_fma) {
    gg_str_printf(out, "<%s,%s,%s,%s>", c, a, b, c);
  }
  if (!typed) return;
  gg_str_printf(out, "<%s,%s,%s", a, b, c);
  if (row->block) gg_str_printf(out, ",%s", cute_of(atom->scale));
  if (row->kind == GG_MMA_tcgen05) gg_str_printf(out, ",%d,%d", atom->m, atom->n);
  if (names_block(row)) gg_str_printf(out, ",%d", row->block);
  if (row->kind == GG_MMA_tcgen05) gg_str_printf(out, ",%s,%s", a_major, b_major);
  gg_str_puts(out, ">");
}

gg_status gg_mma_read_ptx_types(gg_mma_atom *atom, const char *text, gg_error *err) {
  const gg_mma_row *row = atom->row;
  gg_dtype again = row->c, *types[] = {&atom->c, &atom->a, &atom->b, &again, &atom->scale};
  int count = row->block ? 5 : 4, at = 0;
  const char *rest = text;
  while (at < count && *rest == '.') {
    char name[GG_ATOM_NAME_ARGUMENT];
    size_t length = strcspn(rest + 1, ".");
    snprintf(name, sizeof name, "%.*s", (int)length, rest + 1);
    if (!gg_dtype_find(types[at++], name)) break;
    rest += 1 + length;
  }
  if (at < count || *rest || again != atom->c)
    return gg_mma_bad_parameter(row, "types", *text ? text : "missing",
                                row->block ? ".C.A.B.C.scales" : ".C.A.B.C", err);
  return check_types(atom, err);
}

void gg_mma_put_ptx_types(gg_str *out, const gg_mma_atom *atom) {
  const char *c = gg_dtype_info_of(atom->c)->ptx;
  if (atom->row->kind != GG_MMA_mixed) return;
  gg_str_printf(out, ".%s.%s.%s.%s", c, gg_dtype_info_of(atom->a)->ptx,
                gg_dtype_info_of(atom->b)->ptx, c);
  if (atom->row->block) gg_str_printf(out, ".%s", gg_dtype_info_of(atom->scale)->ptx);
}
