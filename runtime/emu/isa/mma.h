/* What a decoded mma.sync knows. */
#ifndef GG_EMU_ISA_MMA_H
#define GG_EMU_ISA_MMA_H

#include "emu/isa/sparse.h"
#include "emu/tensor/dot.h"

enum { EMU_MMA_N = 8, EMU_MMA_ROWS = 16, EMU_MMA_REGISTERS = 40 };

/* .kind of sm_120. Of F8F6F4 and MXF8F6F4 an element of any type has a byte of its own; MXF4 is
 * mxf4nvf4 too. */
typedef enum emu_mma_kind {
  EMU_MMA_PLAIN,
  EMU_MMA_F8F6F4,
  EMU_MMA_MXF8F6F4,
  EMU_MMA_MXF4
} emu_mma_kind;

typedef struct emu_mma_scale {
  int count; /* factors of a row of A, a column of B; 0: there are none */
  emu_type type;
  bool nvidia; /* mxf4nvf4 */
  int at;      /* first operand: A's word and two selectors, B's */
} emu_mma_scale;

/* One product of 16 or 8 rows by 8 columns. Operands of the op: D, A, B, C, then the metadata of a
 * sparse one. wmma.mma is one or two of them, in an array. */
typedef struct emu_mma_facts {
  int m, k;
  emu_mma_kind kind;
  emu_mma_scale scale;
  emu_type a, b, c, d;
  int d_at, a_at, b_at, c_at, metadata_at; /* first operand of each */
  int products;                            /* in the array, of the first of them */
  int steps;                               /* of k each, one added to the other */
  bool sparse;
  emu_sparsity sparsity;
  bool a_column, b_column; /* m8n8k4: stored by columns */
  bool saturate, exclusive;
  unsigned rounding;          /* of f64: EMU_RN and the like */
  const emu_dot_model *model; /* of floats */
} emu_mma_facts;

emu_exec emu_mma_products, emu_mma_bits, emu_mma_f64, emu_mma_quadpair;

/* Registers of a lane that hold `elements` of a matrix of the warp's. */
int emu_mma_registers(emu_type type, int elements);

/* Two modifiers, each row or col, in the order written: whether they are there. */
bool emu_take_layouts(bool column[2], emu_decoder *d);
/* .and.popc or .xor.popc of bits, the rounding of f64: what only some types have. */
gg_status emu_take_mma_operation(emu_mma_facts *f, emu_decoder *d, gg_error *err);

/* mma_scale.c: .kind and .block_scale, whether the type of the factors goes with them; the operands
 * from `index` on; the factors, decoded: false after a fault. */
gg_status emu_take_mma_kind(emu_mma_facts *f, emu_decoder *d, gg_error *err);
bool emu_mma_scale_fits(const emu_mma_facts *f);
gg_status emu_take_mma_scales(emu_op *op, emu_mma_facts *f, emu_decoder *d, int index,
                              gg_error *err);

typedef struct emu_mma_scales {
  emu_scales scales;
  float a[EMU_MMA_ROWS * 4], b[EMU_MMA_N * 4];
  int16_t a_exponent[EMU_MMA_ROWS * 4], b_exponent[EMU_MMA_N * 4];
} emu_mma_scales;

bool emu_mma_load_scales(emu_mma_scales *out, emu_warp *warp, const emu_op *op,
                         const emu_mma_facts *f);

/* As what an element stands in registers. */
static inline emu_type emu_mma_stored(const emu_mma_facts *f, emu_type type) {
  return f->kind == EMU_MMA_F8F6F4 || f->kind == EMU_MMA_MXF8F6F4 ? EMU_B8 : type;
}

/* The registers of operand `index`, `count` of `type`, at the end of the op's; *at: the first. */
gg_status emu_take_registers(emu_op *op, int *at, emu_decoder *d, int index, int count,
                             emu_type type, gg_error *err);

#endif
