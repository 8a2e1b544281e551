/* Metadata of a sparse A in tensor memory: where it is, and whether all copies of it agree. */
#include "emu/isa/tcgen05_sparse.h"

#include <inttypes.h>

#include "emu/machine.h"

enum { slice = EMU_TMEM_SLICE, block = 16 /* rows that stand together */ };

/* Whether two rows share a word. */
static bool is_paired(const emu_meta_view *v) {
  return emu_type_of(v->sparsity.type)->bits >= 16;
}

static int first_column(const emu_meta_view *v) {
  return v->column + v->sparsity.selector;
}

emu_tmem_region emu_meta_region(const emu_meta_view *v) {
  uint32_t lanes = v->half ? UINT32_C(0xffff) << v->lane : UINT32_MAX;
  return (emu_tmem_region){{lanes, lanes, lanes, lanes}, first_column(v), is_paired(v) ? 1 : 2};
}

/* The lane of a row where each has its own. */
static int lane_of(const emu_meta_view *v, int row) {
  return v->half ? v->lane + row % block + row / block * slice : row;
}

/* A row's bits in the copy that begins at a lane. */
static uint64_t row_bits(const emu_meta_view *v, const emu_tmem *memory, int row, int from) {
  int column = first_column(v);
  if (!is_paired(v)) {
    const uint32_t *words = &memory->cells[from + lane_of(v, row)][column];
    return words[0] | (uint64_t)words[1] << 32;
  }
  int low = row & ~8, shift = row & 8 ? 16 : 0;
  uint32_t first = memory->cells[from + lane_of(v, low)][column] >> shift & 0xffff;
  uint32_t last = memory->cells[from + lane_of(v, low + 8)][column] >> shift & 0xffff;
  return first | last << 16;
}

static bool same_copies(const emu_meta_view *v, const emu_tmem_claim *claim, int row) {
  uint64_t bits = row_bits(v, claim->memory, row, 0);
  for (int from = v->rows; !v->half && from < EMU_TMEM_LANES; from += v->rows) {
    uint64_t copy = row_bits(v, claim->memory, row, from);
    if (copy == bits) continue;
    return emu_tolerated(claim->async->warp, claim->async->op, -1, GG_E_EMU_UNDEFINED,
                         "reads the metadata of row %d of A, 0x%" PRIx64
                         "; its copy from lane %d on is 0x%" PRIx64,
                         row, bits, from, copy);
  }
  return true;
}

bool emu_meta_gather(uint8_t *columns, const emu_meta_view *v, const emu_tmem_claim *claim,
                     const emu_stored *stored) {
  const emu_async *async = claim->async;
  if (!emu_tmem_written(claim, GG_E_EMU_UNDEFINED, "the metadata of A")) return false;
  for (int row = 0; row < v->rows; row++) {
    uint64_t bits = row_bits(v, claim->memory, row, 0);
    if (!same_copies(v, claim, row) ||
        !emu_sparse_row(columns + row * (v->sparsity.k / 2), async->warp, async->op, &v->sparsity,
                        stored, row, bits)) {
      return false;
    }
  }
  return true;
}
