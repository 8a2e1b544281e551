/* Family sm80 in PTX: C. A warp brings one sub-tile at a time, in whole lines, to its staging
 * buffer, and each lane reads its pairs of columns from there to the registers c0, c1, ...: a pair
 * of 16-bit elements to one register, a pair of 32-bit elements to two. */
#include "emit/sm80_ptx.h"

#include "atom/dtype.h"
#include "emit/template.h"

enum { chunk_bytes = GG_SM80_PTX_CHUNK };

static bool staging_of_c(gg_sm80_ptx_staging *out, const gg_plan *plan, const gg_layouts *layouts) {
  if (layouts->lined_count != 1 || !layouts->lined[0].is_c) return false;
  const gg_lined *c = &layouts->lined[0];
  if (c->access_bytes != chunk_bytes || c->operand.major != GG_MAJOR_N) return false;
  *out = gg_sm80_ptx_staging_of(plan, &c->layout, c->operand.type);
  return true;
}

const char *gg_sm80_ptx_c_lacks(const gg_plan *plan, const gg_layouts *layouts) {
  gg_sm80_ptx_staging s;
  gg_dtype type = plan->c.type;
  if (!plan->has_c) return NULL;
  if (type != GG_DTYPE_f16 && type != GG_DTYPE_bf16 && type != GG_DTYPE_f32)
    return "a C that is not bf16, f16 or f32";
  if (!staging_of_c(&s, plan, layouts)) return "a C that is not read by 16 bytes of a row";
  return gg_sm80_ptx_staging_is_known(&s) ? NULL : "sub-tiles of C whose lines are padded";
}

/* The number of a pair's first register. */
static int register_of(const gg_sm80_ptx_staging *s, int row, int column) {
  int pair = column / 8 * (s->rows / 8) + row / 8;
  return s->bytes == 2 ? pair : 2 * pair;
}

static int registers(const gg_sm80_ptx_staging *s) {
  return register_of(s, 0, s->columns);
}

/* ---- To the staging buffer, and from there to registers ------------------------------------- */

static void write_clear(gg_str *out, const gg_sm80_ptx_staging *s) {
  for (int i = 0; i < registers(s); i++)
    gg_str_printf(out, "%smov.b32 %%c%d, 0;%s", i % 4 ? " " : "  ", i,
                  i % 4 == 3 || i + 1 == registers(s) ? "\n" : "");
}

/* Appends the loads of all of a lane's pieces, which are under way at once. Pieces that do not
 * exist are zeros. */
static void write_loads(gg_str *out, const gg_sm80_ptx_staging *s) {
  for (int turn = 0; turn < s->deal.line_turns; turn++) {
    for (int i = 0; i < 4; i++)
      gg_str_printf(out, "%smov.b32 %%x%d, 0;%s", i ? " " : "    ", 4 * turn + i,
                    i < 3 ? "" : "\n");
    gg_str_printf(out,
                  "    setp.gt.and.s32 %%exists, %%left_rows, %d, %%is_whole;\n"
                  "    @%%exists ld.global.v4.b32 {%%x%d, %%x%d, %%x%d, %%x%d}, [%%line_at];\n"
                  "    add.u64 %%line_at, %%line_at, %%turn_at;\n",
                  turn * (int)s->deal.lines_per_turn, 4 * turn, 4 * turn + 1, 4 * turn + 2,
                  4 * turn + 3);
  }
}

static void write_stores(gg_str *out, const gg_sm80_ptx_staging *s) {
  for (int turn = 0; turn < s->deal.line_turns; turn++) {
    gg_ptx_lanes first = gg_sm80_ptx_pieces_at(s, 0), at = gg_sm80_ptx_pieces_at(s, turn);
    gg_ptx_step step = gg_ptx_step_between(&first, &at);
    if (step.xors) gg_str_printf(out, "    xor.b32 %%to_shared, %%c_piece, 0x%x;\n", step.by);
    gg_str_printf(out, "    add.u32 %%to_shared, %s, %%staging;\n    st.shared.v4.b32 ",
                  step.xors ? "%to_shared" : "%c_piece");
    gg_ptx_write_place(out, "%to_shared", step.xors ? 0 : step.by);
    gg_str_printf(out, ", {%%x%d, %%x%d, %%x%d, %%x%d};\n", 4 * turn, 4 * turn + 1, 4 * turn + 2,
                  4 * turn + 3);
  }
}

static void write_reads(gg_str *out, const gg_sm80_ptx_staging *s) {
  gg_ptx_lanes first = gg_sm80_ptx_pairs_at(s, 0, 0);
  gg_str_puts(out, "  add.u32 %c_staging, %staging, %c_place;\n");
  for (int column = 0; column < s->columns; column += 8) {
    for (int row = 0; row < s->rows; row += 8) {
      gg_ptx_lanes at = gg_sm80_ptx_pairs_at(s, row, column);
      gg_ptx_step step = gg_ptx_step_between(&first, &at);
      int word = register_of(s, row, column);
      if (step.xors)
        gg_str_printf(out,
                      "  xor.b32 %%place, %%c_place, 0x%x;\n"
                      "  add.u32 %%place, %%place, %%staging;\n",
                      step.by);
      gg_str_printf(out, s->bytes == 2 ? "  ld.shared.b32 %%c%d, " : "  ld.shared.v2.b32 {%%c%d, ",
                    word);
      if (s->bytes == 4) gg_str_printf(out, "%%c%d}, ", word + 1);
      gg_ptx_write_place(out, step.xors ? "%place" : "%c_staging", step.xors ? 0 : step.by);
      gg_str_puts(out, ";\n");
    }
  }
}

static gg_status write_fetch(gg_str *out, gg_arena *arena, const gg_sm80_ptx_staging *s,
                             gg_error *err) {
  const gg_ptx_element element = {s->layout,    s->rows,   s->columns, s->bytes,
                                  "%to_shared", "%in_row", "%c_pos",   "%place"};
  gg_bindings bindings = {.arena = arena};
  gg_str text = GG_STR_INIT;
  gg_ptx_bind_number(&bindings, "c_words", 4 * s->deal.line_turns);
  gg_ptx_bind_number(&bindings, "c_bits", 8 * s->bytes);
  gg_ptx_bind_number(&bindings, "c_bytes", s->bytes);
  gg_ptx_bind_number(&bindings, "c_turn_bytes", s->deal.lines_per_turn * s->bytes);
  gg_ptx_bind_number(&bindings, "c_access", chunk_bytes / s->bytes);
  gg_ptx_bind_number(&bindings, "c_line_step", s->deal.lines_per_turn);
  gg_ptx_bind_number(&bindings, "c_lines", s->rows);
  write_clear(&text, s);
  gg_bind_str(&bindings, "clear_c", &text);
  write_loads(&text, s);
  gg_bind_str(&bindings, "load_pieces", &text);
  write_stores(&text, s);
  gg_bind_str(&bindings, "store_pieces", &text);
  gg_ptx_write_element(&text, 4, &element);
  gg_str_puts(&text, "    add.u32 %to_shared, %to_shared, %staging;\n");
  gg_bind_str(&bindings, "staged_element", &text);
  write_reads(&text, s);
  gg_bind_str(&bindings, "read_pairs", &text);
  gg_status st = gg_bindings_check(&bindings, err);
  if (st) return st;
  return gg_template_expand(out, gg_template_files, "parts/sm80_fetch_c.ptx", bindings.rows,
                            bindings.count, err);
}

static gg_status write_prefetch(gg_str *out, gg_arena *arena, const gg_plan *plan,
                                const gg_sm80_ptx_staging *s, gg_error *err) {
  enum { piece_bytes = 64 /* bytes that memory delivers at once */ };
  gg_bindings bindings = {.arena = arena};
  gg_str where = GG_STR_INIT;
  int piece = piece_bytes / s->bytes, across = (plan->tile_n + piece - 1) / piece;
  gg_ptx_bind_number(&bindings, "piece", piece);
  gg_ptx_write_split(&where, 4, "%line", "%piece", "%thread", across);
  gg_bind_str(&bindings, "where", &where);
  gg_ptx_bind_number(&bindings, "abreast", plan->threads / across);
  gg_ptx_bind_number(&bindings, "c_bytes", s->bytes);
  gg_ptx_bind_number(&bindings, "step_bytes", (ll)(plan->threads / across) * s->bytes);
  gg_status st = gg_bindings_check(&bindings, err);
  if (st) return st;
  return gg_template_expand(out, gg_template_files, "parts/sm80_prefetch_c.ptx", bindings.rows,
                            bindings.count, err);
}

/* ---- Bindings -------------------------------------------------------------------------------- */

void gg_sm80_ptx_add_c(gg_str *out, const gg_plan *plan, const gg_layouts *layouts, int row,
                       int column) {
  static const char *const names[] = {"%left", "%right"};
  gg_sm80_ptx_staging s;
  if (!staging_of_c(&s, plan, layouts)) return;
  int word = register_of(&s, row, column);
  for (int i = 0; i < 2; i++) {
    if (s.bytes == 2)
      gg_ptx_write_half(out, plan->c.type, "  ", word, i);
    else
      gg_str_printf(out, "  mov.b32 %%c_value, %%c%d;\n", word + i);
    gg_str_printf(out, "  fma.rn.f32 %s, %%c_value, %%beta, %s;\n", names[i], names[i]);
  }
}

static void bind_places(gg_bindings *out, gg_dtype type, const gg_sm80_ptx_staging *s) {
  gg_str text = GG_STR_INIT;
  gg_ptx_lanes pairs = gg_sm80_ptx_pairs_at(s, 0, 0), pieces = gg_sm80_ptx_pieces_at(s, 0);
  gg_str_printf(&text,
                "  // Likewise of C, which comes through the same buffer.\n"
                "  .reg .b64 %%c_tile;\n  .reg .b32 %%c_place, %%c_staging, %%c_piece, %%c_line, "
                "%%c_pos, %%c<%d>;\n  .reg .f32 %%c_value;\n%s  mov.u64 %%c_tile, 0;\n",
                registers(s),
                s->bytes == 4          ? ""
                : type == GG_DTYPE_f16 ? "  .reg .b16 %low, %high;\n"
                                       : "  .reg .b32 %bits;\n");
  gg_ptx_write_lanes(&text, 2, &pairs, "%c_place", "%place");
  gg_ptx_write_lanes(&text, 2, &pieces, "%c_piece", "%place");
  gg_ptx_write_split(&text, 2, "%c_line", "%c_pos", "%lane", s->deal.across);
  gg_str_printf(&text, "  mul.lo.u32 %%c_pos, %%c_pos, %d;\n", chunk_bytes / s->bytes);
  gg_bind_str(out, "places_of_c", &text);
}

gg_status gg_sm80_ptx_bind_c(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts,
                             gg_error *err) {
  static const char *const names[] = {"places_of_c", "fetch_c", "prefetch_c", "leave_c"};
  gg_sm80_ptx_staging s;
  gg_str fetch = GG_STR_INIT, prefetch = GG_STR_INIT, leave = GG_STR_INIT;
  if (!staging_of_c(&s, plan, layouts)) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
      gg_bind_text(out, names[i], "");
    return GG_OK;
  }
  bind_places(out, plan->c.type, &s);
  gg_status st = write_fetch(&fetch, out->arena, &s, err);
  gg_bind_str(out, "fetch_c", &fetch);
  if (!st) st = write_prefetch(&prefetch, out->arena, plan, &s, err);
  gg_bind_str(out, "prefetch_c", &prefetch);
  gg_ptx_write_first(&leave, 'c', s.bytes);
  gg_bind_str(out, "leave_c", &leave);
  return st;
}
