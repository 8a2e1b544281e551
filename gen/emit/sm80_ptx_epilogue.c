/* Family sm80 in PTX: accumulators go through shared memory to D, one sub-tile of a warp after the
 * other.
 *
 * An MMA's fragment scatters a row over four lanes, two elements each. So each warp stages
 * sub-tiles in shared memory of its own, and stores them from there, 16 bytes of a line at once. */
#include "atom/dtype.h"
#include "emit/sm80_ptx.h"
#include "plan/dealing.h"

enum { chunk_bytes = GG_SM80_PTX_CHUNK };

static gg_sm80_ptx_staging staging_of_d(const gg_plan *plan, const gg_layouts *layouts) {
  return gg_sm80_ptx_staging_of(plan, &layouts->sD, plan->d.type);
}

const char *gg_sm80_ptx_staging_lacks(const gg_plan *plan, const gg_layouts *layouts) {
  gg_sm80_ptx_staging d = staging_of_d(plan, layouts);
  return gg_sm80_ptx_staging_is_known(&d) ? NULL : "sub-tiles of D whose lines are padded";
}

/* Appends the stores of one sub-tile to the staging buffer. */
static void write_stage(gg_str *out, const gg_plan *plan, const gg_layouts *layouts,
                        const gg_sm80_ptx_staging *s, int number) {
  int fragments_n = gg_plan_block_n(plan) / plan->mma.n;
  int row0 = number / s->across * (s->rows / plan->mma.m);
  int column0 = number % s->across * (s->columns / plan->mma.n);
  gg_ptx_lanes first = gg_sm80_ptx_pairs_at(s, 0, 0);
  for (int column = 0; column < s->columns; column += 8) {
    for (int row = 0; row < s->rows; row += 8) {
      int fragment = (row0 + row / plan->mma.m) * fragments_n + column0 + column / plan->mma.n;
      int e = fragment * 4 + row % plan->mma.m / 8 * 2;
      gg_ptx_lanes at = gg_sm80_ptx_pairs_at(s, row, column);
      gg_ptx_step step = gg_ptx_step_between(&first, &at);
      const char *names[] = {"%left", "%right"};
      for (int i = 0; i < 2; i++)
        if (plan->alpha)
          gg_str_printf(out, "  mul.rn.f32 %s, %%acc%d, %%alpha;\n", names[i], e + i);
        else
          gg_str_printf(out, "  mov.f32 %s, %%acc%d;\n", names[i], e + i);
      if (plan->has_c) gg_sm80_ptx_add_c(out, plan, layouts, row, column);
      if (step.xors)
        gg_str_printf(out,
                      "  xor.b32 %%place, %%lane_place, 0x%x;\n"
                      "  add.u32 %%place, %%place, %%staging;\n",
                      step.by);
      if (s->bytes == 2)
        gg_str_printf(out, "  cvt.rn.%sx2.f32 %%pair, %%right, %%left;\n",
                      gg_dtype_info_of(plan->d.type)->ptx);
      gg_str_puts(out, s->bytes == 2 ? "  st.shared.b32 " : "  st.shared.v2.f32 ");
      gg_ptx_write_place(out, step.xors ? "%place" : "%lane_staging", step.xors ? 0 : step.by);
      gg_str_puts(out, s->bytes == 2 ? ", %pair;\n" : ", {%left, %right};\n");
    }
  }
}

static void bind_stages(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts,
                        const gg_sm80_ptx_staging *s) {
  gg_str which = GG_STR_INIT, text = GG_STR_INIT;
  for (int i = 0; i < s->count; i++) {
    if (i + 1 < s->count)
      gg_str_printf(&which, "  setp.eq.u32 %%again, %%sub, %d;\n  @%%again bra stage_%d;\n", i, i);
    else
      gg_str_printf(&which, "  bra.uni stage_%d;\n", i);
    gg_str_printf(&text, "stage_%d:\n", i);
    write_stage(&text, plan, layouts, s, i);
    if (i + 1 < s->count) gg_str_puts(&text, "  bra.uni staged;\n");
  }
  gg_str where = GG_STR_INIT;
  gg_ptx_write_split(&where, 2, "%sub_row", "%sub_col", "%sub", s->across);
  gg_str_printf(&where,
                "  mad.lo.u32 %%sub_row, %%sub_row, %d, %%row0;\n"
                "  mad.lo.u32 %%sub_col, %%sub_col, %d, %%col0;\n",
                s->rows, s->columns);
  gg_bind_str(out, "where_sub_tile", &where);
  gg_bind_str(out, "which_sub_tile", &which);
  gg_bind_str(out, "stage_sub_tiles", &text);
  gg_ptx_bind_number(out, "sub_tiles", s->count);
}

/* Appends the stores of whole pieces of whole lines. */
static void write_whole_stores(gg_str *out, const gg_sm80_ptx_staging *s) {
  gg_ptx_lanes first = gg_sm80_ptx_pieces_at(s, 0);
  for (int turn = 0; turn < s->deal.line_turns; turn++) {
    gg_ptx_lanes at = gg_sm80_ptx_pieces_at(s, turn);
    gg_ptx_step step = gg_ptx_step_between(&first, &at);
    if (step.xors)
      gg_str_printf(out, "    xor.b32 %%from_shared, %%stored_place, 0x%x;\n", step.by);
    gg_str_printf(out, "    add.u32 %%from_shared, %s, %%staging;\n",
                  step.xors ? "%from_shared" : "%stored_place");
    gg_str_puts(out, "    ld.shared.v4.b32 {%x0, %x1, %x2, %x3}, ");
    gg_ptx_write_place(out, "%from_shared", step.xors ? 0 : step.by);
    gg_str_puts(out, ";\n    st.global.v4.b32 [%to], {%x0, %x1, %x2, %x3};\n");
    if (turn + 1 < s->deal.line_turns) gg_str_puts(out, "    add.u64 %to, %to, %turn_to;\n");
  }
}

static void bind_stores(gg_bindings *out, const gg_sm80_ptx_staging *s) {
  gg_str text = GG_STR_INIT;
  const gg_ptx_element element = {s->layout,      s->rows,   s->columns,    s->bytes,
                                  "%from_shared", "%in_row", "%stored_pos", "%place"};
  gg_ptx_bind_number(out, "d_bits", 8 * s->bytes);
  gg_ptx_bind_number(out, "d_bytes", s->bytes);
  gg_ptx_bind_number(out, "d_access", chunk_bytes / s->bytes);
  gg_ptx_bind_number(out, "d_line_step", (ll)s->deal.lines_per_turn);
  gg_ptx_bind_number(out, "d_lines", s->rows);
  gg_ptx_bind_number(out, "turn_bytes", (ll)s->deal.lines_per_turn * s->bytes);
  write_whole_stores(&text, s);
  gg_bind_str(out, "store_whole", &text);
  gg_ptx_write_element(&text, 4, &element);
  gg_str_puts(&text, "    add.u32 %from_shared, %from_shared, %staging;\n");
  gg_bind_str(out, "staged_place", &text);
}

void gg_sm80_ptx_bind_epilogue(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  gg_sm80_ptx_staging s = staging_of_d(plan, layouts);
  gg_str text = GG_STR_INIT;
  gg_composed_print(&text, s.layout, GG_NOTATION_PLAIN);
  gg_bind_str(out, "staging_layout", &text);
  gg_ptx_lanes pairs = gg_sm80_ptx_pairs_at(&s, 0, 0), pieces = gg_sm80_ptx_pieces_at(&s, 0);
  gg_ptx_write_lanes(&text, 2, &pairs, "%lane_place", "%place");
  gg_str_puts(&text, "  add.u32 %lane_staging, %staging, %lane_place;\n");
  gg_ptx_write_lanes(&text, 2, &pieces, "%stored_place", "%place");
  gg_ptx_write_split(&text, 2, "%stored_line", "%stored_pos", "%lane", s.deal.across);
  gg_str_printf(&text, "  mul.lo.u32 %%stored_pos, %%stored_pos, %d;\n", chunk_bytes / s.bytes);
  gg_bind_str(out, "staging_places", &text);
  gg_str_printf(&text,
                "  .reg .b32 %%sub, %%row0, %%col0, %%sub_row, %%sub_col;\n"
                "  .reg .f32 %%left, %%right;\n%s  .reg .pred %%whole;\n  mov.u32 %%sub, 0;\n"
                "  mul.lo.u32 %%row0, %%warp_m, %d;\n  mul.lo.u32 %%col0, %%warp_n, %d;\n"
                "  add.u32 %%sub_row, %%row0, %d;\n  add.u32 %%sub_col, %%col0, %d;\n"
                "  setp.le.u32 %%whole, %%sub_row, %%rows;  // whether all of the block is in D\n"
                "  setp.le.and.u32 %%whole, %%sub_col, %%cols, %%whole;\n",
                s.bytes == 2 ? "  .reg .b32 %pair;\n" : "", gg_plan_block_m(plan),
                gg_plan_block_n(plan), gg_plan_block_m(plan), gg_plan_block_n(plan));
  gg_bind_str(out, "begin_epilogue", &text);
  gg_str_puts(&text, "  mov.u32 %rows, %next_rows;\n  mov.u32 %cols, %next_cols;\n");
  gg_ptx_write_first(&text, 'd', s.bytes);
  gg_bind_str(out, "leave_tile", &text);
  bind_stages(out, plan, layouts, &s);
  bind_stores(out, &s);
}
