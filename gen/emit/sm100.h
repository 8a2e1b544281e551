/* Family sm100 as text: what differs from sm90. (sm100.c) */
#ifndef GG_EMIT_SM100_H
#define GG_EMIT_SM100_H

#include "emit/binding.h"
#include "plan/layouts.h"
#include "plan/operands.h"

/* The byte in a stage where an operand begins. */
int64_t gg_sm100_offset_of(const gg_plan *plan, const gg_layouts *layouts, gg_operand_id id);

/* Appends constants: of a tile's MMAs, their accumulators and what the epilogue reads of them; and
 * of the ring of accumulators. */
void gg_sm100_write_consumers(gg_str *out, const gg_plan *plan);
void gg_sm100_write_rings(gg_str *out, const gg_rings *rings);

/* Appends constants: where scale factors are in a stage and in tensor memory, and how many there
 * are. */
void gg_sm100_write_scales(gg_str *out, const gg_plan *plan, const gg_layouts *layouts);

/* Appends constants: the blocks of D, and how their factors are stored. */
void gg_sm100_write_scaled_d(gg_str *out, const gg_plan *plan);

/* Appends a constant: where in tensor memory an A that is there begins. */
void gg_sm100_write_a(gg_str *out, const gg_layouts *layouts);

/* Appends constants: where the metadata of a sparse A is, and how much there is. */
void gg_sm100_write_metadata(gg_str *out, const gg_plan *plan, const gg_layouts *layouts);

/* Appends the function that loads a box of sums from tensor memory. */
void gg_sm100_write_loads(gg_str *out, const gg_plan *plan);

/* Binds the names that only sm100's templates use, among them how the issuer releases a stage. */
void gg_sm100_bind_slots(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts);

#endif
