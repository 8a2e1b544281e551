/* setmaxnreg: warps hand registers back to their CTA, and take more of them. (PTX ISA,
 * "setmaxnreg".)
 *
 * Registers themselves are free here; what is held to is the count. A CTA starts with what ptxas
 * may give each of its threads: .maxnreg, or the share of the file that .maxntid and
 * .minnctapersm leave, in steps of 8; of a quarter of the file, as each of a multiprocessor's four
 * partitions has every fourth warp: 9 warps have 168 a thread, as 12 have (ptxas 13.0). It gives
 * no more than the kernel's largest `inc` asks for: 8 warps of one that asks for 248 start with
 * 248, and not with 255. `inc` waits until others have given enough back.
 *
 * Where neither .maxnreg nor .minnctapersm (with .maxntid or .reqntid) is said, ptxas does not know
 * the count at entry and ignores the instruction: nothing is given back, and nothing waits. With
 * .maxntid or .reqntid alone it still refuses a `dec` to more than the share (C7406). */
#include <inttypes.h>

#include "emu/isa/access.h"
#include "emu/state.h"
#include "emu/unit.h"

enum { partitions = 4, partition_registers = 65536 / partitions };
enum { thread_most = 255, step = 8, least = 24, most = 256 };

/* The unit's states. */
typedef struct held {
  uint32_t registers; /* of a thread of the warp, as the last one left them; 0: none has run */
} held;

typedef struct spare {
  uint32_t registers; /* of the CTA: a thread, summed over warps, that have been given back */
  uint32_t initial;   /* of each of its threads; 0: not looked up yet */
} spare;

const emu_unit emu_unit_registers = {
    .name = "setmaxnreg", .warp_bytes = sizeof(held), .cta_bytes = sizeof(spare)};

/* Whether ptxas emits the instruction. */
static bool is_counted(const ptx_function *ptx) {
  return ptx->maxnreg || ((ptx->maxntid[0] || ptx->reqntid[0]) && ptx->minnctapersm);
}

/* A thread's share of the registers; 0: unknown. */
static uint32_t share_of_registers(const emu_run *run) {
  const ptx_function *ptx = run->kernel->function->ptx;
  uint32_t threads = (uint32_t)run->kernel->facts.max_threads;
  if (ptx->maxnreg) return ptx->maxnreg;
  if (!ptx->maxntid[0] && !ptx->reqntid[0]) return 0;
  uint64_t ctas = ptx->minnctapersm ? ptx->minnctapersm : 1;
  uint64_t warps = ctas * ((threads + EMU_LANES - 1) / EMU_LANES);
  uint64_t of_a_partition = (warps + partitions - 1) / partitions;
  uint32_t share = (uint32_t)(partition_registers / (of_a_partition * EMU_LANES));
  share = share / step * step;
  return share > thread_most ? thread_most : share;
}

static emu_exec setmaxnreg;

/* Registers a thread at the start; 0: unknown. */
static uint32_t initial_registers(const emu_run *run) {
  const emu_function *kernel = run->kernel->function;
  uint32_t largest = 0, share = share_of_registers(run);
  for (uint32_t i = 0; i < kernel->op_count; i++) {
    const emu_op *op = &kernel->ops[i];
    if (op->exec == setmaxnreg && op->vector && op->target > largest) largest = op->target;
  }
  return largest && largest < share ? largest : share;
}

static emu_step setmaxnreg(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  const emu_run *run = warp->cta->cluster->run;
  uint32_t wanted = op->target;
  bool increases = op->vector;
  if (!emu_converge(warp, op, warp->alive, &lanes)) return EMU_WAIT;
  if (!share_of_registers(run)) return EMU_NEXT;
  held *own = emu_unit_of_warp(warp, op, EMU_UNIT_ID_REGISTERS);
  spare *left = own ? emu_unit_of_cta(warp, op, EMU_UNIT_ID_REGISTERS) : NULL;
  if (!left) return EMU_FAULT;
  if (!left->initial) left->initial = initial_registers(run);
  uint32_t now = own->registers ? own->registers : left->initial;
  bool counted = is_counted(run->kernel->function->ptx);
  if (increases ? counted && wanted < now : wanted > now) {
    return emu_fault(warp, op, -1, GG_E_EMU_ILLEGAL,
                     "%s to %" PRIu32 " registers a thread from %" PRIu32,
                     increases ? "inc" : "dec", wanted, now);
  }
  if (!counted) return EMU_NEXT;
  if (increases && wanted - now > left->registers) {
    return emu_block(warp, left, op->ptx->form->text);
  }
  left->registers += now - wanted;
  own->registers = wanted;
  if (!increases) emu_wake(warp->cta->cluster, left);
  return EMU_NEXT;
}

gg_status emu_decode_setmaxnreg(emu_op *op, emu_decoder *d, gg_error *err) {
  static const char *const actions[] = {"dec", "inc", NULL};
  int64_t count;
  int action = emu_take_word(d, actions);
  if (action < 0) return emu_unknown_form(d, err, "inc or dec");
  emu_take(d, "sync");
  emu_take(d, "aligned");
  if (emu_take_type(d) != EMU_U32) return emu_unknown_form(d, err, "the count is .u32");
  gg_status st = emu_operand_immediate(&count, d, 0, err);
  if (st) return st;
  if (count < least || count > most || count % step) {
    return emu_unknown_form(d, err, "%lld registers; a multiple of %d from %d to %d",
                            (long long)count, step, least, most);
  }
  op->exec = setmaxnreg;
  op->kind = EMU_KIND_CONTROL;
  op->converges = true;
  op->target = (uint32_t)count;
  op->vector = (uint8_t)action;
  return emu_modifiers_end(d, err);
}
