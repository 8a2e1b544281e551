/* tcgen05: what the files of its instructions share. */
#ifndef GG_EMU_ISA_TCGEN05_H
#define GG_EMU_ISA_TCGEN05_H

#include "emu/async/tensor_memory.h"
#include "emu/decode.h"

/* The decoders of tcgen05.X, with X taken. */
emu_decode emu_decode_tcgen05_ld, emu_decode_tcgen05_st, emu_decode_tcgen05_mma;

/* .cta_group::1 or ::2; 0 where there is neither. */
int emu_take_cta_group(emu_decoder *d);
/* An address of tensor memory: [r] or [r+imm], as an operand of b32 with an offset. */
gg_status emu_operand_tmem(emu_address *out, emu_decoder *d, int index, gg_error *err);
/* The address in a lane. */
uint32_t emu_tmem_address(const emu_warp *warp, const emu_address *address, int lane);
/* Lands the warp's loads or stores that are in flight: tcgen05.wait. False after a fault. */
bool emu_tcgen05_land(emu_warp *warp, bool stores);

#endif
