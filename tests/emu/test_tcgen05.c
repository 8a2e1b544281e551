/* tcgen05.mma, one product at a time: every kind, types, M, pairs, majors, swizzles, A in tensor
 * memory, lanes that stay as they are, scale factors, a sparse A, against sums that every type
 * holds exactly.
 *
 * A kernel of 128 threads a CTA writes what the test has made to shared and tensor memory, one of
 * its threads multiplies, and D comes back, all 128 lanes of 256 columns. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "emu/emu.h"
#include "emu/memory.h"
#include "suite.h"
#include "tcgen05_products.h"

enum { image_bytes = 32768, a_columns = 8, lanes = 128, columns = 256, b_at = 16384 };
enum { scale_columns = 28, b_scale_at = 8, metadata_at = 16, blocks_most = 6, k_most = 128 };
enum { long_a_at = 16, other_at = 8192 /* where lines go on */ };

/* What a CTA is given, and gives back. */
typedef struct exchange {
  uint8_t image[image_bytes]; /* of shared memory, behind its mbarrier */
  uint32_t a[lanes][a_columns], scale[lanes][scale_columns], d[lanes][columns];
} exchange;

/* ---- Numbers ---------------------------------------------------------------------------- */

static uint32_t next_random(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*state >> 33);
}

/* Codes of -2, -1, 0, 1 and 2. */
static uint32_t code_of(emu_type type, int value) {
  static const struct {
    emu_type type;
    uint32_t one, two, sign;
  } codes[] = {{EMU_F16, 0x3c00, 0x4000, 0x8000},
               {EMU_BF16, 0x3f80, 0x4000, 0x8000},
               {EMU_TF32, 0x3f800000, 0x40000000, 0x80000000},
               {EMU_F32, 0x3f800000, 0x40000000, 0x80000000},
               {EMU_E4M3, 0x38, 0x40, 0x80},
               {EMU_E5M2, 0x3c, 0x40, 0x80},
               {EMU_E2M3, 0x08, 0x10, 0x20},
               {EMU_E3M2, 0x0c, 0x10, 0x20},
               {EMU_E2M1, 0x2, 0x4, 0x8}};
  uint32_t size = (uint32_t)abs(value);
  if (type == EMU_S32) return (uint32_t)value;
  if (type == EMU_S8 || type == EMU_U8) return (uint32_t)value & 0xff;
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
    if (codes[i].type != type) continue;
    uint32_t code = size == 0 ? 0 : size == 1 ? codes[i].one : codes[i].two;
    return value < 0 ? code | codes[i].sign : code;
  }
  ck_abort_msg("a type without codes");
}

static int draw(uint64_t *random, emu_type type) {
  int value = (int)(next_random(random) % 5) - 2;
  return type == EMU_U8 ? abs(value) : value;
}

/* What an accumulator holds. */
static double value_of(emu_type type, uint32_t code) {
  float value;
  if (type == EMU_S32) return (int32_t)code;
  if (type == EMU_F16) { /* normal numbers and zero */
    int exponent = (int)(code >> 10 & 31), fraction = (int)(code & 0x3ff);
    double size = exponent ? ldexp(1024 + fraction, exponent - 25) : 0;
    return code & 0x8000 ? -size : size;
  }
  memcpy(&value, &code, sizeof value);
  return value;
}

/* ---- Shared memory ---------------------------------------------------------------------- */

static int bits_of(emu_type type) {
  return emu_type_of(type)->bits;
}

static bool is_packed(const product *p) {
  return p->id >= EMU_UMMA_MXF4;
}

/* A k of 96 has half as many more. */
static int factors_of(const product *p) {
  return p->more ? p->factor_count * 3 / 2 : p->factor_count;
}

/* Whether lines go on in another place, whose address is the leading dimension. */
static bool is_split(const product *p) {
  return p->more && p->swizzle >= 4;
}

static int unit_elements(const product *p, emu_type type) {
  return bits_of(type) < 8 && !is_packed(p) ? 16 : 128 / bits_of(type);
}

/* A dense matrix at an offset of the image: the descriptor with the strides that its swizzle asks
 * for. */
static uint64_t describe(const product *p, uint32_t address, emu_type type, int rows, int k,
                         bool along_k) {
  static const uint32_t widths[] = {16, 128, 128, 0, 64, 0, 32};
  uint32_t width = widths[p->swizzle], lines = p->swizzle == 1 ? 4 : 8;
  uint32_t units = (uint32_t)((along_k ? k : rows) / unit_elements(p, type));
  uint32_t count = (uint32_t)(along_k ? rows : k), atom = width * lines;
  uint32_t leading, stride;
  if (width == 16) {
    uint32_t first = atom, second = atom * units;
    leading = along_k ? first : second;
    stride = along_k ? second : first;
  } else {
    stride = atom;
    leading = atom * (count / lines);
  }
  if (is_split(p)) {
    return (uint64_t)p->swizzle << 61 | UINT64_C(1) << 52 | UINT64_C(1) << 46 |
           (uint64_t)(atom / 16) << 32 | (uint64_t)((address + other_at) / 16) << 16 |
           (address / 16 + (uint32_t)p->skip);
  }
  return (uint64_t)p->swizzle << 61 | UINT64_C(1) << 46 | (uint64_t)(stride / 16) << 32 |
         (uint64_t)(leading / 16) << 16 | address / 16;
}

/* The place of a unit of a line that goes on elsewhere, in a matrix that begins at `from`: lines of
 * 64 or 32 bytes, of whose units two bits, or one, of bits 7 and 8 are exchanged. */
static uint32_t split_unit(const product *p, uint32_t from, int line, int unit) {
  int width = p->swizzle == 4 ? 64 : 32, at = p->skip + unit;
  uint32_t place = from + (uint32_t)(line * width + at * 16 % width + at * 16 / width * other_at);
  return place ^ (place >> 7 & (p->swizzle == 4 ? 3 : 1)) << 4;
}

/* Writes an element of a matrix to the image, which begins at `start` of shared memory. */
static void put(exchange *x, const product *p, const emu_umma_view *v, uint32_t start,
                emu_type type, int row, int k, uint32_t code) {
  int each = unit_elements(p, type), bits = bits_of(type);
  int line = v->along_k ? row : k, along = v->along_k ? k : row;
  uint32_t from = v->start / 1024 * 1024;
  uint32_t at =
      is_split(p) ? split_unit(p, from, line, along / each) : emu_umma_unit(v, line, along / each);
  at -= start;
  int bit = along % each * bits;
  uint32_t word = 0;
  ck_assert_uint_le(at + 16, image_bytes);
  uint8_t *byte = &x->image[at + (uint32_t)bit / 8];
  size_t size = bits == 32 ? 4 : 2;
  if (bit / 8 == 15) size = 1;
  memcpy(&word, byte, size);
  word |= code << bit % 8;
  memcpy(byte, &word, size);
}

/* ---- The kernel ------------------------------------------------------------------------- */

static const char kernel_text[] =
    ".version 9.0\n.target sm_%da\n.address_size 64\n"
    ".visible .entry k(.param .u64 data, .param .u64 da, .param .u64 db, .param .u32 idesc,\n"
    "    .param .u32 m0, .param .u32 m1, .param .u32 m2, .param .u32 m3, .param .u64 zeros) {\n"
    "  .reg .b32 %%t, %%w, %%i, %%c, %%s, %%base, %%lane, %%rank, %%id, %%q0, %%q1, %%q2, %%q3, %%r<8>;\n"
    "  .reg .b64 %%x, %%p, %%a, %%b; .reg .pred %%e, %%z; .reg .b16 %%both;\n"
    "  .shared .align 1024 .b8 image[32768];\n"
    "  .shared .align 8 .b64 done; .shared .b32 columns;\n"
    "  mov.u32 %%t, %%tid.x; shr.u32 %%w, %%t, 5; mov.u32 %%rank, %%cluster_ctarank;\n"
    "  ld.param.u64 %%x, [data]; mad.wide.u32 %%x, %%rank, %d, %%x;\n"
    "  ld.param.u64 %%a, [da]; ld.param.u64 %%b, [db]; ld.param.u32 %%id, [idesc];\n"
    "  ld.param.u32 %%q0, [m0]; ld.param.u32 %%q1, [m1]; ld.param.u32 %%q2, [m2]; ld.param.u32 %%q3, [m3];\n"
    "  mov.u32 %%s, image; shl.b32 %%i, %%t, 2;\n"
    "copy: cvt.u64.u32 %%p, %%i; add.u64 %%p, %%p, %%x; ld.global.u32 %%c, [%%p];\n"
    "  add.u32 %%base, %%s, %%i; st.shared.u32 [%%base], %%c; add.u32 %%i, %%i, 512;\n"
    "  setp.lt.u32 %%e, %%i, 32768; @%%e bra copy;\n"
    "  setp.ne.u32 %%z, %%w, 0; @%%z bra others;\n"
    "  tcgen05.alloc.cta_group::%d.sync.aligned.shared::cta.b32 [columns], 512;\n"
    "  setp.ne.u32 %%e, %%t, 0; @%%e bra others; mbarrier.init.shared.b64 [done], 1;\n"
    "  fence.mbarrier_init.release.cluster;\n"
    "others: bar.sync 0; ld.shared.u32 %%base, [columns];\n"
    "  shl.b32 %%lane, %%w, 21; add.u32 %%base, %%base, %%lane;\n"
    "  add.u64 %%x, %%x, 32768; mad.wide.u32 %%p, %%t, 32, %%x;\n"
    "  ld.global.v4.u32 {%%r0, %%r1, %%r2, %%r3}, [%%p]; ld.global.v4.u32 {%%r4, %%r5, %%r6, %%r7}, [%%p+16];\n"
    "  tcgen05.st.sync.aligned.32x32b.x8.b32 [%%base+256], {%%r0, %%r1, %%r2, %%r3, %%r4, %%r5, %%r6, %%r7};\n"
    "  add.u64 %%x, %%x, 4096; mad.wide.u32 %%p, %%t, 112, %%x; add.u32 %%i, %%base, 264; mov.u32 %%c, 0;\n"
    "scales: ld.global.v4.u32 {%%r0, %%r1, %%r2, %%r3}, [%%p];\n"
    "  tcgen05.st.sync.aligned.32x32b.x4.b32 [%%i], {%%r0, %%r1, %%r2, %%r3};\n"
    "  add.u32 %%i, %%i, 4; add.u64 %%p, %%p, 16; add.u32 %%c, %%c, 1;\n"
    "  setp.lt.u32 %%e, %%c, 7; @%%e bra scales;\n"
    "  add.u64 %%x, %%x, 14336; mad.wide.u32 %%x, %%t, 1024, %%x; mov.u32 %%i, 0; mov.u64 %%p, %%x;\n"
    "fill: ld.global.v4.u32 {%%r0, %%r1, %%r2, %%r3}, [%%p];\n"
    "  tcgen05.st.sync.aligned.32x32b.x4.b32 [%%base], {%%r0, %%r1, %%r2, %%r3};\n"
    "  add.u32 %%base, %%base, 4; add.u64 %%p, %%p, 16; add.u32 %%i, %%i, 4;\n"
    "  setp.lt.u32 %%e, %%i, 256; @%%e bra fill;\n"
    "  tcgen05.wait::st.sync.aligned; fence.proxy.async.shared::cta;\n"
    "  tcgen05.fence::before_thread_sync; bar.sync 0;\n"
    "  barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;\n"
    "  tcgen05.fence::after_thread_sync; ld.shared.u32 %%base, [columns];\n"
    "  or.b32 %%c, %%t, %%rank; setp.ne.u32 %%e, %%c, 0; @%%e bra wait;\n"
    "  setp.%s.u32 %%e, %%c, 0; add.u32 %%i, %%base, %d; mov.u32 %%s, done; mov.b16 %%both, %d;\n"
    "  ld.param.u64 %%p, [zeros]; or.b32 %%base, %%base, 0x%x; or.b32 %%i, %%i, 0x%x;\n"
    "  tcgen05.mma%s%s.cta_group::%d.kind::%s%s%s [%%base], %s, %%b, %s %%id, %s %%e%s;\n"
    "  and.b32 %%base, %%base, 0xffff;\n"
    "  tcgen05.commit.cta_group::%d.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%%s], %%both;\n"
    "wait: mbarrier.try_wait.parity.shared.b64 %%e, [done], 0; @!%%e bra wait;\n"
    "  tcgen05.fence::after_thread_sync; add.u32 %%base, %%base, %%lane; mov.u32 %%i, 0;\n"
    "read: tcgen05.ld.sync.aligned.32x32b.x4.b32 {%%r0, %%r1, %%r2, %%r3}, [%%base];\n"
    "  tcgen05.wait::ld.sync.aligned; st.global.v4.u32 [%%x], {%%r0, %%r1, %%r2, %%r3};\n"
    "  add.u32 %%base, %%base, 4; add.u64 %%x, %%x, 16; add.u32 %%i, %%i, 4;\n"
    "  setp.lt.u32 %%e, %%i, 256; @%%e bra read;\n"
    "  tcgen05.fence::before_thread_sync; bar.sync 0;\n"
    "  barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;\n"
    "  ld.shared.u32 %%base, [columns]; @%%z bra end;\n"
    "  tcgen05.dealloc.cta_group::%d.sync.aligned.b32 %%base, 512;\n"
    "end: ret; }\n";

static void write_kernel(gg_str *out, const product *p) {
  char scale[16] = "";
  const char *masks = p->factors      ? "[%base+264], [%base+272],"
                      : !p->masked    ? ""
                      : p->group == 2 ? "{%q0, %q1, %q2, %q3, %q0, %q1, %q2, %q3},"
                                      : "{%q0, %q1, %q2, %q3},";
  if (p->scale) snprintf(scale, sizeof scale, ", %d", p->scale);
  if (p->zeros) snprintf(scale, sizeof scale, ", %%p");
  gg_str_printf(out, kernel_text, p->more ? 103 : 100, (int)sizeof(exchange), p->group,
                p->fresh ? "ne" : "eq", p->more ? 264 + long_a_at : 256, p->group == 2 ? 3 : 1,
                p->lane << 16, p->lane << 16, p->ws ? ".ws" : "", p->sparse ? ".sp" : "", p->group,
                p->kind,
                p->factors  ? ".block_scale"
                : p->shifts ? ".ashift"
                            : "",
                p->factors ? p->factors : "", p->a_in_tensor_memory ? "[%i]" : "%a",
                p->sparse ? "[%base+280]," : "", masks, scale, p->group, p->group);
}

/* ---- One product ------------------------------------------------------------------------ */

static uint32_t instruction_of(const product *p) {
  static const uint32_t numbers[EMU_TYPE_COUNT] = {
      [EMU_BF16] = 1, [EMU_TF32] = 2, [EMU_E5M2] = 1, [EMU_E2M3] = 3,
      [EMU_E3M2] = 4, [EMU_E2M1] = 5, [EMU_S8] = 1};
  uint32_t d = p->d == EMU_F16 ? 0 : p->d == EMU_F32 ? 1 : 2;
  if (p->factors) {
    uint32_t a = is_packed(p) ? 1 : numbers[p->a], b = is_packed(p) ? 1 : numbers[p->b];
    return (uint32_t)p->more << 31 | (uint32_t)p->sparse << 2 | (uint32_t)p->b_id << 4 | a << 7 |
           b << 10 | (uint32_t)p->negate_a << 13 | (uint32_t)p->a_along_m << 15 |
           (uint32_t)p->b_along_n << 16 | (uint32_t)(p->n / 8) << 17 | (uint32_t)!p->ue4m3 << 23 |
           (uint32_t)(p->m / 128) << 27 | (uint32_t)p->a_id << 29;
  }
  return (uint32_t)p->selector | (uint32_t)p->sparse << 2 | (uint32_t)p->saturate << 3 | d << 4 |
         numbers[p->a] << 7 | numbers[p->b] << 10 | (uint32_t)p->negate_a << 13 |
         (uint32_t)p->a_along_m << 15 | (uint32_t)p->b_along_n << 16 | (uint32_t)(p->n / 8) << 17 |
         (uint32_t)(p->m / 16) << 24 | (uint32_t)p->ws << 30;
}

/* The lane and column of an element of D: 16 rows in each 32 lanes, or the halves of 128 rows of a
 * pair one below the other. */
static void locate(const product *p, int row, int column, int *cta, int *lane, int *at) {
  int rows = p->m / p->group;
  *cta = row / rows;
  row %= rows;
  *lane = row;
  *at = column;
  if (rows == 128) return;
  if (p->ws) {
    *lane = row + column / (p->n * rows / lanes) * rows;
    *at = column % (p->n * rows / lanes);
  } else if (p->group == 1 || p->sparse) {
    *lane = p->lane + row % 16 + row / 16 * 32;
  } else if (column >= p->n / 2) {
    *lane = row + 64;
    *at = column - p->n / 2;
  }
}

typedef struct values {
  int a[256][k_most], b[256][k_most], d[2][lanes][columns];
  double a_scale[256][blocks_most], b_scale[256][blocks_most];
} values;

/* A word of A in tensor memory: elements of fewer than 8 bits are in bytes, those of 4 bits in
 * their middle, but where they are packed. */
static void put_in_lane(exchange *x, const product *p, int lane, int i, uint32_t code) {
  int bits = bits_of(p->a), room = bits < 8 && !is_packed(p) ? 8 : bits;
  uint32_t *words = p->more ? &x->scale[lane][long_a_at] : x->a[lane];
  if (p->more && p->n > 64) return; /* scale factors are there */
  if (p->more && i == 0) memset(words, 0, 12 * sizeof *words);
  words[i * room / 32] |= (room == 8 && bits == 4 ? code << 2 : code) << i * room % 32;
}

/* A scale factor's byte, in each 32 lanes, or in two of them; past the fourth it is in the columns
 * behind those of `rows` rows, 128 or 256. */
static void put_scale(exchange *x, int column, int row, int byte, uint32_t code, int first, int end,
                      int rows) {
  if (byte >= 4) column += rows > 128 ? 8 : 4;
  byte %= 4;
  for (int i = first; i < end; i++) {
    uint32_t *word = &x->scale[i * 32 + row % 32][column + row / 32];
    *word = (*word & ~(UINT32_C(0xff) << 8 * byte)) | code << 8 * byte;
  }
}

static uint32_t draw_scale(double *value, const product *p, uint64_t *random) {
  static const double numbers[] = {0.5, 1, 2, 1.5};
  static const uint32_t ue4m3[] = {0x30, 0x38, 0x40, 0x3c}, ue8m0[] = {126, 127, 128};
  uint32_t i = next_random(random) % (p->ue4m3 ? 4 : 3);
  *value = numbers[i];
  return p->ue4m3 ? ue4m3[i] : ue8m0[i];
}

/* The words around them are the same in each 32 lanes too, and not what they should be. */
static void make_scales(values *v, exchange *x, const product *p, uint64_t *random) {
  int own = p->m / p->group, half = own == 64 ? p->n / 2 : p->n;
  for (int i = 0; i < 2 * lanes * scale_columns; i++) {
    int cta = i / (lanes * scale_columns), lane = i / scale_columns % lanes, at = i % scale_columns;
    x[cta].scale[lane][at] = 0x55555555u * (uint32_t)(1 + at % 3);
  }
  for (int row = 0; p->factors && row < p->m; row++) {
    for (int i = 0; i < factors_of(p); i++) {
      uint32_t code = draw_scale(&v->a_scale[row][i], p, random);
      put_scale(&x[row / own], 0, row % own, p->a_id + i, code, 0, 4, own);
    }
  }
  for (int row = 0; p->factors && row < p->n; row++) {
    for (int i = 0; i < factors_of(p); i++) {
      uint32_t code = draw_scale(&v->b_scale[row][i], p, random);
      int first = half == p->n ? 0 : row / half * 2, end = half == p->n ? 4 : first + 2;
      for (int cta = 0; cta < p->group; cta++)
        put_scale(&x[cta], b_scale_at, row % half, p->b_id + i, code, first, end, half);
    }
  }
}

/* Of the columns of B that D's are of. */
static int shift_of(const product *p) {
  return (int)(p->zeros >> 56 & 63);
}

/* Whether a column of B is taken for zeros: `mask` has the first seven of each part, which repeat.
 */
static bool is_zero(const product *p, int column) {
  if (!p->mask) return false;
  int parts = lanes / p->m, part = column / (p->n / parts);
  return p->mask[part * 8 + column % (p->n / parts) % 7] == '1';
}

/* The words around it are no metadata. */
static void clear_metadata(exchange *x) {
  for (int i = 0; i < lanes; i++)
    memset(&x->scale[i][metadata_at], 0xff, (scale_columns - metadata_at) * sizeof(uint32_t));
}

/* Four bits of a row's metadata. Of elements of 16 and 32 bits rows 8 apart share words: a bit of
 * the row's number and one of the place along K are exchanged. */
static void put_metadata(exchange *x, const product *p, int lane, int group, uint32_t indices) {
  int part = group / 4, column = part / 2, half = part % 2; /* a part is 16 bits */
  if (bits_of(p->a) >= 16) {
    half = lane >> 3 & 1;
    lane = (lane & ~8) | part << 3;
    column = p->selector;
  }
  int step = p->ws ? p->m : lanes, shift = 16 * half + group % 4 * 4;
  for (; lane < lanes; lane += step) {
    uint32_t *word = &x->scale[lane][metadata_at + column];
    *word = (*word & ~(UINT32_C(15) << shift)) | indices << shift;
  }
}

/* A row of a sparse A: which elements are stored, in `at`; the others are zeros. */
static void choose_elements(int at[k_most / 2], values *v, exchange *x, const product *p, int row,
                            int k, uint64_t *random) {
  static const uint32_t patterns[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0x6, 0xe};
  bool one = bits_of(p->a) == 32; /* of two, which 0x4 and 0xe say */
  int each = is_packed(p) ? 2 : 1, wide = one ? 2 : 4 * each, stored = 0, cta, lane, column;
  locate(p, row, 0, &cta, &lane, &column);
  memset(v->a[row], 0, sizeof v->a[row]);
  for (int group = 0; group < k / wide; group++) {
    uint32_t indices = patterns[one ? next_random(random) % 2 * 6 : next_random(random) % 7];
    put_metadata(&x[cta], p, lane, group, indices);
    if (one) {
      at[stored++] = group * wide + (indices == 0xe);
      continue;
    }
    for (int i = 0; i < 2 * each; i++)
      at[stored++] = group * wide + (int)(indices >> i / each * 2 & 3) * each + i % each;
  }
}

/* Whether the two halves of D's columns each have A's rows in their lanes. */
static bool has_copies(const product *p) {
  return p->group == 2 && p->m == 128 && !p->sparse;
}

static void make_operands(values *v, exchange *x, const product *p, uint64_t da, uint64_t db,
                          uint32_t start, int k, uint64_t *random) {
  emu_umma_view a, b;
  int arch = p->more ? 103 : 100;
  ck_assert_ptr_null(emu_umma_operand_read(&a, da, !p->a_along_m, arch));
  ck_assert_ptr_null(emu_umma_operand_read(&b, db, !p->b_along_n, arch));
  for (int i = 0; i < 2 && p->sparse; i++)
    clear_metadata(&x[i]);
  for (int row = 0; row < p->m; row++) {
    int place[k_most / 2];
    if (p->sparse) choose_elements(place, v, x, p, row, k, random);
    for (int i = 0; i < (p->sparse ? k / 2 : k); i++) {
      int cta, lane, at, value = draw(random, p->a);
      uint32_t code = code_of(p->a, value);
      v->a[row][p->sparse ? place[i] : i] = value;
      locate(p, row, 0, &cta, &lane, &at);
      put(&x[cta], p, &a, start, p->a, row % (p->m / p->group), i, code);
      for (int copy = lane; copy < lanes; copy += p->m / p->group) {
        put_in_lane(&x[cta], p, copy, i, code);
        if (!has_copies(p)) break;
      }
    }
  }
  for (int row = 0; row < p->n + shift_of(p); row++) {
    int own = p->n / p->group, cta = row / own < p->group ? row / own : 0;
    for (int i = 0; i < k; i++) {
      uint32_t code = code_of(p->b, v->b[row][i] = draw(random, p->b));
      put(&x[cta], p, &b, start, p->b, row - cta * own, i, code);
    }
  }
  for (int i = 0; i < 2 * lanes * columns; i++) {
    int *value = &v->d[0][0][0] + i;
    *value = (int)(next_random(random) % 5) - 2;
    x[i / (lanes * columns)].d[i / columns % lanes][i % columns] = code_of(p->d, *value);
  }
}

static void check(const values *v, const exchange *x, const product *p, int k,
                  const uint32_t masks[4]) {
  static bool seen[2][lanes][columns];
  memset(seen, 0, sizeof seen);
  for (int row = 0; row < p->m; row++) {
    for (int column = 0; column < p->n; column++) {
      int cta, lane, at;
      locate(p, row, column, &cta, &lane, &at);
      seen[cta][lane][at] = true;
      double sum = 0, before = v->d[cta][lane][at];
      for (int i = 0; i < k; i++) {
        int block = p->factors ? i / (k / factors_of(p)) : 0;
        double scale = p->factors ? v->a_scale[row][block] * v->b_scale[column][block] : 1;
        if (is_zero(p, column)) break;
        sum += v->a[row][i] * v->b[column + shift_of(p)][i] * (p->negate_a ? -1 : 1) * scale;
      }
      if (!p->fresh) sum += ldexp(before, -p->scale);
      if (p->masked && masks[lane / 32] >> lane % 32 & 1) sum = before;
      double got = value_of(p->d, x[cta].d[lane][at]);
      ck_assert_msg(got == sum,
                    "%s %dx%d: D(%d, %d), CTA %d lane %d column %d, is %g, should be %g", p->kind,
                    p->m, p->n, row, column, cta, lane, at, got, sum);
    }
  }
  for (int i = 0; i < p->group * lanes * columns; i++) {
    int cta = i / (lanes * columns), lane = i / columns % lanes, at = i % columns;
    ck_assert_msg(seen[cta][lane][at] || x[cta].d[lane][at] == code_of(p->d, v->d[cta][lane][at]),
                  "%s %dx%d: CTA %d lane %d column %d has changed", p->kind, p->m, p->n, cta, lane,
                  at);
  }
}

/* Parameters as the kernel has them. */
typedef struct parameters {
  uint64_t data, a, b;
  uint32_t instruction, masks[4];
  uint64_t zeros;
} parameters;

static void launch(exchange *x, parameters *with, const product *p, uint64_t seed) {
  gg_error err = GG_ERROR_INIT;
  gg_str text = GG_STR_INIT;
  emu_device *device;
  emu_module *module;
  emu_options options = {
      .arch = p->more ? 103 : 100, .threads = 1, .random = seed != 0, .seed = seed};
  options.severities = emu_severities_all(EMU_SEVERITY_FAULT);
  unsigned group = (unsigned)p->group;
  emu_launch_config config = {
      .grid = {group, 1, 1}, .block = {128, 1, 1}, .cluster = {group, 1, 1}, .params = with};
  write_kernel(&text, p);
  ck_assert(!emu_device_open(&device, &options, &err));
  gg_status st = emu_module_load(&module, device, "k.ptx", gg_str_text(&text), text.length, &err);
  ck_assert_msg(!st, "%s: %s", p->kind, err.message);
  ck_assert(!emu_memory_alloc(&with->data, device, 2 * sizeof *x, 0, &err));
  ck_assert(!emu_memory_write(device, with->data, x, 2 * sizeof *x, &err));
  st = emu_launch(device, emu_module_kernel(module, "k"), &config, &err);
  ck_assert_msg(!st, "%s %dx%d: line %d: %s", p->kind, p->m, p->n, err.line, err.message);
  ck_assert(!emu_memory_read(device, x, with->data, 2 * sizeof *x, &err));
  emu_device_close(device);
  gg_str_free(&text);
}

START_TEST(test_product) {
  static exchange x[2];
  static values v;
  const product *p = &products[_i];
  const uint32_t start = EMU_SHARED_RESERVED;
  int k = p->id == EMU_UMMA_F16 ? 16 : p->id == EMU_UMMA_TF32 ? 8 : is_packed(p) ? 64 : 32;
  int stored = k; /* of a row of A */
  if (p->sparse) k *= 2;
  if (p->more) stored = k = 96;
  for (uint64_t seed = 0; seed < 3; seed++) {
    uint64_t random = seed * 100 + (uint64_t)_i;
    parameters with = {.instruction = instruction_of(p),
                       .masks = {0x12345678, 0, 0xffffffff, 0x80000001},
                       .zeros = p->zeros};
    memset(x, 0, sizeof x);
    with.a = describe(p, start, p->a, p->m / p->group, stored, !p->a_along_m);
    with.b = describe(p, start + b_at, p->b, p->n / p->group, k, !p->b_along_n);
    make_scales(&v, x, p, &random);
    make_operands(&v, x, p, with.a, with.b, start, k, &random);
    launch(x, &with, p, seed);
    check(&v, x, p, k, with.masks);
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("emu tcgen05");
  TCase *tests = tcase_create("products");
  tcase_set_timeout(tests, 60);
  tcase_add_loop_test(tests, test_product, 0, (int)product_count);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
