/* What tcgen05.mma's decoder finds out for the instruction. */
#ifndef GG_EMU_ISA_TCGEN05_MMA_H
#define GG_EMU_ISA_TCGEN05_MMA_H

#include "emu/isa/tcgen05.h"
#include "emu/isa/umma.h"

enum { EMU_TCGEN05_MASKS_MOST = 8 };

/* operands: A's descriptor (a sink if A is in tensor memory), B's, the instruction's, enable-d,
 * then words of disable-output-lane, or the zero-column mask. */
enum {
  EMU_TCGEN05_A,
  EMU_TCGEN05_B,
  EMU_TCGEN05_INSTRUCTION,
  EMU_TCGEN05_ENABLE,
  EMU_TCGEN05_MASKS,
  EMU_TCGEN05_OPERANDS = EMU_TCGEN05_MASKS + EMU_TCGEN05_MASKS_MOST
};

typedef struct emu_tcgen05_facts {
  emu_umma_kind kind;
  int group, masks, scale;
  int factors;                     /* scale factors for a row of A; 0: none */
  bool a_in_tensor_memory, shifts; /* shifts: .ashift */
  bool ws, zeros;                  /* mma.ws; it has a zero-column mask */
  bool sparse;                     /* .sp */
  emu_address d, a, metadata, a_scale, b_scale;
} emu_tcgen05_facts;

emu_exec emu_run_tcgen05_mma;

#endif
