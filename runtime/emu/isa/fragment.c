/* Fragments: unpacking, packing. Register i of A is of the rows 8 to 15 when it is odd and there
 * are such rows. */
#include "emu/isa/fragment.h"

enum { quad = 4 }; /* lanes of a row */

static uint32_t mask_of(int bits) {
  return bits == 32 ? UINT32_MAX : (UINT32_C(1) << bits) - 1;
}

static void unpack(uint32_t *codes, int stride, uint32_t word, int bits) {
  uint32_t mask = mask_of(bits);
  for (int j = 0; j * bits < 32; j++) {
    codes[j * stride] = word >> (j * bits) & mask;
  }
}

void emu_fragment_a(uint32_t *codes, const emu_warp *warp, const emu_operand *registers, int rows,
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

void emu_fragment_b(uint32_t *codes, const emu_warp *warp, const emu_operand *registers, int k,
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

/* The place of a lane's first element of register i of accumulators: the next is right of it. */
static int accumulator_at(int i, int lane, int rows, int n, int bits) {
  int halves = rows / 8, each_row = bits == 32 ? 2 : 1; /* registers of a lane in 8 columns */
  int of_block = i % (halves * each_row), block = i / (halves * each_row);
  int row = of_block / each_row * 8 + lane / quad;
  return row * n + block * 8 + lane % quad * 2 + of_block % each_row;
}

void emu_fragment_load(uint32_t *codes, const emu_warp *warp, const emu_operand *registers,
                       int rows, int n, int bits) {
  int count = rows * n * bits / 32 / EMU_LANES;
  for (int i = 0; i < count; i++) {
    const uint32_t *words = EMU_AT(uint32_t, warp, &registers[i]);
    for (int lane = 0; lane < EMU_LANES; lane++) {
      unpack(codes + accumulator_at(i, lane, rows, n, bits), 1, words[lane], bits);
    }
  }
}

void emu_fragment_store(const uint32_t *codes, const emu_warp *warp, const emu_operand *registers,
                        int rows, int n, int bits) {
  int count = rows * n * bits / 32 / EMU_LANES;
  for (int i = 0; i < count; i++) {
    if (registers[i].sink) continue;
    uint32_t *words = EMU_AT(uint32_t, warp, &registers[i]);
    for (int lane = 0; lane < EMU_LANES; lane++) {
      const uint32_t *at = codes + accumulator_at(i, lane, rows, n, bits);
      words[lane] = bits == 32 ? at[0] : at[0] | at[1] << 16;
    }
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
    for (int lane = 0; lane < EMU_LANES; lane++) {
      values[accumulator_at(i, lane, rows, 8, 32)] = numbers[lane];
    }
  }
}

void emu_fragment_store64(const double *values, const emu_warp *warp, const emu_operand *registers,
                          int rows) {
  for (int i = 0; i < rows / 4; i++) {
    if (registers[i].sink) continue;
    double *numbers = EMU_AT(double, warp, &registers[i]);
    for (int lane = 0; lane < EMU_LANES; lane++) {
      numbers[lane] = values[accumulator_at(i, lane, rows, 8, 32)];
    }
  }
}
