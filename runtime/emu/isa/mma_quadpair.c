/* mma.m8n8k4 of f16: four products, each of lanes 4 q to 4 q + 3 and 16 + 4 q to 16 + 4 q + 3. (PTX
 * ISA, "Matrix Fragments for mma.m8n8k4 with .f16 floating point type".) A lane's `index` counts
 * the pair's eight lanes. */
#include <string.h>

#include "emu/hazard.h"
#include "emu/isa/mma.h"
#include "emu/number/float.h"
#include "emu/report.h"

enum { pairs = 4, members = 8, k = 4, side = 8 };

static int lane_of(int pair, int index) {
  return index / 4 * 16 + pair * 4 + index % 4;
}

static uint32_t half_word(const emu_warp *warp, const emu_operand *registers, int lane, int i) {
  return EMU_AT(uint32_t, warp, &registers[i / 2])[lane] >> (i % 2 * 16) & 0xffff;
}

/* A by rows, and B by columns, has a row (column) of four in a lane; the other way a lane has four
 * rows (columns) of one k. codes[side][k]. */
static void load_side(uint32_t *codes, const emu_warp *warp, const emu_operand *registers, int pair,
                      bool across) {
  for (int index = 0; index < members; index++) {
    for (int i = 0; i < k; i++) {
      uint32_t code = half_word(warp, registers, lane_of(pair, index), i);
      int row = across ? i + index / 4 * 4 : index;
      codes[row * k + (across ? index % 4 : i)] = code;
    }
  }
}

/* The place of a lane's element i of f32 accumulators. */
static int f32_at(int index, int i) {
  int row = (index & 1) + (i & 2) + index / 4 * 4;
  return row * side + (i & 4) + (index & 2) + (i & 1);
}

static void load_accumulators(uint32_t *d, const emu_warp *warp, const emu_operand *registers,
                              int pair, const emu_mma_facts *f) {
  for (int index = 0; index < members; index++) {
    int lane = lane_of(pair, index);
    for (int i = 0; i < side; i++) {
      if (f->c == EMU_F32) {
        d[f32_at(index, i)] = EMU_AT(uint32_t, warp, &registers[i])[lane];
        continue;
      }
      uint32_t code = half_word(warp, registers, lane, i);
      d[index * side + i] =
          f->d == EMU_F16 ? code : emu_float_bits((float)emu_f16_value((uint16_t)code, 0));
    }
  }
}

static void store_accumulators(const uint32_t *d, const emu_warp *warp,
                               const emu_operand *registers, int pair, emu_type type) {
  for (int index = 0; index < members; index++) {
    int lane = lane_of(pair, index);
    for (int i = 0; i < side; i++) {
      const emu_operand *out = &registers[type == EMU_F32 ? i : i / 2];
      if (out->sink) continue;
      uint32_t *word = &EMU_AT(uint32_t, warp, out)[lane];
      if (type == EMU_F32) {
        *word = d[f32_at(index, i)];
      } else if (i % 2 == 0) {
        *word = d[index * side + i] | d[index * side + i + 1] << 16;
      }
    }
  }
}

static void multiply(uint32_t *d, emu_warp *warp, const emu_op *op, int pair) {
  const emu_mma_facts *f = op->facts;
  uint32_t a_codes[side * k], b_rows[side * k], b_codes[k * side];
  float a[side * k], b[k * side];
  int16_t a_exponent[side * k], b_exponent[k * side];
  load_side(a_codes, warp, op->operands + f->a_at, pair, f->a_column);
  load_side(b_rows, warp, op->operands + f->b_at, pair, !f->b_column);
  for (int i = 0; i < side * k; i++) {
    b_codes[i % k * side + i / k] = b_rows[i];
  }
  emu_dot_decode(f->model, a, a_exponent, EMU_F16, false, a_codes, side * k);
  emu_dot_decode(f->model, b, b_exponent, EMU_F16, false, b_codes, side * k);
  load_accumulators(d, warp, op->operands + f->c_at, pair, f);
  emu_tile tile = {side, side, k, false, a, a_exponent, b, b_exponent, d};
  emu_dot(f->model, &tile);
}

emu_step emu_mma_quadpair(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  const emu_mma_facts *f = op->facts;
  uint32_t d[pairs][side * side];
  if (!emu_converge(warp, op, UINT32_MAX, &lanes)) return EMU_WAIT;
  emu_hazard_converge(warp);
  for (int pair = 0; pair < pairs; pair++) {
    multiply(d[pair], warp, op, pair);
  }
  for (int pair = 0; pair < pairs; pair++) {
    store_accumulators(d[pair], warp, op->operands, pair, f->d);
  }
  emu_counting(warp)->tensor_macs += pairs * side * side * k;
  return EMU_NEXT;
}
