#include "issue.h"

#include "plan/map_sets.h"
#include "plan/scales.h"
#include "plan/sm90.h"

static const char *const operand_names[OPERANDS] = {"A", "B", "factors of A", "factors of B",
                                                    "metadata"};

const char *const mistake_names[MISTAKES] = {
    "as it is",
    "no wait for an empty stage",
    "no wait for a full stage",
    "a stage released while it is read",
    "a stage released to one CTA alone",
    "no wait for empty accumulators",
    "no wait for full accumulators",
    "accumulators released while they are loaded",
    "a CTA that does not stay",
    "bytes of one CTA of the pair alone announced",
    "no word of the second CTA of the pair",
    "accumulators released to the second CTA of the pair",
    "lines of the second CTA of the pair said to itself",
    "no wait for an empty stage of sub-tiles",
    "no wait for a sub-tile",
    "a sub-tile released while it is read",
    "no wait for an empty stage of answers",
    "no wait for an answer",
    "answers awaited of the first CTA's roles alone",
    "factors copied to one CTA alone",
    "factors copied by all CTAs that share them",
    "factors of B copied to those who share A",
    "factors of B copied to one CTA of each pair",
    "no wait for an empty set of maps",
    "no wait for a full set of maps",
    "a set of maps given back while its tile is stored",
};

ring scaled(ring r) {
  r.brings[r.operands++] = SCALES_A;
  r.brings[r.operands++] = SCALES_B;
  return r;
}

ring ring_of(const gg_plan *plan, const gg_rings *lists) {
  const gg_ring *stages = gg_rings_find(lists, GG_RING_STAGES),
                *sums = gg_rings_find(lists, GG_RING_ACCUMULATORS),
                *subtiles = gg_rings_find(lists, GG_RING_SUBTILES),
                *answers = gg_rings_find(lists, GG_RING_ANSWERS),
                *maps = gg_rings_find(lists, GG_RING_MAPS);
  ring r = {.cluster_m = plan->cluster_m,
            .cluster_n = plan->cluster_n,
            .group = plan->cta_group,
            .stages = stages->depth,
            .sets = sums->depth,
            .warps = gg_rings_role(lists, GG_ROLE_CONSUMER)->warps,
            .operands = matrices,
            .brings = {A, B},
            .empties = stages->empties,
            .full_arrivals = stages->full.arrivals,
            .full_sums_arrivals = sums->full.arrivals,
            .empty_sums_arrivals = sums->empty[0].arrivals,
            .tiles = 4,
            .k_tiles = stages->depth + 2};
  if (gg_sm90_copies_lines(plan)) {
    r.copiers = gg_rings_role(lists, GG_ROLE_PRODUCER)->warps;
    r.operands = r.copiers + (!plan->copy_bytes_a || !plan->copy_bytes_b);
  }
  if (gg_plan_is_scaled(plan)) r = scaled(r);
  if (plan->sparse_a) r.brings[r.operands++] = METADATA;
  for (int k = 0; k < stages->empties; k++)
    r.empty_arrivals[k] = stages->empty[k].arrivals;
  if (answers) {
    r.answer_stages = answers->depth;
    r.empty_answer_arrivals = answers->empty[0].arrivals;
    r.vectors = gg_rings_role(lists, GG_ROLE_VECTORS) != NULL;
  }
  if (maps) {
    r.maps = maps->depth;
    r.tiles = r.maps + 2; /* so that each set is used again */
    r.empty_maps_arrivals = maps->empty[0].arrivals;
    r.fetches_by_maps = subtiles && gg_sm90_is_c_fetched(plan);
  }
  if (!subtiles) return r;
  r.subtile_stages = subtiles->depth;
  r.empty_subtile_arrivals = subtiles->empty[0].arrivals;
  r.subtiles = 3; /* no multiple of most depths */
  return r;
}

ring ring_of_one_warp(ring r) {
  if (r.answer_stages) r.empty_answer_arrivals -= r.cluster_m * r.cluster_n * (r.warps - 1);
  if (r.copiers) {
    r.full_arrivals -= r.group * (r.copiers - 1);
    r.operands -= r.copiers - 1;
    r.copiers = 1;
  }
  r.empty_sums_arrivals /= r.warps;
  r.empty_maps_arrivals /= r.warps;
  r.empty_subtile_arrivals /= r.warps;
  r.warps = 1;
  return r;
}

/* ---- The protocol ------------------------------------------------------------------------ */

typedef struct builder {
  const ring *r;
  mistake mistake;
  protocol p;
  int barriers, cells; /* of a CTA */
} builder;

static int ctas_of(const builder *b) {
  return b->r->cluster_m * b->r->cluster_n;
}
static bool is_pair(const builder *b) {
  return b->r->group > 1;
}
/* Where MMAs are issued for a CTA. */
static int leader_of(const builder *b, int cta) {
  return is_pair(b) ? cta / 2 * 2 : cta;
}
static int full(const builder *b, int cta, int stage) {
  return cta * b->barriers + stage;
}
static int empty(const builder *b, int cta, int stage, int operand) {
  int kind = b->r->empties > 1 ? operand : 0;
  return cta * b->barriers + b->r->stages * (1 + kind) + stage;
}
static int full_sums(const builder *b, int cta, int set) {
  return cta * b->barriers + b->r->stages * (1 + b->r->empties) + set;
}
static int empty_sums(const builder *b, int cta, int set) {
  return full_sums(b, cta, b->r->sets) + set;
}
static int full_subtile(const builder *b, int cta, int stage) {
  return empty_sums(b, cta, b->r->sets) + stage;
}
static int empty_subtile(const builder *b, int cta, int stage) {
  return full_subtile(b, cta, b->r->subtile_stages) + stage;
}
static int full_answer(const builder *b, int cta, int stage) {
  return empty_subtile(b, cta, b->r->subtile_stages) + stage;
}
static int empty_answer(const builder *b, int cta, int stage) {
  return full_answer(b, cta, b->r->answer_stages) + stage;
}
static int full_maps(const builder *b, int cta, int set) {
  return empty_answer(b, cta, b->r->answer_stages) + set;
}
static int empty_maps(const builder *b, int cta, int set) {
  return full_maps(b, cta, b->r->maps) + set;
}
static int meeting(const builder *b, int cta) {
  return empty_maps(b, cta, b->r->maps);
}
static int cell_of(const builder *b, int cta, int stage, int operand) {
  return cta * b->cells + stage * b->r->operands + operand;
}
static int sums_of(const builder *b, int cta, int set) {
  return cell_of(b, cta, b->r->stages, 0) + set;
}

static int subtile_of(const builder *b, int cta, int stage) {
  return sums_of(b, cta, b->r->sets) + stage;
}
static int answer_of(const builder *b, int cta, int stage) {
  return subtile_of(b, cta, b->r->subtile_stages) + stage;
}
static int maps_of(const builder *b, int cta, int tile) {
  return answer_of(b, cta, b->r->answer_stages) + tile % b->r->maps;
}
/* Roles of a CTA that read an answer. */
static int answer_readers(const builder *b, int cta) {
  const ring *r = b->r;
  return 1 + (leader_of(b, cta) == cta) + (r->subtile_stages > 0) + r->vectors + (r->maps > 0) +
         r->warps + 1;
}

/* Whether one CTA's copy of an operand goes to another: A and its factors to those of one row, B
 * and its factors to those of one column, of pairs B to those that have the same half. */
static bool share(const builder *b, brought of, int x, int y) {
  int m = b->r->cluster_m;
  bool row = x % m == y % m, column = x / m == y / m;
  bool same_half = x % b->r->group == y % b->r->group, factors = of == SCALES_A || of == SCALES_B;
  if (of == METADATA || (factors && b->mistake == OWN_SCALES)) return x == y;
  if (of == SCALES_B && b->mistake == ROW_SCALES) return row;
  if (of == SCALES_B && b->mistake != HALF_SCALES) return column;
  return of == A || of == SCALES_A ? row : column && same_half;
}

/* Whose turn it is to copy an operand's K tile. */
static bool has_turn(const builder *b, brought of, int cta, int k_tile) {
  const ring *r = b->r;
  int m = r->cluster_m;
  if (of == METADATA || (b->mistake == ALL_SCALES && of >= SCALES_A)) return true;
  if (of == A || of == SCALES_A) return k_tile % r->cluster_n == cta / m;
  int halves = of == B ? r->group : 1; /* of B each CTA of a pair copies its own */
  return k_tile % (m / halves) == cta % m / halves;
}

/* Whether one hears what is read in the other's stages of an operand: who copies to it or to its
 * pair. */
static bool hears(const builder *b, int operand, int x, int y) {
  int m = b->r->cluster_m, group = b->r->group;
  return operand == 0 ? x % m / group == y % m / group : x / m == y / m;
}

static void add(builder *b, int who, step_kind kind, int at, int of, int value) {
  protocol_step(&b->p, who, (step){kind, at, of, value});
}

static void add_memory(builder *b, int cta) {
  const ring *r = b->r;
  int a_cta =
      1 + r->warps + (r->subtile_stages > 0) + (r->answer_stages > 0) + r->vectors + (r->maps > 0);
  if (r->copiers) a_cta += r->copiers - 1;
  int agents = is_pair(b) ? ctas_of(b) * a_cta + ctas_of(b) / 2 : 1;
  for (int s = 0; s < r->stages; s++)
    protocol_barrier(&b->p, "full", cta, s, b->mistake == NO_SECOND ? 1 : r->full_arrivals);
  for (int kind = 0; kind < r->empties; kind++) {
    for (int s = 0; s < r->stages; s++)
      protocol_barrier(&b->p, "empty", cta, s, r->empty_arrivals[kind]);
  }
  for (int s = 0; s < r->sets; s++)
    protocol_barrier(&b->p, "full accumulators", cta, s, r->full_sums_arrivals);
  for (int s = 0; s < r->sets; s++)
    protocol_barrier(&b->p, "empty accumulators", cta, s, r->empty_sums_arrivals);
  for (int s = 0; s < r->subtile_stages; s++)
    protocol_barrier(&b->p, "full sub-tiles", cta, s, 1);
  for (int s = 0; s < r->subtile_stages; s++)
    protocol_barrier(&b->p, "empty sub-tiles", cta, s, r->empty_subtile_arrivals);
  for (int s = 0; s < r->answer_stages; s++)
    protocol_barrier(&b->p, "full answers", cta, s, 1);
  for (int s = 0; s < r->answer_stages; s++)
    protocol_barrier(&b->p, "empty answers", cta, s,
                     b->mistake == OWN_ANSWER ? answer_readers(b, 0) : r->empty_answer_arrivals);
  for (int s = 0; s < r->maps; s++)
    protocol_barrier(&b->p, "full maps", cta, s, 1);
  for (int s = 0; s < r->maps; s++)
    protocol_barrier(&b->p, "empty maps", cta, s, r->empty_maps_arrivals);
  protocol_barrier(&b->p, "end", cta, 0, agents);
  for (int i = 0; i < r->stages * r->operands && r->copiers; i++)
    protocol_cell(&b->p, "lines", cta, i / r->operands, 1);
  for (int s = 0; s < r->stages && !r->copiers; s++) {
    for (int i = 0; i < r->operands; i++)
      protocol_cell(&b->p, operand_names[r->brings[i]], cta, s, 1);
  }
  for (int s = 0; s < r->sets; s++)
    protocol_cell(&b->p, "sums", cta, s, r->warps);
  for (int s = 0; s < r->subtile_stages; s++)
    protocol_cell(&b->p, "sub-tile", cta, s, r->warps);
  for (int s = 0; s < r->answer_stages; s++)
    protocol_cell(&b->p, "answer", cta, s, answer_readers(b, cta));
  for (int s = 0; s < r->maps; s++)
    protocol_cell(&b->p, "maps", cta, s, r->warps + 1 + r->fetches_by_maps);
}

/* What each role does when it is done with tile `i`: it reads which one is next. */
static void next_tile(builder *b, int who, int cta, int i) {
  if (!b->r->answer_stages) return;
  int stage = i % b->r->answer_stages, round = i / b->r->answer_stages;
  if (b->mistake != NO_FULL_ANSWER) add(b, who, STEP_WAIT, full_answer(b, cta, stage), 0, round);
  add(b, who, STEP_READ, 0, answer_of(b, cta, stage), i);
  add(b, who, STEP_DONE, 0, answer_of(b, cta, stage), i);
  if (b->mistake != OWN_ANSWER || cta == 0)
    add(b, who, STEP_ARRIVE, empty_answer(b, 0, stage), 0, 0);
}

/* A pair's threads meet before they end, at the cluster's barrier: it comes behind what each has
 * done before, arrivals at the first CTA's accumulators too. */
static void end(builder *b, int who, int cta) {
  const ring *r = b->r;
  if (!is_pair(b) || b->mistake == NO_STAY) return;
  for (int to = 0; to < ctas_of(b); to++)
    add(b, who, STEP_ARRIVE, meeting(b, to), 0, 0);
  add(b, who, STEP_WAIT, meeting(b, cta), 0, 0);
  for (int tile = r->tiles < r->sets ? 0 : r->tiles - r->sets; tile < r->tiles && cta % 2 == 0;
       tile++)
    add(b, who, STEP_WAIT, empty_sums(b, cta, tile % r->sets), 0, tile / r->sets);
}

/* ---- Tensor maps of a tile's matrices ---------------------------------------------------- */

/* A thread writes them, and says so when they are written: to the others that is as if they were
 * copied. */
static void add_maps(builder *b, int cta) {
  const ring *r = b->r;
  int who = protocol_agent(&b->p, "thread of maps", cta);
  for (int tile = 0; tile < r->tiles; tile++) {
    int set = tile % r->maps, told = full_maps(b, cta, set);
    if (b->mistake != NO_EMPTY_MAPS)
      add(b, who, STEP_WAIT, empty_maps(b, cta, set), 0, tile / r->maps - 1);
    add(b, who, STEP_EXPECT, told, 0, 1);
    add(b, who, STEP_COPY, told, maps_of(b, cta, tile), tile);
    next_tile(b, who, cta, tile);
  }
  end(b, who, cta);
}

/* Who copies by them does from a tile's first box on. */
static void begin_maps(builder *b, int who, int cta, int tile) {
  const ring *r = b->r;
  if (!r->maps) return;
  if (b->mistake != NO_FULL_MAPS)
    add(b, who, STEP_WAIT, full_maps(b, cta, tile % r->maps), 0, tile / r->maps);
  add(b, who, STEP_READ, 0, maps_of(b, cta, tile), tile);
}

/* The epilogue's warps store by them, and have read what they stored when the next tile's sums are
 * there. That a tile's K tiles have come is told here by the first of them, as it has the sums; and
 * a tile later, that what was fetched has. */
static void take_maps(builder *b, int who, int cta, int tile, bool first) {
  const ring *r = b->r;
  bool early = b->mistake == EARLY_MAPS;
  if (!r->maps) return;
  int before = tile - 1, at = tile > 0 ? maps_of(b, cta, before) : 0;
  for (int i = 0; tile > 0 && i < 1 + (first && r->fetches_by_maps); i++)
    add(b, who, STEP_DONE, 0, at, before);
  if (tile > 0 && !early) add(b, who, STEP_ARRIVE, empty_maps(b, cta, before % r->maps), 0, 0);
  if (first) add(b, who, STEP_DONE, 0, maps_of(b, cta, tile), tile);
  add(b, who, STEP_WAIT, full_maps(b, cta, tile % r->maps), 0, tile / r->maps);
  add(b, who, STEP_READ, 0, maps_of(b, cta, tile), tile);
  if (early) add(b, who, STEP_ARRIVE, empty_maps(b, cta, tile % r->maps), 0, 0);
}

/* ---- The producer ------------------------------------------------------------------------ */

static void await_empty(builder *b, int who, int cta, int i) {
  int stage = i % b->r->stages, round = i / b->r->stages;
  for (int kind = 0; kind < b->r->empties && b->mistake != NO_EMPTY; kind++)
    add(b, who, STEP_WAIT, empty(b, cta, stage, kind), 0, round - 1);
}

static void copy_tile(builder *b, int who, int cta, int place, int i, int k_tile) {
  const ring *r = b->r;
  int stage = i % r->stages;
  if (!has_turn(b, r->brings[place], cta, k_tile)) return;
  for (int to = 0; to < ctas_of(b); to++) {
    if (share(b, r->brings[place], cta, to))
      add(b, who, STEP_COPY, full(b, leader_of(b, to), stage), cell_of(b, to, stage, place), i);
  }
}

/* Its part of a stage comes, and then it says so to the barrier where MMAs are issued: to the
 * others that is a copy that it has announced. */
static void bring_lines(builder *b, int who, int cta, int i, int warp) {
  int stage = i % b->r->stages;
  int told = full(b, b->mistake == OWN_LINES ? cta : leader_of(b, cta), stage);
  add(b, who, STEP_EXPECT, told, 0, 1);
  add(b, who, STEP_COPY, told, cell_of(b, cta, stage, warp), i);
}

/* What a map brings beside them: a pair's first CTA announces the bytes of both. */
static void bring_boxes(builder *b, int who, int cta, int i) {
  const ring *r = b->r;
  int stage = i % r->stages, leader = leader_of(b, cta), told = full(b, leader, stage);
  int announced = b->mistake == HALF_THE_BYTES ? 1 : r->group;
  if (leader == cta) add(b, who, STEP_EXPECT, told, 0, announced);
  add(b, who, STEP_COPY, told, cell_of(b, cta, stage, r->copiers), i);
}

/* One of the warps that copy lines. */
static void add_copier(builder *b, int cta, int warp) {
  const ring *r = b->r;
  int who = protocol_agent(&b->p, "producer", cta), all = r->tiles * r->k_tiles;
  for (int i = 0; i < all; i++) {
    await_empty(b, who, cta, i);
    if (warp == 0 && r->operands > r->copiers) bring_boxes(b, who, cta, i);
    bring_lines(b, who, cta, i, warp);
  }
  for (int i = all; i < all + r->stages && is_pair(b); i++) {
    if (b->mistake != NO_STAY) await_empty(b, who, cta, i);
  }
  end(b, who, cta);
}

static void add_producer(builder *b, int cta) {
  const ring *r = b->r;
  for (int warp = 0; warp < r->copiers; warp++)
    add_copier(b, cta, warp);
  if (r->copiers) return;
  int who = protocol_agent(&b->p, "producer", cta), all = r->tiles * r->k_tiles;
  int announced = r->operands * (b->mistake == HALF_THE_BYTES ? 1 : r->group);
  for (int i = 0; i < all; i++) {
    if (i % r->k_tiles == 0) begin_maps(b, who, cta, i / r->k_tiles);
    await_empty(b, who, cta, i);
    int told = full(b, leader_of(b, cta), i % r->stages);
    if (leader_of(b, cta) == cta)
      add(b, who, STEP_EXPECT, told, 0, announced);
    else if (r->full_arrivals > 1 && b->mistake != NO_SECOND)
      add(b, who, STEP_ARRIVE, told, 0, 0);
    for (int operand = 0; operand < r->operands; operand++)
      copy_tile(b, who, cta, operand, i, i % r->k_tiles);
    if (i % r->k_tiles == r->k_tiles - 1) next_tile(b, who, cta, i / r->k_tiles);
  }
  for (int i = all; i < all + r->stages && ctas_of(b) > 1; i++) {
    if (b->mistake != NO_STAY) await_empty(b, who, cta, i);
  }
  end(b, who, cta);
}

static void release(builder *b, int who, int cta, int i) {
  int stage = i % b->r->stages;
  for (int to = 0; to < ctas_of(b); to++) {
    if (b->mistake == OWN_RELEASE && to != cta) continue;
    if (b->r->empties == 1) {
      add(b, who, STEP_ARRIVE, empty(b, to, stage, 0), 0, 0);
      continue;
    }
    for (int operand = 0; operand < matrices; operand++) {
      if (hears(b, operand, cta, to)) add(b, who, STEP_ARRIVE, empty(b, to, stage, operand), 0, 0);
    }
  }
}

static void read_stage(builder *b, int who, int cta, int i, step_kind kind) {
  for (int of = cta; of < cta + b->r->group; of++) {
    for (int operand = 0; operand < b->r->operands; operand++)
      add(b, who, kind, 0, cell_of(b, of, i % b->r->stages, operand), i);
  }
}

static void multiply_tile(builder *b, int who, int cta, int tile) {
  const ring *r = b->r;
  bool early = b->mistake == EARLY_RELEASE;
  int set = tile % r->sets, round = tile / r->sets;
  if (b->mistake != NO_EMPTY_SUMS) add(b, who, STEP_WAIT, empty_sums(b, cta, set), 0, round - 1);
  for (int i = tile * r->k_tiles; i < (tile + 1) * r->k_tiles; i++) {
    if (b->mistake != NO_FULL)
      add(b, who, STEP_WAIT, full(b, cta, i % r->stages), 0, i / r->stages);
    read_stage(b, who, cta, i, STEP_READ);
    if (early) release(b, who, cta, i);
    read_stage(b, who, cta, i, STEP_DONE);
    if (!early) release(b, who, cta, i);
  }
  for (int of = cta; of < cta + r->group; of++) {
    add(b, who, STEP_EXPECT, full_sums(b, of, set), 0, 1);
    add(b, who, STEP_COPY, full_sums(b, of, set), sums_of(b, of, set), tile);
  }
}

static void add_issuer(builder *b, int cta) {
  int who = protocol_agent(&b->p, "MMA issuer", cta);
  for (int tile = 0; tile < b->r->tiles; tile++) {
    multiply_tile(b, who, cta, tile);
    next_tile(b, who, cta, tile);
  }
  end(b, who, cta);
}

static void add_fetcher(builder *b, int cta) {
  const ring *r = b->r;
  int who = protocol_agent(&b->p, "fetching thread", cta);
  for (int i = 0; i < r->tiles * r->subtiles; i++) {
    int stage = i % r->subtile_stages, round = i / r->subtile_stages;
    int arrived = full_subtile(b, cta, stage);
    if (i % r->subtiles == 0 && r->fetches_by_maps) begin_maps(b, who, cta, i / r->subtiles);
    if (b->mistake != NO_EMPTY_SUBTILE)
      add(b, who, STEP_WAIT, empty_subtile(b, cta, stage), 0, round - 1);
    add(b, who, STEP_EXPECT, arrived, 0, 1);
    add(b, who, STEP_COPY, arrived, subtile_of(b, cta, stage), i);
    if (i % r->subtiles == r->subtiles - 1) next_tile(b, who, cta, i / r->subtiles);
  }
  end(b, who, cta);
}

static void read_subtile(builder *b, int who, int cta, int i) {
  int stage = i % b->r->subtile_stages, round = i / b->r->subtile_stages;
  int from = subtile_of(b, cta, stage), empty = empty_subtile(b, cta, stage);
  bool early = b->mistake == EARLY_SUBTILE;
  if (b->mistake != NO_FULL_SUBTILE) add(b, who, STEP_WAIT, full_subtile(b, cta, stage), 0, round);
  add(b, who, STEP_READ, 0, from, i);
  if (early) add(b, who, STEP_ARRIVE, empty, 0, 0);
  add(b, who, STEP_DONE, 0, from, i);
  if (!early) add(b, who, STEP_ARRIVE, empty, 0, 0);
}

static void add_reader(builder *b, int cta, bool first) {
  const ring *r = b->r;
  int who = protocol_agent(&b->p, "warp of the epilogue", cta);
  int to = b->mistake == OWN_SUMS ? cta : leader_of(b, cta);
  for (int tile = 0; tile < r->tiles; tile++) {
    int set = tile % r->sets, round = tile / r->sets, from = sums_of(b, cta, set);
    if (b->mistake != NO_FULL_SUMS) add(b, who, STEP_WAIT, full_sums(b, cta, set), 0, round);
    add(b, who, STEP_READ, 0, from, tile);
    take_maps(b, who, cta, tile, first);
    for (int i = 0; i + 1 < r->subtiles; i++)
      read_subtile(b, who, cta, tile * r->subtiles + i);
    if (b->mistake == EARLY_SUMS) add(b, who, STEP_ARRIVE, empty_sums(b, to, set), 0, 0);
    add(b, who, STEP_DONE, 0, from, tile);
    if (b->mistake != EARLY_SUMS) add(b, who, STEP_ARRIVE, empty_sums(b, to, set), 0, 0);
    if (r->subtiles) read_subtile(b, who, cta, (tile + 1) * r->subtiles - 1);
    next_tile(b, who, cta, tile);
  }
  end(b, who, cta);
}

/* The answer behind the last tile says that there is no other. */
static void add_scheduler(builder *b, int cta) {
  const ring *r = b->r;
  int who = protocol_agent(&b->p, "scheduler", cta);
  for (int i = 0; i < r->tiles; i++) {
    int stage = i % r->answer_stages, round = i / r->answer_stages;
    add(b, who, STEP_EXPECT, full_answer(b, cta, stage), 0, 1);
    if (cta == 0 && b->mistake != NO_EMPTY_ANSWER)
      add(b, who, STEP_WAIT, empty_answer(b, 0, stage), 0, round - 1);
    for (int to = 0; to < ctas_of(b) && cta == 0; to++)
      add(b, who, STEP_COPY, full_answer(b, to, stage), answer_of(b, to, stage), i);
    next_tile(b, who, cta, i);
  }
  for (int i = r->tiles; i < r->tiles + r->answer_stages && ctas_of(b) > 1 && cta == 0; i++) {
    if (b->mistake != NO_STAY && b->mistake != NO_EMPTY_ANSWER)
      add(b, who, STEP_WAIT, empty_answer(b, 0, i % r->answer_stages), 0, i / r->answer_stages - 1);
  }
  end(b, who, cta);
}

static void add_vectors(builder *b, int cta) {
  int who = protocol_agent(&b->p, "warp of vectors", cta);
  for (int tile = 0; tile < b->r->tiles; tile++)
    next_tile(b, who, cta, tile);
  end(b, who, cta);
}

protocol protocol_of(const ring *r, mistake wrong) {
  builder b = {.r = r, .mistake = wrong};
  b.barriers = r->stages * (1 + r->empties) +
               2 * (r->sets + r->subtile_stages + r->answer_stages + r->maps) + 1;
  b.cells = r->operands * r->stages + r->sets + r->subtile_stages + r->answer_stages + r->maps;
  for (int cta = 0; cta < ctas_of(&b); cta++)
    add_memory(&b, cta);
  for (int cta = 0; cta < ctas_of(&b); cta++) {
    add_producer(&b, cta);
    if (leader_of(&b, cta) == cta) add_issuer(&b, cta);
    if (r->subtile_stages) add_fetcher(&b, cta);
    if (r->answer_stages) add_scheduler(&b, cta);
    if (r->vectors) add_vectors(&b, cta);
    if (r->maps) add_maps(&b, cta);
    for (int warp = 0; warp < r->warps; warp++)
      add_reader(&b, cta, warp == 0);
  }
  return b.p;
}
