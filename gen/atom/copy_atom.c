/* Copy atoms: rows, names, layouts and wrappers.
 *
 * The layouts count in bits; tiled_copy.c recasts them to the elements that are copied. Source:
 * CuTe's copy_traits headers; PTX ISA, ldmatrix, stmatrix, movmatrix, cp.async. */
#include "atom/copy_atom.h"

#include <stdio.h>
#include <string.h>

#include "atom/atom_name.h"

static const gg_copy_row table[] = {
#define src GG_COPY_SRC
#define dst GG_COPY_DST
#define GG_COPY(ptx_name, number, suffix, isa, kind_, cute_name, thr, tv_src, tv_dst, side, bytes) \
  {ptx_name,    cute_name,      {number, suffix}, isa,  GG_COPY_##kind_,                           \
   GG_TV_##thr, GG_TV_##tv_src, GG_TV_##tv_dst,   side, bytes,                                     \
   0,           GG_TV_thread},
#define TMEM(ptx_name, cute_name, kind_, tv_src, tv_dst, side, most, tv_place)                     \
  {ptx_name,       cute_name, {100, 'f'}, 86,   GG_COPY_##kind_, GG_TV_warp, GG_TV_##tv_src,       \
   GG_TV_##tv_dst, side,      0,          most, GG_TV_##tv_place},
#define GG_TMEM_COPY(shape, name, most, registers, lanes, at, half)                                \
  TMEM("tcgen05.ld.sync.aligned." shape ".x*.b32", "SM100_TMEM_LOAD_" name "*x", tmem_load, lanes, \
       registers, src, most, at)                                                                   \
  TMEM("tcgen05.ld.sync.aligned." shape ".x*.pack::16b.b32", "SM100_TMEM_LOAD_" name "*x_16b",     \
       tmem_load, lanes, registers, src, most, half)                                               \
  TMEM("tcgen05.st.sync.aligned." shape ".x*.b32", "SM100_TMEM_STORE_" name "*x", tmem_store,      \
       registers, lanes, dst, most, at)                                                            \
  TMEM("tcgen05.st.sync.aligned." shape ".x*.unpack::16b.b32", "SM100_TMEM_STORE_" name "*x_16b",  \
       tmem_store, registers, lanes, dst, most, half)
#define GG_TMEM_CP(shape, name, tv_src, tv_dst, tv_src2, tv_dst2)                                  \
  {"tcgen05.cp.cta_group::1." shape,                                                               \
   "SM100_UTCCP_" name "_1cta",                                                                    \
   {100, 'f'},                                                                                     \
   86,                                                                                             \
   GG_COPY_tmem_cp,                                                                                \
   GG_TV_thread,                                                                                   \
   GG_TV_##tv_src,                                                                                 \
   GG_TV_##tv_dst,                                                                                 \
   dst,                                                                                            \
   0,                                                                                              \
   0,                                                                                              \
   GG_TV_thread},                                                                                  \
      {"tcgen05.cp.cta_group::2." shape,                                                           \
       "SM100_UTCCP_" name "_2cta",                                                                \
       {100, 'f'},                                                                                 \
       86,                                                                                         \
       GG_COPY_tmem_cp,                                                                            \
       GG_TV_pair,                                                                                 \
       GG_TV_##tv_src2,                                                                            \
       GG_TV_##tv_dst2,                                                                            \
       dst,                                                                                        \
       0,                                                                                          \
       0,                                                                                          \
       GG_TV_thread},
#include "atom/copy_atoms.def"
#undef GG_COPY
#undef GG_TMEM_COPY
#undef GG_TMEM_CP
#undef TMEM
#undef src
#undef dst
};

enum { row_count = sizeof table / sizeof *table };

const gg_copy_row *gg_copy_table(size_t *count) {
  *count = row_count;
  return table;
}

bool gg_copy_row_atom(gg_copy_atom *out, const gg_copy_row *row, int bits) {
  bool legal = row->widths ? bits > 0 && bits % 8 == 0 && (bits / 8 & (bits / 8 - 1)) == 0 &&
                                 (bits / 8 & row->widths)
                           : bits == 0 && !row->repeats;
  if (legal) *out = (gg_copy_atom){row, bits, 0};
  return legal;
}

bool gg_copy_row_repeated(gg_copy_atom *out, const gg_copy_row *row, int repeat) {
  bool legal = repeat > 0 && repeat <= row->repeats && (repeat & (repeat - 1)) == 0;
  if (legal) *out = (gg_copy_atom){row, 0, repeat};
  return legal;
}

bool gg_copy_row_next(gg_copy_atom *atom, const gg_copy_row *row) {
  bool first = atom->row != row;
  if (row->repeats) return gg_copy_row_repeated(atom, row, first ? 1 : 2 * atom->repeat);
  if (!row->widths) return first && gg_copy_row_atom(atom, row, 0);
  for (int bits = first ? 8 : 2 * atom->bits; bits <= 256; bits *= 2)
    if (gg_copy_row_atom(atom, row, bits)) return true;
  return false;
}

/* ---- Names -------------------------------------------------------------------------------- */

static gg_status bad_type(const gg_copy_row *row, const char *argument, gg_error *err) {
  char legal[64] = "a type of";
  for (int bytes = 1; bytes <= 32; bytes *= 2) {
    size_t length = strlen(legal);
    if (!(row->widths & bytes)) continue;
    snprintf(legal + length, sizeof legal - length, "%s %d", length > 9 ? "," : "", bytes);
  }
  strncat(legal, " bytes", sizeof legal - strlen(legal) - 1);
  return gg_fail(err, ATOM_PARAMETER, NULL, row->cute, "type", argument, legal);
}

/* Reads the arguments <S> or <S,D>, which must be of one width. */
static gg_status read_widths(gg_copy_atom *out, const gg_copy_row *row, const gg_atom_name *name,
                             gg_error *err) {
  if (name->count < 1 || name->count > 2) return bad_type(row, "missing", err);
  int bits[2] = {0};
  for (int i = 0; i < name->count; i++) {
    gg_dtype type;
    if (!gg_atom_argument_type(&type, &bits[i], name->arguments[i]) || bits[i] != bits[0] ||
        !gg_copy_row_atom(out, row, bits[i])) {
      return bad_type(row, name->arguments[i], err);
    }
  }
  return GG_OK;
}

/* Tries all names as near misses. Copies of tensor memory are tried with every repeat, so that only
 * what was written wrong differs. */
void gg_copy_atom_try_names(gg_atom_near *near) {
  for (const gg_copy_row *row = table; row < table + row_count; row++) {
    for (int repeat = 1; repeat == 1 || repeat <= row->repeats; repeat *= 2) {
      gg_str name = GG_STR_INIT;
      gg_atom_name_fill(&name, near->ptx ? row->ptx : row->cute, repeat);
      if (!name.failed) gg_near_try(&near->near, gg_str_text(&name));
      gg_str_free(&name);
    }
  }
}

static gg_status fail_name(const char *name, gg_error *err) {
  gg_atom_near near;
  if (!err) return GG_E_ATOM_NAME; /* the caller only tries */
  gg_atom_near_start(&near, name);
  gg_copy_atom_try_names(&near);
  return gg_atom_near_fail(&near, "copy", name, err);
}

static gg_status instantiate(gg_copy_atom *out, const gg_copy_row *row, int repeat, gg_error *err) {
  char given[16], legal[48];
  if (!row->repeats) {
    *out = (gg_copy_atom){row, 0, 0};
    return GG_OK;
  }
  if (gg_copy_row_repeated(out, row, repeat)) return GG_OK;
  snprintf(given, sizeof given, "%d", repeat);
  snprintf(legal, sizeof legal, "a power of two up to %d", row->repeats);
  return gg_fail(err, ATOM_PARAMETER, NULL, row->cute, "how often (*)", given, legal);
}

gg_status gg_copy_atom_find(gg_copy_atom *out, const char *name, gg_error *err) {
  gg_atom_name parsed;
  bool is_name = gg_atom_name_parse(&parsed, name);
  for (const gg_copy_row *row = table; row < table + row_count; row++) {
    int repeat = 0;
    if (is_name && gg_atom_name_match(&repeat, parsed.base, row->cute)) {
      if (row->widths) return read_widths(out, row, &parsed, err);
      return instantiate(out, row, repeat, err);
    }
    if (!row->widths && *row->ptx && gg_atom_name_match(&repeat, name, row->ptx))
      return instantiate(out, row, repeat, err);
  }
  return fail_name(name, err);
}

void gg_copy_atom_cute(gg_str *out, const gg_copy_atom *atom) {
  gg_atom_name_fill(out, atom->row->cute, atom->repeat);
  if (atom->bits) gg_str_printf(out, "<uint%d_t>", atom->bits);
}

void gg_copy_atom_ptx(gg_str *out, const gg_copy_atom *atom) {
  gg_atom_name_fill(out, atom->row->ptx, atom->repeat);
}

/* ---- Layouts ------------------------------------------------------------------------------ */

gg_layout gg_copy_atom_layout(const gg_copy_atom *atom, gg_copy_side side) {
  const gg_copy_row *row = atom->row;
  if (side == GG_COPY_REF) side = row->ref;
  return gg_tv_layout(side == GG_COPY_SRC ? row->src : row->dst,
                      (gg_tv_sizes){.bits = atom->bits, .repeat = atom->repeat});
}

gg_layout gg_copy_atom_place(const gg_copy_atom *atom) {
  return gg_tv_layout(atom->row->place, (gg_tv_sizes){.repeat = atom->repeat});
}

gg_layout gg_copy_atom_threads(const gg_copy_atom *atom) {
  return gg_tv_layout(atom->row->threads, (gg_tv_sizes){0});
}

/* ---- Wrappers ----------------------------------------------------------------------------- */

/* How many 32-bit registers a thread has on the side that is in registers. */
static int register_count(const gg_copy_atom *atom, gg_copy_side side) {
  gg_layout layout = gg_copy_atom_layout(atom, side);
  return (int)(gg_layout_mode_size(&layout, 1) / 32);
}

static void put_list(gg_str *out, int first, int count) {
  for (int i = 0; i < count; i++)
    gg_str_printf(out, "%s%%%d", i ? ", " : "{", first + i);
  gg_str_putc(out, '}');
}

static void put_ldmatrix(gg_str *out, const gg_copy_atom *atom, const char *name) {
  int count = register_count(atom, GG_COPY_DST);
  gg_str_printf(out, "__device__ inline void %s(unsigned (&dst)[%d], unsigned src) {\n", name,
                count);
  gg_str_printf(out, "  asm volatile(\"%s ", atom->row->ptx);
  put_list(out, 0, count);
  gg_str_printf(out, ", [%%%d];\"\n               : ", count);
  for (int i = 0; i < count; i++)
    gg_str_printf(out, "%s\"=r\"(dst[%d])", i ? ", " : "", i);
  gg_str_puts(out, "\n               : \"r\"(src)\n               : \"memory\");\n}\n");
}

static void put_stmatrix(gg_str *out, const gg_copy_atom *atom, const char *name) {
  int count = register_count(atom, GG_COPY_SRC);
  gg_str_printf(out, "__device__ inline void %s(unsigned dst, const unsigned (&src)[%d]) {\n", name,
                count);
  gg_str_printf(out, "  asm volatile(\"%s [%%0], ", atom->row->ptx);
  put_list(out, 1, count);
  gg_str_puts(out, ";\" ::\"r\"(dst)");
  for (int i = 0; i < count; i++)
    gg_str_printf(out, ", \"r\"(src[%d])", i);
  gg_str_puts(out, "\n               : \"memory\");\n}\n");
}

static void put_cp_async(gg_str *out, const gg_copy_atom *atom, const char *name) {
  bool zfill = atom->row->kind == GG_COPY_cp_async_zfill;
  int bytes = atom->bits / 8;
  gg_str_printf(out, "__device__ inline void %s(unsigned dst, const void *src%s) {\n", name,
                zfill ? ", bool predicate" : "");
  gg_str_printf(out, "  asm volatile(\"%s [%%0], [%%1], %d%s;\" ::\"r\"(dst), \"l\"(src)",
                atom->row->ptx, bytes, zfill ? ", %2" : "");
  if (zfill) gg_str_printf(out, ", \"r\"(predicate ? %d : 0)", bytes);
  gg_str_puts(out, "\n               : \"memory\");\n}\n");
}

static const char *wide_separator(int i) {
  return i == 0 ? "" : i % 4 == 0 ? ",\n                 " : ", ";
}

static void put_wide(gg_str *out, const gg_copy_atom *atom, const char *name) {
  enum { count = 8 };
  bool load = atom->row->ptx[0] == 'l';
  gg_str_printf(out, "__device__ inline void %s(%s) {\n  asm volatile(\"%s ", name,
                load ? "float (&dst)[8], const void *src" : "void *dst, const float (&src)[8]",
                atom->row->ptx);
  if (load) {
    put_list(out, 0, count);
    gg_str_printf(out, ", [%%%d];\"\n               : ", count);
    for (int i = 0; i < count; i++)
      gg_str_printf(out, "%s\"=f\"(dst[%d])", wide_separator(i), i);
    gg_str_puts(out, "\n               : \"l\"(src)");
  } else {
    gg_str_puts(out, "[%0], ");
    put_list(out, 1, count);
    gg_str_puts(out, ";\"\n               ::\"l\"(dst),\n                 ");
    for (int i = 0; i < count; i++)
      gg_str_printf(out, "%s\"f\"(src[%d])", wide_separator(i), i);
  }
  gg_str_puts(out, "\n               : \"memory\");\n}\n");
}

gg_status gg_copy_atom_wrapper(gg_str *out, const gg_copy_atom *atom, const char *name,
                               gg_error *err) {
  switch (atom->row->kind) {
  case GG_COPY_ldmatrix:
    put_ldmatrix(out, atom, name);
    return GG_OK;
  case GG_COPY_stmatrix:
    put_stmatrix(out, atom, name);
    return GG_OK;
  case GG_COPY_cp_async:
  case GG_COPY_cp_async_zfill:
    put_cp_async(out, atom, name);
    return GG_OK;
  case GG_COPY_movmatrix:
    gg_str_printf(out,
                  "__device__ inline void %s(unsigned &dst, unsigned src) {\n"
                  "  asm volatile(\"%s %%0, %%1;\" : \"=r\"(dst) : \"r\"(src));\n}\n",
                  name, atom->row->ptx);
    return GG_OK;
  case GG_COPY_wide:
    put_wide(out, atom, name);
    return GG_OK;
  case GG_COPY_tmem_load:
  case GG_COPY_tmem_store:
  case GG_COPY_tmem_cp:
    return gg_fail(err, ATOM_WRAPPER, NULL, atom->row->cute,
                   "it is done when a wait, which stands elsewhere, says so");
  case GG_COPY_plain:
  case GG_COPY_shuffle:
    break;
  }
  return gg_fail(err, ATOM_WRAPPER, NULL, atom->row->cute, "CUDA C++ says it without PTX");
}
