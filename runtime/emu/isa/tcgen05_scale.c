/* Scale factors in tensor memory: where they are, and whether all copies of them agree. */
#include "emu/isa/tcgen05_scale.h"

#include "emu/machine.h"

enum { slice = EMU_TMEM_SLICE, slices = EMU_TMEM_LANES / EMU_TMEM_SLICE };

/* Rows that share a set of lanes. */
static int rows_together(const emu_scale_view *v) {
  return v->folded ? v->rows / 2 : v->rows;
}

/* Words that have a row's factors, and the columns from one to the next. */
static int words_of(const emu_scale_view *v) {
  return (v->byte + v->factors + 3) / 4;
}

static int word_columns(const emu_scale_view *v) {
  return rows_together(v) > EMU_TMEM_LANES ? 2 * slices : slices;
}

emu_tmem_region emu_scale_region(const emu_scale_view *v) {
  int rows = rows_together(v);
  uint32_t lanes = rows < slice ? (UINT32_C(1) << rows) - 1 : UINT32_MAX;
  int columns = (rows + slice - 1) / slice + (words_of(v) - 1) * word_columns(v);
  return (emu_tmem_region){{lanes, lanes, lanes, lanes}, v->column, columns};
}

static bool complain(const emu_scale_view *v, const emu_tmem_claim *claim, int row, int lane,
                     int column, const char *what) {
  const emu_async *async = claim->async;
  return emu_tolerated(async->warp, async->op, -1, GG_E_EMU_UNDEFINED,
                       "reads %s %d at lane %d, column %d of tensor memory, which %s", v->name, row,
                       lane, column, what);
}

/* A row's word, of which `mask` are its factors; false after a fault. */
static bool read_word(uint32_t *word, const emu_scale_view *v, const emu_tmem_claim *claim, int row,
                      int index, uint32_t mask) {
  int half = row / rows_together(v), at = row % rows_together(v);
  int column = v->column + at / slice + index * word_columns(v);
  int first = v->folded ? 2 * half : 0, end = v->folded ? first + 2 : slices;
  for (int i = first; i < end; i++) {
    int lane = i * slice + at % slice;
    uint32_t value = claim->memory->cells[lane][column] & mask;
    if (!claim->memory->written[lane][column] &&
        !complain(v, claim, row, lane, column, "nobody has written")) {
      return false;
    }
    if (i > first && value != *word &&
        !complain(v, claim, row, lane, column, "differs from its copy in other lanes")) {
      return false;
    }
    if (i == first) *word = value;
  }
  return true;
}

/* The bytes of a row's factors, lowest first; false after a fault. */
static bool read_row(uint64_t *bytes, const emu_scale_view *v, const emu_tmem_claim *claim,
                     int row) {
  uint64_t mask = ((UINT64_C(1) << 8 * v->factors) - 1) << 8 * v->byte;
  *bytes = 0;
  for (int i = 0; i < words_of(v); i++) {
    uint32_t word = 0;
    if (!read_word(&word, v, claim, row, i, (uint32_t)(mask >> 32 * i))) return false;
    *bytes |= (uint64_t)word << 32 * i;
  }
  *bytes >>= 8 * v->byte;
  return true;
}

bool emu_scale_gather(uint32_t *codes, int row_stride, int factor_stride, int repeat,
                      const emu_scale_view *v, const emu_tmem_claim *claim, int first, int count) {
  for (int row = 0; row < count; row++) {
    uint64_t bytes;
    if (!read_row(&bytes, v, claim, first + row)) return false;
    for (int i = 0; i < v->factors * repeat; i++)
      codes[row * row_stride + i * factor_stride] = bytes >> 8 * (i / repeat) & 0xff;
  }
  return true;
}
