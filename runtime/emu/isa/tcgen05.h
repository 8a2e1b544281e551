/* What the files of tcgen05's instructions share. */
#ifndef GG_EMU_ISA_TCGEN05_H
#define GG_EMU_ISA_TCGEN05_H

#include "emu/async/tensor_memory.h"
#include "emu/decode.h"
#include "emu/isa/unit_set.h"

/* The decoders of tcgen05.X, with X taken. */
emu_decode emu_decode_tcgen05_ld, emu_decode_tcgen05_st, emu_decode_tcgen05_mma,
    emu_decode_tcgen05_cp, emu_decode_tcgen05_shift;

/* Takes .cta_group::1 or ::2; 0 if there is neither. */
int emu_take_cta_group(emu_decoder *d);
/* An address of tensor memory: [r] or [r+imm], as an operand of b32 with an offset. */
gg_status emu_operand_tmem(emu_address *out, emu_decoder *d, int index, gg_error *err);
/* The address in a lane. */
uint32_t emu_tmem_address(const emu_warp *warp, const emu_address *address, int lane);
/* The CTAs that an instruction of a cta_group works on: the warp's own, or the pair's, the even one
 * first. False after a fault: the other one has exited. */
bool emu_tcgen05_ctas(emu_cta *ctas[2], emu_warp *warp, const emu_op *op, int lane, int group);
/* The tensor memory of one of them; NULL after a fault. */
emu_tmem *emu_tcgen05_memory(emu_warp *warp, const emu_op *op, const emu_cta *cta, int group);
/* Begins an operation that a lane gives to its warp's pipe (a product, copy or shift), except
 * `unit` and `land`. */
emu_async emu_tcgen05_work(emu_warp *warp, const emu_op *op, int lane, emu_tmem_user *user);
/* Lists what it reads of the CTAs' shared memory; `spans` has room for all that the sets count. */
void emu_tcgen05_list_reads(emu_async *work, emu_span *spans, const emu_unit_set sets[2],
                            emu_cta *ctas[2]);
/* Lands the warp's loads or stores that are in flight: tcgen05.wait. False after a fault. */
bool emu_tcgen05_land(emu_warp *warp, bool stores);
/* Reports a register that the warp has used before it waited for the register's load, if there is
 * one. `never`: it does not wait now, either. False after a fault. */
bool emu_tcgen05_early(emu_warp *warp, emu_tmem_user *user, bool never);

#endif
