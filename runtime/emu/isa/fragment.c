/* Fragments: unpacking, packing. Register i of A is of the rows 8 to 15 when it is odd and there
 * are such rows. */
#include "emu/isa/fragment.h"

enum { quad = 4, rows_of_eight = 8 }; /* quad: lanes of a row */

/* Loops are made once for each width, by inlining. */
#define INLINE static inline __attribute__((always_inline))

INLINE void unpack(uint32_t *codes, int stride, uint32_t word, int bits) {
  uint32_t mask = bits == 32 ? UINT32_MAX : (UINT32_C(1) << bits % 32) - 1;
  for (int j = 0; j * bits < 32; j++) {
    codes[j * stride] = word >> (j * bits) & mask;
  }
}

INLINE void unpack_a(uint32_t *codes, const emu_warp *warp, const emu_operand *registers, int rows,
                     int k, int bits) {
  int halves = rows / 8, each = 32 / bits, count = halves * k / (quad * each);
  for (int i = 0; i < count; i++) {
    const uint32_t *words = EMU_AT(uint32_t, warp, &registers[i]);
    uint32_t *first = codes + i % halves * 8 * k + i / halves * quad * each;
    for (int lane = 0; lane < EMU_LANES; lane++) {
      unpack(first + lane / quad * k + lane % quad * each, 1, words[lane], bits);
    }
  }
}

INLINE void unpack_b(uint32_t *codes, const emu_warp *warp, const emu_operand *registers, int k,
                     int bits) {
  int each = 32 / bits, count = k / (quad * each);
  for (int i = 0; i < count; i++) {
    const uint32_t *words = EMU_AT(uint32_t, warp, &registers[i]);
    for (int lane = 0; lane < EMU_LANES; lane++) {
      int row = (i * quad + lane % quad) * each;
      unpack(codes + row * 8 + lane / quad, 8, words[lane], bits);
    }
  }
}

void emu_fragment_a(uint32_t *codes, const emu_warp *warp, const emu_operand *registers, int rows,
                    int k, int bits) {
  switch (bits) {
  case 4:
    unpack_a(codes, warp, registers, rows, k, 4);
    return;
  case 8:
    unpack_a(codes, warp, registers, rows, k, 8);
    return;
  case 16:
    unpack_a(codes, warp, registers, rows, k, 16);
    return;
  default:
    unpack_a(codes, warp, registers, rows, k, 32);
    return;
  }
}

void emu_fragment_b(uint32_t *codes, const emu_warp *warp, const emu_operand *registers, int k,
                    int bits) {
  switch (bits) {
  case 4:
    unpack_b(codes, warp, registers, k, 4);
    return;
  case 8:
    unpack_b(codes, warp, registers, k, 8);
    return;
  case 16:
    unpack_b(codes, warp, registers, k, 16);
    return;
  default:
    unpack_b(codes, warp, registers, k, 32);
    return;
  }
}

/* The place of lane 0's first element of register i of accumulators. Lane 4 g + t is g rows below
 * and 2 t elements to the right; its second element, if it has one in this register, is next. */
static int accumulator_at(int i, int rows, int n, int bits) {
  int halves = rows / 8, each_row = bits == 16 ? 1 : 2; /* registers of a lane in 8 columns */
  int of_block = i % (halves * each_row), block = i / (halves * each_row);
  return of_block / each_row * 8 * n + block * 8 + of_block % each_row;
}

INLINE void load_accumulators(uint32_t *codes, const emu_warp *warp, const emu_operand *registers,
                              int rows, int n, int bits) {
  int count = rows * n * bits / 32 / EMU_LANES;
  for (int i = 0; i < count; i++) {
    const uint32_t *words = EMU_AT(uint32_t, warp, &registers[i]);
    uint32_t *at = codes + accumulator_at(i, rows, n, bits);
    for (int row = 0; row < rows_of_eight; row++, at += n, words += quad) {
      for (int t = 0; t < quad; t++) {
        at[t * 2] = bits == 32 ? words[t] : words[t] & 0xffff;
        if (bits == 16) at[t * 2 + 1] = words[t] >> 16;
      }
    }
  }
}

INLINE void store_accumulators(const uint32_t *codes, const emu_warp *warp,
                               const emu_operand *registers, int rows, int n, int bits) {
  int count = rows * n * bits / 32 / EMU_LANES;
  for (int i = 0; i < count; i++) {
    if (registers[i].sink) continue;
    uint32_t *words = EMU_AT(uint32_t, warp, &registers[i]);
    const uint32_t *at = codes + accumulator_at(i, rows, n, bits);
    for (int row = 0; row < rows_of_eight; row++, at += n, words += quad) {
      for (int t = 0; t < quad; t++) {
        words[t] = bits == 32 ? at[t * 2] : at[t * 2] | at[t * 2 + 1] << 16;
      }
    }
  }
}

void emu_fragment_load(uint32_t *codes, const emu_warp *warp, const emu_operand *registers,
                       int rows, int n, int bits) {
  if (bits == 16) {
    load_accumulators(codes, warp, registers, rows, n, 16);
  } else {
    load_accumulators(codes, warp, registers, rows, n, 32);
  }
}

void emu_fragment_store(const uint32_t *codes, const emu_warp *warp, const emu_operand *registers,
                        int rows, int n, int bits) {
  if (bits == 16) {
    store_accumulators(codes, warp, registers, rows, n, 16);
  } else {
    store_accumulators(codes, warp, registers, rows, n, 32);
  }
}

void emu_fragment_a64(double *values, const emu_warp *warp, const emu_operand *registers, int rows,
                      int k) {
  int halves = rows / 8, count = halves * k / quad;
  for (int i = 0; i < count; i++) {
    const double *numbers = EMU_AT(double, warp, &registers[i]);
    for (int lane = 0; lane < EMU_LANES; lane++) {
      int row = i % halves * 8 + lane / quad;
      values[row * k + i / halves * quad + lane % quad] = numbers[lane];
    }
  }
}

void emu_fragment_b64(double *values, const emu_warp *warp, const emu_operand *registers, int k) {
  for (int i = 0; i < k / quad; i++) {
    const double *numbers = EMU_AT(double, warp, &registers[i]);
    for (int lane = 0; lane < EMU_LANES; lane++) {
      values[(i * quad + lane % quad) * 8 + lane / quad] = numbers[lane];
    }
  }
}

void emu_fragment_load64(double *values, const emu_warp *warp, const emu_operand *registers,
                         int rows) {
  for (int i = 0; i < rows / 4; i++) {
    const double *numbers = EMU_AT(double, warp, &registers[i]);
    double *at = values + accumulator_at(i, rows, 8, 64);
    for (int lane = 0; lane < EMU_LANES; lane++) {
      at[lane / quad * 8 + lane % quad * 2] = numbers[lane];
    }
  }
}

void emu_fragment_store64(const double *values, const emu_warp *warp, const emu_operand *registers,
                          int rows) {
  for (int i = 0; i < rows / 4; i++) {
    if (registers[i].sink) continue;
    double *numbers = EMU_AT(double, warp, &registers[i]);
    const double *at = values + accumulator_at(i, rows, 8, 64);
    for (int lane = 0; lane < EMU_LANES; lane++) {
      numbers[lane] = at[lane / quad * 8 + lane % quad * 2];
    }
  }
}
