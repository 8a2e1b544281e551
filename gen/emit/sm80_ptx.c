/* Family sm80: plan + layouts -> the names of templates/sm80_multistage.ptx.
 *
 * Copies are those of the .cu: each thread has chunks of 16 bytes of A and of B, from one line in
 * each turn. An address in shared memory is a lane's place, which is computed once, plus a number
 * for each step. All numbers are checked against the layouts before a text is made. */
#include "plan/sm80.h"

#include <stdio.h>

#include "emit/ptx.h"
#include "emit/ptx_lacks.h"
#include "emit/sm80_ptx.h"
#include "plan/choices.h"

enum { element_bytes = 2, chunk_bytes = GG_SM80_PTX_CHUNK, chunk = chunk_bytes / element_bytes };

/* A or B: how it is copied and read. */
typedef struct input {
  char x, mn; /* 'a', 'm' */
  const gg_operand *operand;
  const gg_composed *layout;
  int lines, warps, block, fragments; /* lines: of the tile; warps: along it; block, fragments: of
                                       * one warp */
  ll begin;                           /* its first byte in a stage */
  bool even;                          /* no tile reaches beyond the matrix */
  gg_dealing deal;
} input;

static input input_of(const gg_plan *plan, const gg_layouts *layouts, bool is_a) {
  input in = {.x = is_a ? 'a' : 'b',
              .mn = is_a ? 'm' : 'n',
              .operand = is_a ? &plan->a : &plan->b,
              .layout = is_a ? &layouts->sA : &layouts->sB,
              .lines = is_a ? plan->tile_m : plan->tile_n,
              .warps = is_a ? plan->atoms_m : plan->atoms_n,
              .begin = is_a ? 0 : (ll)gg_dtype_bytes(plan->a.type, layouts->size_a)};
  in.block = in.lines / in.warps;
  in.fragments = in.block / (is_a ? plan->mma.m : plan->mma.n);
  in.even = gg_is_even(is_a ? plan->fixed_m : plan->fixed_n, in.lines);
  in.deal =
      gg_sm80_deal_copy(plan->threads, in.lines, (ll)plan->tile_k * element_bytes, chunk_bytes);
  return in;
}

static unsigned place(const input *in, int64_t line, int64_t k) {
  return (unsigned)(gg_composed_at(in->layout, line + k * in->lines) * element_bytes);
}

/* Which places lanes name for an ldmatrix of four 8 x 8 matrices: of A those of one MMA, of B those
 * of two MMAs side by side; at row `line` of the tile and place `k` along K. */
static gg_ptx_lanes rows_at(const input *in, int line, int k) {
  gg_ptx_lanes out = {.of = "%lane", .count = GG_WARP};
  for (int lane = 0; lane < out.count; lane++) {
    bool a = in->x == 'a';
    int down = a ? lane % 16 : lane / 16 * 8 + lane % 8,
        along = a ? lane / 16 * 8 : lane / 8 % 2 * 8;
    out.at[lane] = place(in, line + down, k + along);
  }
  return out;
}

/* ---- What has no template ------------------------------------------------------------------ */

/* Whether the distance from a thread's first chunk to its later ones is the same for all threads.
 */
static bool turns_repeat(const input *in) {
  const gg_dealing *d = &in->deal;
  for (int64_t turn = 1; turn < d->line_turns; turn++)
    for (int64_t line = 0; line < d->lines_per_turn; line++)
      for (int64_t at = 0; at < d->across; at++) {
        int64_t down = turn * d->lines_per_turn;
        if (place(in, line + down, at * chunk) != place(in, line, at * chunk) + place(in, down, 0))
          return false;
      }
  return true;
}

/* Whether the places that lanes name are linear in the bits of the lane's number, and each fragment
 * and warp is at the expected distance from the first. */
static bool rows_repeat(const input *in, const gg_plan *plan) {
  gg_ptx_lanes begin = rows_at(in, 0, 0);
  bool repeat = gg_ptx_is_linear(&begin);
  for (int k = 0; k < plan->tile_k; k += plan->mma.k) {
    gg_ptx_lanes first = rows_at(in, 0, k);
    repeat = repeat && gg_ptx_step_between(&begin, &first).known;
    for (int line = 16; line < in->lines; line += 16) {
      gg_ptx_lanes at = rows_at(in, line, k);
      gg_ptx_step step = gg_ptx_step_between(&first, &at);
      repeat = repeat && step.known && !step.xors && step.by == place(in, line, 0);
    }
  }
  for (int warp = 1; warp < in->warps; warp++)
    repeat = repeat && place(in, warp * in->block, 0) == (unsigned)warp * place(in, in->block, 0);
  return repeat;
}

static bool has_places(const input *in, const gg_plan *plan) {
  return gg_always_works(&in->deal) && in->deal.chunk_turns == 1 && turns_repeat(in) &&
         rows_repeat(in, plan) && gg_ptx_is_linear_in_both(in->layout, in->lines, plan->tile_k) &&
         in->block % 16 == 0;
}

static bool is_half(gg_dtype type) {
  return type == GG_DTYPE_f16 || type == GG_DTYPE_bf16;
}

static bool is_stored(gg_dtype type) {
  return is_half(type) || type == GG_DTYPE_f32;
}

static bool is_linear(const gg_plan *plan) {
  return plan->operation_count == 0 ||
         (plan->operation_count == 1 && plan->operations[0].kind == GG_OP_LINEAR);
}

const char *gg_sm80_ptx_lacks(const gg_plan *plan, const gg_layouts *layouts) {
  const gg_ptx_lack rows[] = {
      {gg_plan_shares_tiles(plan), "split_k or stream_k"},
      {plan->sparse_a, "a sparse A"},
      {plan->promote > 0, "promoted sums"},
      {!is_half(plan->a.type) || !is_half(plan->b.type), "an A or B that is not of 16 bits"},
      {plan->a.major != GG_MAJOR_K || plan->b.major != GG_MAJOR_K,
       "operands of other majors than K"},
      {plan->copy_bytes_a != chunk_bytes || plan->copy_bytes_b != chunk_bytes,
       "lines that are not copied by 16 bytes"},
      {plan->accumulator != GG_DTYPE_f32, "sums that are not of f32"},
      {plan->atoms_k > 1, "warps along K"},
      {plan->turns_m, "warps' atoms in turns"},
      {!is_linear(plan), "an epilogue of more than alpha and beta"},
      {plan->tile_k / plan->mma.k % 2 != 0, "an odd number of MMAs along a tile's K"},
      {!is_stored(plan->d.type) || plan->d.major != GG_MAJOR_N ||
           plan->access_bytes_d != chunk_bytes,
       "a D that is not stored by 16 bytes of a row"},
  };
  const char *lacks = gg_ptx_first_lack(rows, sizeof rows / sizeof *rows);
  if (lacks) return lacks;
  const input a = input_of(plan, layouts, true), b = input_of(plan, layouts, false);
  if (!has_places(&a, plan) || !has_places(&b, plan)) return "tiles whose lines are padded";
  lacks = gg_sm80_ptx_staging_lacks(plan, layouts);
  return lacks ? lacks : gg_sm80_ptx_c_lacks(plan, layouts);
}

/* ---- Arguments and memory ------------------------------------------------------------------ */

static void write_pointer(gg_str *out, const char *matrix, char x) {
  gg_str_printf(out,
                "  .reg .b64 %%%c, %%ld_%c, %%stride_%c;\n  ld.param.u64 %%%c, [%s];\n"
                "  cvta.to.global.u64 %%%c, %%%c;\n  ld.param.u64 %%ld_%c, [ld%c];\n"
                "  ld.param.u64 %%stride_%c, [batch_stride_%c];\n",
                x, x, x, x, matrix, x, x, x, x, x, x);
}

static void bind_arguments(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  gg_str text = GG_STR_INIT;
  gg_ptx_write_parameters(&text, plan, layouts);
  gg_bind_str(out, "parameters", &text);
  gg_ptx_write_extents(&text, plan);
  write_pointer(&text, "A", 'a');
  write_pointer(&text, "B", 'b');
  write_pointer(&text, "D", 'd');
  if (plan->has_c) write_pointer(&text, "C", 'c');
  if (plan->has_c) gg_str_puts(&text, gg_ptx_beta);
  if (plan->alpha) gg_str_puts(&text, "  .reg .f32 %alpha;\n  ld.param.f32 %alpha, [alpha];\n");
  gg_bind_str(out, "arguments", &text);
}

static ll stage_bytes_of(const gg_layouts *layouts) {
  return (ll)gg_rings_find(&layouts->rings, GG_RING_STAGES)->bytes;
}

static void bind_sizes(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  const gg_ring *staging = gg_rings_find(&layouts->rings, GG_RING_STAGING);
  ll bytes = stage_bytes_of(layouts);
  gg_str text = GG_STR_INIT;
  gg_str_printf(&text, "//   0: %d stages of %lld; A's tile first, B's behind %lld\n", plan->stages,
                bytes, (ll)gg_dtype_bytes(plan->a.type, layouts->size_a));
  gg_str_printf(&text, "//   %lld: a staging buffer of %lld for each warp\n", (ll)staging->begin,
                (ll)layouts->staging_bytes);
  gg_bind_str(out, "memory_map", &text);
  gg_ptx_bind_number(out, "threads", plan->threads);
  gg_ptx_bind_number(out, "ctas_per_sm", plan->ctas_per_sm);
  gg_ptx_bind_tile_counts(out, plan->tile_m, plan->tile_n, plan->tile_k);
  gg_ptx_bind_number(out, "stages", plan->stages);
  gg_ptx_bind_number(out, "stage_bytes", bytes);
  gg_ptx_bind_number(out, "stages_bytes", bytes * plan->stages);
  gg_ptx_bind_number(out, "staging_begin", (ll)staging->begin);
  gg_ptx_bind_number(out, "staging_bytes", (ll)layouts->staging_bytes);
  gg_bind_flag(out, "fills_more", plan->stages > 2);
  gg_ptx_write_split(&text, 2, "%warp_n", "%warp_m", "%warp", plan->atoms_m);
  gg_bind_str(out, "place_of_warp", &text);
  bool along_m = plan->raster == GG_RASTER_ALONG_M;
  gg_ptx_bind_number(out, "raster_group", plan->raster_group);
  gg_bind_text(out, "tiles_along", along_m ? "%tiles_m" : "%tiles_n");
  gg_bind_text(out, "tiles_across", along_m ? "%tiles_n" : "%tiles_m");
  gg_str_printf(&text, "    mul.lo.u32 %%m0, %s, %d;\n    mul.lo.u32 %%n0, %s, %d;\n",
                along_m ? "%along" : "%across", plan->tile_m, along_m ? "%across" : "%along",
                plan->tile_n);
  gg_bind_str(out, "origin", &text);
}

/* ---- Copies -------------------------------------------------------------------------------- */

/* Appends this thread's first chunk of an operand's tiles, and the places that its lane names for
 * ldmatrix in each K step, from a stage's beginning. */
static void write_places(gg_str *out, const input *in, const gg_plan *plan) {
  char x = in->x, to[16], row[16], column[16], of[24];
  snprintf(to, sizeof to, "%%%c_to", x);
  snprintf(row, sizeof row, "%%%c_line", x);
  snprintf(column, sizeof column, "%%%c_pos", x);
  gg_str layout = GG_STR_INIT;
  gg_composed_print(&layout, in->layout, GG_NOTATION_PLAIN);
  gg_str_printf(out, "  // Of %c, %s: a thread's first chunk of 8 elements.\n", x - 'a' + 'A',
                gg_str_text(&layout));
  gg_str_free(&layout);
  gg_str_printf(out, "  .reg .b32 %s, %s, %s;\n", to, row, column);
  gg_ptx_write_split(out, 2, row, column, "%thread", in->deal.across);
  gg_str_printf(out, "  mul.lo.u32 %s, %s, %d;\n", column, column, chunk);
  const gg_ptx_element element = {in->layout, in->lines, plan->tile_k, element_bytes,
                                  to,         row,       column,       "%place"};
  gg_ptx_write_element(out, 2, &element);
  if (in->begin) gg_str_printf(out, "  add.u32 %s, %s, %lld;\n", to, to, in->begin);
  int steps = plan->tile_k / plan->mma.k;
  gg_str_printf(out,
                "  // The rows that a lane names to ldmatrix, of each K step.\n"
                "  .reg .b32 %%%c_at<%d>;\n",
                x, steps);
  for (int step = 0; step < steps; step++) {
    gg_ptx_lanes rows = rows_at(in, 0, step * plan->mma.k), first = rows_at(in, 0, 0);
    gg_ptx_step by = gg_ptx_step_between(&first, &rows);
    snprintf(of, sizeof of, "%%%c_at%d", x, step);
    if (step)
      gg_str_printf(out, "  %s.b32 %s, %%%c_at0, %u;\n", by.xors ? "xor" : "add", of, x, by.by);
    else
      gg_ptx_write_lanes(out, 2, &rows, of, "%place");
  }
  for (int step = 0; step < steps; step++)
    gg_str_printf(out, "  mad.lo.u32 %%%c_at%d, %%warp_%c, %u, %%%c_at%d;\n", x, step, in->mn,
                  in->warps > 1 ? place(in, in->block, 0) : 0, x, step);
  for (int step = 0; step < steps && in->begin; step++)
    gg_str_printf(out, "  add.u32 %%%c_at%d, %%%c_at%d, %lld;\n", x, step, x, step, in->begin);
}

/* Appends where a tile's copies begin, and how many lines there are from this thread's first one
 * on. */
static void write_begin(gg_str *out, const input *in) {
  char x = in->x, mn = in->mn;
  const char *rows = in->x == 'a' ? "%next_rows" : "%next_cols";
  gg_str_printf(out,
                "  sub.u32 %s, %%%c, %%%c0;\n  min.u32 %s, %s, %d;\n"
                "  sub.s32 %%%c_left, %s, %%%c_line;\n",
                rows, mn, mn, rows, rows, in->lines, x, rows, x);
  gg_str_printf(out,
                "  add.u32 %%ahead, %%%c0, %%%c_line;\n  cvt.u64.u32 %%offset, %%ahead;\n"
                "  mul.lo.u64 %%offset, %%offset, %%ld_%c;\n"
                "  cvt.u64.u32 %%along, %%batch;\n"
                "  mad.lo.u64 %%offset, %%along, %%stride_%c, %%offset;\n"
                "  cvt.u64.u32 %%along, %%%c_pos;\n  add.u64 %%offset, %%offset, %%along;\n"
                "  mad.lo.u64 %%%c_from, %%offset, %d, %%%c;\n",
                mn, x, x, x, x, x, element_bytes, x);
}

/* Appends copies of a tile's whole chunks of 16 bytes, from address `from` to the stage in register
 * `stage`; zeros if %no_tile is true. */
static void write_whole(gg_str *out, const input *in, const char *from, const char *stage) {
  char x = in->x;
  gg_str_printf(out, "  add.u32 %%place, %s, %%%c_to;\n  mov.u64 %%from, %s;\n", stage, x, from);
  for (int turn = 0; turn < in->deal.line_turns; turn++) {
    int down = turn * (int)in->deal.lines_per_turn;
    if (turn) gg_str_printf(out, "  add.u64 %%from, %%from, %%%c_turn;\n", x);
    if (!in->even)
      gg_str_printf(out, "  setp.le.or.s32 %%ignores, %%%c_left, %d, %%no_tile;\n", x, down);
    gg_str_puts(out, "  cp.async.cg.shared.global.L2::128B ");
    gg_ptx_write_place(out, "%place", place(in, down, 0));
    gg_str_printf(out, ", [%%from], 16, %s;\n", in->even ? "%no_tile" : "%ignores");
  }
}

/* Appends copies of the last tile along K, in which a chunk may be there in part, or not at all. */
static void write_careful(gg_str *out, const input *in) {
  char x = in->x;
  gg_str_printf(out,
                "  sub.s32 %%valid, %%k_left, %%%c_pos;\n  min.s32 %%valid, %%valid, %d;\n"
                "  max.s32 %%valid, %%valid, 0;\n  mul.lo.u32 %%valid, %%valid, %d;\n"
                "  add.u32 %%place, %%smem, %%%c_to;\n  mov.u64 %%from, %%%c_last;\n",
                x, chunk, element_bytes, x, x);
  for (int turn = 0; turn < in->deal.line_turns; turn++) {
    int down = turn * (int)in->deal.lines_per_turn;
    if (turn) gg_str_printf(out, "  add.u64 %%from, %%from, %%%c_turn;\n", x);
    if (!in->even)
      gg_str_printf(out,
                    "  setp.gt.s32 %%again, %%%c_left, %d;\n"
                    "  selp.b32 %%bytes, %%valid, 0, %%again;\n",
                    x, down);
    gg_str_puts(out, "  cp.async.cg.shared.global.L2::128B ");
    gg_ptx_write_place(out, "%place", place(in, down, 0));
    gg_str_printf(out, ", [%%from], 16, %s;\n", in->even ? "%valid" : "%bytes");
  }
}

/* Appends the step from a tile's first K tile to its last one. */
static void write_first(gg_str *out, const input inputs[2], const gg_plan *plan) {
  bool even = gg_is_even(plan->fixed_k, plan->tile_k);
  gg_str_printf(out,
                "  max.u32 %%ahead, %%k_tiles, 1;\n  sub.u32 %%ahead, %%ahead, 1;\n"
                "  mul.wide.u32 %%along, %%ahead, %d;\n",
                plan->tile_k * element_bytes);
  for (int i = 0; i < 2; i++)
    gg_str_printf(out, "  add.u64 %%%c_last, %%%c_from, %%along;\n", inputs[i].x, inputs[i].x);
  gg_str_puts(out, "  setp.eq.u32 %no_tile, %k_tiles, 0;\n");
  if (!even) {
    gg_str_printf(
        out,
        "  mul.lo.u32 %%ahead, %%ahead, %d;\n  sub.u32 %%k_left, %%k, %%ahead;\n"
        "  setp.ge.or.u32 %%again, %%k_left, %d, %%no_tile;\n  @%%again bra fill_whole;\n",
        plan->tile_k, plan->tile_k);
    for (int i = 0; i < 2; i++)
      write_careful(out, &inputs[i]);
    gg_str_puts(out, "  bra.uni first_filled;\nfill_whole:\n");
  }
  write_whole(out, &inputs[0], "%a_last", "%smem");
  write_whole(out, &inputs[1], "%b_last", "%smem");
  if (!even) gg_str_puts(out, "first_filled:\n");
}

/* Appends the copies of a K tile to the stage in %write; the next one is behind it along K. */
static void write_next(gg_str *out, const input inputs[2], const gg_plan *plan) {
  for (int i = 0; i < 2; i++) {
    write_whole(out, &inputs[i], i ? "%b_from" : "%a_from", "%write");
    gg_str_printf(out, "  add.u64 %%%c_from, %%%c_from, %d;\n", inputs[i].x, inputs[i].x,
                  plan->tile_k * element_bytes);
  }
}

static void bind_copies(gg_bindings *out, const input inputs[2], const gg_plan *plan) {
  gg_str text = GG_STR_INIT, begin = GG_STR_INIT;
  for (int i = 0; i < 2; i++) {
    char x = inputs[i].x;
    write_places(&text, &inputs[i], plan);
    gg_str_printf(&text,
                  "  .reg .b32 %%%c_left;  // lines from the thread's first on\n"
                  "  .reg .b64 %%%c_from, %%%c_last, %%%c_turn;  // bytes of a turn's lines\n"
                  "  mul.lo.u64 %%%c_turn, %%ld_%c, %lld;\n",
                  x, x, x, x, x, x, (ll)inputs[i].deal.lines_per_turn * element_bytes);
    write_begin(&begin, &inputs[i]);
  }
  if (!gg_is_even(plan->fixed_k, plan->tile_k))
    gg_str_printf(&text, "  .reg .b32 %%k_left, %%valid%s;  // of K's last tile\n",
                  inputs[0].even && inputs[1].even ? "" : ", %bytes");
  gg_bind_str(out, "places", &text);
  gg_bind_str(out, "begin_copies", &begin);
  write_first(&text, inputs, plan);
  gg_bind_str(out, "fill_first", &text);
  write_next(&text, inputs, plan);
  gg_bind_str(out, "load_whole", &text);
}

/* ---- The main loop ------------------------------------------------------------------------- */

/* Appends the loads of one K step's fragments, to one of two sets of registers. */
static void write_fragments(gg_str *out, const input inputs[2], int step, int set) {
  for (int i = 0; i < 2; i++) {
    const input *in = &inputs[i];
    int each = i ? 2 : 1, words = i ? 2 : 4; /* each: MMAs that one ldmatrix serves; words:
                                              * registers of one */
    gg_str_printf(out, "  add.u32 %%place, %%read, %%%c_at%d;\n", in->x, step);
    for (int f = 0; f < in->fragments; f += each) {
      int word = (set * in->fragments + f) * words;
      gg_str_puts(out, "  ldmatrix.sync.aligned.m8n8.x4.shared.b16 ");
      for (int w = 0; w < 4; w++)
        gg_str_printf(out, "%s%%f%c%d", w ? ", " : "{", in->x, word + w);
      gg_str_puts(out, "}, ");
      gg_ptx_write_place(out, "%place", place(in, f / each * 16, 0));
      gg_str_puts(out, ";\n");
    }
  }
}

/* Appends the MMAs of the warp's columns from `first` to before `last`. Every other column is
 * walked upwards, so that neighbouring MMAs share a fragment. */
static void write_mmas(gg_str *out, const gg_plan *plan, const input inputs[2], int set, int first,
                       int last) {
  int down = inputs[0].fragments, across = inputs[1].fragments;
  for (int j = first; j < last; j++) {
    for (int turn = 0; turn < down; turn++) {
      int i = j % 2 ? down - 1 - turn : turn, d = (i * across + j) * 4;
      int a = (set * down + i) * 4, b = (set * across + j) * 2;
      gg_str_puts(out, "  ");
      gg_mma_atom_ptx(out, &plan->mma);
      gg_str_putc(out, ' ');
      gg_ptx_write_registers(out, "acc", d, 4, 4);
      gg_str_puts(out, "\n    ");
      gg_ptx_write_registers(out, "fa", a, 4, 4);
      gg_str_putc(out, ' ');
      gg_ptx_write_registers(out, "fb", b, 2, 4);
      gg_str_printf(out, " {%%acc%d, %%acc%d, %%acc%d, %%acc%d};\n", d, d + 1, d + 2, d + 3);
    }
  }
}

/* Appends the multiplication of a K tile. Copies are issued in its second K step, because in the
 * first they would delay the ldmatrix that the second step waits for. Half of the last step's MMAs
 * cover the wait at the barrier, and the other half the first ldmatrix of the next K tile. */
static void write_multiply(gg_str *out, const gg_plan *plan, const gg_layouts *layouts,
                           const input inputs[2]) {
  enum { copy_step = 1 };
  int steps = plan->tile_k / plan->mma.k, columns = inputs[1].fragments;
  for (int step = 0; step < steps; step++) {
    bool last = step + 1 == steps;
    gg_str_printf(out, "  // K from %d to %d.\n", step * plan->mma.k, (step + 1) * plan->mma.k - 1);
    if (!last) write_fragments(out, inputs, step + 1, (step + 1) % 2);
    if (step == copy_step) {
      write_next(out, inputs, plan);
      gg_str_puts(out, "  cp.async.commit_group;\n");
    }
    write_mmas(out, plan, inputs, step % 2, 0, last ? columns / 2 : columns);
    if (!last) continue;
    gg_str_printf(
        out,
        "  mov.u32 %%write, %%read;\n  add.u32 %%read, %%read, %lld;\n"
        "  setp.eq.u32 %%again, %%read, %%stages_end;\n  @%%again mov.u32 %%read, %%smem;\n"
        "  cp.async.wait_group %d;\n  bar.sync 0;\n",
        stage_bytes_of(layouts), plan->stages - 2);
    write_fragments(out, inputs, 0, (step + 1) % 2);
    write_mmas(out, plan, inputs, step % 2, columns / 2, columns);
  }
}

static void bind_loop(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts,
                      const input inputs[2]) {
  int registers = inputs[0].fragments * inputs[1].fragments * 4;
  gg_str text = GG_STR_INIT;
  gg_str_printf(&text, "  .reg .b32 %%fa<%d>, %%fb<%d>;  // fragments, of two K steps\n",
                2 * 4 * inputs[0].fragments, 2 * 2 * inputs[1].fragments);
  gg_bind_str(out, "fragments", &text);
  gg_ptx_bind_number(out, "accumulators", registers);
  gg_ptx_write_clear(&text, registers);
  gg_bind_str(out, "clear", &text);
  write_fragments(&text, inputs, 0, 0);
  gg_bind_str(out, "load_first", &text);
  write_multiply(&text, plan, layouts, inputs);
  gg_bind_str(out, "multiply", &text);
}

gg_status gg_sm80_ptx_bind(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts,
                           gg_error *err) {
  const input inputs[2] = {input_of(plan, layouts, true), input_of(plan, layouts, false)};
  bind_arguments(out, plan, layouts);
  bind_sizes(out, plan, layouts);
  bind_copies(out, inputs, plan);
  bind_loop(out, plan, layouts, inputs);
  gg_bind_flag(out, "awaits", gg_plan_awaits(plan));
  gg_sm80_ptx_bind_epilogue(out, plan, layouts);
  return gg_sm80_ptx_bind_c(out, plan, layouts, err);
}
