/* Tensor-core arithmetic, bit for bit: D = A * B + D on a tile.
 *
 * dots.def says which sums are rounded when, and how. That depends on the architecture of the
 * device, on the instruction and on the types. */
#ifndef GG_EMU_TENSOR_DOT_H
#define GG_EMU_TENSOR_DOT_H

#include "emu/tensor/operand.h"

typedef enum emu_dot_unit {
  EMU_UNIT_MMA,
  EMU_UNIT_WGMMA,
  EMU_UNIT_QUADPAIR,
  EMU_UNIT_TCGEN05,
  EMU_UNIT_MXF8F6F4,
  EMU_UNIT_MXF4,
} emu_dot_unit;
typedef enum emu_dot_method {
  EMU_DOT_FUSED,
  EMU_DOT_UNPACKED,
  EMU_DOT_CHAINED,
  EMU_DOT_PAIRED,
  EMU_DOT_BLOCKED
} emu_dot_method;
typedef enum emu_dot_rounding { EMU_ROUND_RZ23, EMU_ROUND_RZ13, EMU_ROUND_RNE10 } emu_dot_rounding;

/* A row of dots.def. */
typedef struct emu_dot_model {
  int arch;
  emu_dot_unit unit;
  emu_type operand, accumulator;
  emu_dot_method method;
  int fraction, width, zero;
  emu_dot_rounding rounding;
} emu_dot_model;

/* The row for a device of `arch` (80, 89, 90, 100, 120); NULL if it has no such instruction.
 * `operand` is A's type. */
const emu_dot_model *emu_dot_find(int arch, emu_dot_unit unit, emu_type operand,
                                  emu_type accumulator);

/* Operands and accumulators of m x n x k products. n and m * k are multiples of 8. The elements of
 * a sparse A that are not stored are absent (emu_sparse_spread). */
typedef struct emu_tile {
  int m, n, k;
  bool sparse;               /* every second element of a row of A is absent */
  const float *a;            /* [m][k], decoded */
  const int16_t *a_exponent; /* [m][k]; unused by integers */
  const float *b;            /* [k][n], decoded */
  const int16_t *b_exponent; /* [k][n]; unused by integers */
  uint32_t *d;               /* [m][n]: C in, D out; the bits of an f32, f16 (low half) or s32 */
} emu_tile;

/* Decodes operands of `model` (emu_operand_decode), negated or not. */
void emu_dot_decode(const emu_dot_model *model, float *value, int16_t *exponent, emu_type type,
                    bool negate, const uint32_t *codes, size_t count);

void emu_dot(const emu_dot_model *model, const emu_tile *tile);

/* Scale factors of a tile, decoded (emu_operand_decode_scale). Each is for `block` elements of k:
 * 32, or 16 for MXF4. */
typedef struct emu_scales {
  int block;
  const float *a;            /* [m][k / block] */
  const int16_t *a_exponent; /* [m][k / block] */
  const float *b;            /* [k / block][n] */
  const int16_t *b_exponent; /* [k / block][n] */
} emu_scales;

/* The same for the units MXF8F6F4 and MXF4: each product is multiplied by its two scale factors. */
void emu_dot_scaled(const emu_dot_model *model, const emu_tile *tile, const emu_scales *scales);

/* Integers of 4 and 8 bits, k at most 256: exact sums, which wrap around, or are held at the
 * largest and smallest s32 with `saturate`. */
void emu_dot_integer(const emu_tile *tile, bool saturate);

/* Bits, 32 in each word, k of them: d[m][n] += popcount(a[m] op b[n]), which wraps around; `op` is
 * and, or xor. a: [m][k / 32], b: [n][k / 32]. */
void emu_dot_bits(uint32_t *d, const uint32_t *a, const uint32_t *b, int m, int n, int k,
                  bool exclusive);

/* f64: a chain of fused multiply-adds in the order of k, each rounded as `how` says (EMU_RN and the
 * like). a: [m][k], b: [k][n], d: [m][n]. */
void emu_dot_f64(double *d, const double *a, const double *b, int m, int n, int k, unsigned how);

#endif
