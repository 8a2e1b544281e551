/* Families sm90 and sm100: the parts that fill the slots of their templates, and the lists that
 * these parts share: members of structs, arguments, and what is done for each ring, role and
 * operand in turn.
 *
 * A text that only some parts name is bound together with those parts. */
#include "emit/sm90.h"

#include <string.h>

#include "atom/dtype.h"
#include "emit/map_sets.h"
#include "plan/map_sets.h"
#include "plan/operands.h"
#include "plan/scales.h"
#include "plan/sm90.h"

/* ---- Rings ------------------------------------------------------------------------------- */

/* Appends what a CTA's first thread does before the roles begin: it prefetches the maps that every
 * tile needs at once (those for the epilogue come later), and initialises barriers. */
static void write_prefetches(gg_str *out, const gg_plan *plan, const gg_layouts *layouts) {
  gg_operand_row rows[GG_OPERAND_ROWS_MAX];
  size_t count = gg_operand_rows(rows, plan, layouts);
  for (size_t i = 0; i < count; i++) {
    bool later = rows[i].id == GG_OPERAND_C || rows[i].id == GG_OPERAND_EXTRA ||
                 gg_plan_changes_map_of(plan, rows[i].id);
    if (!rows[i].map || later) continue;
    gg_str_printf(out, "    prefetch_map(map_%s);\n", gg_operand_word(rows[i].id));
    if (rows[i].map->end)
      gg_str_printf(out, "    prefetch_map(end_%s);\n", gg_operand_word(rows[i].id));
  }
}

/* Appends the initialisation of a ring's barriers, if there is such a ring: two for each place.
 * `arrivals` says whose arrivals complete their phases; `place`, `depth` and `name` are what the
 * text calls a place, the number of places, and the barriers. */
static void write_barriers(gg_str *out, const gg_ring *ring, const char *arrivals,
                           const char *place, const char *depth, const char *name) {
  if (!ring) return;
  gg_str_printf(out, "    // %s.\n    for (int %s = 0; %s < %s; ++%s) {\n", arrivals, place, place,
                depth, place);
  gg_str_printf(out, "      mbarrier_init(full_%s(smem, %s), %d);\n", name, place,
                ring->full.arrivals);
  gg_str_printf(out, "      mbarrier_init(empty_%s(smem, %s), %d);\n    }\n", name, place,
                ring->empty[0].arrivals);
}

static void bind_rings(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  const gg_rings *rings = &layouts->rings;
  gg_str init = GG_STR_INIT;
  write_prefetches(&init, plan, layouts);
  const gg_ring *stages = gg_rings_find(rings, GG_RING_STAGES);
  bool both = stages->empties > 1;
  gg_bind_part(out, "empty_barrier", both ? "sm90_two_empties" : "sm90_one_empty");
  if (!gg_plan_in_tensor_memory(plan))
    gg_bind_part(out, "empty_barriers_of",
                 both ? "sm90_two_empties_readers" : "sm90_one_empty_readers");
  gg_str_printf(&init,
                "    // Arrivals that end a phase. Stages: `full` counts the producer's %s,\n"
                "    // `empty` the %s a stage, in all CTAs that it is copied to.\n"
                "    for (int stage = 0; stage < stages; ++stage) {\n"
                "      mbarrier_init(full_barrier(smem, stage), %d);\n",
                !gg_sm90_has_copiers(plan) ? "thread"
                : stages->tx_bytes > 0     ? "warps and the lane for boxes"
                                           : "warps",
                gg_plan_in_tensor_memory(plan) ? "tensor core that reads"
                                               : "consumers' warps that read",
                stages->full.arrivals);
  for (int i = 0; i < stages->empties; i++)
    gg_str_printf(&init, "      mbarrier_init(empty_barrier(smem, stage%s), %d);\n",
                  !both    ? ""
                  : i == 0 ? ", 0"
                           : ", 1",
                  stages->empty[i].arrivals);
  if (gg_rings_find(rings, GG_RING_RAW))
    gg_str_puts(&init, "      mbarrier_init(raw_barrier(smem, stage), 1);\n");
  gg_str_puts(&init, "    }\n");
  write_barriers(&init, gg_rings_find(rings, GG_RING_ACCUMULATORS),
                 "Accumulators: `full` counts the tensor core, `empty` the warps that read them",
                 "set", "accumulator_stages", "sums");
  write_barriers(&init, gg_rings_find(rings, GG_RING_SUBTILES),
                 "Fetched sub-tiles: `full` counts the thread that fetches, `empty` the warps that "
                 "read",
                 "stage", plan->pingpong ? "consumers * subtile_stages" : "subtile_stages",
                 "subtile");
  write_barriers(
      &init, gg_rings_find(rings, GG_RING_ANSWERS),
      "Answers: `full` counts this CTA's thread, `empty` all that hear them in the cluster",
      "stage", "answer_stages", "answer");
  write_barriers(&init, gg_rings_find(rings, GG_RING_MAPS),
                 "Maps: `full` counts the thread that changes them, `empty` the warps of the tile",
                 "set", "map_set_count", "maps");
  if (gg_rings_find(rings, GG_RING_SUMS)) gg_str_puts(&init, "    init_sum_barriers(smem);\n");
  if (gg_rings_find(rings, GG_RING_VECTORS))
    gg_str_puts(&init, "    init_vector_barriers(smem);\n");
  gg_bind_str(out, "begin", &init);
}

/* ---- What the producer loads ------------------------------------------------------------- */

/* Appends the masks of the CTAs that share A or B with this one: bits by their rank in the cluster,
 * rank_m + rank_n * cluster_m + rank_k * cluster_plane. */
static void write_sharers(gg_str *out, const gg_plan *plan) {
  const char *k = plan->cluster_k > 1 ? "list.rank_k * cluster_plane" : NULL;
  bool pair = plan->cta_group > 1;
  const struct {
    const char *what;
    bool shared;
    const char *ctas, *shift;
  } rows[] = {
      {"a", plan->cluster_n > 1, "row_ctas", plan->cluster_m > 1 ? "list.rank_m" : NULL},
      {"b", plan->cluster_m > (pair ? 2 : 1), pair ? "half_ctas" : "column_ctas",
       pair ? plan->cluster_n > 1 ? "list.rank_n * cluster_m + list.rank_m % 2" : "list.rank_m % 2"
       : plan->cluster_n > 1 ? "list.rank_n * cluster_m"
                             : NULL},
      {"scales_b", pair && gg_plan_is_scaled(plan), "column_ctas",
       plan->cluster_n > 1 ? "list.rank_n * cluster_m" : NULL},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (!rows[i].shared) continue;
    gg_str_printf(out, "  const unsigned short sharers_%s =%s%s", rows[i].what,
                  k || rows[i].shift ? "\n      (unsigned short)(" : " ", rows[i].ctas);
    bool sum = (k && rows[i].shift) || (rows[i].shift && strchr(rows[i].shift, '+'));
    if (k || rows[i].shift)
      gg_str_printf(out, sum ? " << (%s%s%s))" : " << %s%s%s)", k ? k : "",
                    k && rows[i].shift ? " + " : "", rows[i].shift ? rows[i].shift : "");
    gg_str_puts(out, ";\n");
  }
}

/* What else maps bring to a stage, in the order of the kernel's parameters. */
typedef struct beside {
  const char *name;
  bool (*is_there)(const gg_plan *plan);
} beside;

static bool is_sparse(const gg_plan *plan) {
  return plan->sparse_a;
}

static const beside besides[] = {{"scale_a", gg_plan_is_scaled},
                                 {"scale_b", gg_plan_is_scaled},
                                 {"metadata", is_sparse},
                                 {NULL, NULL}};

/* Appends the load of scale factors. Those of A are shared by the CTAs that share A; those of B by
 * all CTAs along M, also by both CTAs of a pair, although each has half of B. */
static void write_load_scales(gg_str *out, const gg_plan *plan, const char *full) {
  const char *of_b = plan->cta_group > 1 ? "sharers_scales_b" : "sharers_b";
  bool a = plan->cluster_n > 1, b = plan->cluster_m > 1;
  gg_str_printf(out, "      load_scales(map_scale_a, map_scale_b, sA, %s, at, k_tile", full);
  if (a || b) gg_str_puts(out, ", list");
  if (a) gg_str_puts(out, ", sharers_a");
  if (b) gg_str_printf(out, ",%s%s", a ? "\n                  " : " ", of_b);
  gg_str_puts(out, ");\n");
}

/* Appends `format` for each operand that has a map for its last lines, with the operand's letter.
 */
static void write_ends(gg_str *out, const gg_plan *plan, const char *format) {
  if (gg_sm90_has_end(plan, &plan->a)) gg_str_printf(out, format, 'a');
  if (gg_sm90_has_end(plan, &plan->b)) gg_str_printf(out, format, 'b');
}

/* Whether a tile of a cluster may lie behind the operand's last row or column. */
static bool may_lie_behind(const gg_plan *plan, bool is_a) {
  bool several = (is_a ? plan->cluster_m : plan->cluster_n) > 1;
  return several && gg_sm90_has_end(plan, is_a ? &plan->a : &plan->b);
}

/* Binds who copies a tile of A or of B, to which CTAs, and by which map. If K is contiguous, every
 * box of a tile has all of its rows; else each box has some of them, or none. */
static void bind_copy(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts, bool is_a) {
  const gg_operand *operand = is_a ? &plan->a : &plan->b;
  bool end = gg_sm90_has_end(plan, operand), k_major = gg_sm90_is_k_major(plan, operand);
  bool shared = (is_a ? plan->cluster_n : plan->cluster_m) > 1;
  bool several = (is_a ? layouts->boxes_a.count : layouts->boxes_b.count) > 1;
  const char *turn =
      is_a ? "(k_tile % cluster_n == list.rank_n)" : "(k_tile % cluster_m == list.rank_m)";
  gg_bind_text(out, is_a ? "when_a" : "when_b", shared ? turn : "constexpr (true)");
  gg_bind_text(out, is_a ? "to_a" : "to_b", !shared ? "" : is_a ? ", sharers_a" : ", sharers_b");
  gg_bind_text(out, is_a ? "multicast_a" : "multicast_b", shared ? "_multicast" : "");
  char x = is_a ? 'a' : 'b';
  gg_str map = GG_STR_INIT, exists = GG_STR_INIT;
  if (end && !k_major)
    gg_str_printf(&map, "rows_%c < (box + 1) * line_%c ? end_%c : map_%c", x, x, x, x);
  else
    gg_str_printf(&map, end ? "of_%c" : "map_%c", x);
  if (end && !k_major && several) gg_str_printf(&exists, " && box * line_%c < rows_%c", x, x);
  gg_bind_str(out, is_a ? "map_a" : "map_b", &map);
  gg_bind_str(out, is_a ? "and_rows_a" : "and_rows_b", &exists);
}

/* Appends how many rows of A, or columns of B, a tile has; if they run along a line, rounded up to
 * whole 16 bytes. */
static void write_rows(gg_str *out, const gg_plan *plan, bool is_a) {
  const gg_operand *operand = is_a ? &plan->a : &plan->b;
  bool k_major = gg_sm90_is_k_major(plan, operand), behind = may_lie_behind(plan, is_a);
  char x = is_a ? 'a' : 'b', mn = is_a ? 'm' : 'n', first[] = "at.?0";
  first[3] = mn;
  if (behind)
    gg_str_printf(out, "    const int first_%c = min(at.%c0, (list.%c - 1) / tile_%c * tile_%c);\n",
                  x, mn, mn, mn, mn);
  const char *from = !behind ? first : is_a ? "first_a" : "first_b";
  if (k_major) {
    gg_str_printf(out,
                  "    const int rows_%c = min(tile_%c, list.%c - %s);\n"
                  "    const tensor_map &of_%c = rows_%c < tile_%c ? end_%c : map_%c;\n",
                  x, mn, mn, from, x, x, mn, x, x);
    return;
  }
  int unit = (int)gg_dtype_unit(operand->type, 16);
  gg_str_printf(out, "    const int rows_%c = min(tile_%c, (list.%c - %s + %d) / %d * %d);\n", x,
                mn, mn, from, unit - 1, unit, unit);
}

/* Binds how many rows of A and columns of B a tile has, and how many bytes of them arrive. */
static void bind_ends(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  gg_str lines = GG_STR_INIT, arriving = GG_STR_INIT;
  for (int i = 0; i < 2; i++) {
    char x = "ab"[i], mn = "mn"[i];
    if (!gg_sm90_has_end(plan, i == 0 ? &plan->a : &plan->b)) continue;
    if (!lines.length)
      gg_str_puts(&lines,
                  "    // Parts of a box that lie outside of its matrix take longer to copy. "
                  "So the matrix's last\n    // rows have boxes of their own; a cluster's "
                  "tile behind them is given those, too.\n");
    write_rows(&lines, plan, i == 0);
    gg_str_printf(&arriving, " -\n                              (tile_%c - rows_%c) * row_bytes_%c",
                  mn, x, x);
  }
  gg_bind_text(out, "arriving", lines.length ? "arriving" : "tx_bytes");
  if (lines.length)
    gg_str_printf(&lines, "    const unsigned arriving = tx_bytes%s;\n", gg_str_text(&arriving));
  gg_bind_str(out, "find_ends", &lines);
  gg_str_free(&arriving);
  gg_bind_text(out, "first_a", may_lie_behind(plan, true) ? "first_a" : "at.m0");
  bind_copy(out, plan, layouts, true);
  bind_copy(out, plan, layouts, false);
}

/* Binds where a box of B begins along its lines. */
static void bind_along(gg_bindings *out, const char *column, const char *tile, bool split) {
  gg_str text = GG_STR_INIT;
  if (split)
    gg_str_printf(&text, "place_in_half(%s, %s.half_n)", column, tile);
  else
    gg_str_puts(&text, column);
  gg_bind_str(out, "box_b_along", &text);
}

/* Binds where the boxes of a tile of B begin, along its lines and across them. */
static void bind_boxes_of_b(gg_bindings *out, const gg_plan *plan) {
  const char *first = plan->cta_group > 1           ? "n0"
                      : may_lie_behind(plan, false) ? "first_b"
                                                    : "at.n0";
  bool several = gg_plan_has_mmas_along_n(plan);
  gg_str along = GG_STR_INIT, across = GG_STR_INIT;
  gg_str_printf(
      &along, several ? "box_b_along(k0, %s, box)" : "(b_k_major ? k0 : %s) + box * line_b", first);
  gg_str_printf(&across, several ? "box_b_across(k0, %s, box)" : "b_k_major ? %s : k0", first);
  bind_along(out, gg_str_text(&along), "at", gg_plan_splits_columns(plan));
  out->failed = out->failed || along.failed;
  gg_str_free(&along);
  gg_bind_str(out, "box_b_across", &across);
}

/* Binds the names of templates/parts/sm90_produce.cu and sm100_produce_pair.cu, in which maps copy
 * both operands. Pairs fetch nothing. */
static void bind_boxes(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  gg_str sharers = GG_STR_INIT;
  bool both = gg_rings_find(&layouts->rings, GG_RING_STAGES)->empties > 1;
  write_sharers(&sharers, plan);
  if (gg_plan_in_tensor_memory(plan) && plan->cta_group < 2)
    gg_bind_text(out, "release_sharers", both ? gg_str_text(&sharers) : "");
  gg_bind_str(out, "sharers", &sharers);
  if (plan->cta_group < 2)
    gg_bind_part(out, "fetch", gg_sm90_fetches_behind(layouts) ? "sm90_fetch" : NULL);
  bind_boxes_of_b(out, plan);
  if (plan->cta_group > 1) gg_bind_text(out, "half_columns", gg_sm90_half_of_b(plan));
  gg_bind_part(out, "await_empty", both ? "sm90_two_empties_await" : "sm90_one_empty_await");
  gg_bind_text(out, "k_a", plan->sparse_a ? "k0 / 2" : "k0");
  if (plan->cta_group < 2) {
    bind_ends(out, plan, layouts);
    gg_bind_text(out, "await_claims", plan->claims ? "  await_claims(smem);\n" : "");
  }
  gg_str parameters = GG_STR_INIT, load = GG_STR_INIT;
  bool changes = gg_plan_changes_maps(plan);
  gg_bind_set_of_producer(out, plan, layouts);
  if (!changes) write_ends(&parameters, plan, "const tensor_map &end_%c, ");
  if (parameters.length) gg_str_puts(&parameters, "\n                                        ");
  for (const beside *of = besides; of->name; of++) {
    if (!of->is_there(plan)) continue;
    gg_str_printf(&parameters,
                  "const tensor_map &map_%s,\n                                        ", of->name);
  }
  if (gg_sm90_fetches_behind(layouts))
    gg_str_printf(&parameters,
                  "const fetch_maps &%smaps, const work_list &list,\n"
                  "                                        unsigned smem",
                  changes && gg_sm90_fetches_c(layouts) ? "launch_" : "");
  else
    gg_str_puts(&parameters, "const work_list &list, unsigned smem");
  gg_bind_str(out, "list_parameters", &parameters);
  const char *full = plan->cta_group > 1 ? "first" : "full";
  if (gg_plan_is_scaled(plan)) write_load_scales(&load, plan, full);
  if (plan->sparse_a)
    gg_str_printf(&load, "      load_metadata(map_metadata, sA, %s, at, k_tile);\n", full);
  gg_bind_str(out, "load_scales", &load);
}

/* ---- Roles ------------------------------------------------------------------------------- */

/* Appends the call of a role's function in its warp. */
static void run_in_warp(gg_str *out, const gg_role *role, const char *call) {
  if (!role) return;
  gg_str_printf(out, "    if (warp %s %d%s) %s\n", role->warps > 1 ? ">=" : "==", role->first_warp,
                role->elected ? " && lane == 0" : "", call);
}

/* The call that issues MMAs. In a pair, the first CTA's thread issues for both. */
static const char *multiply_of(const gg_plan *plan) {
  return plan->cta_group > 1 ? "if (list.rank_m % 2 == 0) multiply(list, smem, tmem);"
                             : "multiply(list, smem, tmem);";
}

/* Appends the call of an issuer whose warp is behind those of the epilogue. */
static void run_issuer(gg_str *out, const gg_role *role, const char *call) {
  if (!role) return;
  gg_str_puts(out, "  } else if (warp == issuer) {\n");
  gg_str_printf(out, "    if (lane == 0) %s\n    __syncwarp();\n", call);
}

/* Binds the roles of the first warpgroup. */
static void bind_producers(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  const gg_role *producer = gg_rings_role(&layouts->rings, GG_ROLE_PRODUCER),
                *vectors = gg_rings_role(&layouts->rings, GG_ROLE_VECTORS),
                *matrices = gg_rings_role(&layouts->rings, GG_ROLE_MATRICES),
                *maps = gg_rings_role(&layouts->rings, GG_ROLE_MAPS);
  bool changes = gg_plan_changes_maps(plan);
  gg_str run = GG_STR_INIT;
  gg_bind_part(out, "produce", producer->part);
  gg_bind_part(out, "load_vectors", vectors ? vectors->part : NULL);
  gg_bind_part(out, "fetch_matrices", matrices ? matrices->part : NULL);
  if (matrices) gg_bind_set_of_fetcher(out, plan, layouts);
  bool arrives = matrices || (gg_plan_in_tensor_memory(plan) && plan->cta_group < 2);
  gg_bind_part(out, "arrive_here", arrives && !vectors ? "sm90_arrive_here" : NULL);
  if (gg_sm90_has_copiers(plan)) {
    gg_sm90_bind_copiers(out, plan);
    gg_sm90_run_copiers(&run, plan);
    run_issuer(&run, gg_rings_role(&layouts->rings, GG_ROLE_MMA), multiply_of(plan));
  } else {
    bind_boxes(out, plan, layouts);
    gg_sm90_write_fetch_maps(&run, plan, layouts);
    gg_str produce = GG_STR_INIT;
    gg_str_puts(&produce, changes ? "produce(sets" : "produce(map_a, map_b");
    if (!changes) write_ends(&produce, plan, ", end_%c");
    for (const beside *of = besides; of->name; of++) {
      if (of->is_there(plan)) gg_str_printf(&produce, ", map_%s", of->name);
    }
    bool all = gg_plan_is_scaled(plan) && plan->sparse_a; /* too many for one line */
    gg_str_printf(&produce, ",%s%slist, smem);",
                  all ? "\n                                        " : " ",
                  gg_sm90_fetches_behind(layouts) ? "maps, " : "");
    run_in_warp(&run, producer, gg_str_text(&produce));
    gg_str_free(&produce);
    /* This must not stand before the producer: ptxas would no longer know that a single thread of
     * its warp runs it, and made a loop of each copy. */
    if (plan->claims)
      gg_str_puts(&run, "    if (claims_work && lane == 0) end_claims(claims, smem);\n");
    run_in_warp(&run, gg_rings_role(&layouts->rings, GG_ROLE_MMA), multiply_of(plan));
    run_in_warp(&run, vectors, "copy_vectors(operands, list, m, n, smem, lane);");
    run_in_warp(&run, gg_rings_role(&layouts->rings, GG_ROLE_SCHEDULER), "schedule(smem);");
    gg_str fetch = GG_STR_INIT;
    gg_str_printf(&fetch, "fetch_subtiles(%smaps, operands, list, smem",
                  changes && gg_sm90_fetches_c(layouts) ? "sets, " : "");
    if (plan->pingpong && matrices) gg_str_printf(&fetch, ", warp - %d", matrices->first_warp);
    gg_str_puts(&fetch, ");");
    run_in_warp(&run, matrices, gg_str_text(&fetch));
    gg_str_free(&fetch);
    gg_str change = GG_STR_INIT;
    gg_write_change_of_maps(&change, plan, layouts);
    run_in_warp(&run, maps, gg_str_text(&change));
    gg_str_free(&change);
    gg_str_puts(&run, "    __syncwarp();\n");
  }
  gg_bind_str(out, "run_producers", &run);
}

/* Binds the part that multiplies. A wgmma's stage is released when the wgmma has been waited for,
 * one K tile later. */
static void bind_multiply(gg_bindings *out, const gg_plan *plan) {
  bool warps = gg_plan_multiplies_by_warps(plan);
  gg_bind_part(out, "finish_multiply", plan->promote || warps ? NULL : "sm90_finish_multiply");
  gg_bind_part(out, "multiply",
               warps                                ? "sm120_multiply"
               : plan->promote                      ? "sm90_multiply_promoted"
               : gg_sm90_multiplies_registers(plan) ? "sm90_multiply_registers"
                                                    : "sm90_multiply");
}

static void bind_consumers(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  gg_bind_part(out, "consume", gg_rings_role(&layouts->rings, GG_ROLE_CONSUMER)->part);
  bool shares = gg_plan_shares_tiles(plan), fetches = gg_sm90_fetches_behind(layouts);
  if (!gg_plan_in_tensor_memory(plan)) {
    bool parts = gg_plan_column_parts(plan) > 1;
    bind_multiply(out, plan);
    gg_bind_flag(out, "column_parts_of_tile", parts);
    gg_bind_text(out, "and_first_column", parts ? ", first_column" : "");
  }
  bool apart = gg_plan_in_tensor_memory(plan); /* nothing is fetched behind a tile there */
  if (apart && (plan->cta_group > 1 || gg_sm90_has_copiers(plan))) return;
  gg_bind_text(out, "behind",
               !fetches ? "0"
               : shares ? "stages_behind(list, item)"
                        : "list.fetch_stages");
}

void gg_sm90_bind_slots(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  gg_bind_part(out, "rasterise",
               plan->raster == GG_RASTER_HILBERT ? "rasterise_hilbert" : "rasterise");
  gg_bind_text(out, "tile_columns", plan->turns_columns ? "span_n" : "tile_n");
  gg_bind_flag(out, "split", gg_plan_splits_rows(plan));
  bool apart = gg_sm90_halves_tile(plan);
  gg_bind_text(out, "by_turns", apart ? "split_columns" : "turns");
  gg_bind_text(out, "place_in_halves",
               apart ? "\"r\"(y / (2 * split_columns) * split_columns),\n"
                       "      \"r\"(y / split_columns % 2)"
                     : "\"r\"(0), \"r\"(y / 2)");
  gg_bind_part(out, "split_lines", gg_plan_splits_columns(plan) ? "sm90_split_lines" : NULL);
  if (gg_plan_splits_columns(plan))
    gg_bind_text(out, "within",
                 gg_sm90_halves_tile(plan) ? "column % split_columns +\n         " : "");
  gg_bind_flag(out, "splits_lines", plan->split_columns > 0);
  const char *half = plan->specialised ? ", list.half_n" : ", int(n / 2)";
  gg_bind_flag(out, "finds_halves", gg_sm90_finds_halves(plan));
  gg_bind_text(out, "half_of_origin", gg_sm90_finds_halves(plan) ? half : "");
  if (!gg_sm90_has_copiers(plan)) gg_bind_text(out, "load_b", gg_sm90_load_of_b(plan));
  if (!plan->specialised)
    bind_along(out, "(b_k_major ? k0 : tile.n0) + box * line_b", "tile",
               gg_plan_splits_columns(plan));
  if (!plan->specialised) return;
  gg_sm90_bind_work(out, plan, layouts);
  bind_rings(out, plan, layouts);
  bind_producers(out, plan, layouts);
  bind_consumers(out, plan, layouts);
  gg_bind_map_sets(out, plan, layouts);
  if (gg_plan_in_tensor_memory(plan)) return;
  gg_bind_part(out, "scales", gg_plan_is_scaled(plan) ? "sm120_scales" : NULL);
  gg_bind_part(out, "metadata", plan->sparse_a ? "sm120_sparse" : NULL);
}
