/* The atom tables: a loop over the rows holds what every row must be, names, layouts, lookup and
 * wrapper; what the PTX ISA says of the fragments is stated here a second time, as a formula. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "atom/copy_atom.h"
#include "atom/dtype.h"
#include "atom/instr_desc.h"
#include "atom/mma_atom.h"
#include "atom/smem_desc.h"
#include "suite.h"

/* Calls `visit` on every atom: each row, and each N of a family. */
static void for_each_mma(void (*visit)(const gg_mma_atom *)) {
  size_t count;
  const gg_mma_row *rows = gg_mma_table(&count);
  for (const gg_mma_row *row = rows; row < rows + count; row++) {
    for (int n = gg_mma_row_next_n(row, 0); n; n = gg_mma_row_next_n(row, n)) {
      gg_mma_atom atom;
      ck_assert(gg_mma_row_atom(&atom, row, n));
      visit(&atom);
    }
  }
}

static int64_t tile_size(const gg_mma_atom *atom, gg_mma_operand operand) {
  return operand == GG_MMA_A   ? (int64_t)atom->m * atom->k
         : operand == GG_MMA_B ? (int64_t)atom->n * atom->k
                               : (int64_t)atom->m * atom->n;
}

/* Every index of [0, codomain) is reached equally often; gives how often. Threads that all hold the
 * same (stride 0) are looked at once. (Each ck_assert writes to a pipe: none in the loops.) */
static int64_t replication(const gg_layout *layout, int64_t codomain, const char *name) {
  int64_t threads = gg_layout_mode_size(layout, 0), size = gg_layout_size(layout);
  bool alike = true;
  for (int64_t i = 0; i < threads; i++)
    alike &= gg_layout_at(layout, i) == 0;
  gg_layout values = *layout;
  if (alike) {
    ck_assert(gg_layout_get(&values, layout, 1, NULL) == GG_OK);
    size /= threads;
    layout = &values;
  }
  int *hits = calloc((size_t)codomain, sizeof *hits);
  ck_assert_ptr_nonnull(hits);
  for (int64_t i = 0; i < size; i++) {
    int64_t at = gg_layout_at(layout, i);
    if (at < 0 || at >= codomain) ck_abort_msg("%s: %lld outside", name, (long long)at);
    hits[at]++;
  }
  for (int64_t i = 0; i < codomain; i++)
    if (hits[i] != hits[0]) ck_abort_msg("%s: index %lld", name, (long long)i);
  int64_t times = alike ? hits[0] * threads : hits[0];
  free(hits);
  return times;
}

/* ---- Rows --------------------------------------------------------------------------------- */

static void check_names(const gg_mma_atom *atom) {
  gg_str ptx = GG_STR_INIT, cute = GG_STR_INIT;
  char shape[48], ptx_shape[48], types[64];
  gg_mma_atom_ptx(&ptx, atom);
  gg_mma_atom_cute(&cute, atom);
  snprintf(shape, sizeof shape, "%dx%dx%d_", atom->m, atom->n, atom->k);
  snprintf(ptx_shape, sizeof ptx_shape, ".m%dn%dk%d.", atom->m, atom->n, atom->k);
  snprintf(types, sizeof types, ".%s.%s.%s", gg_dtype_info_of(atom->c)->ptx,
           gg_dtype_info_of(atom->a)->ptx, gg_dtype_info_of(atom->b)->ptx);
  bool thread = atom->row->kind == GG_MMA_fma || atom->row->kind == GG_MMA_dot;
  if (!thread) ck_assert_ptr_nonnull(strstr(gg_str_text(&cute), shape));
  if (ptx.length && !thread) {
    ck_assert_msg(strstr(ptx.text, ptx_shape) && strstr(ptx.text, types), "%s", ptx.text);
    ck_assert_int_eq(strstr(ptx.text, ".satfinite") != NULL,
                     strstr(cute.text, "_SATURATE") != NULL);
  }
  gg_str_free(&ptx);
  gg_str_free(&cute);
}

/* Of less than a byte, too. */
START_TEST(sizes_of_types) {
  static const struct {
    gg_dtype type;
    int64_t bytes_of_one, bytes_of_five, unit_of_16;
  } rows[] = {
      {GG_DTYPE_b1, 1, 1, 128},    {GG_DTYPE_e2m1, 1, 3, 32}, {GG_DTYPE_e2m3, 1, 4, 64},
      {GG_DTYPE_e4m3, 1, 5, 16},   {GG_DTYPE_f16, 2, 10, 8},  {GG_DTYPE_f64, 8, 40, 2},
      {GG_DTYPE_gc64, 24, 120, 2},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ck_assert_int_eq(gg_dtype_bytes(rows[i].type, 1), rows[i].bytes_of_one);
    ck_assert_int_eq(gg_dtype_bytes(rows[i].type, 5), rows[i].bytes_of_five);
    ck_assert_int_eq(gg_dtype_unit(rows[i].type, 16), rows[i].unit_of_16);
  }
}
END_TEST

START_TEST(names_agree_with_columns) {
  for_each_mma(check_names);
}
END_TEST

/* A layout of every other element along K, as one of all of half as many. */
static gg_layout first_of_two(const gg_layout *layout, int64_t m) {
  gg_layout flat = gg_layout_flatten(layout), threads, values, out;
  int64_t in_threads = gg_layout_mode_size(layout, 0), at = 1;
  threads = values = gg_layout_flat(1, 0);
  for (int i = 0; i < gg_layout_rank(&flat); i++) {
    int64_t shape = gg_tuple_value(&flat.shape, i), stride = gg_tuple_value(&flat.stride, i);
    if (stride >= m) {
      ck_assert(stride % (2 * m) == 0);
      stride /= 2;
    }
    gg_layout mode = gg_layout_flat(shape, stride), *into = at < in_threads ? &threads : &values;
    ck_assert(gg_layout_append(into, into, &mode, NULL) == GG_OK);
    at *= shape;
  }
  ck_assert(gg_layout_concat(&out, &threads, &values, NULL) == GG_OK);
  return out;
}

static void check_coverage(const gg_mma_atom *atom) {
  static const char *const names[] = {"A", "B", "C"};
  if (atom->n > 24 && atom->n != 256) return;       /* a family's layouts follow one rule in N, */
  int first = atom->n == 256 ? GG_MMA_B : GG_MMA_A; /* and those of A are the same for all */
  gg_layout threads = gg_mma_atom_threads(atom);
  for (int i = first; i < 3; i++) {
    gg_mma_operand operand = (gg_mma_operand)i;
    gg_layout layout = gg_mma_atom_layout(atom, operand);
    char label[160];
    snprintf(label, sizeof label, "%s %dx%dx%d %s", atom->row->cute, atom->m, atom->n, atom->k,
             names[i]);
    ck_assert_int_eq(gg_layout_rank(&layout), 2);
    ck_assert_int_eq(gg_layout_mode_size(&layout, 1), gg_mma_atom_values(atom, operand));
    ck_assert_int_eq(gg_layout_mode_size(&layout, 0), gg_layout_size(&threads));
    bool shared = operand == GG_MMA_A   ? atom->row->source_a == GG_MMA_SHARED
                  : operand == GG_MMA_B ? atom->row->source_b == GG_MMA_SHARED
                                        : false;
    ck_assert_msg(replication(&layout, tile_size(atom, operand), label) ==
                      (shared ? gg_layout_size(&threads) : 1),
                  "%s", label);
  }
  if (atom->row->sparse &&
      atom->n == 8) { /* metadata: threads in pairs or all four of a quad share it */
    gg_layout layout = gg_mma_atom_layout(atom, GG_MMA_E);
    ck_assert_int_eq(gg_layout_mode_size(&layout, 0), gg_layout_size(&threads));
    int64_t elements = tile_size(atom, GG_MMA_A);
    if (gg_dtype_info_of(atom->a)->bits < 8 && atom->row->a == atom->a) /* a bit is of two */
      layout = first_of_two(&layout, atom->m), elements /= 2;
    replication(&layout, elements, atom->row->cute);
  }
}

START_TEST(layouts_cover_the_tile) {
  for_each_mma(check_coverage);
}
END_TEST

/* PTX ISA, "Matrix Fragments for mma.m16n8k*" and m8n8k*: with V values in a 32-bit register (one
 * of f64), group = lane / 4 and lane4 = lane % 4, the i-th value is at
 * (of a sparse A V counts what is not stored, too)
 *   A: row group + 8 ((i / V) % R), column V lane4 + i % V + 4V (i / (V R)), R = M / 8 rows
 *   B: column group, row V lane4 + i % V + 4V (i / V)
 *   C: row group + 8 (i / 2), column 2 lane4 + i % 2 */
static int64_t isa_index(const gg_mma_atom *atom, gg_mma_operand operand, int lane, int i) {
  int bits = gg_dtype_info_of(atom->a)->bits, v = bits > 32 ? 1 : 32 / bits;
  if (atom->row->sparse && operand == GG_MMA_A) v *= 2;
  int group = lane / 4, lane4 = lane % 4, rows = atom->m / 8;
  if (operand == GG_MMA_A) {
    int row = group + 8 * ((i / v) % rows), column = v * lane4 + i % v + 4 * v * (i / (v * rows));
    return row + (int64_t)column * atom->m;
  }
  if (operand == GG_MMA_B) {
    return group + (int64_t)(v * lane4 + i % v + 4 * v * (i / v)) * atom->n;
  }
  return group + 8 * (i / 2) + (int64_t)(2 * lane4 + i % 2) * atom->m;
}

static void check_fragments(const gg_mma_atom *atom) {
  const gg_mma_row *row = atom->row;
  if (row->threads != GG_TV_warp) return;
  for (int operand = 0; operand < 3; operand++) {
    gg_layout layout = gg_mma_atom_layout(atom, (gg_mma_operand)operand);
    int values = (int)gg_layout_mode_size(&layout, 1);
    for (int i = 0; i < 32 * values; i++) {
      ck_assert_msg(gg_layout_at(&layout, i) ==
                        isa_index(atom, (gg_mma_operand)operand, i % 32, i / 32),
                    "%s operand %d, lane %d, value %d", row->cute, operand, i % 32, i / 32);
    }
  }
}

START_TEST(fragments_are_as_the_isa_says) {
  for_each_mma(check_fragments);
}
END_TEST

/* ---- Lookup ------------------------------------------------------------------------------- */

static void check_found(const gg_mma_atom *atom) {
  gg_error err = GG_ERROR_INIT;
  gg_str name = GG_STR_INIT;
  gg_mma_atom found;
  gg_mma_atom_cute(&name, atom);
  ck_assert_msg(gg_mma_atom_find(&found, name.text, &err) == GG_OK, "%s", err.message);
  ck_assert(found.row == atom->row && found.n == atom->n);
  gg_str_free(&name);
  gg_mma_atom_ptx(&name, atom);
  if (name.length) {
    ck_assert_msg(gg_mma_atom_find(&found, name.text, &err) == GG_OK, "%s", err.message);
    ck_assert_str_eq(found.row->ptx, atom->row->ptx);
    ck_assert_int_eq(found.n, atom->n);
  }
  gg_str_free(&name);
  gg_error_clear(&err);
}

START_TEST(every_atom_is_found_by_its_names) {
  for_each_mma(check_found);
}
END_TEST

START_TEST(names_are_read_as_cute_writes_them) {
  gg_mma_atom atom;
  ck_assert(gg_mma_atom_find(&atom,
                             "SM90::GMMA::MMA_64x128x16_F32F16F16_SS<SM90::GMMA::Major::K, "
                             "SM90::GMMA::Major::MN>",
                             NULL) == GG_OK);
  ck_assert(atom.n == 128 && !atom.a_mn_major && atom.b_mn_major);
  ck_assert(gg_mma_atom_find(&atom, "SM90_64x40x16_F32BF16BF16_RS<GMMA::Major::K,GMMA::Major::MN>",
                             NULL) == GG_OK);
  ck_assert(atom.n == 40 && atom.a == GG_DTYPE_bf16 && atom.row->source_a == GG_MMA_REGISTERS);
  ck_assert(gg_mma_atom_find(&atom, "SM90::MMA_16x8x8_F64F64F64F64_TN", NULL) == GG_OK);
  ck_assert(atom.k == 8 && atom.a == GG_DTYPE_f64);
  ck_assert(gg_mma_atom_find(&atom, "UniversalFMA<double,double,double>", NULL) == GG_OK);
  ck_assert(atom.c == GG_DTYPE_f64);
  ck_assert(gg_mma_atom_find(&atom,
                             "SM100_MMA_F16BF16_2x1SM_SS<half_t,half_t,float,256,128,"
                             "UMMA::Major::K,UMMA::Major::K>",
                             NULL) == GG_OK);
  ck_assert(atom.m == 256 && atom.n == 128 && atom.k == 16);
}
END_TEST

START_TEST(wrong_names_are_refused) {
  static const struct {
    const char *name;
    gg_status status;
  } cases[] = {
      {"", GG_E_ATOM_NAME},
      {"SM80_16x8x16_F32F16F16F32", GG_E_ATOM_NAME},
      {"SM80_16x8x16_F32F16F16F32_TN<", GG_E_ATOM_NAME},
      {"SM80_16x8x16_F32F16F16F32_TN<K>", GG_E_ATOM_PARAMETER},
      {"MMA_64x12x16_F32F16F16_SS<K,K>", GG_E_ATOM_PARAMETER},
      {"MMA_64x264x16_F32F16F16_SS<K,K>", GG_E_ATOM_PARAMETER},
      {"MMA_64x99999999999999999999x16_F32F16F16_SS", GG_E_ATOM_NAME},
      {"MMA_64x40x32_S32S8S8_SS_TN", GG_E_ATOM_PARAMETER},
      {"MMA_64x64x16_F32F16F16_RS<MN,K>", GG_E_ATOM_PARAMETER},
      {"MMA_64x64x16_F32F16F16_SS<Q,K>", GG_E_ATOM_PARAMETER},
      {"MMA_64x64x16_F32F16F16_SS<K>", GG_E_ATOM_PARAMETER},
      {"SM100_MMA_F16BF16_SS<half_t,half_t,float,96,128,K,K>", GG_E_ATOM_PARAMETER},
      {"SM100_MMA_F16BF16_SS<half_t,half_t,float,128,300,K,K>", GG_E_ATOM_PARAMETER},
      {"SM100_MMA_F16BF16_SS<float,half_t,float,128,128,K,K>", GG_E_ATOM_PARAMETER},
      {"SM100_MMA_F16BF16_TS<half_t,half_t,float,128,128,MN,K>", GG_E_ATOM_PARAMETER},
      {"SM100_MMA_F16BF16_SS", GG_E_ATOM_PARAMETER},
      {"UniversalFMA<what>", GG_E_ATOM_PARAMETER},
      {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16", GG_E_ATOM_NAME},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    gg_error err = GG_ERROR_INIT;
    gg_mma_atom atom;
    ck_assert_msg(gg_mma_atom_find(&atom, cases[i].name, &err) == cases[i].status, "%s: %s",
                  cases[i].name, err.message);
    gg_error_clear(&err);
  }
}
END_TEST

START_TEST(the_nearest_n_is_named) {
  gg_error err = GG_ERROR_INIT;
  gg_mma_atom atom;
  gg_mma_atom_find(&atom, "MMA_64x41x32_S32S8S8_SS_TN", &err);
  ck_assert_str_eq(err.message, "MMA_64x*x32_S32S8S8_SS_TN: N is 41; legal: 8, 24 or a multiple of "
                                "16 up to 256, the nearest 48");
  gg_error_clear(&err);
}
END_TEST

/* A family is tried with the N of the name, so that the types are what differs. */
START_TEST(the_nearest_name_is_named) {
  static const struct {
    const char *name, *nearest;
  } cases[] = {
      {"SM80_16x8x16_F32F16F16F32", "SM80_16x8x16_F32F16F16F32_TN"},
      {"SM90_64x96x16_F32F16BF16_SS", "SM90_64x96x16_F32F16F16_SS"},
      {"MMA_64x64x32_S32S4S4_SS_TN", "MMA_64x64x32_S32S8S8_SS_TN"},
      {"SM61_DP2A", "SM61_DP4A"},
      {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16",
       "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    gg_error err = GG_ERROR_INIT;
    gg_mma_atom atom;
    char wanted[160];
    snprintf(wanted, sizeof wanted, "did you mean '%s'?", cases[i].nearest);
    ck_assert_int_eq(gg_mma_atom_find(&atom, cases[i].name, &err), GG_E_ATOM_NAME);
    ck_assert_msg(strstr(err.message, wanted), "%s", err.message);
    gg_error_clear(&err);
  }
  gg_error err = GG_ERROR_INIT;
  gg_copy_atom copy;
  gg_copy_atom_find(&copy, "SM75_U32x4_LDSM", &err);
  ck_assert_msg(strstr(err.message, "'SM75_U32x4_LDSM_N'"), "%s", err.message);
  gg_error_clear(&err);
  gg_copy_atom_find(&copy, "something else", &err);
  ck_assert_str_eq(err.message,
                   "no copy atom is named 'something else' (`gemmgen atoms` lists them)");
  gg_error_clear(&err);
}
END_TEST

START_TEST(atoms_are_selected_by_types) {
  gg_mma_atom atoms[4];
  gg_arch sm80 = {80, 0}, sm90a = {90, 'a'}, sm75 = {75, 0};
  ck_assert_int_eq(gg_mma_atom_select(atoms, 4, GG_DTYPE_f16, GG_DTYPE_f16, GG_DTYPE_f32, sm80), 7);
  ck_assert_str_eq(atoms[0].row->cute, "SM80_16x8x16_F32F16F16F32_TN");
  ck_assert_int_eq(gg_mma_atom_select(atoms, 4, GG_DTYPE_bf16, GG_DTYPE_bf16, GG_DTYPE_f32, sm90a),
                   4);
  ck_assert_int_eq(atoms[0].row->kind, GG_MMA_wgmma);
  ck_assert_int_eq(atoms[0].n, 256);
  ck_assert_int_eq(gg_mma_atom_select(atoms, 1, GG_DTYPE_bf16, GG_DTYPE_bf16, GG_DTYPE_f32, sm75),
                   0);
}
END_TEST

/* ---- Wrappers ----------------------------------------------------------------------------- */

START_TEST(wrappers_read_as_written_by_hand) {
  gg_mma_atom atom;
  gg_str text = GG_STR_INIT;
  ck_assert(gg_mma_atom_find(&atom, "SM80_16x8x16_F32BF16BF16F32_TN", NULL) == GG_OK);
  ck_assert(gg_mma_atom_wrapper(&text, &atom, "mma", NULL) == GG_OK);
  ck_assert_str_eq(
      text.text,
      "__device__ inline void mma(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2])"
      " {\n"
      "  asm volatile(\n"
      "      \"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 \"\n"
      "      \"{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\"\n"
      "      : \"+f\"(d[0]), \"+f\"(d[1]), \"+f\"(d[2]), \"+f\"(d[3])\n"
      "      : \"r\"(a[0]), \"r\"(a[1]), \"r\"(a[2]), \"r\"(a[3]), \"r\"(b[0]), \"r\"(b[1]));\n"
      "}\n");
  gg_str_free(&text);
  ck_assert(gg_mma_atom_find(&atom, "SM61_DP4A", NULL) == GG_OK);
  ck_assert(gg_mma_atom_wrapper(&text, &atom, "dot", NULL) == GG_OK);
  ck_assert_str_eq(
      text.text,
      "__device__ inline void dot(int (&d)[1], const unsigned (&a)[1], const unsigned (&b)[1]) {\n"
      "  asm(\"dp4a.s32.s32 %0, %1, %2, %0;\" : \"+r\"(d[0]) : \"r\"(a[0]), \"r\"(b[0]));\n"
      "}\n");
  gg_str_free(&text);
}
END_TEST

static void check_wrapper(const gg_mma_atom *atom) {
  gg_str text = GG_STR_INIT;
  gg_status status = gg_mma_atom_wrapper(&text, atom, "mma", NULL);
  bool none = atom->row->kind == GG_MMA_several;
  ck_assert_int_eq(status, none ? GG_E_ATOM_WRAPPER : GG_OK);
  ck_assert(none || strstr(text.text, "__device__ inline void mma(") == text.text);
  gg_str_free(&text);
}

START_TEST(every_instruction_has_a_wrapper) {
  for_each_mma(check_wrapper);
}
END_TEST

/* ---- Copies ------------------------------------------------------------------------------- */

static void for_each_copy(void (*visit)(const gg_copy_atom *)) {
  size_t count;
  const gg_copy_row *rows = gg_copy_table(&count);
  for (const gg_copy_row *row = rows; row < rows + count; row++) {
    int seen = 0;
    gg_copy_atom atom = {.row = NULL};
    for (; gg_copy_row_next(&atom, row); seen++)
      visit(&atom);
    ck_assert_int_gt(seen, 0);
  }
}

/* Both sides move the same bits, each of them to or from some thread. */
static void check_copy(const gg_copy_atom *atom) {
  gg_error err = GG_ERROR_INIT;
  gg_str name = GG_STR_INIT, text = GG_STR_INIT;
  gg_copy_atom found;
  gg_layout threads = gg_copy_atom_threads(atom);
  gg_layout src = gg_copy_atom_layout(atom, GG_COPY_SRC);
  gg_layout dst = gg_copy_atom_layout(atom, GG_COPY_DST);
  gg_copy_atom_cute(&name, atom);
  ck_assert_int_eq(gg_layout_mode_size(&src, 0), gg_layout_size(&threads));
  ck_assert_int_eq(gg_layout_mode_size(&dst, 0), gg_layout_size(&threads));
  if (atom->row->kind == GG_COPY_tmem_cp) { /* to several warps the same */
    ck_assert_int_eq(gg_layout_size(&src), gg_layout_size(&dst));
  } else {
    ck_assert_int_eq(gg_layout_cosize(&src), gg_layout_cosize(&dst));
  }
  if (!strstr(atom->row->ptx, ".4x256b")) { /* which has 4 lanes of each 32 */
    replication(&src, gg_layout_cosize(&src), name.text);
    replication(&dst, gg_layout_cosize(&dst), name.text);
  }
  ck_assert_msg(gg_copy_atom_find(&found, name.text, &err) == GG_OK, "%s", err.message);
  ck_assert(found.row == atom->row && found.bits == atom->bits && found.repeat == atom->repeat);
  bool plain = atom->row->kind == GG_COPY_plain || atom->row->kind == GG_COPY_shuffle ||
               atom->row->kind >= GG_COPY_tmem_load;
  ck_assert_int_eq(gg_copy_atom_wrapper(&text, atom, "copy", NULL),
                   plain ? GG_E_ATOM_WRAPPER : GG_OK);
  gg_str_free(&name);
  gg_str_free(&text);
  gg_error_clear(&err);
}

START_TEST(copies_move_every_bit) {
  for_each_copy(check_copy);
}
END_TEST

START_TEST(wrong_copies_are_refused) {
  gg_error err = GG_ERROR_INIT;
  gg_copy_atom atom;
  ck_assert_int_eq(gg_copy_atom_find(&atom, "SM75_U32x3_LDSM_N", NULL), GG_E_ATOM_NAME);
  ck_assert_int_eq(gg_copy_atom_find(&atom, "UniversalCopy", NULL), GG_E_ATOM_PARAMETER);
  ck_assert_int_eq(gg_copy_atom_find(&atom, "UniversalCopy<uint32_t,uint64_t>", NULL),
                   GG_E_ATOM_PARAMETER);
  ck_assert_int_eq(gg_copy_atom_find(&atom, "SM80_CP_ASYNC_CACHEALWAYS<uint16_t>", &err),
                   GG_E_ATOM_PARAMETER);
  ck_assert_str_eq(err.message, "SM80_CP_ASYNC_CACHEALWAYS: type is uint16_t; legal: a type of 4, "
                                "8, 16 bytes");
  gg_error_clear(&err);
}
END_TEST

/* ---- Descriptors -------------------------------------------------------------------------- */

START_TEST(descriptors_of_canonical_tiles) {
  static const struct {
    const char *tile;
    bool mn_major;
    int64_t address;
    uint64_t bits;
  } cases[] = {
      {"Sw<3,4,3> o smem_ptr[16b](unset) o ((8,8),16):((64,512),1)", false, 65536,
       0x4000004000011000},
      {"Sw<0,4,3> o smem_ptr[16b](unset) o ((8,8),(8,2)):((8,128),(1,64))", false, 0,
       0x0000001000080000},
      {"Sw<3,4,3> o smem_ptr[16b](unset) o (64,(8,2)):(1,(64,1024))", true, 65536,
       0x4000008000001000},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    gg_error err = GG_ERROR_INIT;
    gg_composed tile;
    gg_smem_desc desc;
    ck_assert_msg(gg_composed_parse(&tile, cases[i].tile, &err) == GG_OK, "%s", err.message);
    ck_assert_msg(gg_smem_desc_make(&desc, GG_SMEM_DESC_WGMMA, &tile, cases[i].mn_major,
                                    cases[i].address, &err) == GG_OK,
                  "%s: %s", cases[i].tile, err.message);
    ck_assert_msg(desc.bits == cases[i].bits, "%s: %016llx", cases[i].tile,
                  (unsigned long long)desc.bits);
    gg_error_clear(&err);
  }
}
END_TEST

START_TEST(what_is_not_canonical_has_no_descriptor) {
  static const struct {
    const char *tile;
    bool mn_major;
    int64_t address;
  } cases[] = {
      {"(64,16):(64,1)", false, 0},                                    /* no smem_ptr */
      {"Sw<3,3,3> o smem_ptr[16b](unset) o (64,16):(64,1)", false, 0}, /* another swizzle */
      {"Sw<3,4,3> o smem_ptr[16b](unset) o (64,16):(72,1)", false, 0}, /* padded rows */
      {"Sw<3,4,3> o smem_ptr[16b](unset) o (60,16):(64,1)", false, 0}, /* not 8 rows */
      {"Sw<3,4,3> o smem_ptr[16b](unset) o (64,64):(64,1)", false, 0}, /* K too long */
      {"Sw<3,4,3> o smem_ptr[16b](unset) o (64,16):(1,64)", false, 0}, /* the other major */
      {"Sw<3,4,3> o smem_ptr[16b](unset) o (64,64):(1,64)", true, 0},  /* K too long */
      {"Sw<3,4,3> o smem_ptr[16b](unset) o ((8,8),16):((64,512),1)", false, 8},
      {"Sw<3,4,3> o smem_ptr[16b](unset) o ((8,8),16):((64,512),1)", false, 262144},
      {"Sw<3,4,3> o smem_ptr[16b](unset) o ((8,8),16):((64,512000),1)", false, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    gg_composed tile;
    gg_smem_desc desc;
    ck_assert(gg_composed_parse(&tile, cases[i].tile, NULL) == GG_OK);
    for (int kind = GG_SMEM_DESC_WGMMA; kind <= GG_SMEM_DESC_TCGEN05; kind++)
      ck_assert_msg(gg_smem_desc_make(&desc, (gg_smem_desc_kind)kind, &tile, cases[i].mn_major,
                                      cases[i].address, NULL) == GG_E_DESCRIPTOR,
                    "%s", cases[i].tile);
  }
}
END_TEST

/* 128 bytes in units of 32 are tcgen05's alone, and of MN-major operands. */
START_TEST(wide_swizzle_is_of_tcgen05) {
  gg_composed tile;
  gg_smem_desc desc;
  ck_assert(!gg_composed_parse(&tile, "Sw<2,5,2> o smem_ptr[16b](unset) o (64,16):(1,64)", NULL));
  ck_assert(!gg_smem_desc_make(&desc, GG_SMEM_DESC_TCGEN05, &tile, true, 1024, NULL));
  ck_assert(desc.bits == 0x2000402000000040);
  ck_assert_int_eq(gg_smem_desc_make(&desc, GG_SMEM_DESC_WGMMA, &tile, true, 1024, NULL),
                   GG_E_DESCRIPTOR);
  ck_assert_int_eq(gg_smem_desc_make(&desc, GG_SMEM_DESC_TCGEN05, &tile, false, 1024, NULL),
                   GG_E_DESCRIPTOR);
}
END_TEST

START_TEST(wrong_instruction_descriptors_are_refused) {
  const gg_instr_desc right = {
      .a = GG_DTYPE_e4m3, .b = GG_DTYPE_e5m2, .c = GG_DTYPE_f32, .m = 128, .n = 256};
  gg_error err = GG_ERROR_INIT;
  uint32_t bits;
  ck_assert(!gg_instr_desc_make(&bits, &right, NULL));
  gg_instr_desc what = right;
  what.b = GG_DTYPE_f16;
  ck_assert_int_eq(gg_instr_desc_make(&bits, &what, NULL), GG_E_INSTR_DESC);
  what = right;
  what.c = GG_DTYPE_s32;
  ck_assert_int_eq(gg_instr_desc_make(&bits, &what, NULL), GG_E_INSTR_DESC);
  what = right;
  what.scaled = true;
  what.scale = GG_DTYPE_ue4m3; /* of packed e2m1 alone */
  ck_assert_int_eq(gg_instr_desc_make(&bits, &what, NULL), GG_E_INSTR_DESC);
  what = right;
  what.n = 252;
  ck_assert_int_eq(gg_instr_desc_make(&bits, &what, &err), GG_E_ATOM_PARAMETER);
  ck_assert_str_eq(
      err.message,
      "instruction descriptor: N is 252; legal: a multiple of 8 up to 504, the nearest 256");
  gg_error_clear(&err);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("atoms");
  TCase *tables = tcase_create("tables");
  tcase_set_timeout(tables, 60);
  tcase_add_test(tables, sizes_of_types);
  tcase_add_test(tables, names_agree_with_columns);
  tcase_add_test(tables, layouts_cover_the_tile);
  tcase_add_test(tables, fragments_are_as_the_isa_says);
  tcase_add_test(tables, every_atom_is_found_by_its_names);
  tcase_add_test(tables, names_are_read_as_cute_writes_them);
  tcase_add_test(tables, wrong_names_are_refused);
  tcase_add_test(tables, the_nearest_n_is_named);
  tcase_add_test(tables, the_nearest_name_is_named);
  tcase_add_test(tables, atoms_are_selected_by_types);
  tcase_add_test(tables, wrappers_read_as_written_by_hand);
  tcase_add_test(tables, every_instruction_has_a_wrapper);
  tcase_add_test(tables, copies_move_every_bit);
  tcase_add_test(tables, wrong_copies_are_refused);
  tcase_add_test(tables, descriptors_of_canonical_tiles);
  tcase_add_test(tables, what_is_not_canonical_has_no_descriptor);
  tcase_add_test(tables, wide_swizzle_is_of_tcgen05);
  tcase_add_test(tables, wrong_instruction_descriptors_are_refused);
  suite_add_tcase(suite, tables);
  return run_suite(suite);
}
