/* What decoders of memory accesses and of barriers share. */
#ifndef GG_EMU_ISA_ACCESS_H
#define GG_EMU_ISA_ACCESS_H

#include "emu/decode.h"

/* Takes cache operators, eviction priorities and prefetch sizes. */
void emu_take_cache_hints(emu_decoder *d);
/* Takes the memory order and its scope; whether the access is strong. */
bool emu_take_strong(emu_decoder *d);
/* Decides whether .param is the launch's block of parameters, or that of a function or its calls,
 * which are locals. */
void emu_param_space(emu_op *op, const emu_decoder *d, const ptx_operand *address);

/* Whether the op is a plain store (st). The second gives what a lane of the warp stores by it. */
bool emu_is_store(const emu_op *op);
void emu_stored_value(uint8_t *bytes, const emu_warp *warp, const emu_op *op, int lane);

/* Whether the op is a cp.async that copies: a thread's access to shared memory, made later. */
bool emu_is_thread_copy(const emu_op *op);

/* bar.warp.sync; warp is taken. */
emu_decode emu_decode_warp_barrier;

#endif
