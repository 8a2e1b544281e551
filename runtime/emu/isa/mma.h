/* What a decoded mma.sync knows. */
#ifndef GG_EMU_ISA_MMA_H
#define GG_EMU_ISA_MMA_H

#include "emu/isa/sparse.h"
#include "emu/tensor/dot.h"

enum { EMU_MMA_N = 8, EMU_MMA_REGISTERS = 40 };

/* Operands of the op: D, A, B, C, then the metadata of a sparse one. */
typedef struct emu_mma_facts {
  int m, k;
  emu_type a, b, c, d;
  int a_at, b_at, c_at, metadata_at; /* first operand of each; D's is 0 */
  bool sparse;
  emu_sparsity sparsity;
  bool a_column, b_column; /* m8n8k4: stored by columns */
  bool saturate, exclusive;
  const emu_dot_model *model; /* of floats */
} emu_mma_facts;

emu_exec emu_mma_float, emu_mma_integer, emu_mma_bits, emu_mma_f64, emu_mma_quadpair;

#endif
