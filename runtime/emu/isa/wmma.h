/* The fragments of wmma: which elements of a matrix each register of a lane holds.
 *
 * The PTX ISA leaves that open. Here, fragments are those of mma.sync, as code that looks into them
 * expects on sm_80 and later: a wmma is one product of mma.sync, or two beside each other. The side
 * of 16 or 32 rows is mma.sync's A, in its order of registers; the other, of 8 or twice 8, its B.
 * If m is 8 and n is 32, these are B and A, and C and D are transposed. Operands of f16 always have
 * eight registers: those that the matrix needs are repeated. */
#ifndef GG_EMU_ISA_WMMA_H
#define GG_EMU_ISA_WMMA_H

#include "emu/machine.h"

typedef struct emu_wmma_shape {
  int m, n, k;
  uint64_t operands, accumulators; /* bits of emu_type */
  bool free;                       /* whether A and B may be stored by rows or by columns */
} emu_wmma_shape;

/* Finds the row of a shape, by the text of its modifier, that has `operand` and `accumulator`
 * (EMU_NONE: any); NULL if there is none. */
const emu_wmma_shape *emu_wmma_find(const char *text, emu_type operand, emu_type accumulator);

typedef enum emu_wmma_role { EMU_WMMA_A, EMU_WMMA_B, EMU_WMMA_C } emu_wmma_role;

/* A fragment's matrix is `rows` by `columns`, such that neighbours in a register are in one row. */
typedef struct emu_wmma_fragment {
  int rows, columns;
  bool accumulator, left; /* left: mma.sync's A */
  bool by_columns;        /* rows of the fragment are columns of the matrix that the program has */
  int bits;               /* of an element */
  int each;               /* elements of a register */
  int registers, own;     /* of a lane; register i has what register i % own has */
} emu_wmma_fragment;

emu_wmma_fragment emu_wmma_fragment_of(const emu_wmma_shape *shape, emu_wmma_role role,
                                       emu_type type);

/* The first element of a lane's register. */
void emu_wmma_element(int *row, int *column, const emu_wmma_fragment *fragment, int reg, int lane);

/* wmma.load and wmma.store; the opcode and which of them are taken. */
emu_decode emu_decode_wmma_load, emu_decode_wmma_store;

#endif
