/* tcgen05.mma's operands: descriptors of matrices in shared memory, and of the instruction (PTX
 * ISA, "Shared memory descriptor", "Instruction descriptor", "Canonical layouts").
 *
 * A matrix consists of units of 16 bytes, as for wgmma (descriptor.h): eight lines of 16, 32, 64 or
 * 128 bytes are an atom. With the swizzle of 128 bytes that moves 32 bytes as one, four lines are
 * an atom. */
#ifndef GG_EMU_ISA_UMMA_H
#define GG_EMU_ISA_UMMA_H

#include "emu/isa/descriptor.h"
#include "emu/types.h"

typedef struct emu_umma_view {
  uint32_t start, leading, stride; /* bytes; `start` is an address of shared memory */
  uint32_t base_offset;
  uint32_t row; /* bytes of a line that are contiguous: 16 without a swizzle, 32, 64, 128 */
  bool wide;    /* pairs of units are exchanged: 128B_BASE32B */
  bool along_k;
  bool absolute; /* `leading` is the address where lines go on that began within a row */
} emu_umma_view;

/* Why a descriptor is not valid, in words; NULL: it is, and *out is what it says. */
const char *emu_umma_view_read(emu_umma_view *out, uint64_t descriptor, bool along_k);
/* The same for A or B, whose leading dimension may also be an address on sm_103. */
const char *emu_umma_operand_read(emu_umma_view *out, uint64_t descriptor, bool along_k, int arch);

/* The address in shared memory of a unit of a line. */
static inline uint32_t emu_umma_unit(const emu_umma_view *v, int line, int unit) {
  uint32_t lines = v->wide ? 4 : EMU_CORE_LINES;
  uint32_t core = (uint32_t)line / lines, along = (uint32_t)unit * EMU_UNIT_BYTES;
  uint32_t address = v->start + (uint32_t)line % lines * v->row;
  if (v->row == EMU_UNIT_BYTES) {
    return address + (v->along_k ? (uint32_t)unit * v->leading + core * v->stride
                                 : (uint32_t)unit * v->stride + core * v->leading);
  }
  uint32_t place = v->start % v->row + along; /* counted from the beginning of its row */
  if (v->absolute && place >= v->row) {
    address += core * v->stride + v->leading - v->start + place - v->row;
  } else {
    address += core * v->stride + along / v->row * v->leading + along % v->row;
  }
  uint32_t number = (address >> 7) - v->base_offset;
  if (v->wide) return address ^ (number & 3) << 5;
  return address ^ (number & (v->row / EMU_UNIT_BYTES - 1)) << 4;
}

typedef enum emu_umma_kind {
  EMU_UMMA_F16,
  EMU_UMMA_TF32,
  EMU_UMMA_F8F6F4,
  EMU_UMMA_I8,
  EMU_UMMA_MXF8F6F4, /* from here on with scale factors */
  EMU_UMMA_MXF4,
  EMU_UMMA_MXF4NVF4
} emu_umma_kind;

/* The instruction that a descriptor is for. */
typedef struct emu_umma_form {
  emu_umma_kind kind;
  int group, factors; /* factors: scale factors for a row of A: 1, 2 or 4; 0: none */
  bool ws, sparse;
  int arch; /* of the device */
} emu_umma_form;

/* What an instruction descriptor says. */
typedef struct emu_umma_shape {
  emu_type a, b, d;
  int m, n, k;    /* k: of a sparse A twice what is stored */
  bool sparse;    /* every second element of a row of A is stored */
  int selector;   /* of sparse metadata */
  int shift_most; /* of columns of B, for .ws */
  bool negate_a, negate_b, a_along_k, b_along_k, saturate;
  bool packed;                /* elements of 4 bits without padding: two in a byte */
  emu_type scale;             /* of scale factors; EMU_NONE: there are none */
  int factors;                /* for a row of A: 1, 2, 4; with a k of 96, 3 or 6 */
  int scale_a_id, scale_b_id; /* the first byte of the words of scale factors that counts */
} emu_umma_shape;

/* Reads an instruction's descriptor. False: it is not valid, and *why says why, in words. */
bool emu_umma_shape_read(emu_umma_shape *out, char *why, size_t size, uint32_t descriptor,
                         const emu_umma_form *form);

/* Reads a zero-column mask (PTX ISA, "Zero-Column Mask Descriptor"): which of 256 columns of B
 * count as zeros; *shift is from D's columns to the columns of B that they are computed from.
 * Returns why the descriptor is not valid, or NULL. */
const char *emu_umma_zero_read(bool out[256], int *shift, uint64_t descriptor,
                               const emu_umma_shape *s);

#endif
