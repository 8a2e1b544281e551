/* See modifiers.h. */
#include "emu/async/modifiers.h"

emu_sem emu_take_sem(emu_decoder *d) {
  static const char *const words[] = {"relaxed", "acquire", "release", "acq_rel", "sc", NULL};
  return (emu_sem)(emu_take_word(d, words) + 1);
}

void emu_take_scope(emu_decoder *d) {
  static const char *const words[] = {"cta", "cluster", "gpu", "sys", NULL};
  emu_take_word(d, words);
}

/* (PTX ISA, "cp.async.bulk.tensor", "cp.async.bulk": Target ISA Notes.) A tensor copy has taken its
 * .cta_group where its device has one. */
gg_status emu_check_bulk_modifiers(emu_decoder *d, gg_error *err) {
  static const char *const groups[] = {"cta_group::1", "cta_group::2"};
  static const char *const modes[] = {"im2col", "im2col::w", "im2col::w::128", "im2col_no_offs"};
  for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
    if (emu_take(d, groups[i])) {
      return emu_unknown_form(
          d, err, "modifier .%s is of tensor copies of sm_100 to sm_110, this device is sm_%d",
          groups[i], emu_decoder_arch(d));
    }
  }
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    if (emu_take(d, modes[i])) {
      return emu_unknown_form(d, err, "the mode .%s is not emulated; .tile is", modes[i]);
    }
  }
  return GG_OK;
}

gg_status emu_operands_open(emu_op *op, emu_decoder *d, int count, gg_error *err) {
  op->operands = GG_ARENA_ARRAY(emu_decoder_arena(d), emu_operand, (size_t)count);
  if (!op->operands) return gg_fail(err, MEMORY, NULL, "");
  for (int i = 0; i < count; i++)
    op->operands[i].sink = true;
  op->operand_count = (uint16_t)count;
  return GG_OK;
}

uint64_t emu_lane_value(const emu_warp *warp, const emu_operand *operand, int lane) {
  switch (operand->lane_bytes) {
  case 0:
    return emu_predicate(warp, operand) >> lane & 1;
  case 2:
    return EMU_AT(const uint16_t, warp, operand)[lane];
  case 4:
    return EMU_AT(const uint32_t, warp, operand)[lane];
  case 8:
    return EMU_AT(const uint64_t, warp, operand)[lane];
  default:
    return EMU_AT(const uint64_t, warp, operand)[2 * lane];
  }
}

uint64_t emu_lane_address(const emu_warp *warp, const emu_address *address, int lane) {
  uint64_t base = emu_lane_value(warp, &address->base, lane);
  if (address->base.lane_bytes == 4) return (uint32_t)(base + (uint64_t)address->offset);
  return base + (uint64_t)address->offset;
}

bool emu_lane_place(emu_place *out, emu_warp *warp, const emu_op *op, int lane,
                    const emu_address *address, emu_space space, uint64_t bytes, unsigned align) {
  return emu_shared_place(out, warp, op, lane, space, emu_lane_address(warp, address, lane), bytes,
                          align);
}

bool emu_lane_destination(emu_place *out, emu_warp *warp, const emu_op *op, int lane,
                          const emu_address *address, emu_space space, uint64_t bytes,
                          unsigned align, bool through_cluster) {
  uint64_t at = emu_lane_address(warp, address, lane);
  if (at >> EMU_SHARED_RANK_SHIFT != warp->cta->rank) through_cluster = true;
  if (!through_cluster || at % align || emu_shared_find(out, warp, space, at, bytes)) {
    return emu_lane_place(out, warp, op, lane, address, space, bytes, align);
  }
  emu_fault(warp, op, lane, GG_E_EMU_CLUSTER,
            "%llu bytes at shared address 0x%llx: the cluster has %u CTAs of %u bytes from 0x%x on",
            (unsigned long long)bytes, (unsigned long long)at, warp->cta->cluster->cta_count,
            (unsigned)warp->cta->shared->size, EMU_SHARED_RESERVED);
  return false;
}
