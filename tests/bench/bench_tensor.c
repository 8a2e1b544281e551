/* How fast the emulator's tensor cores are, decoding of operands included: MAC/s a core. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "emu/tensor/dot.h"

enum { m = 64, n = 128, deepest = 64, blocks = deepest / 16 };

typedef struct buffers {
  uint32_t a[m * deepest], b[deepest * n], d[m * n];
  float a_value[m * deepest], b_value[deepest * n];
  int16_t a_exponent[m * deepest], b_exponent[deepest * n];
  uint32_t a_scale[m * blocks], b_scale[blocks * n];
  float a_factor[m * blocks], b_factor[blocks * n];
  int16_t a_factor_exponent[m * blocks], b_factor_exponent[blocks * n];
} buffers;

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Codes with every fraction and exponents about 1. */
static void fill(uint32_t *codes, size_t count, emu_type type) {
  for (size_t i = 0; i < count; i++) {
    uint32_t r = (uint32_t)i * 2654435761u ^ (uint32_t)(i >> 3) * 40503u;
    switch (type) {
    case EMU_F16:
      codes[i] = (r & 0x83ff) | (14 + (r >> 20) % 3) << 10;
      break;
    case EMU_BF16:
      codes[i] = (r & 0x807f) | (126 + (r >> 20) % 3) << 7;
      break;
    case EMU_TF32:
      codes[i] = (r & 0x807fffff) | (126 + (r >> 24) % 3) << 23;
      break;
    case EMU_UE8M0:
      codes[i] = 120 + (r >> 20) % 16;
      break;
    case EMU_E2M3:
    case EMU_E3M2:
    case EMU_E2M1:
      codes[i] = r >> 11 & ((1u << emu_type_of(type)->bits) - 1);
      break;
    default:
      codes[i] = r >> 11 & 0xb7;
      break;
    }
  }
}

/* One instruction of a tile of `rows` x `cols`, on architecture `arch`; `block` elements to a scale
 * factor, or 0. */
typedef struct instruction {
  int arch;
  const char *name;
  emu_dot_unit unit;
  emu_type type, accumulator;
  int rows, cols, k, block;
  emu_type scale;
} instruction;

static void multiply(buffers *t, const emu_dot_model *model, const instruction *i) {
  size_t of_a = (size_t)(i->rows * i->k), of_b = (size_t)(i->k * i->cols);
  emu_tile tile = {i->rows,       i->cols,    i->k,          false, t->a_value,
                   t->a_exponent, t->b_value, t->b_exponent, t->d};
  if (!model) {
    emu_operand_decode_integer(t->a_value, i->type, t->a, of_a);
    emu_operand_decode_integer(t->b_value, i->type, t->b, of_b);
    emu_dot_integer(&tile, false);
    return;
  }
  emu_dot_decode(model, t->a_value, t->a_exponent, i->type, false, t->a, of_a);
  emu_dot_decode(model, t->b_value, t->b_exponent, i->type, false, t->b, of_b);
  if (!i->block) {
    emu_dot(model, &tile);
    return;
  }
  size_t per_row = (size_t)(i->k / i->block);
  emu_operand_decode_scale(t->a_factor, t->a_factor_exponent, i->scale, t->a_scale,
                           (size_t)i->rows * per_row);
  emu_operand_decode_scale(t->b_factor, t->b_factor_exponent, i->scale, t->b_scale,
                           (size_t)i->cols * per_row);
  emu_dot_scaled(model, &tile,
                 &(emu_scales){i->block, t->a_factor, t->a_factor_exponent, t->b_factor,
                               t->b_factor_exponent});
}

static void measure(const instruction *i) {
  buffers *t = calloc(1, sizeof *t);
  if (!t) return;
  const emu_dot_model *model = emu_dot_find(i->arch, i->unit, i->type, i->accumulator);
  fill(t->a, (size_t)(i->rows * i->k), i->type);
  fill(t->b, (size_t)(i->k * i->cols), i->type);
  fill(t->a_scale, (size_t)i->rows * blocks, i->scale);
  fill(t->b_scale, (size_t)i->cols * blocks, i->scale);
  long rounds = 0;
  double begin = seconds(), end;
  do {
    multiply(t, model, i);
    rounds++;
    end = seconds();
  } while (end - begin < 0.3);
  double products = (double)rounds * i->rows * i->cols * i->k;
  printf("sm_%-3d %-8s m%dn%dk%d %s.%s: %.2f GMAC/s\n", i->arch, i->name, i->rows, i->cols, i->k,
         emu_type_of(i->accumulator)->spelling, emu_type_of(i->type)->spelling,
         products / (end - begin) * 1e-9);
  free(t);
}

static const instruction instructions[] = {
    {90, "mma", EMU_UNIT_MMA, EMU_F16, EMU_F32, 16, 8, 16, 0, EMU_NONE},
    {90, "mma", EMU_UNIT_MMA, EMU_BF16, EMU_F32, 16, 8, 16, 0, EMU_NONE},
    {90, "mma", EMU_UNIT_MMA, EMU_F16, EMU_F16, 16, 8, 16, 0, EMU_NONE},
    {90, "mma", EMU_UNIT_MMA, EMU_E4M3, EMU_F32, 16, 8, 32, 0, EMU_NONE},
    {90, "wgmma", EMU_UNIT_WGMMA, EMU_F16, EMU_F32, m, n, 16, 0, EMU_NONE},
    {90, "wgmma", EMU_UNIT_WGMMA, EMU_BF16, EMU_F32, m, n, 16, 0, EMU_NONE},
    {90, "wgmma", EMU_UNIT_WGMMA, EMU_TF32, EMU_F32, m, n, 8, 0, EMU_NONE},
    {90, "wgmma", EMU_UNIT_WGMMA, EMU_E4M3, EMU_F32, m, n, 32, 0, EMU_NONE},
    {90, "wgmma", EMU_UNIT_WGMMA, EMU_F16, EMU_F16, m, n, 16, 0, EMU_NONE},
    {100, "f16", EMU_UNIT_TCGEN05, EMU_F16, EMU_F32, m, n, 16, 0, EMU_NONE},
    {100, "f16", EMU_UNIT_TCGEN05, EMU_F16, EMU_F16, m, n, 16, 0, EMU_NONE},
    {100, "tf32", EMU_UNIT_TCGEN05, EMU_TF32, EMU_F32, m, n, 8, 0, EMU_NONE},
    {100, "f8f6f4", EMU_UNIT_TCGEN05, EMU_E4M3, EMU_F32, m, n, 32, 0, EMU_NONE},
    {100, "f8f6f4", EMU_UNIT_TCGEN05, EMU_E2M3, EMU_F32, m, n, 32, 0, EMU_NONE},
    {100, "f8f6f4", EMU_UNIT_TCGEN05, EMU_E2M1, EMU_F16, m, n, 32, 0, EMU_NONE},
    {100, "i8", EMU_UNIT_TCGEN05, EMU_S8, EMU_S32, m, n, 32, 0, EMU_NONE},
    {100, "mxf8f6f4", EMU_UNIT_MXF8F6F4, EMU_E4M3, EMU_F32, m, n, 32, 32, EMU_UE8M0},
    {100, "mxf4", EMU_UNIT_MXF4, EMU_E2M1, EMU_F32, m, n, 64, 32, EMU_UE8M0},
    {100, "mxf4nvf4", EMU_UNIT_MXF4, EMU_E2M1, EMU_F32, m, n, 64, 16, EMU_UE4M3},
};

int main(void) {
  for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++) {
    measure(&instructions[i]);
  }
  return 0;
}
