/* Family sm80 in PTX: the places of a warp's lanes in its staging buffer. */
#include "atom/dtype.h"
#include "emit/sm80_ptx.h"

enum { chunk_bytes = GG_SM80_PTX_CHUNK };

gg_sm80_ptx_staging gg_sm80_ptx_staging_of(const gg_plan *plan, const gg_composed *layout,
                                           gg_dtype type) {
  gg_sm80_ptx_staging out = {.layout = layout,
                             .rows = plan->epi_m,
                             .columns = plan->epi_n,
                             .bytes = (int)gg_dtype_bytes(type, 1),
                             .across = gg_plan_block_n(plan) / plan->epi_n};
  out.count = out.across * gg_plan_block_m(plan) / plan->epi_m;
  out.deal = gg_deal(GG_WARP, out.rows, out.columns * out.bytes / chunk_bytes, GG_WARP);
  return out;
}

static unsigned staged(const gg_sm80_ptx_staging *s, int row, int column) {
  return (unsigned)(gg_composed_at(s->layout, row + (int64_t)column * s->rows) * s->bytes);
}

gg_ptx_lanes gg_sm80_ptx_pairs_at(const gg_sm80_ptx_staging *s, int row, int column) {
  gg_ptx_lanes out = {.of = "%lane", .count = GG_WARP};
  for (int lane = 0; lane < out.count; lane++)
    out.at[lane] = staged(s, row + lane / 4, column + lane % 4 * 2);
  return out;
}

gg_ptx_lanes gg_sm80_ptx_pieces_at(const gg_sm80_ptx_staging *s, int turn) {
  gg_ptx_lanes out = {.of = "%lane", .count = GG_WARP};
  for (int lane = 0; lane < out.count; lane++)
    out.at[lane] = staged(s, turn * (int)s->deal.lines_per_turn + lane / (int)s->deal.across,
                          lane % (int)s->deal.across * (chunk_bytes / s->bytes));
  return out;
}

bool gg_sm80_ptx_staging_is_known(const gg_sm80_ptx_staging *s) {
  gg_ptx_lanes first = gg_sm80_ptx_pairs_at(s, 0, 0);
  bool known = gg_always_works(&s->deal) && s->deal.chunk_turns == 1 && gg_ptx_is_linear(&first) &&
               gg_ptx_is_linear_in_both(s->layout, s->rows, s->columns);
  if (!known) return false;
  for (int row = 0; row < s->rows; row += 8) {
    for (int column = 0; column < s->columns; column += 8) {
      gg_ptx_lanes at = gg_sm80_ptx_pairs_at(s, row, column);
      known = known && gg_ptx_step_between(&first, &at).known;
    }
  }
  first = gg_sm80_ptx_pieces_at(s, 0);
  known = known && gg_ptx_is_linear(&first);
  for (int turn = 1; turn < s->deal.line_turns; turn++) {
    gg_ptx_lanes at = gg_sm80_ptx_pieces_at(s, turn);
    known = known && gg_ptx_step_between(&first, &at).known;
  }
  return known;
}
