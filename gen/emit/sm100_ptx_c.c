/* Family sm100 in PTX: C. A thread of its own fetches it in sub-tiles, the rows of an MMA by the
 * columns of one of D's boxes, to a ring.
 *
 * A sub-tile consists of boxes side by side along C's contiguous mode. If a warp reads one of two
 * parts of the columns, the boxes of the first part come first. A lane reads by ldmatrix the
 * elements that belong to its sums. */
#include "emit/sm100_ptx.h"

#include "emit/ptx.h"
#include "emit/sm90_ptx.h"
#include "plan/sm100.h"

/* C, as threads find it. */
typedef struct matrix {
  const gg_plan *plan;
  const gg_fetched *c;
  const gg_ring *ring;
  bool n_major;
  int bytes, part_boxes; /* bytes: of an element; part_boxes: in one part of the columns */
} matrix;

static bool matrix_of(matrix *out, const gg_plan *plan, const gg_layouts *layouts) {
  const gg_ring *ring = gg_rings_find(&layouts->rings, GG_RING_SUBTILES);
  if (!ring || layouts->fetched_count != 1 || !layouts->fetched[0].is_c) return false;
  const gg_fetched *c = &layouts->fetched[0];
  *out = (matrix){.plan = plan,
                  .c = c,
                  .ring = ring,
                  .n_major = c->operand.major == GG_MAJOR_N,
                  .bytes = (int)gg_dtype_bytes(c->operand.type, 1),
                  .part_boxes = c->boxes / gg_plan_column_parts(plan)};
  return true;
}

/* How many columns one ldmatrix brings. */
static int columns_at_once(const gg_plan *plan) {
  return plan->read_n % 16 == 0 ? 16 : 8;
}

/* Where the threads of the warpgroup read C in a sub-tile: for one of an MMA's blocks of 16 rows of
 * each warp, from column `column` of D's box on. */
static gg_ptx_lanes places_at(const matrix *m, int block, int column) {
  gg_ptx_lanes out = {.of = "%in_group", .count = 4 * GG_WARP};
  const gg_fetched *c = m->c;
  int rows = m->n_major ? c->lines : c->line, wide = columns_at_once(m->plan);
  int blocks = gg_sm100_blocks_of_mma(m->plan), parts = gg_plan_column_parts(m->plan);
  for (int thread = 0; thread < out.count; thread++) {
    int lane = thread % GG_WARP, warp = thread / GG_WARP, across = wide == 16 ? lane / 16 * 8 : 0;
    int row = (warp % (4 / parts) * blocks + block) * m->plan->epi_m, at = column;
    row += m->n_major ? lane % 16 : lane / 8 % 2 * 8;
    at += m->n_major ? across : across + lane % 8;
    int number = m->n_major ? column / c->line : row / c->line;
    number += warp / (4 / parts) * m->part_boxes;
    int in_column = m->n_major ? at % c->line : at;
    out.at[thread] =
        (unsigned)(c->begin + number * c->bytes +
                   gg_composed_at(&c->layout, row % rows + (int64_t)in_column * rows) * m->bytes);
  }
  return out;
}

const char *gg_sm100_ptx_c_lacks(const gg_plan *plan, const gg_layouts *layouts) {
  matrix m;
  if (!plan->has_c) return NULL;
  if (!matrix_of(&m, plan, layouts)) return "a C that lanes read where it lies";
  if (gg_sm90_cells_of(&m.c->operand, m.c->line) != GG_SM90_CELLS_MATRICES)
    return "a C that is not of 16 bits";
  gg_ptx_lanes first = places_at(&m, 0, 0);
  bool known = gg_ptx_is_linear(&first);
  for (int block = 0; block < gg_sm100_blocks_of_mma(plan); block++) {
    for (int column = 0; column < plan->epi_n; column += columns_at_once(plan)) {
      gg_ptx_lanes at = places_at(&m, block, column);
      known = known && gg_ptx_step_between(&first, &at).known;
    }
  }
  return known ? NULL : "a C whose boxes are no power of two";
}

/* ---- The ring ------------------------------------------------------------------------------ */

/* How far its barriers are from the first barrier of all rings. */
static ll to_full(const gg_layouts *layouts) {
  const gg_ring *ring = gg_rings_find(&layouts->rings, GG_RING_SUBTILES);
  return (ll)(ring->full.begin - layouts->rings.barriers_begin);
}

static ll to_empty(const gg_layouts *layouts) {
  const gg_ring *ring = gg_rings_find(&layouts->rings, GG_RING_SUBTILES);
  return (ll)(ring->empty[0].begin - layouts->rings.barriers_begin);
}

/* Appends the step to the next stage, for the thread that fetches and for those that read. */
static void write_advance(gg_str *out, const gg_ring *ring) {
  gg_str_printf(out,
                "  add.u32 %%stage, %%stage, 1;\n  setp.eq.u32 %%wraps, %%stage, %d;\n"
                "  @%%wraps mov.u32 %%stage, 0;\n  @%%wraps xor.b32 %%parity, %%parity, 1;\n",
                ring->depth);
}

/* ---- Who fetches --------------------------------------------------------------------------- */

/* Appends the copies of the boxes of a sub-tile that begins `row` rows and `column` columns behind
 * the tile's first. */
static void write_loads(gg_str *out, const matrix *m, ll to_full, int row, int column) {
  for (int box = 0; box < m->c->boxes; box++) {
    int part = box / m->part_boxes, along = box % m->part_boxes * m->c->line;
    int to_row = m->n_major ? row : row + along;
    int to_column = column + part * gg_plan_half_step(m->plan) + (m->n_major ? along : 0);
    gg_str_printf(
        out,
        "    add.u32 %%to_row, %%m0, %d;\n    add.u32 %%to_col, %%n0, %d;\n"
        "    cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes\n"
        "      %s",
        to_row, to_column, m->plan->cta_group > 1 ? ".cta_group::2 " : "");
    gg_ptx_write_place(out, "%subtile", (ll)(m->c->begin + box * m->c->bytes));
    gg_str_puts(out, m->n_major ? ", [%map_c, {%to_col, %to_row, %batch}],\n      "
                                : ", [%map_c, {%to_row, %to_col, %batch}],\n      ");
    gg_ptx_write_place(out, "%bar_subtile", to_full);
    gg_str_puts(out, ";\n");
  }
}

static gg_status write_fetch(gg_str *out, gg_arena *arena, const matrix *m,
                             const gg_layouts *layouts, int number, gg_error *err) {
  gg_bindings bindings = {.arena = arena};
  int down = gg_sm100_mmas_m(m->plan), row = number % down * gg_plan_mma_rows(m->plan);
  int column = gg_sm100_ptx_place_of(m->plan, number / down, 0).column;
  gg_str text = GG_STR_INIT;
  write_loads(&text, m, to_full(layouts), row, column);
  gg_bind_str(&bindings, "loads", &text);
  write_advance(&text, m->ring);
  gg_bind_str(&bindings, "advance", &text);
  gg_ptx_bind_number(&bindings, "first_row", row);
  gg_ptx_bind_number(&bindings, "first_column", column);
  gg_ptx_bind_number(&bindings, "subtile_bytes", (ll)m->ring->bytes);
  gg_ptx_bind_number(&bindings, "subtiles_begin", (ll)m->ring->begin);
  gg_ptx_bind_number(&bindings, "to_full_subtile", to_full(layouts));
  gg_ptx_bind_number(&bindings, "to_empty_subtile", to_empty(layouts));
  gg_status st = gg_bindings_check(&bindings, err);
  if (st) return st;
  return gg_template_expand(out, gg_template_files, "parts/sm100_fetch_subtile.ptx", bindings.rows,
                            bindings.count, err);
}

static gg_status bind_fetcher(gg_bindings *out, const matrix *m, const gg_layouts *layouts,
                              gg_error *err) {
  gg_str text = GG_STR_INIT;
  gg_status st = GG_OK;
  int all = gg_sm100_ptx_boxes(m->plan) * gg_sm100_mmas_m(m->plan);
  for (int number = 0; number < all && !st; number++)
    st = write_fetch(&text, out->arena, m, layouts, number, err);
  gg_bind_str(out, "fetches_of_tile", &text);
  gg_ptx_bind_number(out, "fetcher", gg_rings_role(&layouts->rings, GG_ROLE_MATRICES)->first_warp);
  gg_ptx_bind_number(out, "subtile_bytes_fetched", (ll)m->ring->tx_bytes);
  return st;
}

/* ---- Who reads ----------------------------------------------------------------------------- */

void gg_sm100_ptx_await_c(gg_str *out, const gg_layouts *layouts) {
  const gg_ring *ring = gg_rings_find(&layouts->rings, GG_RING_SUBTILES);
  gg_str_printf(out,
                "  {\n"
                "    // The next sub-tile of C, and this lane's place in it.\n"
                "    mad.lo.u32 %%bar_c, %%stage, 8, %%barriers;\n"
                "await_c:\n"
                "    mbarrier.try_wait.parity.shared::cta.b64 %%done, [%%bar_c + %lld], %%parity;\n"
                "    @!%%done bra await_c;\n"
                "    mad.lo.u32 %%subtile_c, %%stage, %lld, %%smem;\n"
                "  }\n",
                to_full(layouts), (ll)ring->bytes);
}

void gg_sm100_ptx_release_c(gg_str *out, const gg_layouts *layouts) {
  gg_str_puts(out,
              "  // This warp has read its rows of that sub-tile of C. That comes before what is "
              "copied there\n  // next.\n"
              "  fence.proxy.async.shared::cta;\n"
              "  bar.warp.sync 0xffffffff;\n"
              "  @%is_lane_0 mbarrier.arrive.shared::cta.b64 _, ");
  gg_ptx_write_place(out, "%bar_c", to_empty(layouts));
  gg_str_puts(out, ";\n");
  write_advance(out, gg_rings_find(&layouts->rings, GG_RING_SUBTILES));
}

/* Appends the loads in front of a box's own lines. They fill the registers c0, c1, ... */
void gg_sm100_ptx_write_c(gg_str *out, const gg_plan *plan, const gg_layouts *layouts, int block,
                          int column) {
  matrix m;
  int wide = columns_at_once(plan);
  if (!matrix_of(&m, plan, layouts)) return;
  gg_ptx_lanes first = places_at(&m, 0, 0);
  for (int j = column; j < column + plan->read_n; j += wide) {
    gg_ptx_lanes at = places_at(&m, block % gg_sm100_blocks_of_mma(plan), j);
    gg_ptx_step step = gg_ptx_step_between(&first, &at);
    int word = j / 4;
    for (int i = 0; i < 4; i++)
      gg_str_printf(out, "%smov.b32 %%c%d, 0;%s", i ? " " : "    ", word + i, i == 3 ? "\n" : "");
    if (step.xors) gg_str_printf(out, "    xor.b32 %%place, %%c_place, 0x%x;\n", step.by);
    gg_str_printf(out, "    add.u32 %%place, %s, %%subtile_c;\n",
                  step.xors ? "%place" : "%c_place");
    gg_str_printf(out, "    @%%reads_c ldmatrix.sync.aligned.m8n8.x4%s.shared.b16\n      ",
                  m.n_major ? "" : ".trans");
    gg_str_printf(out, "{%%c%d, %%c%d, %%c%d, %%c%d}, ", word, word + 1, word + 2, word + 3);
    gg_ptx_write_place(out, "%place", (ll)m.ring->begin + (step.xors ? 0 : step.by));
    gg_str_puts(out, ";\n");
  }
}

static void bind_reader(gg_bindings *out, const matrix *m) {
  gg_str text = GG_STR_INIT;
  gg_ptx_lanes first = places_at(m, 0, 0);
  gg_str_puts(&text, "  // Where this thread begins to read C in a sub-tile.\n"
                     "  .reg .b32 %in_group, %c_place, %subtile_c, %bar_c;\n"
                     "  and.b32 %in_group, %thread, 127;\n");
  gg_ptx_write_lanes(&text, 2, &first, "%c_place", "%place");
  gg_str_puts(&text, "  mov.u32 %parity, 0;\n");
  gg_bind_str(out, "read_c", &text);
}

/* ---- All of it ----------------------------------------------------------------------------- */

gg_status gg_sm100_ptx_bind_c(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts,
                              gg_error *err) {
  matrix m;
  bool fetches = matrix_of(&m, plan, layouts);
  gg_bind_flag(out, "fetches", fetches);
  gg_bind_text(out, "find_c", fetches ? gg_ptx_beta : "");
  gg_bind_text(out, "rings_besides", fetches ? ", and of sub-tiles of C" : "");
  if (fetches) {
    bind_reader(out, &m);
    return bind_fetcher(out, &m, layouts, err);
  }
  gg_bind_text(out, "read_c", "");
  gg_bind_text(out, "fetches_of_tile", "");
  gg_ptx_bind_number(out, "fetcher", 0);
  gg_ptx_bind_number(out, "subtile_bytes_fetched", 0);
  return GG_OK;
}
