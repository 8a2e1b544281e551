/* An instruction that is becoming an op: what decode.h's functions share with function.c. */
#ifndef GG_EMU_DECODER_H
#define GG_EMU_DECODER_H

#include "emu/module.h"

/* A function that is being decoded. Its constants are collected, each value once. */
typedef struct emu_draft {
  emu_function *function;
  emu_op *ops; /* has room for all; `first` says where each instruction's go */
  uint32_t op_count;
  const uint32_t *first; /* of an instruction: its first op; one more at the end */
  uint8_t *image;
  uint32_t image_bytes, image_room;
  emu_late *late;
  uint32_t late_count, late_room;
  uint32_t *buckets; /* hash of constants: 1 + place in `constants`; 0: empty */
  struct emu_draft_constant *constants;
  uint32_t bucket_count, constant_count, constant_room;
} emu_draft;

enum { EMU_MODIFIERS_MAX = 64 };

struct emu_decoder {
  emu_draft *draft;
  const ptx_instruction *ptx;
  uint64_t taken; /* modifiers, a bit each */
};

/* Whether a special register is live: it changes while a warp runs, and is read anew each time. */
bool emu_special_is_live(ptx_special special);

/* Adds the op that brings a live special register's slot up to date. */
void emu_draft_live(emu_draft *draft, const ptx_instruction *ptx, const emu_operand *slot,
                    ptx_special special);

/* isa/control.c: the op that ends a function, that of emu_draft_live, and that of an instruction
 * with an unknown opcode. */
emu_exec emu_exec_return, emu_exec_live, emu_exec_unknown;

void emu_draft_free(emu_draft *draft);

#endif
