#include "emit/shares.h"

#include <string.h>

#include "atom/dtype.h"
#include "plan/distribution.h"

void gg_write_share_members(gg_str *out) {
  gg_str_puts(out,
              "  unsigned shared_tiles, shares;       // so many first tiles are dealt in shares\n"
              "  unsigned group_tiles, group_shares;  // tiles that are dealt together, in shares\n"
              "  unsigned share_length;               // K tiles of a share; the first\n"
              "  unsigned longer_shares;              // longer_shares of a group have one more\n");
}

void gg_bind_sums(gg_bindings *out, const gg_plan *plan, const char *parameter,
                  const char *argument, const char *added) {
  gg_bind_text(out, "tile_sums_parameter", parameter);
  if (added) gg_bind_text(out, "added_sum", added);
  if (!gg_plan_shares_tiles(plan)) return;
  gg_bind_text(out, "tile_sums", argument);
  gg_bind_part(out, "partial_sums",
               plan->accumulator == GG_DTYPE_f64 ? "partial_sums_f64" : "partial_sums");
}

void gg_bind_words(gg_bindings *out, const gg_plan *plan) {
  gg_bind_text(out, "acc_register",
               plan->accumulator == GG_DTYPE_f64   ? "d"
               : plan->accumulator == GG_DTYPE_f32 ? "f"
                                                   : "r");
}

void gg_write_words(gg_str *out, const gg_plan *plan) {
  gg_str_printf(out, "constexpr int acc_elements = %d;  // of a word of its sums\n",
                plan->accumulator == GG_DTYPE_f16 ? 2 : 1);
}

void gg_write_cta_shares(gg_str *out, const gg_plan *plan) {
  if (!gg_plan_shares_tiles(plan)) return;
  gg_str_printf(out,
                "constexpr int cluster_m = 1, cluster_n = 1, cluster_k = 1, cluster_size = 1;\n"
                "constexpr int tile_warps = %d;  // that compute a tile\n",
                gg_plan_tile_warps(plan));
  gg_write_words(out, plan);
  gg_str_printf(out, "constexpr unsigned counters_bytes = %d;  // of the workspace, in front\n\n",
                GG_WORKSPACE_COUNTERS);
}

void gg_bind_cta_shares(gg_bindings *out, const gg_plan *plan, const char *sums,
                        const char *kernel) {
  bool shares = gg_plan_shares_tiles(plan);
  gg_bind_flag(out, "shares", shares);
  gg_bind_part(out, "kernel_shares", shares ? kernel : NULL);
  gg_bind_text(out, "own_boxes",
               shares ? "box_set boxes,\n                                         " : "");
  gg_bind_part(out, "cta_shares", shares ? "cta_shares" : NULL);
  if (!shares) return;
  gg_str members = GG_STR_INIT;
  gg_write_share_members(&members);
  gg_bind_str(out, "share_members", &members);
  gg_bind_part(out, "sums", sums);
  gg_bind_part(out, "store_others", "register_store_others");
  gg_bind_sums(out, plan, "tile_sums &tCrC", "tCrC", "sum_at(tCrC, first * sum_words + w)");
  gg_bind_words(out, plan);
}
