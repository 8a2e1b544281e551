/* MMA atoms: rows and families, names and lookups. The text of wrappers is made in mma_wrapper.c.
 *
 * A line of a family in mma_atoms.def becomes several rows. A row of wgmma stands for its 32 (or
 * 18) values of N, a row of tcgen05 for all shapes, types and majors that its parameters can give,
 * a row of sm_120 for types. mma_parameters.c reads and checks the parameters. */
#include "atom/mma_atom.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "atom/dtype.h"
#include "atom/mma_parameters.h"

/* Integers of two different types came with PTX ISA 8.4. */
#define WGMMA_ISA(sp, c, a, b) ((c) == GG_DTYPE_s32 && (a) != (b) ? 84 : sizeof(sp) > 1 ? 82 : 80)

#define WGMMA(sp, types, cute_name, k_extent, dtype_c, dtype_a, dtype_b, tv_a, tv_e, src_a, step,  \
              tn)                                                                                  \
  {                                                                                                \
    .ptx = "wgmma.mma_async" sp ".sync.aligned.m64n*k" #k_extent types, .cute = cute_name,         \
    .m = 64, .k = k_extent, .arch = {90, 'a'},                                                     \
    .ptx_isa = WGMMA_ISA(sp, GG_DTYPE_##dtype_c, GG_DTYPE_##dtype_a, GG_DTYPE_##dtype_b),          \
    .kind = GG_MMA_wgmma, .c = GG_DTYPE_##dtype_c, .a = GG_DTYPE_##dtype_a,                        \
    .b = GG_DTYPE_##dtype_b, .threads = GG_TV_group, .layout_a = GG_TV_##tv_a,                     \
    .layout_b = GG_TV_g_shared_b, .layout_c = GG_TV_g64xN, .layout_e = GG_TV_##tv_e,               \
    .source_a = src_a, .source_b = GG_MMA_SHARED, .n_step = step, .k_major = tn,                   \
    .sparse = sizeof(sp) > 1                                                                       \
  }

#define TCGEN05(sp, cta, kind_name, cute_name, k_extent, number_, suffix_, isa_, dtype_c, dtype_a, \
                tv, thr, src_a, step, block_, more, scales)                                        \
  {                                                                                                \
    .ptx = "tcgen05.mma" sp ".cta_group::" cta ".kind::" kind_name, .cute = cute_name,             \
    .k = k_extent, .arch = {number_, suffix_}, .ptx_isa = isa_, .kind = GG_MMA_tcgen05,            \
    .c = GG_DTYPE_##dtype_c, .a = GG_DTYPE_##dtype_a, .b = GG_DTYPE_##dtype_a,                     \
    .threads = GG_TV_##thr, .layout_a = GG_TV_##tv##_a, .layout_b = GG_TV_##tv##_b,                \
    .layout_c = GG_TV_##tv##_c, .source_a = src_a, .source_b = GG_MMA_SHARED, .n_step = step,      \
    .k_major = more, .sparse = sizeof(sp) > 1, .block = block_, .scales_d = scales                 \
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
#define GG_MMA_SPARSE(types, k_, number, cute_name, c_, a_, b_, tv_a, tv_b, tv_e)                  \
  {.ptx = "mma.sp::ordered_metadata.sync.aligned.m16n8k" #k_ ".row.col." types,                    \
   .cute = cute_name,                                                                              \
   .m = 16,                                                                                        \
   .n = 8,                                                                                         \
   .k = k_,                                                                                        \
   .arch = {number, 0},                                                                            \
   .ptx_isa = 85,                                                                                  \
   .kind = GG_MMA_sync,                                                                            \
   .c = GG_DTYPE_##c_,                                                                             \
   .a = GG_DTYPE_##a_,                                                                             \
   .b = GG_DTYPE_##b_,                                                                             \
   .threads = GG_TV_warp,                                                                          \
   .layout_a = GG_TV_##tv_a,                                                                       \
   .layout_b = GG_TV_##tv_b,                                                                       \
   .layout_c = GG_TV_w16x8,                                                                        \
   .layout_e = GG_TV_##tv_e,                                                                       \
   .sparse = true},
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
#define UMMA1(sp, kind, name, k, suffix, c, ab, src, step, scales)                                 \
  TCGEN05(sp, "1", kind, "SM100_MMA_" name, k, 100, suffix, 86, c, ab, cta, thread, src, step, 0,  \
          false, scales)
#define UMMA2(sp, kind, name, k, suffix, c, ab, src, step, scales)                                 \
  TCGEN05(sp, "2", kind, "SM100_MMA_" name, k, 100, suffix, 86, c, ab, pair, pair, src, step, 0,   \
          false, scales)
#define GG_TCGEN05(kind, name, k, sparse_k, step, sparse_step, suffix, c, ab)                      \
  UMMA1("", kind, name "_SS", k, suffix, c, ab, GG_MMA_SHARED, 8, false),                          \
      UMMA1("", kind, name "_TS", k, suffix, c, ab, GG_MMA_TENSOR, 8, false),                      \
      UMMA1(".sp", kind, name "_SS_SPARSE", sparse_k, suffix, c, ab, GG_MMA_SHARED, 8, false),     \
      UMMA2("", kind, name "_2x1SM_SS", k, suffix, c, ab, GG_MMA_SHARED, step, false),             \
      UMMA2("", kind, name "_2x1SM_TS", k, suffix, c, ab, GG_MMA_TENSOR, 32, false),               \
      UMMA2(".sp", kind, name "_2x1SM_SS_SPARSE", sparse_k, suffix, c, ab, GG_MMA_SHARED,          \
            sparse_step, false),
#define GG_TCGEN05_SCALED_D(kind, name, k, suffix, c, ab)                                          \
  UMMA1("", kind, name "_SS_SCALED", k, suffix, c, ab, GG_MMA_SHARED, 8, true),                    \
      UMMA1("", kind, name "_TS_SCALED", k, suffix, c, ab, GG_MMA_TENSOR, 8, true),                \
      UMMA2("", kind, name "_2x1SM_SS_SCALED", k, suffix, c, ab, GG_MMA_SHARED, 16, true),         \
      UMMA2("", kind, name "_2x1SM_TS_SCALED", k, suffix, c, ab, GG_MMA_TENSOR, 32, true),
#define GG_TCGEN05_BLOCKS(sp, kind, name, tail, k, block, step, packed, number, suffix, isa, ab)   \
  TCGEN05(sp, "1", kind, name "_SS" tail, k, number, suffix, isa, f32, ab, cta, thread,            \
          GG_MMA_SHARED, step, block, packed, false),                                              \
      TCGEN05(sp, "2", kind, name "_2x1SM_SS" tail, k, number, suffix, isa, f32, ab, pair, pair,   \
              GG_MMA_SHARED, 16, block, packed, false),
#define GG_MIXED(qualifiers, cute_name, k_, block_, sparse_, suffix_, c_, ab, tv_a, tv_b, tv_e,    \
                 sfa, sfb)                                                                         \
  {.ptx = "mma.sync.aligned.kind::" qualifiers ".m16n8k" #k_ ".row.col",                           \
   .cute = cute_name,                                                                              \
   .m = 16,                                                                                        \
   .n = 8,                                                                                         \
   .k = k_,                                                                                        \
   .arch = {120, suffix_},                                                                         \
   .ptx_isa = 88,                                                                                  \
   .kind = GG_MMA_mixed,                                                                           \
   .c = GG_DTYPE_##c_,                                                                             \
   .a = GG_DTYPE_##ab,                                                                             \
   .b = GG_DTYPE_##ab,                                                                             \
   .threads = GG_TV_warp,                                                                          \
   .layout_a = GG_TV_##tv_a,                                                                       \
   .layout_b = GG_TV_##tv_b,                                                                       \
   .layout_c = GG_TV_w16x8,                                                                        \
   .layout_e = GG_TV_##tv_e,                                                                       \
   .layout_sfa = GG_TV_##sfa,                                                                      \
   .layout_sfb = GG_TV_##sfb,                                                                      \
   .block = block_,                                                                                \
   .sparse = sparse_},
#include "atom/mma_atoms.def"
#undef GG_MMA
#undef GG_MMA_SPARSE
#undef GG_WGMMA
#undef GG_TCGEN05
#undef GG_TCGEN05_SCALED_D
#undef GG_TCGEN05_BLOCKS
#undef GG_MIXED
#undef UMMA1
#undef UMMA2
};

enum { row_count = sizeof table / sizeof *table };

const gg_mma_row *gg_mma_table(size_t *count) {
  *count = row_count;
  return table;
}

/* ---- Families ----------------------------------------------------------------------------- */

/* wgmma of integers has N = 8, 24 and the multiples of 16; all others have every multiple of 8. */
static bool wgmma_has_n(const gg_mma_row *row, int n) {
  return n >= 8 && n <= 256 && n % 8 == 0 && (n % row->n_step == 0 || n == 8 || n == 24);
}

/* The member of a row with this N and the row's own types. */
static gg_mma_atom member(const gg_mma_row *row, int n) {
  return (gg_mma_atom){.row = row,
                       .m = row->m,
                       .n = n,
                       .k = row->k,
                       .c = row->c,
                       .a = row->a,
                       .b = row->b,
                       .scale = gg_mma_row_scale(row)};
}

bool gg_mma_row_atom(gg_mma_atom *out, const gg_mma_row *row, int n) {
  if (row->kind == GG_MMA_tcgen05) return false;
  if (row->n_step ? !wgmma_has_n(row, n) : n != row->n) return false;
  *out = member(row, n);
  return true;
}

/* Whether the types are parameters of the row's instruction. */
static bool is_typed(const gg_mma_row *row) {
  return row->kind == GG_MMA_tcgen05 || row->kind == GG_MMA_mixed;
}

bool gg_mma_row_multiplies(const gg_mma_row *row, gg_dtype a, gg_dtype b) {
  bool any_a = a == GG_DTYPE_COUNT, any_b = b == GG_DTYPE_COUNT;
  if ((any_a || a == row->a) && (any_b || b == row->b)) return true;
  if (!is_typed(row) || a == GG_DTYPE_f32 || b == GG_DTYPE_f32) return false;
  bool mixes = any_a || any_b || a == b || gg_dtype_info_of(row->a)->bits <= 8;
  return mixes && (any_a || gg_mma_row_takes(row, a)) && (any_b || gg_mma_row_takes(row, b));
}

bool gg_mma_row_sums(const gg_mma_row *row, gg_dtype a, gg_dtype c) {
  if (row->c == c) return true;
  bool halves = a == GG_DTYPE_f16 || gg_dtype_info_of(a)->bits <= 8;
  return is_typed(row) && row->c == GG_DTYPE_f32 && c == GG_DTYPE_f16 && halves && !row->block;
}

bool gg_mma_row_is_plain(const gg_mma_row *row) {
  return !row->sparse && !row->block && !row->scales_d && !strstr(row->ptx, "satfinite");
}

bool gg_mma_row_is_xor(const gg_mma_row *row) {
  return row->b == GG_DTYPE_b1 && strstr(row->ptx, ".xor.");
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

/* ---- Near misses --------------------------------------------------------------------------- */

/* The part of a name behind its last "::". */
static const char *unqualified(const char *name) {
  const char *colons = strrchr(name, ':');
  return colons ? colons + 1 : name;
}

/* The second of three extents, such as the 96 in 64x96x16. */
static int n_of(const char *name) {
  const char *x = strchr(name, 'x');
  long n = x ? strtol(x + 1, NULL, 10) : 0;
  return n > 0 && n <= 256 ? (int)n : 0;
}

/* Tries a row's names as near misses. A family is tried with the N that the given name has, so that
 * only what was written wrong differs: in SM90_64x96x16_F32F16BF16_SS, the types. sm_90's atoms are
 * also tried under the names SM90_64x... */
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
  if (!err) return GG_E_ATOM_NAME; /* the caller only tries */
  gg_atom_near_start(&near, name);
  gg_mma_atom_try_names(&near);
  return gg_atom_near_fail(&near, "MMA", name, err);
}

/* ---- Lookup ------------------------------------------------------------------------------- */

/* CuTe has two names for its sm_90 atoms: SM90::GMMA::MMA_64x... is also SM90_64x..., and
 * SM90_16x8x... is also SM90::MMA_16x8x... The part that both have in common is returned. */
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
  return gg_mma_bad_parameter(row, "N", given, legal, err);
}

static gg_status instantiate(gg_mma_atom *out, const gg_mma_row *row, int n,
                             const gg_atom_name *name, gg_error *err) {
  gg_mma_atom atom = member(row, n);
  if (row->kind == GG_MMA_wgmma && !wgmma_has_n(row, n)) return bad_wgmma_n(row, n, err);
  gg_status st = gg_mma_read_arguments(&atom, name, err);
  if (st == GG_OK) *out = atom;
  return st;
}

/* Finds a row by CuTe's name. Where the block of scale factors is an argument, several rows differ
 * only in that; if none has the given block, the last of them is returned, and reports what is
 * wrong. */
static const gg_mma_row *find_cute(int *n, const gg_atom_name *name) {
  const gg_mma_row *found = NULL;
  for (const gg_mma_row *row = table; row < table + row_count; row++) {
    int own = row->n;
    if (!has_cute_name(&own, row, name->base)) continue;
    found = row, *n = own;
    if (gg_mma_asks_for_block(row, name)) break;
  }
  return found;
}

/* Whether a row has this PTX name; in a family, for one of its N. Unlike in CuTe's names,
 * qualifiers are part of the name. */
static bool has_ptx_name(int *n, const gg_mma_row *row, const char *name) {
  if (row->kind == GG_MMA_wgmma) return gg_atom_name_match(n, name, row->ptx);
  return *row->ptx && strcmp(name, row->ptx) == 0;
}

/* Finds an atom by its PTX name; a row with parameters has its types behind the name. No atom of
 * tcgen05 is found in this way, since its names leave the shape to the instruction descriptor. */
static gg_status find_ptx(gg_mma_atom *out, const char *name, bool *found, gg_error *err) {
  for (const gg_mma_row *row = table; row < table + row_count; row++) {
    size_t length = strlen(row->ptx);
    int n = row->n;
    bool mixed = row->kind == GG_MMA_mixed && strncmp(name, row->ptx, length) == 0;
    *found = mixed || (row->kind != GG_MMA_tcgen05 && row->kind != GG_MMA_mixed &&
                       has_ptx_name(&n, row, name));
    if (!*found) continue;
    gg_atom_name none = {.count = 0};
    if (!mixed) return instantiate(out, row, n, &none, err);
    gg_mma_atom atom = member(row, n);
    gg_status st = gg_mma_read_ptx_types(&atom, name + length, err);
    if (st == GG_OK) *out = atom;
    return st;
  }
  return GG_OK;
}

gg_status gg_mma_atom_find(gg_mma_atom *out, const char *name, gg_error *err) {
  gg_atom_name parsed = {.count = 0};
  bool found = false;
  if (strchr(name, '.')) {
    gg_status st = find_ptx(out, name, &found, err);
    return found ? st : fail_name(name, err);
  }
  int n = 0;
  const gg_mma_row *row = gg_atom_name_parse(&parsed, name) ? find_cute(&n, &parsed) : NULL;
  return row ? instantiate(out, row, n, &parsed, err) : fail_name(name, err);
}

gg_status gg_mma_umma_atom(gg_mma_atom *out, const gg_mma_row *row, const gg_mma_atom *wanted,
                           gg_error *err) {
  gg_mma_atom atom = *wanted;
  atom.row = row;
  atom.k = row->k;
  gg_status st = gg_mma_umma_check(&atom, err);
  if (st == GG_OK) *out = atom;
  return st;
}

static bool satisfies(const gg_mma_row *row, gg_dtype a, gg_dtype b, gg_dtype c, gg_arch arch) {
  return row->a == a && row->b == b && row->c == c && *row->ptx && gg_mma_row_is_plain(row) &&
         row->kind != GG_MMA_tcgen05 && row->kind != GG_MMA_mixed && row->kind != GG_MMA_dot &&
         gg_arch_runs(arch, row->arch);
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
  if (atom->row->kind == GG_MMA_dot) { /* signed or unsigned bytes, said for each operand */
    gg_str_printf(out, "dp4a.%c32.%c32", *gg_dtype_info_of(atom->a)->ptx,
                  *gg_dtype_info_of(atom->b)->ptx);
    return;
  }
  gg_atom_name_fill(out, atom->row->ptx, atom->n);
  gg_mma_put_ptx_types(out, atom);
}

void gg_mma_atom_cute(gg_str *out, const gg_mma_atom *atom) {
  gg_atom_name_fill(out, atom->row->cute, atom->n);
  gg_mma_put_arguments(out, atom);
}

gg_instr_desc gg_mma_atom_instr_desc(const gg_mma_atom *atom) {
  const gg_mma_row *row = atom->row;
  gg_dtype a = atom->a == GG_DTYPE_f32 ? GG_DTYPE_tf32 : atom->a;
  gg_dtype b = atom->b == GG_DTYPE_f32 ? GG_DTYPE_tf32 : atom->b;
  return (gg_instr_desc){.a = a,
                         .b = b,
                         .c = atom->c,
                         .m = atom->m,
                         .n = atom->n,
                         .a_mn_major = atom->a_mn_major,
                         .b_mn_major = atom->b_mn_major,
                         .sparse = row->sparse,
                         .scaled = row->block > 0,
                         .packed = row->a == GG_DTYPE_e2m1,
                         .scale = atom->scale};
}

static gg_tv layout_of(const gg_mma_atom *atom, gg_mma_operand operand) {
  const gg_mma_row *row = atom->row;
  const gg_tv layouts[] = {row->layout_a, row->layout_b,   row->layout_c,
                           row->layout_e, row->layout_sfa, row->layout_sfb};
  return layouts[operand];
}

static gg_tv_sizes sizes_of(const gg_mma_atom *atom) {
  return (gg_tv_sizes){.m = atom->m, .n = atom->n, .k = atom->k};
}

bool gg_mma_atom_has_layout(const gg_mma_atom *atom, gg_mma_operand operand) {
  return operand <= GG_MMA_C || layout_of(atom, operand) != GG_TV_thread;
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
