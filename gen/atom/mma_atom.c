/* MMA atoms: rows and families, names and lookups. The wrapper's text is made in mma_wrapper.c.
 *
 * The families' lines of mma_atoms.def become four rows each; a row of wgmma stands for its 32 (or
 * 18) values of N, a row of tcgen05 for the shapes that its parameters give. */
#include "atom/mma_atom.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "atom/atom_name.h"
#include "atom/dtype.h"

#define WGMMA(sp, types, cute_name, k_extent, dtype_c, dtype_a, dtype_b, tv_a, tv_e, src_a, step,  \
              tn)                                                                                  \
  {                                                                                                \
    .ptx = "wgmma.mma_async" sp ".sync.aligned.m64n*k" #k_extent types, .cute = cute_name,         \
    .m = 64, .k = k_extent, .arch = {90, 'a'}, .ptx_isa = sizeof(sp) > 1 ? 82 : 80,                \
    .kind = GG_MMA_wgmma, .c = GG_DTYPE_##dtype_c, .a = GG_DTYPE_##dtype_a,                        \
    .b = GG_DTYPE_##dtype_b, .threads = GG_TV_group, .layout_a = GG_TV_##tv_a,                     \
    .layout_b = GG_TV_g_shared_b, .layout_c = GG_TV_g64xN, .layout_e = GG_TV_##tv_e,               \
    .source_a = src_a, .source_b = GG_MMA_SHARED, .n_step = step, .k_major = tn,                   \
    .sparse = sizeof(sp) > 1                                                                       \
  }

#define TCGEN05(cta, kind_name, cute_name, k_extent, dtype_c, dtype_a, dtype_b, tv, thr, src_a,    \
                step)                                                                              \
  {                                                                                                \
    .ptx = "tcgen05.mma.cta_group::" cta ".kind::" kind_name, .cute = "SM100_MMA_" cute_name,      \
    .k = k_extent, .arch = {100, 'f'}, .ptx_isa = 86, .kind = GG_MMA_tcgen05,                      \
    .c = GG_DTYPE_##dtype_c, .a = GG_DTYPE_##dtype_a, .b = GG_DTYPE_##dtype_b,                     \
    .threads = GG_TV_##thr, .layout_a = GG_TV_##tv##_a, .layout_b = GG_TV_##tv##_b,                \
    .layout_c = GG_TV_##tv##_c, .source_a = src_a, .source_b = GG_MMA_SHARED, .n_step = step       \
  }

static const gg_mma_row table[] = {
#define GG_MMA(ptx_name, m_, n_, k_, number, suffix, isa, kind_, cute_name, c_, a_, b_, thr, tv_a, \
               tv_b, tv_c)                                                                         \
  {.ptx = ptx_name,                                                                                \
   .cute = cute_name,                                                                              \
   .m = m_,                                                                                        \
   .n = n_,                                                                                        \
   .k = k_,                                                                                        \
   .arch = {number, suffix},                                                                       \
   .ptx_isa = isa,                                                                                 \
   .kind = GG_MMA_##kind_,                                                                         \
   .c = GG_DTYPE_##c_,                                                                             \
   .a = GG_DTYPE_##a_,                                                                             \
   .b = GG_DTYPE_##b_,                                                                             \
   .threads = GG_TV_##thr,                                                                         \
   .layout_a = GG_TV_##tv_a,                                                                       \
   .layout_b = GG_TV_##tv_b,                                                                       \
   .layout_c = GG_TV_##tv_c},
#define GG_WGMMA(types, name, tail, k, sparse_k, step, c, a, b)                                    \
  WGMMA("", types, "SM90::GMMA::MMA_64x*x" #k "_" name "_SS" tail, k, c, a, b, g_shared_a, thread, \
        GG_MMA_SHARED, step, sizeof(tail) > 1),                                                    \
      WGMMA("", types, "SM90::GMMA::MMA_64x*x" #k "_" name "_RS" tail, k, c, a, b, g64x##k,        \
            thread, GG_MMA_REGISTERS, step, sizeof(tail) > 1),                                     \
      WGMMA(".sp", types, "SM90::GMMA::SPARSE::GMMA_64x*x" #sparse_k "_" name "_SS" tail,          \
            sparse_k, c, a, b, g_shared_a, g_meta64x##sparse_k, GG_MMA_SHARED, step,               \
            sizeof(tail) > 1),                                                                     \
      WGMMA(".sp", types, "SM90::GMMA::SPARSE::GMMA_64x*x" #sparse_k "_" name "_RS" tail,          \
            sparse_k, c, a, b, g64x##sparse_k, g_meta64x##sparse_k, GG_MMA_REGISTERS, step,        \
            sizeof(tail) > 1),
#define GG_TCGEN05(kind, name, k, c, a, b)                                                         \
  TCGEN05("1", kind, name "_SS", k, c, a, b, cta, thread, GG_MMA_SHARED, 8),                       \
      TCGEN05("1", kind, name "_TS", k, c, a, b, cta, thread, GG_MMA_TENSOR, 8),                   \
      TCGEN05("2", kind, name "_2x1SM_SS", k, c, a, b, pair, pair, GG_MMA_SHARED, 16),             \
      TCGEN05("2", kind, name "_2x1SM_TS", k, c, a, b, pair, pair, GG_MMA_TENSOR, 32),
#include "atom/mma_atoms.def"
#undef GG_MMA
#undef GG_WGMMA
#undef GG_TCGEN05
};

enum { row_count = sizeof table / sizeof *table };

const gg_mma_row *gg_mma_table(size_t *count) {
  *count = row_count;
  return table;
}

/* ---- Families ----------------------------------------------------------------------------- */

/* wgmma of integers has N = 8, 24 and the multiples of 16; the others have every multiple of 8. */
static bool wgmma_has_n(const gg_mma_row *row, int n) {
  return n >= 8 && n <= 256 && n % 8 == 0 && (n % row->n_step == 0 || n == 8 || n == 24);
}

bool gg_mma_row_atom(gg_mma_atom *out, const gg_mma_row *row, int n) {
  if (row->kind == GG_MMA_tcgen05) return false;
  if (row->n_step ? !wgmma_has_n(row, n) : n != row->n) return false;
  *out = (gg_mma_atom){
      .row = row, .m = row->m, .n = n, .k = row->k, .c = row->c, .a = row->a, .b = row->b};
  return true;
}

bool gg_mma_row_multiplies(const gg_mma_row *row, gg_dtype a, gg_dtype b) {
  bool any_a = a == GG_DTYPE_COUNT, any_b = b == GG_DTYPE_COUNT;
  if ((any_a || a == row->a) && (any_b || b == row->b)) return true;
  bool kind_f16 = row->kind == GG_MMA_tcgen05 && row->a == GG_DTYPE_f16;
  return kind_f16 && (any_a || a == GG_DTYPE_bf16) && (any_b || b == GG_DTYPE_bf16);
}

gg_mma_atom gg_mma_row_tcgen05(const gg_mma_row *row, int m, int n, gg_dtype a, gg_dtype b) {
  return (gg_mma_atom){.row = row, .m = m, .n = n, .k = row->k, .c = row->c, .a = a, .b = b};
}

bool gg_mma_row_is_plain(const gg_mma_row *row) {
  return !row->sparse && !strstr(row->ptx, "satfinite");
}

bool gg_mma_sums_in(gg_dtype type) {
  for (const gg_mma_row *row = table; row < table + row_count; row++)
    if (row->c == type) return true;
  return false;
}

int gg_mma_row_next_n(const gg_mma_row *row, int n) {
  if (row->kind != GG_MMA_wgmma) return n == 0 ? row->n : 0;
  for (n += 8; n <= 256; n += 8) {
    if (wgmma_has_n(row, n)) return n;
  }
  return 0;
}

static gg_status bad_parameter(const gg_mma_row *row, const char *what, const char *given,
                               const char *legal, gg_error *err) {
  const char *name = row->cute;
  for (const char *c; (c = strstr(name, "::")) != NULL;)
    name = c + 2;
  return gg_fail(err, ATOM_PARAMETER, NULL, name, what, given, legal);
}

/* ---- Template arguments --------------------------------------------------------------------- */

static gg_status read_major(bool *out, const gg_mma_row *row, const char *what,
                            gg_mma_source source, const char *argument, gg_error *err) {
  if (!gg_atom_argument_mn_major(out, argument)) {
    return bad_parameter(row, what, argument, "K or MN", err);
  }
  if (*out && (row->k_major || source != GG_MMA_SHARED)) {
    return bad_parameter(row, what, argument, "K alone", err);
  }
  return GG_OK;
}

/* Majors of A and B, then scales and a sparsity selector, which change nothing here. TN atoms
 * have no majors to give, only scales. */
static gg_status read_wgmma_arguments(gg_mma_atom *atom, const gg_atom_name *name, gg_error *err) {
  const gg_mma_row *row = atom->row;
  if (row->k_major || name->count == 0) return GG_OK;
  if (name->count < 2)
    return bad_parameter(row, "arguments", name->arguments[0], "majorA, majorB", err);
  gg_status st;
  if ((st = read_major(&atom->a_mn_major, row, "major of A", row->source_a, name->arguments[0],
                       err))) {
    return st;
  }
  return read_major(&atom->b_mn_major, row, "major of B", GG_MMA_SHARED, name->arguments[1], err);
}

static gg_status read_type(gg_dtype *out, const gg_mma_row *row, const char *argument,
                           gg_error *err) {
  int bits;
  if (gg_atom_argument_type(out, &bits, argument) && *out != GG_DTYPE_COUNT) return GG_OK;
  return bad_parameter(row, "type", argument, "a number type such as float or half_t", err);
}

/* UniversalFMA<D, A, B, C>; what is left out is as the type before it. */
static gg_status read_fma_arguments(gg_mma_atom *atom, const gg_atom_name *name, gg_error *err) {
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

/* M is 64 or 128 a CTA, N a multiple of the row's step up to 256; with M = 128 and A in tensor
 * memory, of 16. Source: PTX ISA, "tcgen05 Matrix Shape". */
static gg_status check_tcgen05_shape(const gg_mma_atom *atom, const gg_atom_name *name,
                                     gg_error *err) {
  const gg_mma_row *row = atom->row;
  int ctas = row->threads == GG_TV_pair ? 2 : 1;
  if (atom->m != 64 * ctas && atom->m != 128 * ctas) {
    return bad_parameter(row, "M", name->arguments[3], ctas == 2 ? "128 or 256" : "64 or 128", err);
  }
  int step = ctas == 1 && atom->m == 128 && row->source_a == GG_MMA_TENSOR ? 16 : row->n_step;
  if (atom->n % step != 0 || atom->n > 256) {
    return bad_parameter(row, "N", name->arguments[4],
                         step == 8    ? "a multiple of 8 up to 256"
                         : step == 16 ? "a multiple of 16 up to 256"
                                      : "a multiple of 32 up to 256",
                         err);
  }
  return GG_OK;
}

/* <A, B, C, M, N, majorA, majorB>, then signs, which change nothing here. */
static gg_status read_tcgen05_arguments(gg_mma_atom *atom, const gg_atom_name *name,
                                        gg_error *err) {
  const gg_mma_row *row = atom->row;
  gg_status st;
  if (name->count < 7) {
    return bad_parameter(row, "arguments", "too few", "A, B, C, M, N, majorA, majorB", err);
  }
  if ((st = read_type(&atom->a, row, name->arguments[0], err))) return st;
  if ((st = read_type(&atom->b, row, name->arguments[1], err))) return st;
  if ((st = read_type(&atom->c, row, name->arguments[2], err))) return st;
  int bits = gg_dtype_info_of(row->a)->bits;
  if (gg_dtype_info_of(atom->a)->bits != bits || gg_dtype_info_of(atom->b)->bits != bits) {
    return bad_parameter(row, "type", name->arguments[0], bits == 16 ? "16 bits" : "32 bits", err);
  }
  if (!gg_atom_argument_int(&atom->m, name->arguments[3])) {
    return bad_parameter(row, "M", name->arguments[3], "an integer", err);
  }
  if (!gg_atom_argument_int(&atom->n, name->arguments[4])) {
    return bad_parameter(row, "N", name->arguments[4], "an integer", err);
  }
  if ((st = check_tcgen05_shape(atom, name, err))) return st;
  if ((st = read_major(&atom->a_mn_major, row, "major of A", row->source_a, name->arguments[5],
                       err))) {
    return st;
  }
  return read_major(&atom->b_mn_major, row, "major of B", GG_MMA_SHARED, name->arguments[6], err);
}

/* ---- Near misses --------------------------------------------------------------------------- */

/* What stands behind the last "::". */
static const char *unqualified(const char *name) {
  const char *colons = strrchr(name, ':');
  return colons ? colons + 1 : name;
}

/* The second of three extents: 96 of 64x96x16. */
static int n_of(const char *name) {
  const char *x = strchr(name, 'x');
  long n = x ? strtol(x + 1, NULL, 10) : 0;
  return n > 0 && n <= 256 ? (int)n : 0;
}

/* A family is tried with the N that the name has, so that what differs is what was written wrong:
 * of SM90_64x96x16_F32F16BF16_SS the types. sm_90's atoms go by SM90_64x... too. */
static void try_row(gg_near *near, const gg_mma_row *row, bool ptx) {
  int extent = row->n;
  if (row->n_step && row->kind == GG_MMA_wgmma) extent = n_of(near->wanted);
  if (row->n_step && !gg_mma_row_atom(&(gg_mma_atom){0}, row, extent)) extent = 64;
  gg_str name = GG_STR_INIT;
  const char *cute = unqualified(row->cute);
  bool alias = row->arch.number == 90 && strncmp(cute, "MMA_", 4) == 0 &&
               strncmp(near->wanted, "SM90_", 5) == 0;
  if (alias) gg_str_puts(&name, "SM90_");
  gg_atom_name_fill(&name, ptx ? row->ptx : cute + (alias ? 4 : 0), extent);
  if (!name.failed) gg_near_try(near, gg_str_text(&name));
  gg_str_free(&name);
}

void gg_mma_atom_try_names(gg_atom_near *near) {
  for (const gg_mma_row *row = table; row < table + row_count; row++)
    try_row(&near->near, row, near->ptx);
}

static gg_status fail_name(const char *name, gg_error *err) {
  gg_atom_near near;
  if (!err) return GG_E_ATOM_NAME; /* other kinds are tried just now */
  gg_atom_near_start(&near, name);
  gg_mma_atom_try_names(&near);
  return gg_atom_near_fail(&near, "MMA", name, err);
}

/* ---- Lookup ------------------------------------------------------------------------------- */

/* CuTe has its sm_90 atoms under two names: SM90::GMMA::MMA_64x... also SM90_64x..., and
 * SM90_16x8x... also SM90::MMA_16x8x... */
static const char *without_prefix(const char *name) {
  const char *colons = strstr(name, "MMA_"), *alias = strstr(name, "SM90_");
  if (colons && (colons == name || colons[-1] == ':')) return colons + 4;
  return alias == name ? alias + 5 : name;
}

static bool has_cute_name(int *n, const gg_mma_row *row, const char *base) {
  if (gg_atom_name_match(n, base, row->cute)) return true;
  return row->arch.number == 90 &&
         gg_atom_name_match(n, without_prefix(base), without_prefix(row->cute));
}

static gg_status bad_wgmma_n(const gg_mma_row *row, int n, gg_error *err) {
  int nearest = 256;
  for (int next = gg_mma_row_next_n(row, 0); next; next = gg_mma_row_next_n(row, next)) {
    if (abs(next - n) < abs(nearest - n)) nearest = next;
  }
  char given[16], legal[64];
  snprintf(given, sizeof given, "%d", n);
  snprintf(legal, sizeof legal, "%s up to 256, the nearest %d",
           row->n_step == 8 ? "a multiple of 8" : "8, 24 or a multiple of 16", nearest);
  return bad_parameter(row, "N", given, legal, err);
}

static gg_status instantiate(gg_mma_atom *out, const gg_mma_row *row, int n,
                             const gg_atom_name *name, gg_error *err) {
  gg_mma_atom atom = {
      .row = row, .m = row->m, .n = n, .k = row->k, .c = row->c, .a = row->a, .b = row->b};
  gg_status st = GG_OK;
  if (row->kind == GG_MMA_wgmma) {
    if (!wgmma_has_n(row, n)) return bad_wgmma_n(row, n, err);
    st = read_wgmma_arguments(&atom, name, err);
  } else if (row->kind == GG_MMA_tcgen05) {
    st = read_tcgen05_arguments(&atom, name, err);
  } else if (row->kind == GG_MMA_fma) {
    st = read_fma_arguments(&atom, name, err);
  } else if (name->count > 0) {
    return bad_parameter(row, "arguments", name->arguments[0], "none", err);
  }
  if (st == GG_OK) *out = atom;
  return st;
}

gg_status gg_mma_atom_find(gg_mma_atom *out, const char *name, gg_error *err) {
  gg_atom_name parsed = {.count = 0};
  bool is_ptx = strchr(name, '.') != NULL, is_name = !is_ptx && gg_atom_name_parse(&parsed, name);
  for (const gg_mma_row *row = table; row < table + row_count; row++) {
    int n = row->n;
    /* tcgen05's PTX names leave the shape to the instruction descriptor */
    bool has_ptx = row->kind != GG_MMA_tcgen05 && *row->ptx;
    bool found = is_ptx ? has_ptx && gg_atom_name_match(&n, name, row->ptx)
                        : is_name && has_cute_name(&n, row, parsed.base);
    if (found) return instantiate(out, row, n, &parsed, err);
  }
  return fail_name(name, err);
}

static bool satisfies(const gg_mma_row *row, gg_dtype a, gg_dtype b, gg_dtype c, gg_arch arch) {
  return row->a == a && row->b == b && row->c == c && *row->ptx && gg_mma_row_is_plain(row) &&
         row->kind != GG_MMA_tcgen05 && row->kind != GG_MMA_dot && gg_arch_runs(arch, row->arch);
}

static int volume(const gg_mma_atom *atom) {
  return atom->m * atom->n * atom->k;
}

size_t gg_mma_atom_select(gg_mma_atom *out, size_t capacity, gg_dtype a, gg_dtype b, gg_dtype c,
                          gg_arch arch) {
  size_t count = 0, kept = 0;
  for (const gg_mma_row *row = table; row < table + row_count; row++) {
    gg_mma_atom atom;
    if (!satisfies(row, a, b, c, arch)) continue;
    if (!gg_mma_row_atom(&atom, row, row->n_step ? 256 : row->n)) continue;
    count++;
    size_t at = kept;
    while (at > 0 && volume(&out[at - 1]) < volume(&atom))
      at--;
    if (at == capacity) continue;
    if (kept < capacity) kept++;
    memmove(out + at + 1, out + at, (kept - at - 1) * sizeof *out);
    out[at] = atom;
  }
  return count;
}

/* ---- What an atom says -------------------------------------------------------------------- */

void gg_mma_atom_ptx(gg_str *out, const gg_mma_atom *atom) {
  gg_atom_name_fill(out, atom->row->ptx, atom->n);
}

void gg_mma_atom_cute(gg_str *out, const gg_mma_atom *atom) {
  const gg_mma_row *row = atom->row;
  const char *a_major = atom->a_mn_major ? "MN" : "K", *b_major = atom->b_mn_major ? "MN" : "K";
  gg_atom_name_fill(out, row->cute, atom->n);
  if (row->kind == GG_MMA_wgmma && !row->k_major) {
    gg_str_printf(out, "<%s,%s>", a_major, b_major);
  } else if (row->kind == GG_MMA_tcgen05) {
    gg_str_printf(out, "<%s,%s,%s,%d,%d,%s,%s>", gg_dtype_info_of(atom->a)->cute,
                  gg_dtype_info_of(atom->b)->cute, gg_dtype_info_of(atom->c)->cute, atom->m,
                  atom->n, a_major, b_major);
  } else if (row->kind == GG_MMA_fma) {
    const char *c = gg_dtype_info_of(atom->c)->cute;
    gg_str_printf(out, "<%s,%s,%s,%s>", c, gg_dtype_info_of(atom->a)->cute,
                  gg_dtype_info_of(atom->b)->cute, c);
  }
}

static gg_tv layout_of(const gg_mma_atom *atom, gg_mma_operand operand) {
  const gg_mma_row *row = atom->row;
  const gg_tv layouts[] = {row->layout_a, row->layout_b, row->layout_c, row->layout_e};
  return layouts[operand];
}

static gg_tv_sizes sizes_of(const gg_mma_atom *atom) {
  return (gg_tv_sizes){.m = atom->m, .n = atom->n, .k = atom->k};
}

gg_layout gg_mma_atom_layout(const gg_mma_atom *atom, gg_mma_operand operand) {
  return gg_tv_layout(layout_of(atom, operand), sizes_of(atom));
}

int gg_mma_atom_values(const gg_mma_atom *atom, gg_mma_operand operand) {
  return (int)gg_tv_mode_size(layout_of(atom, operand), sizes_of(atom), 1);
}

gg_layout gg_mma_atom_threads(const gg_mma_atom *atom) {
  return gg_tv_layout(atom->row->threads, (gg_tv_sizes){0});
}
