/* Family sm90 in PTX: C, which the producer fetches to stages behind a tile's last K tile.
 *
 * A box of C's has all rows of the tile by a line of columns, or, where M is contiguous, a line of
 * rows by all columns. A lane reads what it has of the accumulators: by ldmatrix. */
#include "emit/sm90_ptx.h"

#include "atom/dtype.h"
#include "emit/ptx.h"
#include "emit/sm90.h"
#include "plan/operation.h"

/* C, as threads find it. */
typedef struct matrix {
  const gg_plan *plan;
  const gg_fetched *c;
  bool n_major;
  int bytes, blocks; /* of an element; of 64 rows, of a consumer */
} matrix;

static bool matrix_of(matrix *out, const gg_plan *plan, const gg_layouts *layouts) {
  if (layouts->fetched_count != 1 || !layouts->fetched[0].is_c) return false;
  const gg_fetched *c = &layouts->fetched[0];
  *out = (matrix){.plan = plan,
                  .c = c,
                  .n_major = c->operand.major == GG_MAJOR_N,
                  .bytes = (int)gg_dtype_bytes(c->operand.type, 1),
                  .blocks = gg_plan_block_m(plan) / plan->mma.m};
  return true;
}

/* Columns that one ldmatrix brings. */
static int columns_at_once(const gg_plan *plan) {
  return plan->read_n % 16 == 0 ? 16 : 8;
}

/* Where the threads of a warpgroup read C in its stages: boxes of a stage behind each other,
 * `stage` the one of them all; -1: they are in several. Rows from a block's first on. */
static gg_ptx_lanes places_at(const matrix *m, int *stage, int box, int row, int column) {
  gg_ptx_lanes out = {.of = "%in_group", .count = 4 * GG_WARP};
  const gg_fetched *c = m->c;
  int rows = m->n_major ? c->lines : c->line, wide = columns_at_once(m->plan);
  int last = gg_plan_mma_columns(m->plan) - m->plan->epi_n, first = box * m->plan->epi_n;
  int number_n = (first + column) / c->line;
  if (first > last) first = last;
  for (int thread = 0; thread < out.count; thread++) {
    int lane = thread % GG_WARP, in_row = row + thread / GG_WARP * 16, in_column;
    int number = m->n_major ? number_n : in_row / c->line, own = number / c->boxes_a_stage;
    *stage = thread == 0 || *stage == c->first_stage + own ? c->first_stage + own : -1;
    in_row += m->n_major ? lane % 16 : lane / 8 % 2 * 8;
    in_column = (m->n_major ? column % c->line : first + column) + (m->n_major ? 0 : lane % 8) +
                (wide == 16 ? lane / 16 * 8 : 0);
    int64_t at = in_row % rows + (int64_t)in_column * rows;
    out.at[thread] = (unsigned)(gg_composed_at(&c->layout, at) * m->bytes +
                                number % c->boxes_a_stage * c->bytes);
  }
  return out;
}

/* How far the second consumer's block is from the first one's, within a stage and in stages; 0
 * where there is no second. */
typedef struct block_step {
  gg_ptx_step in_stage;
  int stages;
} block_step;

static block_step block_step_of(const matrix *m) {
  int stage, other;
  gg_ptx_lanes first = places_at(m, &stage, 0, 0, 0);
  if (m->plan->atoms_m == 1) return (block_step){.in_stage.known = true};
  gg_ptx_lanes second = places_at(m, &other, 0, gg_plan_block_m(m->plan), 0);
  gg_ptx_step step = gg_ptx_step_between(&first, &second);
  step.known = step.known && !step.xors && other >= stage && stage >= 0;
  return (block_step){step, other - stage};
}

/* Whether every block of every consumer is as far from the first as said, and all is known. */
static bool places_add_up(const matrix *m) {
  block_step of = block_step_of(m);
  gg_ptx_step block = of.in_stage;
  int base, stage, other;
  gg_ptx_lanes first = places_at(m, &base, 0, 0, 0);
  bool known = block.known && gg_ptx_is_linear(&first);
  const gg_plan *plan = m->plan;
  for (int box = 0; box < gg_plan_boxes_of_mma(plan, plan->epi_n) && known; box++)
    for (int column = 0; column < plan->epi_n; column += columns_at_once(plan))
      for (int i = 0; i < m->blocks; i++) {
        gg_ptx_lanes own = places_at(m, &stage, box, i * plan->mma.m, column);
        known = known && stage >= 0 && gg_ptx_step_between(&first, &own).known;
        for (int consumer = 1; consumer < plan->atoms_m; consumer++) {
          int row = consumer * gg_plan_block_m(plan) + i * plan->mma.m;
          gg_ptx_lanes its = places_at(m, &other, box, row, column);
          gg_ptx_step step = gg_ptx_step_between(&own, &its);
          known = known && step.known && !step.xors && other == stage + consumer * of.stages &&
                  step.by == (unsigned)consumer * block.by;
        }
      }
  return known;
}

const char *gg_sm90_ptx_c_lacks(const gg_plan *plan, const gg_layouts *layouts) {
  matrix m;
  if (!plan->has_c) return NULL;
  if (!matrix_of(&m, plan, layouts)) return "a C that lanes read where it lies";
  if (gg_sm90_cells_of(&m.c->operand, m.c->line) != GG_SM90_CELLS_MATRICES)
    return "a C that is not of 16 bits";
  if (plan->subtile_stages) return gg_sm90_ptx_subtiles_lack(plan, layouts);
  return places_add_up(&m) ? NULL : "a C whose boxes lie apart by other than their number";
}

/* The predicate by which a tile's C is fetched: where several clusters share tiles, by those that
 * store some of it. */
static const char *fetches(const gg_plan *plan) {
  return gg_plan_shares_tiles(plan) ? "%fetches_c" : "%reads_c";
}

/* ---- The producer -------------------------------------------------------------------------- */

/* Where box `number` begins, from the tile's first element on along C's lines. */
static int along_of(const matrix *m, int number) {
  int a_box = m->plan->epi_n / m->c->line, last = gg_plan_mma_columns(m->plan) - m->plan->epi_n;
  if (!m->n_major) return number * m->c->line;
  int first = number / a_box * m->plan->epi_n;
  return (first < last ? first : last) + number % a_box * m->c->line;
}

/* Writes what computes where a piece of a box begins across C's lines; returns the register that
 * has it. */
static const char *write_across(gg_str *out, const matrix *m, int piece) {
  const char *across = m->n_major ? "%m0" : "%n0";
  if (piece == 0) return across;
  gg_str_printf(out, "  add.u32 %%across, %s, %d;\n", across, piece * m->c->lines / m->c->pieces);
  return "%across";
}

static void write_load(gg_str *out, const matrix *m, int number, int in_stage) {
  const gg_fetched *c = m->c;
  const char *line = m->n_major ? "%n0" : "%m0";
  int along = along_of(m, number);
  if (along) gg_str_printf(out, "  add.u32 %%along, %s, %d;\n", line, along);
  for (int piece = 0; piece < c->pieces; piece++) {
    const char *across = write_across(out, m, piece);
    gg_str_puts(out, "  cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::"
                     "bytes\n    ");
    gg_ptx_write_place(out, "%a_stage", in_stage * c->bytes + piece * c->bytes / c->pieces);
    gg_str_printf(out, ", [%%map_c, {%s, %s, %%batch}], [%%bar_full];\n", along ? "%along" : line,
                  across);
  }
}

static gg_status write_fetch(gg_str *out, gg_arena *arena, const matrix *m,
                             const gg_layouts *layouts, int first, gg_error *err) {
  gg_bindings bindings = {.arena = arena};
  int count = m->c->boxes - first < m->c->boxes_a_stage ? m->c->boxes - first : m->c->boxes_a_stage;
  gg_str loads = GG_STR_INIT;
  for (int i = 0; i < count; i++)
    write_load(&loads, m, first + i, i);
  gg_bind_str(&bindings, "loads", &loads);
  gg_ptx_bind_number(&bindings, "first_box", first);
  gg_ptx_bind_number(&bindings, "last_box", first + count - 1);
  gg_ptx_bind_number(&bindings, "bytes", (ll)count * m->c->bytes);
  gg_sm90_ptx_bind_ring(&bindings, layouts);
  gg_status st = gg_bindings_check(&bindings, err);
  if (st) return st;
  return gg_template_expand(out, gg_template_files, "parts/sm90_fetch_stage.ptx", bindings.rows,
                            bindings.count, err);
}

/* Boxes take long to come from memory. So they are prefetched to L2 while a tile's first K tiles
 * are copied, one box with each; not for the first tile, whose K tiles are awaited. */
static void write_prefetch(gg_str *out, const matrix *m) {
  const char *line = m->n_major ? "%n0" : "%m0";
  int a_box = m->n_major ? m->plan->epi_n / m->c->line : 1;
  bool overlap = m->n_major && gg_plan_boxes_overlap(m->plan, m->plan->epi_n);
  gg_str_puts(out, "  // With each of the first K tiles a box of C is prefetched to L2.\n");
  if (gg_plan_shares_tiles(m->plan))
    gg_str_puts(out, "  sub.u32 %box, %k_tile, %k_first;\n  and.pred %prefetches, %begun, "
                     "%fetches_c;\n");
  else
    gg_str_puts(out, "  mov.u32 %box, %k_tile;\n  and.pred %prefetches, %begun, %begun;\n");
  gg_str_printf(out,
                "  setp.lt.and.u32 %%prefetches, %%box, %d, %%prefetches;\n"
                "  @!%%prefetches bra c_prefetched;\n",
                m->c->boxes);
  if (overlap) gg_ptx_write_split(out, 2, "%along", "%in_box", "%box", a_box);
  if (overlap)
    gg_str_printf(out,
                  "  mul.lo.u32 %%along, %%along, %d;\n  min.u32 %%along, %%along, %d;\n"
                  "  mad.lo.u32 %%along, %%in_box, %d, %%along;\n"
                  "  add.u32 %%along, %%along, %s;\n",
                  m->plan->epi_n, gg_plan_mma_columns(m->plan) - m->plan->epi_n, m->c->line, line);
  else
    gg_str_printf(out, "  mad.lo.u32 %%along, %%box, %d, %s;\n", m->c->line, line);
  for (int piece = 0; piece < m->c->pieces; piece++) {
    const char *across = write_across(out, m, piece);
    gg_str_printf(out,
                  "  cp.async.bulk.prefetch.tensor.3d.L2.global.tile\n"
                  "    [%%map_c, {%%along, %s, %%batch}];\n",
                  across);
  }
  gg_str_puts(out, "c_prefetched:\n");
}

static void declare(gg_str *out, const matrix *m) {
  bool overlap = m->n_major && gg_plan_boxes_overlap(m->plan, m->plan->epi_n);
  gg_str_printf(out, "  .reg .b32 %%box%s%s;\n", overlap ? ", %in_box" : "",
                m->c->pieces > 1 ? ", %across" : "");
  gg_str_puts(out, "  .reg .pred %prefetches, %begun;\n  setp.ne.u32 %begun, 0, 0;\n");
}

static gg_status bind_producer(gg_bindings *out, const matrix *m, const gg_layouts *layouts,
                               gg_error *err) {
  gg_str text = GG_STR_INIT;
  gg_status st = GG_OK;
  write_prefetch(&text, m);
  gg_bind_str(out, "prefetch_c", &text);
  gg_str_printf(&text, "  @!%s bra fetched;\n", fetches(m->plan));
  for (int first = 0; first < m->c->boxes && !st; first += m->c->boxes_a_stage)
    st = write_fetch(&text, out->arena, m, layouts, first, err);
  gg_str_puts(&text, "fetched:\n  and.pred %begun, %reads_c, %reads_c;\n");
  gg_bind_str(out, "fetch_c", &text);
  return st;
}

/* ---- The consumers ------------------------------------------------------------------------- */

/* Waits for all stages, so that what they bring is older than anything that is stored of the tile,
 * also where C is D itself. */
static gg_status write_await(gg_str *out, gg_arena *arena, const matrix *m,
                             const gg_layouts *layouts, gg_error *err) {
  gg_status st = GG_OK;
  gg_str_printf(
      out,
      "  // Waits for all of C's stages before anything of the tile is stored: C may be D "
      "itself.\n  @!%s bra c_ready;\n",
      fetches(m->plan));
  for (int i = 0; i < layouts->fetch_stages && !st; i++) {
    gg_bindings bindings = {.arena = arena};
    gg_ptx_bind_number(&bindings, "number", i);
    gg_ptx_bind_number(&bindings, "stages", gg_rings_find(&layouts->rings, GG_RING_STAGES)->depth);
    if ((st = gg_bindings_check(&bindings, err))) return st;
    st = gg_template_expand(out, gg_template_files, "parts/sm90_await_stage.ptx", bindings.rows,
                            bindings.count, err);
    gg_str_printf(out, "  mad.lo.u32 %%c_base%d, %%c_stage%d, %lld, %%smem;\n", i, i,
                  (ll)gg_rings_find(&layouts->rings, GG_RING_STAGES)->bytes);
    if (m->plan->atoms_m > 1)
      gg_str_printf(out, "  add.u32 %%c_base%d, %%c_base%d, %%c_block;\n", i, i);
  }
  /* Of a consumer's stages those of the blocks behind are others; they are moved in front. */
  int step = block_step_of(m).stages;
  for (int i = 0; step && i + step < layouts->fetch_stages; i++)
    for (int consumer = 1; consumer < m->plan->atoms_m; consumer++) {
      if (i + consumer * step >= layouts->fetch_stages) continue;
      gg_str_printf(out,
                    "  setp.eq.u32 %%done, %%consumer, %d;\n"
                    "  @%%done mov.u32 %%c_base%d, %%c_base%d;\n",
                    consumer, i, i + consumer * step);
    }
  gg_str_puts(out, "c_ready:\n");
  return st;
}

static void bind_reader(gg_bindings *out, const matrix *m, const gg_layouts *layouts) {
  gg_str text = GG_STR_INIT;
  int stage, count = layouts->fetch_stages;
  gg_ptx_lanes first = places_at(m, &stage, 0, 0, 0);
  gg_str_printf(&text,
                "  // Where this thread reads C: in a stage, and where the stages begin.\n"
                "  .reg .b32 %%in_group, %%c_place, %%c_base<%d>, %%c_stage<%d>;\n"
                "  .reg .pred %%releases_c;\n"
                "  and.b32 %%in_group, %%thread, 127;\n",
                count, count);
  gg_ptx_write_lanes(&text, 2, &first, "%c_place", "%place");
  if (m->plan->atoms_m > 1)
    gg_str_printf(&text, "  .reg .b32 %%c_block;\n  mul.lo.u32 %%c_block, %%consumer, %u;\n",
                  block_step_of(m).in_stage.by);
  for (int i = 0; i < count; i++)
    gg_str_printf(&text, "  mov.u32 %%c_base%d, 0;\n  mov.u32 %%c_stage%d, 0;\n", i, i);
  gg_str_puts(&text, "  and.pred %releases_c, %reads_c, %arrives;\n");
  gg_bind_str(out, "read_c", &text);
}

void gg_sm90_ptx_write_c(gg_str *out, const gg_plan *plan, const gg_layouts *layouts, int box,
                         int fragment, int column) {
  matrix m;
  int stage, wide = columns_at_once(plan);
  if (!matrix_of(&m, plan, layouts)) return;
  if (plan->subtile_stages) {
    gg_sm90_ptx_write_subtile(out, plan, layouts, column);
    return;
  }
  gg_ptx_lanes first = places_at(&m, &stage, 0, 0, 0);
  for (int j = column; j < column + plan->read_n; j += wide) {
    gg_ptx_lanes at = places_at(&m, &stage, box, fragment * plan->mma.m, j);
    gg_ptx_step step = gg_ptx_step_between(&first, &at);
    gg_sm90_ptx_write_matrices_of_c(out, m.n_major, step, j / 4, stage);
  }
}

void gg_sm90_ptx_add_c(gg_str *out, const gg_plan *plan, int i, int x) {
  gg_ptx_write_half(out, plan->c.type, "    ", i / 2, i % 2);
  gg_str_printf(out, "    fma.rn.f32 %%x%d, %%c_value, %%beta, %%x%d;\n", x, x);
}

void gg_sm90_ptx_release_c(gg_str *out, const gg_plan *plan, const gg_layouts *layouts, int box) {
  matrix m;
  if (!matrix_of(&m, plan, layouts) || plan->subtile_stages) return;
  int boxes = gg_plan_boxes_of_mma(plan, plan->epi_n), step = m.c->boxes_a_stage;
  gg_str_puts(out, "  // What was read comes before what is copied there next.\n"
                   "  fence.proxy.async.shared::cta;\n  bar.warp.sync 0xffffffff;\n");
  for (int first = 0; first < m.c->boxes; first += step) {
    int last = (first + step < m.c->boxes ? first + step : m.c->boxes) - 1;
    int read_by = m.n_major ? last * m.c->line / plan->epi_n : boxes - 1;
    if (box != read_by) continue;
    gg_str_printf(out,
                  "  // No later box reads that stage of C.\n"
                  "  mad.lo.u32 %%bar_empty, %%c_stage%d, 8, %%bar_empties;\n"
                  "  @%%releases_c mbarrier.arrive.shared::%s.b64 _, [%%bar_empty];\n",
                  m.c->first_stage + first / step,
                  plan->cluster_m * plan->cluster_n > 1 ? "cluster" : "cta");
  }
}

/* The stages behind C's, of a tile's own and of one that another consumer takes. */
static void write_skip(gg_str *out, const gg_plan *plan, const gg_layouts *layouts) {
  int depth = gg_rings_find(&layouts->rings, GG_RING_STAGES)->depth;
  gg_str_printf(out,
                "  @%s add.u32 %%stage, %%stage, %d;  // behind C's\n"
                "  setp.ge.u32 %%wraps, %%stage, %d;\n"
                "  @%%wraps sub.u32 %%stage, %%stage, %d;\n"
                "  @%%wraps xor.b32 %%parity, %%parity, 1;\n",
                fetches(plan), layouts->fetch_stages, depth, depth);
}

/* All of C's stages, given back by a warp that stores nothing of the tile. */
static void write_release_all(gg_str *out, const gg_plan *plan, const gg_layouts *layouts) {
  gg_str_puts(out,
              "  .reg .pred %releases_all;\n  and.pred %releases_all, %fetches_c, %arrives;\n");
  for (int i = 0; i < layouts->fetch_stages; i++)
    gg_str_printf(out,
                  "  mad.lo.u32 %%bar_empty, %%c_stage%d, 8, %%bar_empties;\n"
                  "  @%%releases_all mbarrier.arrive.shared::%s.b64 _, [%%bar_empty];\n",
                  i, plan->cluster_m * plan->cluster_n > 1 ? "cluster" : "cta");
}

/* Where several clusters share tiles: who fetches C, and who skips or gives back its stages. */
static void bind_items(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  bool deals = gg_plan_shares_tiles(plan);
  gg_str text = GG_STR_INIT;
  if (deals && plan->has_c) write_release_all(&text, plan, layouts);
  gg_bind_str(out, "release_all_c", &text);
  if (!deals) return;
  if (plan->has_c)
    gg_str_puts(&text, "  // In a group of several tiles, whoever has a tile's last K tiles stores "
                       "all of its boxes.\n"
                       "  .reg .pred %fetches_c;\n"
                       "  setp.eq.u32 %fetches_c, %group_tiles, 1;\n"
                       "  setp.eq.or.u32 %fetches_c, %k_end, %k_tiles, %fetches_c;\n"
                       "  and.pred %fetches_c, %fetches_c, %reads_c;\n");
  gg_bind_str(out, "item_fetches", &text);
  if (!plan->pingpong) return;
  if (plan->has_c) write_skip(&text, plan, layouts);
  gg_bind_str(out, "skip_others_c", &text);
}

/* ---- All of it ----------------------------------------------------------------------------- */

static void bind_none(gg_bindings *out, bool reads) {
  static const char *const names[] = {"declare_c", "prefetch_c", "fetch_c", "await_c", "skip_c"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    gg_bind_text(out, names[i], "");
  gg_bind_text(out, "find_c", reads ? gg_ptx_beta : "");
  if (!reads) gg_bind_text(out, "read_c", "");
}

static void bind_no_subtiles(gg_bindings *out) {
  static const char *const slots[] = {"go_fetch", "fetch_subtiles", "begin_subtiles"};
  for (size_t i = 0; i < sizeof slots / sizeof *slots; i++)
    gg_bind_part(out, slots[i], NULL);
}

gg_status gg_sm90_ptx_bind_c(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts,
                             gg_error *err) {
  matrix m;
  gg_str text = GG_STR_INIT, await = GG_STR_INIT, skip = GG_STR_INIT;
  bind_items(out, plan, layouts);
  bool reads = matrix_of(&m, plan, layouts), subtiles = reads && plan->subtile_stages > 0;
  if (subtiles)
    gg_sm90_ptx_bind_subtiles(out, plan, layouts);
  else
    bind_no_subtiles(out);
  if (!reads || subtiles) {
    bind_none(out, reads);
    return GG_OK;
  }
  gg_bind_text(out, "find_c", gg_ptx_beta);
  declare(&text, &m);
  gg_bind_str(out, "declare_c", &text);
  gg_status st = bind_producer(out, &m, layouts, err);
  bind_reader(out, &m, layouts);
  if (!st) st = write_await(&await, out->arena, &m, layouts, err);
  gg_bind_str(out, "await_c", &await);
  write_skip(&skip, plan, layouts);
  gg_bind_str(out, "skip_c", &skip);
  return st;
}
