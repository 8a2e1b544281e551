/* mma.sync, mma.sp and wmma.mma: execution. A warp's registers become matrices of codes, codes
 * become operands, and emu/tensor does the arithmetic. */
#include <string.h>

#include "emu/hazard.h"
#include "emu/isa/fragment.h"
#include "emu/isa/mma.h"
#include "emu/number/float.h"
#include "emu/report.h"

enum { rows_most = 16, k_most = EMU_SPARSE_K, n = EMU_MMA_N, products_most = 2 };

/* The matrices of one product; of a sparse A, `stored` is what its registers hold. */
typedef struct matrices {
  uint32_t codes[rows_most * k_most], d[rows_most * n];
  float a[rows_most * k_most], b[k_most * n], stored[rows_most * k_most / 2];
  int16_t a_exponent[rows_most * k_most], b_exponent[k_most * n];
  int16_t stored_exponent[rows_most * k_most / 2];
  uint8_t columns[EMU_SPARSE_ROWS * EMU_SPARSE_K / 2];
} matrices;

static bool meet(emu_warp *warp, const emu_op *op, uint32_t *lanes) {
  if (!emu_converge(warp, op, UINT32_MAX, lanes)) return false;
  emu_hazard_converge(warp);
  return true;
}

static void count(const emu_warp *warp, const emu_mma_facts *f) {
  emu_counting(warp)->tensor_macs += (uint64_t)(f->m * n * f->k * f->steps / (f->sparse ? 2 : 1));
}

static bool is_integer(const emu_mma_facts *f) {
  return f->d == EMU_S32;
}

static void decode(float *value, int16_t *exponent, const emu_mma_facts *f, emu_type type,
                   const uint32_t *codes, int elements) {
  if (is_integer(f)) {
    emu_operand_decode_integer(value, type, codes, (size_t)elements);
  } else {
    emu_dot_decode(f->model, value, exponent, type, false, codes, (size_t)elements);
  }
}

/* Where an element has a byte of its own, one of 6 bits is in the low six, one of 4 in the middle.
 */
static void take_from_bytes(uint32_t *codes, const emu_mma_facts *f, emu_type type, int elements) {
  int bits = emu_type_of(type)->bits;
  if (emu_mma_stored(f, type) == type || bits == 8) return;
  for (int i = 0; i < elements; i++) {
    codes[i] = codes[i] >> (bits == 4 ? 2 : 0) & ((1u << bits) - 1);
  }
}

static bool load_a(matrices *x, emu_warp *warp, const emu_op *op, const emu_mma_facts *f,
                   int step) {
  int stored_k = f->sparse ? f->k / 2 : f->k;
  emu_type stored = emu_mma_stored(f, f->a);
  int at = f->a_at + step * emu_mma_registers(stored, f->m * f->k);
  emu_fragment_a(x->codes, warp, op->operands + at, f->m, stored_k, emu_type_of(stored)->bits);
  take_from_bytes(x->codes, f, f->a, f->m * stored_k);
  if (!f->sparse) {
    decode(x->a, x->a_exponent, f, f->a, x->codes, f->m * f->k);
    return true;
  }
  const uint32_t *metadata = EMU_AT(uint32_t, warp, &op->operands[f->metadata_at]);
  decode(x->stored, x->stored_exponent, f, f->a, x->codes, f->m * stored_k);
  emu_stored all = {x->stored, is_integer(f) ? NULL : x->stored_exponent};
  if (!emu_sparse_columns(x->columns, warp, op, &f->sparsity, &all, metadata)) return false;
  emu_sparse_spread(x->a, is_integer(f) ? NULL : x->a_exponent, &all, x->columns, f->m, f->k);
  return true;
}

static void load_b(matrices *x, emu_warp *warp, const emu_op *op, const emu_mma_facts *f,
                   int step) {
  emu_type stored = emu_mma_stored(f, f->b);
  int at = f->b_at + step * emu_mma_registers(stored, f->k * n);
  emu_fragment_b(x->codes, warp, op->operands + at, f->k, emu_type_of(stored)->bits);
  take_from_bytes(x->codes, f, f->b, f->k * n);
  decode(x->b, x->b_exponent, f, f->b, x->codes, f->k * n);
}

/* Where one of C and D is f32 and the other f16, the sum is f32. */
static void widen(uint32_t *codes, int elements) {
  for (int i = 0; i < elements; i++) {
    codes[i] = emu_float_bits((float)emu_f16_value((uint16_t)codes[i], 0));
  }
}

static void narrow(uint32_t *codes, int elements) {
  for (int i = 0; i < elements; i++) {
    codes[i] = emu_f16_from_f32(codes[i], EMU_RN);
  }
}

static bool multiply_scaled(const emu_tile *tile, emu_warp *warp, const emu_op *op,
                            const emu_mma_facts *f) {
  emu_mma_scales scales;
  if (!emu_mma_load_scales(&scales, warp, op, f)) return false;
  emu_dot_scaled(f->model, tile, &scales.scales);
  return true;
}

/* C, and to it what each step multiplies: D. */
static bool multiply(matrices *x, emu_warp *warp, const emu_op *op, const emu_mma_facts *f) {
  emu_fragment_load(x->d, warp, op->operands + f->c_at, f->m, n, emu_type_of(f->c)->bits);
  if (f->c == EMU_F16 && f->d == EMU_F32) widen(x->d, f->m * n);
  for (int step = 0; step < f->steps; step++) {
    if (!load_a(x, warp, op, f, step)) return false;
    load_b(x, warp, op, f, step);
    emu_tile tile = {f->m, n, f->k, f->sparse, x->a, x->a_exponent, x->b, x->b_exponent, x->d};
    if (is_integer(f)) {
      emu_dot_integer(&tile, f->saturate);
    } else if (f->scale.count) {
      if (!multiply_scaled(&tile, warp, op, f)) return false;
    } else {
      emu_dot(f->model, &tile);
    }
  }
  if (f->c == EMU_F32 && f->d == EMU_F16) narrow(x->d, f->m * n);
  count(warp, f);
  return true;
}

/* All are read before one is written. */
emu_step emu_mma_products(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  const emu_mma_facts *f = op->facts;
  matrices x[products_most];
  if (!meet(warp, op, &lanes)) return EMU_WAIT;
  for (int i = 0; i < f->products; i++) {
    if (!multiply(&x[i], warp, op, &f[i])) return EMU_FAULT;
  }
  for (int i = 0; i < f->products; i++) {
    emu_fragment_store(x[i].d, warp, op->operands + f[i].d_at, f[i].m, n,
                       emu_type_of(f[i].d)->bits);
  }
  return EMU_NEXT;
}

/* A word of 32 bits is an element of the fragments. */
emu_step emu_mma_bits(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  const emu_mma_facts *f = op->facts;
  uint32_t a[rows_most * 8], b_words[8 * n], b[n * 8], d[rows_most * n];
  int words = f->k / 32;
  if (!meet(warp, op, &lanes)) return EMU_WAIT;
  emu_fragment_a(a, warp, op->operands + f->a_at, f->m, words, 32);
  emu_fragment_b(b_words, warp, op->operands + f->b_at, words, 32);
  emu_fragment_load(d, warp, op->operands + f->c_at, f->m, n, 32);
  for (int i = 0; i < words * n; i++) {
    b[i % n * words + i / n] = b_words[i];
  }
  emu_dot_bits(d, a, b, f->m, n, f->k, f->exclusive);
  emu_fragment_store(d, warp, op->operands + f->d_at, f->m, n, 32);
  count(warp, f);
  return EMU_NEXT;
}

emu_step emu_mma_f64(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  const emu_mma_facts *f = op->facts;
  double a[rows_most * 16], b[16 * n], d[rows_most * n];
  if (!meet(warp, op, &lanes)) return EMU_WAIT;
  emu_fragment_a64(a, warp, op->operands + f->a_at, f->m, f->k);
  emu_fragment_b64(b, warp, op->operands + f->b_at, f->k);
  emu_fragment_load64(d, warp, op->operands + f->c_at, f->m);
  emu_dot_f64(d, a, b, f->m, n, f->k, f->rounding);
  emu_fragment_store64(d, warp, op->operands + f->d_at, f->m);
  count(warp, f);
  return EMU_NEXT;
}
