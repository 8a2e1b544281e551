/* A running function: registers and locals of the lanes that are in it.
 *
 * Each lane has a stack of local memory. A frame's block is behind its caller's, and addresses are
 * offsets into the stack, the same for every lane. */
#ifndef GG_EMU_FRAME_H
#define GG_EMU_FRAME_H

#include "emu/bank.h"
#include "emu/module.h"

struct emu_frame {
  emu_frame *caller;  /* NULL: the kernel's */
  const emu_op *call; /* in the caller's function */
  const emu_function *function;
  uint8_t *registers;
  emu_bank locals; /* EMU_LANES blocks of function->local_bytes, all with the same addresses */
  uint32_t lanes;  /* that are in it, or in what it called */
  uint32_t depth;  /* 0: the kernel's */
  void *memory;    /* of registers and locals */
};

/* Addresses of local memory start here, so that 0 is no local variable. */
enum { EMU_LOCAL_BASE = 1024, EMU_FRAMES_MAX = 1024 };

/* A frame of `function` for `lanes` of the warp; NULL when memory is out. */
emu_frame *emu_frame_open(emu_warp *warp, const emu_function *function, emu_frame *caller,
                          const emu_op *call, uint32_t lanes);
/* Called when its last lane has left it. The warp keeps it for another call. */
void emu_frame_close(emu_warp *warp, emu_frame *frame);
/* Frees a chain of frames, from callee to caller. */
void emu_frames_free(emu_frame *frame);

/* The place of `bytes` at a lane's local address; false if no frame has them. */
bool emu_frame_find(emu_place *out, emu_frame *frame, int lane, uint64_t address, uint64_t bytes);

/* A special register's value for a lane. */
uint64_t emu_special_value(const emu_warp *warp, ptx_special special, int lane);

#endif
