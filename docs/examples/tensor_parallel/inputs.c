#include "inputs.h"

#include <stdlib.h>

#include "bf16.h"
#include "world.h"

/* 64 bits for four neighbours of a row (the finaliser of SplitMix64). */
static uint64_t bits_of(input of, int64_t row, int64_t four) {
  uint64_t x = ((uint64_t)of << 60) ^ ((uint64_t)row << 28) ^ (uint64_t)four;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

static uint16_t element(uint64_t bits, int64_t column) {
  unsigned random = (unsigned)(bits >> 16 * (column % 4)) & 0xffff;
  unsigned sign = random & 0x8000, exponent = 123 + (random >> 7 & 3), mantissa = random & 0x7f;
  return (uint16_t)(sign | exponent << 7 | mantissa);
}

float input_at(input of, int64_t row, int64_t column) {
  return float_of(element(bits_of(of, row, column / 4), column));
}

static void fill_row(uint16_t *out, input of, int64_t row, int64_t first, int64_t count) {
  uint64_t bits = 0;
  for (int64_t i = 0; i < count; i++) {
    int64_t column = first + i;
    if (i == 0 || column % 4 == 0) bits = bits_of(of, row, column / 4);
    out[i] = element(bits, column);
  }
}

void inputs_write(device *device, uint64_t to, input of, int64_t first_row, int64_t rows,
                  int64_t first_column, int64_t columns) {
  enum { block_elements = 1 << 24 };
  int64_t block = block_elements / columns > 0 ? block_elements / columns : 1;
  uint16_t *host = host_alloc((size_t)(block * columns) * sizeof *host);
  for (int64_t row = 0; row < rows; row += block) {
    int64_t count = rows - row < block ? rows - row : block;
    for (int64_t i = 0; i < count; i++)
      fill_row(host + i * columns, of, first_row + row + i, first_column, columns);
    int64_t bytes = columns * (int64_t)sizeof *host;
    device_write(device, to + (uint64_t)(row * bytes), host, count * bytes);
  }
  free(host);
}
