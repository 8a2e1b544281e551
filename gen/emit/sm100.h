/* Family sm100 as text: what of it is not as in sm90. sm100.c */
#ifndef GG_EMIT_SM100_H
#define GG_EMIT_SM100_H

#include "emit/binding.h"
#include "plan/layouts.h"
#include "plan/operands.h"

/* Where an operand begins in a stage, in bytes. */
int64_t gg_sm100_offset_of(const gg_plan *plan, const gg_layouts *layouts, gg_operand_id id);

/* Constants: of the MMAs of a tile, their accumulators and what the epilogue reads of them; and of
 * the ring of accumulators. */
void gg_sm100_write_consumers(gg_str *out, const gg_plan *plan);
void gg_sm100_write_rings(gg_str *out, const gg_rings *rings);

/* Constants: where scale factors are in a stage and in tensor memory, and how many. */
void gg_sm100_write_scales(gg_str *out, const gg_plan *plan, const gg_layouts *layouts);

/* Constants: blocks of D, and how their factors are stored. */
void gg_sm100_write_scaled_d(gg_str *out, const gg_plan *plan);

/* Where an A in tensor memory begins there. */
void gg_sm100_write_a(gg_str *out, const gg_layouts *layouts);

/* The same of the metadata of a sparse A. */
void gg_sm100_write_metadata(gg_str *out, const gg_plan *plan, const gg_layouts *layouts);

/* The function that loads a box of sums from tensor memory. */
void gg_sm100_write_loads(gg_str *out, const gg_plan *plan);

/* What only its templates name: how the issuer releases a stage. */
void gg_sm100_bind_slots(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts);

#endif
