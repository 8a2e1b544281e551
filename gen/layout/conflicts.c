/* Bank conflicts of a thread-value layout over a tile of shared memory; see conflicts.h. */
#include "layout/conflicts.h"

#include <stdio.h>

#include "layout/calc.h"

/* ---- Checking ----------------------------------------------------------------------------- */

gg_status gg_tv_check(const char *op, const gg_layout *tv, int64_t cells, gg_error *err) {
  if (gg_layout_has_basis(tv)) return gg_fail(err, LAYOUT_BASIS, NULL, op);
  if (gg_layout_rank(tv) != 2) {
    return gg_fail(err, LAYOUT_RANK, NULL, op, "the layout", gg_layout_rank(tv), "(thread,value)",
                   2);
  }
  int64_t size = gg_layout_size(tv), threads = gg_layout_mode_size(tv, 0);
  if (size < 1 || size > GG_TV_MAX) {
    return gg_fail(err, LAYOUT_VALUE, NULL, op,
                   "a thread-value layout has 1 to 1048576 elements here");
  }
  for (int64_t i = 0; i < size; i++) {
    int64_t at = gg_layout_at(tv, i);
    if (at >= 0 && at < cells) continue;
    return gg_fail(err, LAYOUT_TV, NULL, op, (long long)(i / threads), (long long)(i % threads),
                   (long long)at, (long long)cells);
  }
  return GG_OK;
}

static int64_t element_of(const gg_conflicts *c, int64_t thread, int64_t value) {
  int64_t threads = gg_layout_mode_size(&c->tv, 0);
  return gg_tensor_offset(&c->smem, gg_layout_at(&c->tv, thread + threads * value));
}

/* Why accesses of this many bytes are not possible. */
typedef struct reason {
  char text[128];
} reason;

static bool misfits(const gg_conflicts *c, int bytes, reason *why) {
  int64_t threads = gg_layout_mode_size(&c->tv, 0), values = gg_layout_mode_size(&c->tv, 1);
  int64_t count = bytes * 8 / c->bits; /* elements of an access */
  if (bytes * 8 % c->bits || values % count) {
    snprintf(why->text, sizeof why->text, "a thread has %lld elements of %d bits",
             (long long)values, c->bits);
    return true;
  }
  for (int64_t thread = 0; thread < threads; thread++) {
    for (int64_t value = 0; value < values; value++) {
      int64_t element = element_of(c, thread, value), within = value % count;
      if (element < 0) {
        snprintf(why->text, sizeof why->text, "value %lld of thread %lld is element %lld",
                 (long long)value, (long long)thread, (long long)element);
        return true;
      }
      if (within == 0 && element % count != 0) {
        snprintf(why->text, sizeof why->text,
                 "value %lld of thread %lld is element %lld, no multiple of %lld", (long long)value,
                 (long long)thread, (long long)element, (long long)count);
        return true;
      }
      if (within > 0 && element != element_of(c, thread, value - 1) + 1) {
        snprintf(why->text, sizeof why->text,
                 "values %lld and %lld of thread %lld are elements %lld and %lld",
                 (long long)value - 1, (long long)value, (long long)thread,
                 (long long)element_of(c, thread, value - 1), (long long)element);
        return true;
      }
    }
  }
  return false;
}

static int widest(const gg_conflicts *c) {
  reason why;
  int bytes = 16;
  while (bytes > 0 && misfits(c, bytes, &why))
    bytes /= 2;
  return bytes;
}

static gg_status fail_access(const gg_conflicts *c, int bytes, const reason *why, gg_error *err) {
  char legal[48] = "no width would do";
  int width = widest(c);
  if (width) snprintf(legal, sizeof legal, "%d bytes would do", width);
  return gg_fail(err, LAYOUT_ACCESS, NULL, bytes, why->text, legal);
}

static gg_status check_elements(const gg_conflicts *c, int bytes, gg_error *err) {
  static const char op[] = "bank_conflicts";
  const gg_composed *layout = &c->smem.layout;
  if (bytes < 0 || bytes > 16 || (bytes & (bytes - 1))) {
    return gg_fail(err, LAYOUT_VALUE, NULL, op, "an access has 1, 2, 4, 8 or 16 bytes");
  }
  if (c->bits < 1 || c->bits > 128) {
    return gg_fail(err, LAYOUT_VALUE, NULL, op, "elements have 1 to 128 bits");
  }
  if (layout->ptr_bits && layout->ptr_bits != c->bits) {
    char why[96];
    snprintf(why, sizeof why, "the smem_ptr has elements of %d bits, not of %d", layout->ptr_bits,
             c->bits);
    return gg_fail(err, LAYOUT_VALUE, NULL, op, why);
  }
  if (gg_layout_has_basis(&layout->layout)) return gg_fail(err, LAYOUT_BASIS, NULL, op);
  gg_calc calc = GG_CALC(op, err); /* counts bits; twice as many where a swizzle moves them */
  int64_t extent =
      gg_calc_add(&calc, gg_composed_cosize(layout), gg_calc_abs(&calc, layout->offset));
  extent = gg_calc_add(&calc, extent, gg_calc_abs(&calc, c->smem.base.nodes[0].value));
  gg_calc_mul(&calc, extent, 2 * c->bits);
  if (calc.status) return calc.status;
  return gg_tv_check(op, &c->tv, gg_composed_size(layout), err);
}

gg_status gg_conflicts_make(gg_conflicts *out, const gg_layout *tv, const gg_tensor *smem, int bits,
                            int bytes, gg_error *err) {
  gg_conflicts c = {.tv = *tv, .smem = *smem, .bits = bits};
  reason why;
  gg_status st = check_elements(&c, bytes, err);
  if (st) return st;
  c.bytes = bytes ? bytes : widest(&c);
  if (!c.bytes || misfits(&c, c.bytes, &why)) {
    int asked = c.bytes ? c.bytes : c.bits > 8 ? c.bits / 8 : 1;
    misfits(&c, asked, &why);
    return fail_access(&c, asked, &why, err);
  }
  c.accesses = gg_layout_mode_size(tv, 1) * bits / (8 * c.bytes);
  c.warps = (gg_layout_mode_size(tv, 0) + GG_WARP - 1) / GG_WARP;
  *out = c;
  return GG_OK;
}

/* ---- Counting ----------------------------------------------------------------------------- */

gg_wavefronts gg_conflicts_at(const gg_conflicts *c, int64_t access, int64_t warp) {
  int64_t address[GG_WARP], threads = gg_layout_mode_size(&c->tv, 0);
  int64_t value = access * (c->bytes * 8 / c->bits);
  for (int lane = 0; lane < GG_WARP; lane++) {
    int64_t thread = warp * GG_WARP + lane;
    address[lane] = thread < threads ? element_of(c, thread, value) * c->bits / 8 : -1;
  }
  return gg_bank_wavefronts(address, c->bytes);
}

gg_wavefronts gg_conflicts_total(const gg_conflicts *c) {
  gg_wavefronts sum = {0, 0, 0};
  for (int64_t access = 0; access < c->accesses; access++) {
    for (int64_t warp = 0; warp < c->warps; warp++) {
      gg_wavefronts w = gg_conflicts_at(c, access, warp);
      sum.taken += w.taken;
      sum.least += w.least;
      sum.banks |= w.banks;
    }
  }
  return sum;
}

/* ---- As text ------------------------------------------------------------------------------ */

/* Appends "7" or "0-3". */
static void put_range(gg_str *out, int64_t first, int64_t last) {
  gg_str_printf(out, last > first ? "%lld-%lld" : "%lld", (long long)first, (long long)last);
}

/* Appends a set of banks, as "0-3,8", or "-" for none. */
static void put_banks(gg_str *out, uint32_t banks) {
  const char *comma = "";
  for (int bank = 0; bank < GG_BANKS; bank++) {
    int first = bank;
    while (bank < GG_BANKS && (banks >> bank & 1))
      bank++;
    if (bank == first) continue;
    gg_str_puts(out, comma);
    put_range(out, first, bank - 1);
    comma = ",";
  }
  if (!banks) gg_str_puts(out, "-");
}

static void put_padded(gg_str *out, int64_t first, int64_t last, int width) {
  gg_str range = GG_STR_INIT;
  put_range(&range, first, last);
  gg_str_printf(out, "%-*s ", width, gg_str_text(&range));
  out->failed = out->failed || range.failed;
  gg_str_free(&range);
}

static void put_row(gg_str *out, const gg_conflicts *c, int64_t access, int64_t first, int64_t last,
                    gg_wavefronts w) {
  int64_t count = c->bytes * 8 / c->bits, value = access * count;
  gg_str_printf(out, "%-6lld  ", (long long)access);
  put_padded(out, value, value + count - 1, 9);
  put_padded(out, first, last, 7);
  gg_str_printf(out, "%10d  %5d  %6.4g  ", w.taken, w.least, (double)w.taken / w.least);
  put_banks(out, w.banks);
  gg_str_putc(out, '\n');
}

static bool same(gg_wavefronts a, gg_wavefronts b) {
  return a.taken == b.taken && a.least == b.least && a.banks == b.banks;
}

void gg_conflicts_table(gg_str *out, const gg_conflicts *c) {
  gg_str_puts(out, "access  values    warps   wavefronts  least  degree  banks that conflict\n");
  for (int64_t access = 0; access < c->accesses; access++) {
    for (int64_t warp = 0; warp < c->warps; warp++) {
      int64_t first = warp;
      gg_wavefronts w = gg_conflicts_at(c, access, warp);
      while (warp + 1 < c->warps && same(w, gg_conflicts_at(c, access, warp + 1)))
        warp++;
      put_row(out, c, access, first, warp, w);
    }
  }
}
