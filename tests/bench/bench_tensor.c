/* How fast the emulator's tensor cores are, decoding of operands included: MAC/s a core. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "emu/tensor/dot.h"

enum { m = 64, n = 128, deepest = 32 };

typedef struct buffers {
  uint32_t a[m * deepest], b[deepest * n], d[m * n];
  float a_value[m * deepest], b_value[deepest * n];
  int16_t a_exponent[m * deepest], b_exponent[deepest * n];
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
    default:
      codes[i] = r >> 11 & 0xb7;
      break;
    }
  }
}

/* `rows` x `cols` is the tile of one instruction. */
static void measure(emu_dot_unit unit, emu_type type, emu_type accumulator, int rows, int cols,
                    int k) {
  buffers *t = calloc(1, sizeof *t);
  if (!t) return;
  const emu_dot_model *model = emu_dot_find(90, unit, type, accumulator);
  fill(t->a, (size_t)(rows * k), type);
  fill(t->b, (size_t)(k * cols), type);
  long rounds = 0;
  double begin = seconds(), end;
  do {
    emu_dot_decode(model, t->a_value, t->a_exponent, type, false, t->a, (size_t)(rows * k));
    emu_dot_decode(model, t->b_value, t->b_exponent, type, false, t->b, (size_t)(k * cols));
    emu_dot(model, &(emu_tile){rows, cols, k, false, t->a_value, t->a_exponent, t->b_value,
                               t->b_exponent, t->d});
    rounds++;
    end = seconds();
  } while (end - begin < 0.3);
  double products = (double)rounds * rows * cols * k;
  printf("%-5s m%dn%dk%d %s.%s: %.2f GMAC/s\n", unit == EMU_UNIT_MMA ? "mma" : "wgmma", rows, cols,
         k, emu_type_of(accumulator)->spelling, emu_type_of(type)->spelling,
         products / (end - begin) * 1e-9);
  free(t);
}

int main(void) {
  measure(EMU_UNIT_MMA, EMU_F16, EMU_F32, 16, 8, 16);
  measure(EMU_UNIT_MMA, EMU_BF16, EMU_F32, 16, 8, 16);
  measure(EMU_UNIT_MMA, EMU_F16, EMU_F16, 16, 8, 16);
  measure(EMU_UNIT_MMA, EMU_E4M3, EMU_F32, 16, 8, 32);
  measure(EMU_UNIT_WGMMA, EMU_F16, EMU_F32, m, n, 16);
  measure(EMU_UNIT_WGMMA, EMU_BF16, EMU_F32, m, n, 16);
  measure(EMU_UNIT_WGMMA, EMU_TF32, EMU_F32, m, n, 8);
  measure(EMU_UNIT_WGMMA, EMU_E4M3, EMU_F32, m, n, 32);
  measure(EMU_UNIT_WGMMA, EMU_F16, EMU_F16, m, n, 16);
  return 0;
}
