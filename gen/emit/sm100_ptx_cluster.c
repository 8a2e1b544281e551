/* Family sm100 in PTX: which CTAs of a cluster share a half of A or of B, as bits. */
#include "emit/sm100_ptx.h"

unsigned gg_sm100_ptx_row_ctas(const gg_plan *plan) {
  unsigned bits = 0;
  for (int i = 0; i < plan->cluster_n; i++)
    bits |= 1u << i * plan->cluster_m;
  return bits;
}

unsigned gg_sm100_ptx_column_ctas(const gg_plan *plan) {
  return (1u << plan->cluster_m) - 1;
}

void gg_sm100_ptx_write_ctas(gg_str *out, const gg_plan *plan, const char *to, unsigned bits,
                             gg_sm100_ptx_move along_m, bool along_n) {
  gg_str_printf(out, "  .reg .b16 %s;\n  mov.u32 %%mask, 0x%x;\n", to, bits);
  if (along_m == GG_MOVE_ALONG_M && plan->cluster_m > 1)
    gg_str_puts(out, "  shl.b32 %mask, %mask, %rank_m;\n");
  if (along_m == GG_MOVE_IN_PAIR)
    gg_str_puts(out, "  and.b32 %move, %rank_m, 1;\n  shl.b32 %mask, %mask, %move;\n");
  if (along_n && plan->cluster_n > 1)
    gg_str_printf(out, "  mul.lo.u32 %%move, %%rank_n, %d;\n  shl.b32 %%mask, %%mask, %%move;\n",
                  plan->cluster_m);
  gg_str_printf(out, "  cvt.u16.u32 %s, %%mask;\n", to);
}
