/* Sparse operands: reading metadata, spreading rows. */
#include "emu/isa/sparse.h"

enum { quad = 4 };

/* Bits of metadata of a row: two for each stored element or pair of 4-bit elements, four of tf32.
 */
static int row_bits(emu_type type, int k) {
  int bits = emu_type_of(type)->bits;
  return bits == 32 ? 2 * k : bits == 4 ? k / 2 : k;
}

int emu_sparse_selectors(emu_type type, int k) {
  int lanes = row_bits(type, k) / 16; /* of a quad that hold metadata of one instruction */
  return quad / lanes - 1;
}

/* A row's metadata. Of 16-bit types and tf32 each lane holds 16 bits of row g and 16 of row g + 8;
 * of smaller types a lane holds 32 bits of one of them. */
static uint64_t row_metadata(const emu_sparsity *s, const uint32_t metadata[EMU_LANES], int row) {
  int bits = row_bits(s->type, s->k), high = row / 8;
  const uint32_t *lanes = metadata + row % 8 * quad;
  uint64_t all = 0;
  if (emu_type_of(s->type)->bits >= 16) {
    for (int i = 0; i < bits / 16; i++) {
      uint32_t word = lanes[s->selector * (bits / 16) + i];
      all |= (uint64_t)(word >> 16 * high & 0xffff) << 16 * i;
    }
    return all;
  }
  for (int i = 0; i < bits / 32; i++) {
    all |= (uint64_t)lanes[2 * (s->selector + i) + high] << 32 * i;
  }
  return all;
}

static bool refuse(emu_warp *warp, const emu_op *op, int row, unsigned indices, const char *why) {
  emu_fault(warp, op, -1, GG_E_EMU_DESCRIPTOR, "sparse metadata of row %d: 0x%x %s", row, indices,
            why);
  return false;
}

/* What is wrong with a group's indices; NULL: nothing. */
static const char *wrong_indices(const emu_sparsity *s, unsigned indices) {
  unsigned first = indices & 3, second = indices >> 2;
  if (emu_type_of(s->type)->bits == 32) {
    return indices == 0xe || indices == 0x4 ? NULL : "is neither 0xe nor 0x4";
  }
  if (first == second) return "names one element twice";
  if (!s->ordered || first < second || (s->swaps && first == 2 && second == 1)) return NULL;
  return "is not in order";
}

static bool all_zeros(const emu_stored *stored, int at, int count) {
  for (int i = at; i < at + count; i++) {
    if (stored->value[i] != 0) return false;
    if (stored->exponent && stored->exponent[i] != EMU_EXPONENT_ZERO) return false;
  }
  return true;
}

/* One group of stored elements: two indices, or one of tf32. */
static void read_group(uint8_t *columns, const emu_sparsity *s, int group, unsigned indices) {
  int bits = emu_type_of(s->type)->bits;
  if (bits == 32) {
    columns[0] = (uint8_t)(2 * group + (indices == 0xe));
    return;
  }
  unsigned first = indices & 3, second = indices >> 2;
  int each = bits == 4 ? 2 : 1;
  for (int i = 0; i < each; i++) {
    columns[i] = (uint8_t)((4 * group + (int)first) * each + i);
    columns[each + i] = (uint8_t)((4 * group + (int)second) * each + i);
  }
}

bool emu_sparse_row(uint8_t *columns, emu_warp *warp, const emu_op *op, const emu_sparsity *s,
                    const emu_stored *stored, int row, uint64_t metadata) {
  int groups = row_bits(s->type, s->k) / 4, each = s->k / 2 / groups;
  for (int group = 0; group < groups; group++) {
    unsigned indices = metadata >> 4 * group & 15;
    const char *wrong = wrong_indices(s, indices);
    if (wrong && !all_zeros(stored, row * (s->k / 2) + group * each, each)) {
      return refuse(warp, op, row, indices, wrong);
    }
    read_group(columns + group * each, s, group, indices);
  }
  return true;
}

bool emu_sparse_columns(uint8_t columns[EMU_SPARSE_ROWS * EMU_SPARSE_K / 2], emu_warp *warp,
                        const emu_op *op, const emu_sparsity *s, const emu_stored *stored,
                        const uint32_t metadata[EMU_LANES]) {
  for (int row = 0; row < EMU_SPARSE_ROWS; row++) {
    uint8_t *at = columns + row * (s->k / 2);
    uint64_t bits = row_metadata(s, metadata, row);
    if (!emu_sparse_row(at, warp, op, s, stored, row, bits)) return false;
  }
  return true;
}

void emu_sparse_spread(float *value, int16_t *exponent, const emu_stored *stored,
                       const uint8_t *columns, int rows, int k) {
  for (int i = 0; i < rows * k; i++) {
    value[i] = 0;
    if (exponent) exponent[i] = EMU_EXPONENT_ABSENT;
  }
  for (int i = 0; i < rows * k / 2; i++) {
    int at = i / (k / 2) * k + columns[i];
    value[at] = stored->value[i];
    if (exponent) exponent[at] = stored->exponent[i];
  }
}
