/* Family sm90 in PTX: C, for consumers in turns, which comes to a ring of each, sub-tile by
 * sub-tile: the rows of an MMA by the columns of a box of D's.
 *
 * Each warp awaits a sub-tile before it reads its rows of it, by ldmatrix, and says when it has.
 * The last box of columns may begin within the one before it: what it reads is awaited before that
 * one is stored, as D may lie in C's place. */
#include "atom/dtype.h"
#include "emit/ptx.h"
#include "emit/sm90.h"
#include "emit/sm90_ptx.h"

static const gg_ring *ring_of(const gg_layouts *layouts) {
  return gg_rings_find(&layouts->rings, GG_RING_SUBTILES);
}

static bool is_n_major(const gg_fetched *c) {
  return c->operand.major == GG_MAJOR_N;
}

/* Columns that one ldmatrix brings. */
static int columns_at_once(const gg_plan *plan) {
  return plan->read_n % 16 == 0 ? 16 : 8;
}

/* Where the threads of a warpgroup read a sub-tile, from `column` on. */
static gg_ptx_lanes places_at(const gg_plan *plan, const gg_fetched *c, int column) {
  gg_ptx_lanes out = {.of = "%in_group", .count = 4 * GG_WARP};
  bool n_major = is_n_major(c);
  int rows = n_major ? c->lines : c->line, bytes = (int)gg_dtype_bytes(c->operand.type, 1);
  for (int thread = 0; thread < out.count; thread++) {
    int lane = thread % GG_WARP, first = thread / GG_WARP * 16;
    int row = first + (n_major ? lane % 16 : lane / 8 % 2 * 8);
    int across =
        column + (n_major ? 0 : lane % 8) + (columns_at_once(plan) == 16 ? lane / 16 * 8 : 0);
    int box = n_major ? across / c->line : row / c->line;
    int64_t at = row % rows + (int64_t)(n_major ? across % c->line : across) * rows;
    out.at[thread] = (unsigned)(gg_composed_at(&c->layout, at) * bytes + box * c->bytes);
  }
  return out;
}

const char *gg_sm90_ptx_subtiles_lack(const gg_plan *plan, const gg_layouts *layouts) {
  const gg_fetched *c = &layouts->fetched[0];
  if (!plan->pingpong || gg_plan_shares_tiles(plan))
    return "a C in sub-tiles, where tiles are shared or not taken in turns";
  gg_ptx_lanes first = places_at(plan, c, 0);
  bool known = gg_ptx_is_linear(&first);
  for (int column = 0; column < plan->epi_n; column += columns_at_once(plan)) {
    gg_ptx_lanes at = places_at(plan, c, column);
    known = known && gg_ptx_step_between(&first, &at).known;
  }
  return known ? NULL : "sub-tiles of C whose width is no power of two";
}

/* ---- A box of D's -------------------------------------------------------------------------- */

/* The next sub-tile; the barriers' parity changes each round. */
static void write_next(gg_str *out, const char *indent, const char *parity, int depth) {
  gg_str_printf(out,
                "%sadd.u32 %%sub, %%sub, 1;\n%ssetp.eq.u32 %%wraps, %%sub, %d;\n"
                "%s@%%wraps mov.u32 %%sub, 0;\n%s@%%wraps xor.b32 %s, %s, 1;\n",
                indent, indent, depth, indent, indent, parity, parity);
}

/* Waits for the sub-tile `ahead` of the one that is read. */
static void write_await(gg_str *out, const gg_layouts *layouts, int ahead, const char *label) {
  const gg_ring *ring = ring_of(layouts);
  ll full = (ll)(ring->full.begin - layouts->rings.barriers_begin);
  const char *sub = ahead ? "%beside" : "%sub", *parity = ahead ? "%beside_parity" : "%sub_parity";
  if (ahead)
    gg_str_printf(out,
                  "    .reg .b32 %%beside, %%beside_parity;\n    add.u32 %%beside, %%sub, %d;\n"
                  "    mov.u32 %%beside_parity, %%sub_parity;\n"
                  "    setp.ge.u32 %%wraps, %%beside, %d;\n"
                  "    @%%wraps sub.u32 %%beside, %%beside, %d;\n"
                  "    @%%wraps xor.b32 %%beside_parity, %%beside_parity, 1;\n",
                  ahead, ring->depth, ring->depth);
  gg_str_printf(out,
                "    mad.lo.u32 %%bar_sub, %s, 8, %%bar_subs;\n%s:\n"
                "    mbarrier.try_wait.parity.shared::cta.b64 %%done, [%%bar_sub + %lld], %s;\n"
                "    @!%%done bra %s;\n",
                sub, label, full, parity, label);
}

void gg_sm90_ptx_begin_subtile(gg_str *out, const gg_layouts *layouts) {
  gg_str_puts(out, "    @!%reads_c bra c_there;\n");
  write_await(out, layouts, 0, "await_c");
  gg_str_printf(out, "    mad.lo.u32 %%c_base0, %%sub, %lld, %%sub_begin;\nc_there:\n",
                (ll)ring_of(layouts)->bytes);
}

void gg_sm90_ptx_end_subtile(gg_str *out, const gg_plan *plan, const gg_layouts *layouts, int box,
                             int block) {
  const gg_ring *ring = ring_of(layouts);
  int blocks = gg_plan_block_m(plan) / plan->mma.m, boxes = gg_plan_boxes_of_mma(plan, plan->epi_n);
  bool overlaps = gg_plan_boxes_overlap(plan, plan->epi_n);
  bool more = box * blocks + block + ring->depth < boxes * blocks; /* of this tile, to be fetched */
  gg_str_puts(out, "    @!%reads_c bra c_read;\n");
  if (!more)
    gg_str_puts(out, "    @!%begun_c bra c_left;  // the next tile's are fetched when it begins\n");
  gg_str_puts(out, "    // What was read comes before what is copied there next.\n"
                   "    fence.proxy.async.shared::cta;\n    bar.warp.sync 0xffffffff;\n");
  gg_str_printf(out, "    @%%is_lane_0 mbarrier.arrive.shared::cta.b64 _, [%%bar_sub + %lld];\n",
                (ll)(ring->empty[0].begin - layouts->rings.barriers_begin));
  if (!more) gg_str_puts(out, "c_left:\n");
  write_next(out, "    ", "%sub_parity", ring->depth);
  if (overlaps && box == boxes - 2) {
    gg_str_puts(
        out, "    // The last box has some of this one's columns, too: what it reads of them must "
             "have been\n    // fetched before they are stored here.\n");
    write_await(out, layouts, blocks - 1, "await_beside");
  }
  gg_str_puts(out, "c_read:\n");
}

void gg_sm90_ptx_write_matrices_of_c(gg_str *out, bool n_major, gg_ptx_step step, int word,
                                     int stage) {
  for (int i = 0; i < 4; i++)
    gg_str_printf(out, "%smov.b32 %%c%d, 0;%s", i ? " " : "    ", word + i, i == 3 ? "\n" : "");
  if (step.xors) gg_str_printf(out, "    xor.b32 %%place, %%c_place, 0x%x;\n", step.by);
  gg_str_printf(out, "    add.u32 %%place, %s, %%c_base%d;\n", step.xors ? "%place" : "%c_place",
                stage);
  gg_str_printf(out, "    @%%reads_c ldmatrix.sync.aligned.m8n8.x4%s.shared.b16\n      ",
                n_major ? "" : ".trans");
  gg_str_printf(out, "{%%c%d, %%c%d, %%c%d, %%c%d}, ", word, word + 1, word + 2, word + 3);
  gg_ptx_write_place(out, "%place", step.xors ? 0 : step.by);
  gg_str_puts(out, ";\n");
}

void gg_sm90_ptx_write_subtile(gg_str *out, const gg_plan *plan, const gg_layouts *layouts,
                               int column) {
  const gg_fetched *c = &layouts->fetched[0];
  gg_ptx_lanes first = places_at(plan, c, 0);
  int wide = columns_at_once(plan);
  for (int j = column; j < column + plan->read_n; j += wide) {
    gg_ptx_lanes at = places_at(plan, c, j);
    gg_sm90_ptx_write_matrices_of_c(out, is_n_major(c), gg_ptx_step_between(&first, &at), j / 4, 0);
  }
}

/* ---- Roles --------------------------------------------------------------------------------- */

static void bind_fetcher(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  const gg_fetched *c = &layouts->fetched[0];
  const gg_ring *ring = ring_of(layouts);
  ll begin = (ll)layouts->rings.barriers_begin;
  bool n_major = is_n_major(c);
  gg_str text = GG_STR_INIT;
  gg_ptx_bind_number(out, "first_fetcher",
                     gg_rings_role(&layouts->rings, GG_ROLE_MATRICES)->first_warp);
  gg_ptx_bind_number(out, "bytes_of_barriers", (ll)GG_BARRIER_BYTES * ring->depth);
  gg_ptx_bind_number(out, "bytes_of_ring", (ll)ring->bytes * ring->depth);
  gg_ptx_bind_number(out, "subtile_bytes", (ll)ring->bytes);
  gg_ptx_bind_number(out, "full_subtile", (ll)ring->full.begin - begin);
  gg_ptx_bind_number(out, "empty_subtile", (ll)ring->empty[0].begin - begin);
  gg_ptx_bind_number(out, "subtiles", ring->depth);
  gg_ptx_bind_number(out, "k_tiles_to_fetch_in", GG_SM90_K_TILES_TO_FETCH_IN);
  gg_ptx_bind_number(out, "mma_m", plan->mma.m);
  gg_ptx_bind_number(out, "box_columns", plan->epi_n);
  gg_ptx_bind_number(out, "last_column", (ll)gg_plan_mma_columns(plan) - plan->epi_n);
  gg_ptx_bind_number(out, "tile_columns", gg_plan_mma_columns(plan));
  for (int box = 0; box < c->boxes; box++) {
    const char *line = n_major ? "%col" : "%row";
    if (box) gg_str_printf(&text, "  add.u32 %%box, %s, %d;\n", line, box * c->line);
    gg_str_puts(&text, "  cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::"
                       "complete_tx::bytes\n    ");
    gg_ptx_write_place(&text, "%sub_stage", (ll)(ring->begin + box * c->bytes));
    gg_str_printf(&text, ", [%%map_c, {%s, %s, %%batch}],\n    ", box ? "%box" : line,
                  n_major ? "%row" : "%col");
    gg_ptx_write_place(&text, "%bar_sub", (ll)ring->full.begin - begin);
    gg_str_puts(&text, ";\n");
  }
  gg_bind_str(out, "load_subtile", &text);
  write_next(&text, "  ", "%parity", ring->depth);
  gg_bind_str(out, "next_subtile", &text);
}

void gg_sm90_ptx_bind_subtiles(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  const gg_ring *ring = ring_of(layouts);
  gg_ptx_lanes first = places_at(plan, &layouts->fetched[0], 0);
  gg_str text = GG_STR_INIT;
  gg_bind_part(out, "go_fetch", "sm90_go_fetch");
  gg_bind_part(out, "fetch_subtiles", "sm90_fetch_subtiles");
  gg_bind_part(out, "begin_subtiles", "sm90_begin_subtiles");
  bind_fetcher(out, plan, layouts);
  gg_str_printf(
      &text, "  // Where this thread reads C in a sub-tile, and its consumer's ring of sub-tiles.\n"
             "  .reg .b32 %%in_group, %%c_place, %%c_base<1>, %%sub, %%sub_parity, %%sub_begin;\n"
             "  .reg .b32 %%bar_subs, %%bar_sub;\n  .reg .pred %%begun_c;\n"
             "  setp.eq.u32 %%begun_c, 0, 0;\n  xor.pred %%begun_c, %%begun_c, %%reads_c;\n"
             "  and.b32 %%in_group, %%thread, 127;\n");
  gg_ptx_write_lanes(&text, 2, &first, "%c_place", "%place");
  gg_str_printf(&text,
                "  mov.u32 %%c_base0, 0;\n  mov.u32 %%sub, 0;\n  mov.u32 %%sub_parity, 0;\n"
                "  mad.lo.u32 %%bar_subs, %%consumer, %d, %%barriers;\n"
                "  mad.lo.u32 %%sub_begin, %%consumer, %lld, %%smem;\n"
                "  add.u32 %%sub_begin, %%sub_begin, %lld;\n",
                GG_BARRIER_BYTES * ring->depth, (ll)ring->bytes * ring->depth, (ll)ring->begin);
  gg_bind_str(out, "read_c", &text);
}
