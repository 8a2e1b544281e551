/* What a kernel prints. */
#ifndef GG_EMU_ISA_PRINT_H
#define GG_EMU_ISA_PRINT_H

#include "emu/machine.h"

/* Appends the text at a generic address, up to its NUL. False after a fault. */
bool emu_read_text(gg_str *out, emu_warp *warp, const emu_op *op, int lane, uint64_t address);

/* Appends what one lane's vprintf(format, arguments) writes; *printed: its arguments. False after
 * a fault. */
bool emu_print_lane(gg_str *out, uint32_t *printed, emu_warp *warp, const emu_op *op, int lane,
                    uint64_t format, uint64_t arguments);

/* Hands text to whoever takes it, in one piece. */
void emu_print(emu_warp *warp, const gg_str *text);

#endif
