/* Compressing a sparse A or B, and the inverse; what a launch takes of its metadata.
 *
 * Along K a row consists of groups of four units (tf32: of two), of which half are stored. A unit
 * is an element, or a pair of packed 4-bit ones. Four bits of metadata name the units of a group
 * that are stored, in ascending order, by two numbers of two bits. For tf32, 0x4 names the first
 * unit and 0xe the second. If fewer units are not zero, zeros are stored, too, so that each group
 * names as many as are stored.
 *
 * A tile of metadata has 128 rows by 16 bytes. If elements have less than 16 bits, each line of it
 * belongs to a row. Else 16 rows share 16 lines: of these, line r (0 to 7) has, in each word, the
 * first 16 bits that one MMA takes for rows r and r + 8, and line r + 8 has the last 16 bits. (PTX
 * ISA, "Sparse Matrices" of tcgen05; CUTLASS's Sm1xxGemmSparseConfig, with which the layouts of
 * atom/sparse_layout.h agree.) */
#include "sparse.h"

#include <stdio.h>
#include <string.h>

#include "atom/dtype.h"
#include "atom/sparse_layout.h"
#include "base/need.h"
#include "base/sized.h"
#include "problem.h"

typedef long long ll; /* for printf */

enum {
  map_align = 16,   /* bytes: what tensor maps take of addresses and strides */
  first_two = 0x44, /* a byte of two groups, each of which names units that are legal everywhere */
  tf32_first = 0x4,
  tf32_second = 0xe,
  units_max = 4,
};

/* ---- Elements ---------------------------------------------------------------------------- */

/* The matrix that is compressed, and how its groups are made. */
typedef struct matrix {
  gg_sparse is;
  int bits;        /* of an element */
  int each, units; /* elements of a unit; units of a group */
  int64_t tile_k;  /* elements along K of a tile of metadata */
  int64_t groups, stored_k;
  int64_t tiles_m;
} matrix;

/* How many units cover `value`. */
static int64_t divide_up(int64_t value, int64_t unit) {
  return value / unit + (value % unit != 0);
}

static gg_sparse_element element_of(gg_dtype type, bool pairs) {
  int bits = gg_dtype_info_of(type)->bits;
  return (gg_sparse_element){.bits = bits, .unpacked = bits < 8 && !pairs};
}

static uint32_t load(const matrix *m, const void *from, int64_t index) {
  int64_t at = index * m->bits;
  const unsigned char *bytes = (const unsigned char *)from + at / 8;
  uint32_t out = 0;
  for (int i = 0; i < (at % 8 + m->bits + 7) / 8; i++)
    out |= (uint32_t)bytes[i] << 8 * i;
  return m->bits < 32 ? out >> at % 8 & ((UINT32_C(1) << m->bits) - 1) : out;
}

static void store(const matrix *m, void *to, int64_t index, uint32_t value) {
  int64_t at = index * m->bits;
  unsigned char *bytes = (unsigned char *)to + at / 8;
  uint64_t mask = ((UINT64_C(1) << m->bits) - 1) << at % 8, bits = (uint64_t)value << at % 8;
  for (int i = 0; i < (at % 8 + m->bits + 7) / 8; i++)
    bytes[i] = (unsigned char)((bytes[i] & ~(mask >> 8 * i)) | (bits >> 8 * i & 0xff));
}

/* A number that orders an element's magnitude among those of its type; for e2m1, twice its value.
 */
static uint32_t magnitude(const matrix *m, uint32_t value) {
  static const uint32_t e2m1[] = {0, 1, 2, 3, 4, 6, 8, 12};
  uint32_t sign = UINT32_C(1) << (m->bits - 1);
  switch (gg_dtype_info_of(m->is.type)->kind) {
  case 'u':
    return value;
  case 'i':
    return value & sign ? 2 * sign - value : value;
  default:
    return m->is.type == GG_DTYPE_e2m1 ? e2m1[value & 7] : value & (sign - 1);
  }
}

/* Where an element is in the dense matrix; -1: behind the end of K. */
static int64_t dense_at(const matrix *m, int64_t row, int64_t k) {
  if (k >= m->is.k) return -1;
  return m->is.major == GG_MAJOR_K ? row * m->is.ld_dense + k : k * m->is.ld_dense + row;
}

static int64_t stored_at(const matrix *m, int64_t row, int64_t k) {
  return m->is.major == GG_MAJOR_K ? row * m->is.ld + k : k * m->is.ld + row;
}

/* ---- Metadata ---------------------------------------------------------------------------- */

/* The number of a group's four bits in the metadata. */
static int64_t nibble_of(const matrix *m, int64_t row, int64_t group) {
  enum { line = 2 * GG_METADATA_LINE, half = 4, groups_a_tile = 32 };
  int64_t tile = row / GG_METADATA_ROWS + group / groups_a_tile * m->tiles_m;
  int64_t r = row % GG_METADATA_ROWS, g = group % groups_a_tile;
  int64_t at = r * line + g;
  if (m->bits >= 16) {
    int64_t mma = g / (2 * half), last = g / half % 2;
    at = (r / 16 * 16 + last * 8 + r % 8) * line + mma * 2 * half + r / 8 % 2 * half + g % half;
  }
  return tile * GG_METADATA_TILE * 2 + at;
}

static unsigned read_group(const void *metadata, int64_t nibble) {
  return ((const unsigned char *)metadata)[nibble / 2] >> nibble % 2 * 4 & 15;
}

static void write_group(void *metadata, int64_t nibble, unsigned value) {
  unsigned char *byte = (unsigned char *)metadata + nibble / 2;
  int shift = (int)(nibble % 2 * 4);
  *byte = (unsigned char)((*byte & ~(15u << shift)) | value << shift);
}

static unsigned encode(const matrix *m, const int kept[2]) {
  if (m->units == 2) return kept[0] ? tf32_second : tf32_first;
  return (unsigned)kept[0] | (unsigned)kept[1] << 2;
}

/* False: the group does not name units in ascending order. */
static bool decode(int kept[2], const matrix *m, unsigned group) {
  if (m->units == 2) {
    kept[0] = group == tf32_second;
    return group == tf32_first || group == tf32_second;
  }
  kept[0] = group & 3;
  kept[1] = group >> 2;
  return kept[0] < kept[1];
}

/* ---- Matrices ---------------------------------------------------------------------------- */

static gg_status check_ld(const char *name, int64_t ld, const char *length_name, int64_t length,
                          gg_error *err) {
  if (ld >= length) return GG_OK;
  return gg_fail(err, PROBLEM_LD, NULL, name, (ll)ld, length_name, (ll)length, (ll)length);
}

static gg_status fail_size(const char *text, gg_error *err) {
  return gg_fail(err, PROBLEM_SIZE, NULL, text);
}

/* Whether tensor cores multiply sparse matrices of a type. */
static bool is_multiplied(gg_dtype type) {
  switch (type) {
  case GG_DTYPE_f16:
  case GG_DTYPE_bf16:
  case GG_DTYPE_tf32:
  case GG_DTYPE_e4m3:
  case GG_DTYPE_e5m2:
  case GG_DTYPE_e3m2:
  case GG_DTYPE_e2m3:
  case GG_DTYPE_e2m1:
  case GG_DTYPE_s8:
  case GG_DTYPE_u8:
    return true;
  default:
    return false;
  }
}

static gg_status check_kind(const gg_sparse *is, gg_error *err) {
  if (!is_multiplied(is->type))
    return fail_size("no tensor core multiplies a sparse matrix of this type", err);
  if (is->pairs && is->type != GG_DTYPE_e2m1)
    return fail_size("pairs of elements are of e2m1 alone", err);
  if (is->major != GG_MAJOR_K && is->major != GG_MAJOR_M)
    return fail_size("a sparse A is k-major or m-major", err);
  if (is->rows >= 0 && is->k >= 0) return GG_OK;
  return gg_fail(err, PROBLEM_EXTENT, NULL, is->rows < 0 ? "rows" : "k",
                 (ll)(is->rows < 0 ? is->rows : is->k), "extents from 0 on");
}

static gg_status read_matrix(matrix *out, const gg_sparse *given, gg_error *err) {
  *out = (matrix){.is = GG_SPARSE_INIT};
  GG_NEED(err, given);
  gg_status st = gg_sized_read(&out->is, sizeof out->is, given, "gg_sparse", err);
  if (!st) st = check_kind(&out->is, err);
  if (st) return st;
  const gg_sparse_element element = element_of(out->is.type, out->is.pairs);
  int64_t group = gg_sparse_chunk(element);
  out->bits = element.bits;
  out->units = element.bits == 32 ? 2 : units_max;
  out->each = (int)(group / out->units);
  out->tile_k = gg_sparse_tile_k(element);
  out->groups = divide_up(out->is.k, group);
  out->stored_k = out->groups * (group / 2);
  out->tiles_m = divide_up(out->is.rows, GG_METADATA_ROWS);
  return GG_OK;
}

/* Checks both leading dimensions of a matrix that is compressed or expanded. */
static gg_status check_lds(const matrix *m, gg_error *err) {
  bool k_major = m->is.major == GG_MAJOR_K;
  gg_status st = check_ld("ld_dense", m->is.ld_dense, k_major ? "k" : "rows",
                          k_major ? m->is.k : m->is.rows, err);
  if (st) return st;
  return check_ld("ld", m->is.ld, k_major ? "stored k" : "rows", k_major ? m->stored_k : m->is.rows,
                  err);
}

static gg_status metadata_bytes(int64_t *out, const matrix *m, gg_error *err) {
  int64_t tiles_k = divide_up(m->is.k, m->tile_k);
  if (!__builtin_mul_overflow(m->tiles_m, tiles_k, out) &&
      !__builtin_mul_overflow(*out, (int64_t)GG_METADATA_TILE, out))
    return GG_OK;
  return fail_size("metadata is larger than int64 can address", err);
}

gg_status gg_sparse_sizes(int64_t *stored_k, int64_t *bytes, const gg_sparse *of, gg_error *err) {
  matrix m;
  GG_NEED(err, stored_k);
  GG_NEED(err, bytes);
  gg_status st = read_matrix(&m, of, err);
  if (st) return st;
  *stored_k = m.stored_k;
  return metadata_bytes(bytes, &m, err);
}

/* ---- Compressing ------------------------------------------------------------------------- */

/* The magnitude of a unit of a dense row's group. */
static uint64_t weigh(const matrix *m, const void *dense, int64_t row, int64_t group, int unit) {
  uint64_t sum = 0;
  for (int i = 0; i < m->each; i++) {
    int64_t at = dense_at(m, row, (group * m->units + unit) * m->each + i);
    if (at >= 0) sum += magnitude(m, load(m, dense, at));
  }
  return sum;
}

/* Chooses the larger half of a group's units, in ascending order; of equal ones the first. Returns
 * how many are not zero. */
static int choose(int kept[2], const matrix *m, const void *dense, int64_t row, int64_t group) {
  uint64_t weight[units_max];
  int count = 0, at = 0;
  for (int i = 0; i < m->units; i++) {
    weight[i] = weigh(m, dense, row, group, i);
    count += weight[i] != 0;
  }
  for (int i = 0; i < m->units; i++) {
    int larger = 0;
    for (int j = 0; j < m->units; j++)
      larger += weight[j] > weight[i] || (weight[j] == weight[i] && j < i);
    if (larger < m->units / 2) kept[at++] = i;
  }
  return count;
}

gg_status gg_sparse_prune(const gg_sparse *of, void *dense, gg_error *err) {
  matrix m;
  GG_NEED(err, dense);
  gg_status st = read_matrix(&m, of, err);
  if (!st)
    st = check_ld("ld_dense", m.is.ld_dense, m.is.major == GG_MAJOR_K ? "k" : "rows",
                  m.is.major == GG_MAJOR_K ? m.is.k : m.is.rows, err);
  for (int64_t row = 0; !st && row < m.is.rows; row++) {
    for (int64_t group = 0; group < m.groups; group++) {
      int kept[2] = {0, -1};
      choose(kept, &m, dense, row, group);
      for (int i = 0; i < m.units * m.each; i++) {
        int64_t at = dense_at(&m, row, group * m.units * m.each + i);
        bool stays = i / m.each == kept[0] || i / m.each == kept[1];
        if (at >= 0 && !stays) store(&m, dense, at, 0);
      }
    }
  }
  return st;
}

/* Moves a group's units between a dense row and what is stored of it. */
static void move(const matrix *m, void *to, const void *from, bool compress, int64_t row,
                 int64_t group, const int kept[2]) {
  for (int i = 0; i < m->units / 2 * m->each; i++) {
    int64_t stored = stored_at(m, row, group * (m->units / 2 * m->each) + i);
    int64_t k = (group * m->units + kept[i / m->each]) * m->each + i % m->each;
    int64_t dense = dense_at(m, row, k);
    if (compress)
      store(m, to, stored, dense < 0 ? 0 : load(m, from, dense));
    else if (dense >= 0)
      store(m, to, dense, load(m, from, stored));
  }
}

static gg_status fail_group(const matrix *m, int64_t row, int64_t group, const char *what,
                            gg_error *err) {
  int64_t first = group * m->units * m->each;
  return gg_fail(err, PROBLEM_SPARSE, NULL, (ll)row, (ll)first,
                 (ll)(first + m->units * m->each - 1), what);
}

gg_status gg_sparse_compress(const gg_sparse *of, void *stored, void *metadata, const void *dense,
                             gg_error *err) {
  matrix m;
  int64_t bytes;
  GG_NEED(err, stored);
  GG_NEED(err, metadata);
  GG_NEED(err, dense);
  gg_status st = read_matrix(&m, of, err);
  if (!st) st = check_lds(&m, err);
  if (!st) st = metadata_bytes(&bytes, &m, err);
  if (st) return st;
  memset(metadata, first_two, (size_t)bytes);
  for (int64_t row = 0; row < m.is.rows; row++) {
    for (int64_t group = 0; group < m.groups; group++) {
      int kept[2] = {0, 0}, count = choose(kept, &m, dense, row, group);
      if (count > m.units / 2) {
        char what[80];
        snprintf(what, sizeof what, "%d %s are not zero, and %d of %d at most may be", count,
                 m.each > 1 ? "pairs" : "elements", m.units / 2, m.units);
        return fail_group(&m, row, group, what, err);
      }
      move(&m, stored, dense, true, row, group, kept);
      write_group(metadata, nibble_of(&m, row, group), encode(&m, kept));
    }
  }
  return GG_OK;
}

static bool is_zero(const matrix *m, const void *stored, int64_t row, int64_t group) {
  int count = m->units / 2 * m->each;
  for (int i = 0; i < count; i++) {
    if (magnitude(m, load(m, stored, stored_at(m, row, group * count + i)))) return false;
  }
  return true;
}

gg_status gg_sparse_expand(const gg_sparse *of, void *dense, const void *stored,
                           const void *metadata, gg_error *err) {
  matrix m;
  GG_NEED(err, dense);
  GG_NEED(err, stored);
  GG_NEED(err, metadata);
  gg_status st = read_matrix(&m, of, err);
  if (!st) st = check_lds(&m, err);
  if (st) return st;
  for (int64_t row = 0; row < m.is.rows; row++) {
    for (int64_t k = 0; k < m.is.k; k++)
      store(&m, dense, dense_at(&m, row, k), 0);
    for (int64_t group = 0; group < m.groups; group++) {
      int kept[2];
      unsigned named = read_group(metadata, nibble_of(&m, row, group));
      if (is_zero(&m, stored, row, group)) continue;
      if (!decode(kept, &m, named)) {
        char what[80];
        snprintf(what, sizeof what, "metadata 0x%x names none in ascending order", named);
        return fail_group(&m, row, group, what, err);
      }
      move(&m, dense, stored, false, row, group, kept);
    }
  }
  return GG_OK;
}

/* ---- Problems ---------------------------------------------------------------------------- */

static bool has_pairs(const gg_kernel *kernel) {
  return kernel->scale_a.block && kernel->a.type == GG_DTYPE_e2m1 &&
         kernel->b.type == GG_DTYPE_e2m1;
}

char gg_sparse_operand(const gg_kernel *kernel) {
  return kernel->sparse_a ? 'a' : kernel->sparse_b ? 'b' : 0;
}

/* The elements of the sparse operand. */
static gg_sparse_element stored_element(const gg_kernel *kernel) {
  return element_of(kernel->sparse_b ? kernel->b.type : kernel->a.type, has_pairs(kernel));
}

gg_status gg_problem_sparse(gg_sparse *out, const gg_kernel *kernel, const gg_problem *problem,
                            gg_error *err) {
  GG_NEED(err, out);
  GG_NEED(err, kernel);
  GG_NEED(err, problem);
  gg_problem p = GG_PROBLEM_INIT;
  gg_status st = gg_sized_read(&p, sizeof p, problem, "gg_problem", err);
  if (st) return st;
  bool is_b = kernel->sparse_b;
  const gg_operand *stored = is_b ? &kernel->b : &kernel->a;
  int64_t rows = is_b ? p.n : p.m;
  gg_sparse sparse = {.size = sizeof sparse,
                      .type = stored->type,
                      .major = stored->major == GG_MAJOR_K ? GG_MAJOR_K : GG_MAJOR_M,
                      .pairs = has_pairs(kernel),
                      .rows = rows,
                      .k = p.k,
                      .ld_dense = stored->major == GG_MAJOR_K ? p.k : rows,
                      .ld = is_b ? p.ldb : p.lda};
  return gg_sized_write(out, &sparse, sizeof sparse, "gg_sparse", err);
}

int64_t gg_sparse_stored_k(const gg_kernel *kernel, int64_t k) {
  int64_t group = gg_sparse_chunk(stored_element(kernel));
  return divide_up(k, group) * (group / 2);
}

int64_t gg_sparse_tiles_k(const gg_kernel *kernel, int64_t k) {
  return divide_up(k, gg_sparse_tile_k(stored_element(kernel)));
}

static gg_status bytes_of_problem(int64_t *out, const gg_kernel *kernel, const gg_problem *problem,
                                  gg_error *err) {
  gg_sparse sparse = GG_SPARSE_INIT;
  int64_t stored_k;
  gg_status st = gg_problem_sparse(&sparse, kernel, problem, err);
  return st ? st : gg_sparse_sizes(&stored_k, out, &sparse, err);
}

gg_status gg_problem_pack_metadata(gg_problem *problem, const gg_kernel *kernel, gg_error *err) {
  if (!gg_sparse_operand(kernel)) return GG_OK;
  return bytes_of_problem(&problem->batch_stride_metadata, kernel, problem, err);
}

gg_status gg_problem_check_metadata(const gg_kernel *kernel, const gg_problem *p, gg_error *err) {
  int64_t bytes, all, stride = p->batch_stride_metadata;
  if (!gg_sparse_operand(kernel) || p->k == 0) return GG_OK;
  gg_status st = bytes_of_problem(&bytes, kernel, p, err);
  if (st) return st;
  if (p->metadata == 0) return gg_fail(err, PROBLEM_POINTER, NULL, "metadata");
  if (p->metadata % map_align)
    return gg_fail(err, PROBLEM_ALIGN, NULL, "metadata", (ll)p->metadata, (ll)map_align, "bytes",
                   (ll)(p->metadata / map_align * map_align + map_align));
  if (p->batch < 2) return GG_OK;
  if (stride < 0)
    return gg_fail(err, PROBLEM_STRIDE, NULL, "batch_stride_metadata", (ll)stride,
                   "batch strides are not negative", (ll)bytes);
  if (stride % map_align)
    return gg_fail(err, PROBLEM_ALIGN, NULL, "batch_stride_metadata", (ll)stride, (ll)map_align,
                   "bytes", (ll)gg_problem_round_up(stride, map_align));
  bool fits = !__builtin_mul_overflow(p->batch - 1, stride, &all) &&
              !__builtin_add_overflow(all, bytes, &all) && stride < INT64_C(1) << 40;
  return fits ? GG_OK : fail_size("metadata is farther apart than tensor maps step", err);
}
