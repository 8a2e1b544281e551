/* Descriptors of tcgen05.mma, bit by bit. */
#include "emu/isa/umma.h"

#include <inttypes.h>
#include <stdio.h>

static uint32_t field(uint64_t descriptor, int low, int bits) {
  return (uint32_t)(descriptor >> low & ((UINT64_C(1) << bits) - 1));
}

const char *emu_umma_view_read(emu_umma_view *out, uint64_t descriptor, bool along_k) {
  static const uint32_t rows[8] = {16, 128, 128, 0, 64, 0, 32, 0};
  uint32_t swizzle = field(descriptor, 61, 3);
  if (descriptor & UINT64_C(0x1fe00000c000c000)) {
    return "bits 14, 15, 30, 31 and 53 to 60 must be zero";
  }
  if (field(descriptor, 46, 3) != 1) return "bits 46 to 48, the version, must be 001";
  if (field(descriptor, 52, 1)) {
    return "bit 52, a leading dimension as an address, is for multiplicands of sm_103";
  }
  if (!rows[swizzle]) return "bits 61 to 63, the swizzle, are 0, 1, 2, 4 or 6";
  *out = (emu_umma_view){
      .start = field(descriptor, 0, 14) * EMU_UNIT_BYTES,
      .leading = field(descriptor, 16, 14) * EMU_UNIT_BYTES,
      .stride = field(descriptor, 32, 14) * EMU_UNIT_BYTES,
      .base_offset = field(descriptor, 49, 3),
      .row = rows[swizzle],
      .wide = swizzle == 1,
      .along_k = along_k,
  };
  return NULL;
}

const char *emu_umma_operand_read(emu_umma_view *out, uint64_t descriptor, bool along_k, int arch) {
  bool absolute = arch == 103 && field(descriptor, 52, 1);
  const char *why = emu_umma_view_read(out, descriptor & ~((uint64_t)absolute << 52), along_k);
  if (why || !absolute) return why;
  out->absolute = true;
  if (along_k && out->row > EMU_UNIT_BYTES) return NULL;
  return "bit 52, a leading dimension as an address, is for swizzled matrices that are stored along "
         "K";
}

/* ---- The instruction -------------------------------------------------------------------- */

/* What a kind takes: types by their numbers in the descriptor, EMU_NONE for those that it lacks. */
typedef struct kind_facts {
  emu_type operands[8], accumulators[4];
  int k;
} kind_facts;

static const kind_facts kinds[] = {
    [EMU_UMMA_F16] = {{EMU_F16, EMU_BF16}, {EMU_F16, EMU_F32}, 16},
    [EMU_UMMA_TF32] = {{EMU_NONE, EMU_NONE, EMU_TF32}, {EMU_NONE, EMU_F32}, 8},
    [EMU_UMMA_F8F6F4] = {{EMU_E4M3, EMU_E5M2, EMU_NONE, EMU_E2M3, EMU_E3M2, EMU_E2M1},
                         {EMU_F16, EMU_F32},
                         32},
    [EMU_UMMA_I8] = {{EMU_U8, EMU_S8}, {EMU_NONE, EMU_NONE, EMU_S32}, 32},
};

/* PTX ISA, "Matrix shape": in which steps N of a kind goes up to 256. CuTe's atoms of kind::f8f6f4
 * take whole units of 16 bytes where B is stored along N. */
static int column_step(const emu_umma_shape *s, emu_umma_kind kind, int group) {
  if (kind == EMU_UMMA_I8) return group == 2 ? 32 : s->n > 32 ? 16 : 8;
  return 8 * group * (kind == EMU_UMMA_F8F6F4 && !s->b_along_k ? 2 : 1);
}

static bool types_fit(const emu_umma_shape *s, emu_umma_kind kind) {
  if (s->a == EMU_NONE || s->b == EMU_NONE || s->d == EMU_NONE) return false;
  if (kind != EMU_UMMA_F16) return true;
  return s->a == s->b && (s->a == EMU_F16 || s->d == EMU_F32);
}

/* M and N of mma.ws, whose N of 256 is not a sparse A's. */
static bool ws_extents_fit(const emu_umma_shape *s, char *why, size_t size) {
  if (s->m != 32 && s->m != 64 && s->m != 128) {
    snprintf(why, size, "M is %d; 32, 64 or 128 of mma.ws", s->m);
    return false;
  }
  if (s->n == 64 || s->n == 128 || (s->n == 256 && !s->sparse)) return true;
  snprintf(why, size, "N is %d; %s", s->n,
           s->sparse ? "64 or 128 of mma.ws.sp" : "64, 128 or 256 of mma.ws");
  return false;
}

/* Bit 2 says what the instruction says; `unused` bits must be zero. */
static bool bits_fit(char *why, size_t size, uint32_t descriptor, const emu_umma_form *form,
                     uint32_t unused) {
  if (form->sparse != field(descriptor, 2, 1)) {
    snprintf(why, size, "bit 2, a sparse A, is %d; the instruction is %s.sp", !form->sparse,
             form->sparse ? "" : "without ");
    return false;
  }
  if (!(descriptor & unused)) return true;
  snprintf(why, size, "bits 0x%08" PRIx32 " must be zero", descriptor & unused);
  return false;
}

/* Elements of 16 and 32 bits have metadata of two instructions side by side. */
static bool selector_fits(const emu_umma_shape *s, emu_umma_kind kind, char *why, size_t size) {
  bool narrow = kind != EMU_UMMA_F16 && kind != EMU_UMMA_TF32;
  if (s->selector <= !narrow) return true;
  snprintf(why, size, "the sparsity selector is %d; %s", s->selector,
           narrow ? "it is 0 of elements of 8 bits and fewer" : "it is 0 or 1");
  return false;
}

static bool plain_read(emu_umma_shape *out, char *why, size_t size, uint32_t descriptor,
                       const emu_umma_form *form) {
  emu_umma_kind kind = form->kind;
  int group = form->group;
  const kind_facts *f = &kinds[kind];
  /* The selector is a sparse A's, the largest shift .ws's; saturation is for integers, which cannot
   * be negated. */
  uint32_t unused = UINT32_C(0xe0800040) | (kind == EMU_UMMA_I8 ? 3u << 13 : 1u << 3);
  static const int shifts[] = {0, 8, 16, 32};
  if (form->ws) unused &= ~(UINT32_C(3) << 30);
  if (!form->sparse) unused |= 3;
  if (!bits_fit(why, size, descriptor, form, unused)) return false;
  *out = (emu_umma_shape){
      .a = f->operands[field(descriptor, 7, 3)],
      .b = f->operands[field(descriptor, 10, 3)],
      .d = f->accumulators[field(descriptor, 4, 2)],
      .m = (int)field(descriptor, 24, 5) * 16,
      .n = (int)field(descriptor, 17, 6) * 8,
      .k = form->sparse ? 2 * f->k : f->k,
      .sparse = form->sparse,
      .selector = (int)field(descriptor, 0, 2),
      .negate_a = field(descriptor, 13, 1),
      .negate_b = field(descriptor, 14, 1),
      .a_along_k = !field(descriptor, 15, 1),
      .b_along_k = !field(descriptor, 16, 1),
      .saturate = field(descriptor, 3, 1),
      .shift_most = shifts[field(descriptor, 30, 2)],
  };
  if (!types_fit(out, kind)) {
    snprintf(why, size,
             "types of D, A and B are %" PRIu32 ", %" PRIu32 " and %" PRIu32
             ", which the kind does not have together",
             field(descriptor, 4, 2), field(descriptor, 7, 3), field(descriptor, 10, 3));
    return false;
  }
  if (!selector_fits(out, kind, why, size)) return false;
  if (form->ws) return ws_extents_fit(out, why, size);
  if (out->m != 64 * group && out->m != 128 * group) {
    snprintf(why, size, "M is %d; %d or %d of cta_group::%d", out->m, 64 * group, 128 * group,
             group);
    return false;
  }
  int step = column_step(out, kind, group);
  if (out->n >= step && out->n <= 256 && out->n % step == 0) return true;
  snprintf(why, size, "N is %d; %sit is %d to 256 in steps of %d", out->n,
           kind == EMU_UMMA_I8 && step == 16 ? "above 32 " : "", step, step);
  return false;
}

/* ---- With scale factors ----------------------------------------------------------------- */

static emu_type scaled_operand(emu_umma_kind kind, uint32_t number) {
  if (kind == EMU_UMMA_MXF8F6F4) return kinds[EMU_UMMA_F8F6F4].operands[number];
  return number == 1 ? EMU_E2M1 : EMU_NONE;
}

/* Bit 31 is a k of 96. */
static bool is_long(uint32_t descriptor, const emu_umma_form *form) {
  return form->kind != EMU_UMMA_MXF8F6F4 && descriptor >> 31;
}

/* The bits that must be zero; packed elements are stored along K and have fewer bits for B's type.
 */
static bool has_no_others(uint32_t descriptor, const emu_umma_form *form, char *why, size_t size) {
  bool packed = form->kind != EMU_UMMA_MXF8F6F4;
  uint32_t unused = UINT32_C(0x0700004b) | (packed ? UINT32_C(0x00019000) : 1u << 31);
  if (is_long(descriptor, form) && (form->arch != 103 || form->sparse)) {
    snprintf(why, size, "bit 31, a k of 96, is sm_103's, of a dense A");
    return false;
  }
  return bits_fit(why, size, descriptor, form, unused);
}

/* Elements of fewer than 8 bits are stored along K. */
static bool lies_well(emu_type type, bool along_k) {
  return along_k || emu_type_of(type)->bits == 8;
}

static bool scaled_types_fit(const emu_umma_shape *s, emu_umma_kind kind, uint32_t descriptor,
                             int factors, char *why, size_t size) {
  if (s->a == EMU_NONE || s->b == EMU_NONE) {
    snprintf(why, size, "types of A and B are %" PRIu32 " and %" PRIu32 ", which the kind lacks",
             field(descriptor, 7, 3), field(descriptor, 10, 3));
    return false;
  }
  if (s->scale == EMU_UE4M3 && (kind != EMU_UMMA_MXF4NVF4 || factors != 4)) {
    snprintf(why, size,
             "bit 23 is 0, of scale factors of ue4m3; they are ue8m0 but of "
             "kind::mxf4nvf4 with four to a row");
    return false;
  }
  if (!lies_well(s->a, s->a_along_k) || !lies_well(s->b, s->b_along_k)) {
    snprintf(why, size, "%s of 6 or 4 bits is stored along K",
             lies_well(s->a, s->a_along_k) ? "B" : "A");
    return false;
  }
  return true;
}

static bool scaled_extents_fit(const emu_umma_shape *s, int group, char *why, size_t size) {
  int step = group == 2 || !s->b_along_k || s->k == 96 ? 16 : 8;
  if (group == 2 && !s->b_along_k) step = 32;
  bool small = group == 1 || (!s->sparse && s->k != 96); /* whether M may be 128 */
  if ((s->m != 128 || !small) && (s->m != 256 || group == 1)) {
    snprintf(why, size, "M is %d; %s of cta_group::%d", s->m,
             group == 1 ? "128"
             : small    ? "128 or 256"
                        : "256 with a sparse A or a k of 96",
             group);
    return false;
  }
  if (s->n >= step && s->n <= 256 && s->n % step == 0) return true;
  snprintf(why, size, "N is %d; it is %d to 256 in steps of %d", s->n, step, step);
  return false;
}

/* The ids are of bytes: any of one or three factors, 0 or 2 of two or six, 0 of four. */
static bool ids_fit(const emu_umma_shape *s, char *why, size_t size) {
  static const int steps[] = {[1] = 1, [2] = 2, [3] = 1, [4] = 4, [6] = 2};
  int step = steps[s->factors];
  if (s->scale_a_id % step == 0 && s->scale_b_id % step == 0) return true;
  bool b = s->scale_a_id % step == 0;
  snprintf(why, size, "the id of %c's scale factors is %d; with %d to a row it is %s",
           b ? 'B' : 'A', b ? s->scale_b_id : s->scale_a_id, s->factors,
           step == 4 ? "0" : "0 or 2");
  return false;
}

static bool scaled_read(emu_umma_shape *out, char *why, size_t size, uint32_t descriptor,
                        const emu_umma_form *form) {
  emu_umma_kind kind = form->kind;
  bool packed = kind != EMU_UMMA_MXF8F6F4;
  bool more = is_long(descriptor, form); /* half as many of everything along K */
  int dense_k = packed ? 64 : 32;
  if (!has_no_others(descriptor, form, why, size)) return false;
  *out = (emu_umma_shape){
      .a = scaled_operand(kind, field(descriptor, 7, 3)),
      .b = scaled_operand(kind, field(descriptor, 10, 3)),
      .d = EMU_F32,
      .m = (int)field(descriptor, 27, 2) * 128,
      .n = (int)field(descriptor, 17, 6) * 8,
      .k = more           ? dense_k * 3 / 2
           : form->sparse ? 2 * dense_k
                          : dense_k,
      .factors = more ? form->factors * 3 / 2 : form->factors,
      .sparse = form->sparse,
      .negate_a = field(descriptor, 13, 1),
      .negate_b = field(descriptor, 14, 1),
      .a_along_k = !field(descriptor, 15, 1),
      .b_along_k = !field(descriptor, 16, 1),
      .packed = packed,
      .scale = field(descriptor, 23, 1) ? EMU_UE8M0 : EMU_UE4M3,
      .scale_a_id = (int)field(descriptor, 29, 2),
      .scale_b_id = (int)field(descriptor, 4, 2),
  };
  return scaled_types_fit(out, kind, descriptor, form->factors, why, size) &&
         scaled_extents_fit(out, form->group, why, size) && ids_fit(out, why, size);
}

bool emu_umma_shape_read(emu_umma_shape *out, char *why, size_t size, uint32_t descriptor,
                         const emu_umma_form *form) {
  return form->factors ? scaled_read(out, why, size, descriptor, form)
                       : plain_read(out, why, size, descriptor, form);
}

/* ---- Columns of B that are zeros -------------------------------------------------------- */

const char *emu_umma_zero_read(bool out[256], int *shift, uint64_t descriptor,
                               const emu_umma_shape *s) {
  int parts = s->m == 32 ? 4 : s->m == 64 ? 2 : 1, columns = s->n / parts;
  int zeros = (int)field(descriptor, 40, 8) + 1, used = (int)field(descriptor, 48, 8) + 1;
  *shift = (int)field(descriptor, 56, 6);
  if (descriptor >> 62 || field(descriptor, 36, 3)) return "bits 36 to 38, 62 and 63 must be zero";
  if (*shift > s->shift_most) {
    return "bits 56 to 61, the shift, are more than bits 30 and 31 of the instruction descriptor say";
  }
  /* Runs of columns in turns, of which the first is shorter by the start count. */
  for (int i = 0; i < s->n; i++) {
    int part = i / columns, at = i % columns + (int)field(descriptor, part * 8, 8);
    bool first = field(descriptor, 32 + part, 1);
    int place = at % (zeros + used);
    bool zero = first ? place < zeros : place >= used;
    out[i] = field(descriptor, 39, 1) && zero;
  }
  return NULL;
}
