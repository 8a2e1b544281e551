#include "ring.h"

#include "layout/banks.h"
#include "plan/sm90.h"

const char *const ring_mistake_names[RING_MISTAKES] = {
    "as it is",
    "one empty barrier for A and B",
    "no wait for an empty stage",
    "a wait for an empty B behind the copy of A",
    "a stage released while it is read",
    "a CTA that does not stay",
    "no wait for a full stage",
    "bytes of A alone announced",
    "a stage released to one CTA alone",
    "no turns",
    "a fetched stage released while it is read",
    "no wait for a fetched stage",
    "a fetched stage that is not released",
    "no wait for an empty stage in front of what is fetched",
    "what is fetched to all stages awaited before the last K tile's stage is released",
    "no wait for an empty sub-tile",
    "no wait for a full sub-tile",
    "a sub-tile released while it is read",
    "one ring of sub-tiles for all turns",
    "no wait for empty vectors",
    "vectors released while they are read",
    "no wait for full vectors",
    "one buffer of vectors for all turns",
    "no wait for what is to be transposed",
    "no wait for an empty stage in front of what is to be transposed",
    "no wait for an empty set of maps",
    "a set of maps given back while its tile is stored",
    "no wait for a full set of maps",
};

ring ring_of_plan(const gg_plan *plan, const gg_rings *rings) {
  const gg_ring *stages = gg_rings_find(rings, GG_RING_STAGES),
                *subtiles = gg_rings_find(rings, GG_RING_SUBTILES),
                *vectors = gg_rings_find(rings, GG_RING_VECTORS),
                *maps = gg_rings_find(rings, GG_RING_MAPS);
  const gg_role *producer = gg_rings_role(rings, GG_ROLE_PRODUCER),
                *consumer = gg_rings_role(rings, GG_ROLE_CONSUMER);
  ring r = {.cluster_m = plan->cluster_m,
            .cluster_n = plan->cluster_n,
            .stages = stages->depth,
            .producers = producer->elected ? 1 : producer->warps,
            .boxed = stages->tx_bytes > 0,
            .raw = gg_rings_find(rings, GG_RING_RAW) != NULL,
            .ahead = gg_rings_find(rings, GG_RING_RAW) ? plan->copies_ahead : 0,
            .consumers = consumer->groups,
            .warps = consumer->warps / consumer->groups,
            .pingpong = plan->pingpong,
            .loads = gg_plan_multiplies_by_warps(plan),
            .empties = stages->empties,
            .full_arrivals = stages->full.arrivals,
            .tiles = 4,
            .k_tiles = stages->depth + 2,
            .behind = gg_sm90_fetch_stages(plan)};
  for (int k = 0; k < stages->empties; k++)
    r.empty_arrivals[k] = stages->empty[k].arrivals;
  if (subtiles) {
    int blocks = plan->epi_n ? plan->tile_m / gg_plan_mma_rows(plan) : 1;
    int boxes = plan->epi_n ? gg_plan_boxes_of_mma(plan, plan->epi_n) : 1;
    r.subtiles = blocks * boxes;
    r.subtile_rings = subtiles->instances;
    r.subtile_stages = subtiles->depth;
    r.subtile_arrivals = subtiles->empty[0].arrivals;
    r.beside = plan->epi_n && gg_plan_boxes_overlap(plan, plan->epi_n) ? blocks : 0;
  }
  if (maps) {
    r.maps = maps->depth;
    r.tiles = r.maps + 2; /* so that each set is used again */
    r.maps_empty_arrivals = maps->empty[0].arrivals;
    r.fetches_by_maps = subtiles && gg_sm90_is_c_fetched(plan);
  }
  if (!vectors) return r;
  r.vectors = vectors->depth;
  /* The lanes of the vectors' warp arrive one by one, each behind its own copies: here as one. */
  r.vectors_full_arrivals = vectors->full.arrivals / GG_WARP;
  r.vectors_empty_arrivals = vectors->empty[0].arrivals;
  return r;
}

ring ring_of_one_warp(ring r) {
  for (int k = 0; k < r.empties; k++)
    r.empty_arrivals[k] /= r.warps;
  r.vectors_empty_arrivals /= r.warps;
  r.maps_empty_arrivals /= r.warps;
  r.subtile_arrivals /= r.warps;
  r.warps = 1;
  return r;
}

/* Barriers and cells are numbered CTA by CTA. */
typedef struct builder {
  const ring *r;
  ring_mistake mistake;
  protocol p;
  int barriers, cells; /* of a CTA */
  int parts;   /* cells of a stage: A and B, or what each warp writes, boxes, raw operands */
  int buffers; /* of vectors */
  bool two_empties;
} builder;

enum { operands = 2 };

static int ctas_of(const builder *b) {
  return b->r->cluster_m * b->r->cluster_n;
}
static int full(const builder *b, int cta, int stage) {
  return cta * b->barriers + stage;
}
static int empty(const builder *b, int cta, int stage, int operand) {
  return cta * b->barriers + b->r->stages * (1 + (b->two_empties ? operand : 0)) + stage;
}
static int turn(const builder *b, int cta, int consumer) {
  return cta * b->barriers + b->r->stages * (b->two_empties ? 3 : 2) + consumer;
}
static int vectors_full(const builder *b, int cta, int buffer) {
  return turn(b, cta, b->r->pingpong ? b->r->consumers : 0) + buffer;
}
static int vectors_empty(const builder *b, int cta, int buffer) {
  return vectors_full(b, cta, b->buffers) + buffer;
}
static int raw_full(const builder *b, int cta, int stage) {
  return vectors_empty(b, cta, b->buffers) + stage;
}
/* Of the ring of a consumer, or of all of them. */
static int subtile_places(const builder *b) {
  return b->r->subtile_rings * b->r->subtile_stages;
}
static int full_subtile(const builder *b, int cta, int place) {
  return raw_full(b, cta, b->r->raw ? b->r->stages : 0) + place;
}
static int empty_subtile(const builder *b, int cta, int place) {
  return full_subtile(b, cta, subtile_places(b)) + place;
}
static int full_maps(const builder *b, int cta, int set) {
  return empty_subtile(b, cta, subtile_places(b)) + set;
}
static int empty_maps(const builder *b, int cta, int set) {
  return full_maps(b, cta, b->r->maps) + set;
}
static int cell_of(const builder *b, int cta, int stage, int part) {
  return cta * b->cells + stage * b->parts + part;
}
static int vectors_cell(const builder *b, int cta, int buffer) {
  return cell_of(b, cta, b->r->stages, buffer);
}

static int subtile_cell(const builder *b, int cta, int place) {
  return vectors_cell(b, cta, b->buffers) + place;
}

static int maps_cell(const builder *b, int cta, int set) {
  return subtile_cell(b, cta, subtile_places(b)) + set;
}

/* Where a sub-tile is, of all that a consumer is fetched, and how often the ring was full before.
 */
static int subtile_place(const builder *b, int consumer, int i) {
  int own = b->mistake == RING_SUBTILE_ONE_RING ? 0 : consumer % b->r->subtile_rings;
  return own * b->r->subtile_stages + i % b->r->subtile_stages;
}
static int subtile_round(const builder *b, int i) {
  return i / b->r->subtile_stages;
}

/* Behind the cells that warps write, and that of boxes. */
static int raw_part(const ring *r) {
  return r->producers + r->boxed;
}

/* Stages that a tile takes of the ring. */
static int tile_stages(const ring *r) {
  return r->k_tiles + r->behind;
}

/* Whether two CTAs share an operand: A those of one row, B those of one column. */
static bool share(const builder *b, int operand, int x, int y) {
  int m = b->r->cluster_m;
  return operand == 0 ? x % m == y % m : x / m == y / m;
}

static void add_memory(builder *b, int cta) {
  const ring *r = b->r;
  int groups = r->pingpong ? 1 : r->consumers, readers = groups * r->warps;
  for (int s = 0; s < r->stages; s++)
    protocol_barrier(&b->p, "full", cta, s, r->full_arrivals);
  for (int operand = 0; operand < (b->two_empties ? 2 : 1); operand++) {
    const char *name = !b->two_empties ? "empty" : operand == 0 ? "empty A" : "empty B";
    int arrivals = b->mistake == RING_ONE_EMPTY ? (r->cluster_m + r->cluster_n - 1) * readers
                                                : r->empty_arrivals[operand];
    for (int s = 0; s < r->stages; s++)
      protocol_barrier(&b->p, name, cta, s, arrivals);
  }
  /* The one whose turn it is waits with all its warps, the other arrives with all of its own. */
  for (int c = 0; r->pingpong && c < r->consumers; c++)
    protocol_barrier(&b->p, "turn", cta, c, 2 * r->warps);
  for (int s = 0; s < r->stages; s++) {
    for (int part = 0; part < b->parts; part++) {
      const char *name = r->producers > 1 ? "lines" : part == 0 ? "A" : "B";
      bool raw = r->raw && part == raw_part(r); /* whose place consumers read, too */
      protocol_cell(&b->p, raw ? "raw" : name, cta, s, readers + (raw ? r->producers : 0));
    }
  }
  for (int v = 0; v < b->buffers; v++)
    protocol_barrier(&b->p, "full vectors", cta, v, r->vectors_full_arrivals);
  for (int v = 0; v < b->buffers; v++) {
    protocol_barrier(&b->p, "empty vectors", cta, v, r->vectors_empty_arrivals);
    protocol_cell(&b->p, "vectors", cta, v, readers);
  }
  for (int s = 0; s < r->stages && r->raw; s++)
    protocol_barrier(&b->p, "raw", cta, s, 1);
  for (int s = 0; s < subtile_places(b); s++)
    protocol_barrier(&b->p, "full sub-tile", cta, s, 1);
  for (int s = 0; s < subtile_places(b); s++) {
    protocol_barrier(&b->p, "empty sub-tile", cta, s, r->subtile_arrivals);
    protocol_cell(&b->p, "sub-tile", cta, s, readers);
  }
  for (int s = 0; s < r->maps; s++)
    protocol_barrier(&b->p, "full maps", cta, s, 1);
  for (int s = 0; s < r->maps; s++) {
    protocol_barrier(&b->p, "empty maps", cta, s, r->maps_empty_arrivals);
    protocol_cell(&b->p, "maps", cta, s, readers + 1 + r->fetches_by_maps); /* and copies */
  }
}

/* ---- Tensor maps of a tile's matrices ---------------------------------------------------- */

static void wait_maps(builder *b, int who, int cta, int tile) {
  int told = full_maps(b, cta, tile % b->r->maps);
  protocol_step(&b->p, who, (step){STEP_WAIT, .barrier = told, .value = tile / b->r->maps});
}

static void use_maps(builder *b, int who, int cta, int tile, step_kind kind) {
  int at = maps_cell(b, cta, tile % b->r->maps);
  protocol_step(&b->p, who, (step){kind, .cell = at, .value = tile});
}

static void give_maps_back(builder *b, int who, int cta, int tile) {
  int told = empty_maps(b, cta, tile % b->r->maps);
  protocol_step(&b->p, who, (step){STEP_ARRIVE, .barrier = told});
}

/* A thread writes them, and says so when they are written: to the others that is as if they were
 * copied. */
static void add_maps(builder *b, int cta) {
  const ring *r = b->r;
  if (!r->maps) return;
  int who = protocol_agent(&b->p, "thread of maps", cta);
  for (int tile = 0; tile < r->tiles; tile++) {
    int set = tile % r->maps, told = full_maps(b, cta, set);
    step wait = {STEP_WAIT, .barrier = empty_maps(b, cta, set), .value = tile / r->maps - 1};
    if (b->mistake != RING_MAPS_NO_EMPTY) protocol_step(&b->p, who, wait);
    protocol_step(&b->p, who, (step){STEP_EXPECT, .barrier = told, .value = 1});
    protocol_step(&b->p, who, (step){STEP_COPY, told, maps_cell(b, cta, set), tile});
  }
}

/* The producer copies by them from a tile's first K tile on. */
static void begin_maps(builder *b, int who, int cta, int tile) {
  if (!b->r->maps) return;
  if (b->mistake != RING_MAPS_NO_FULL) wait_maps(b, who, cta, tile);
  use_maps(b, who, cta, tile, STEP_READ);
}

/* Consumers store by them, and have read what they stored when the next tile's K tiles have come.
 * That those of the tile have come, by which the copies have read the maps, is told here by the
 * first warp; so is, a tile later, that what was fetched has. */
static void take_maps(builder *b, int who, int cta, int tile, int before, bool first) {
  if (!b->r->maps) return;
  bool early = b->mistake == RING_MAPS_EARLY;
  if (before >= 0) use_maps(b, who, cta, before, STEP_DONE);
  if (before >= 0 && first && b->r->fetches_by_maps) use_maps(b, who, cta, before, STEP_DONE);
  if (before >= 0 && !early) give_maps_back(b, who, cta, before);
  if (first) use_maps(b, who, cta, tile, STEP_DONE);
  wait_maps(b, who, cta, tile);
  use_maps(b, who, cta, tile, STEP_READ);
  if (early) give_maps_back(b, who, cta, tile);
}

/* ---- The producer ----------------------------------------------------------------------- */

static void wait_empty(builder *b, int who, int cta, int stage, int operand, int round) {
  if (b->mistake == RING_NO_EMPTY || (operand == 1 && !b->two_empties)) return;
  protocol_step(&b->p, who,
                (step){STEP_WAIT, .barrier = empty(b, cta, stage, operand), .value = round - 1});
}

/* The CTAs that share a tile take turns at copying it to all of them. */
static void copy_tile(builder *b, int who, int cta, int stage, int operand, int tile, int k_tile) {
  const ring *r = b->r;
  int sharers = operand == 0 ? r->cluster_n : r->cluster_m;
  int rank = operand == 0 ? cta / r->cluster_m : cta % r->cluster_m;
  if (k_tile % sharers != rank) return;
  for (int to = 0; to < ctas_of(b); to++) {
    if (!share(b, operand, cta, to)) continue;
    protocol_step(&b->p, who,
                  (step){STEP_COPY, full(b, to, stage), cell_of(b, to, stage, operand), tile});
  }
}

static void load_stage(builder *b, int who, int cta, int i, int k_tile) {
  const ring *r = b->r;
  int stage = i % r->stages, round = i / r->stages;
  wait_empty(b, who, cta, stage, 0, round);
  if (b->mistake != RING_LATE_EMPTY) wait_empty(b, who, cta, stage, 1, round);
  protocol_step(&b->p, who,
                (step){STEP_EXPECT, .barrier = full(b, cta, stage),
                       .value = b->mistake == RING_FEW_BYTES ? 1 : operands});
  copy_tile(b, who, cta, stage, 0, i, k_tile);
  if (b->mistake == RING_LATE_EMPTY) wait_empty(b, who, cta, stage, 1, round);
  copy_tile(b, who, cta, stage, 1, i, k_tile);
}

/* What the epilogue reads fills all of a stage, for this CTA alone. */
static void fetch_stage(builder *b, int who, int cta, int i) {
  int stage = i % b->r->stages, round = i / b->r->stages;
  if (b->mistake != RING_FETCH_NO_EMPTY) {
    for (int operand = 0; operand < operands; operand++)
      wait_empty(b, who, cta, stage, operand, round);
  }
  protocol_step(&b->p, who, (step){STEP_EXPECT, .barrier = full(b, cta, stage), .value = operands});
  for (int operand = 0; operand < operands; operand++) {
    protocol_step(&b->p, who,
                  (step){STEP_COPY, full(b, cta, stage), cell_of(b, cta, stage, operand), i});
  }
}

/* Its part of a stage arrives, and then the copy engine's or the warp says so: to the others both
 * are a copy that it has announced. */
static void bring(builder *b, int who, int cta, int i, int part) {
  int stage = i % b->r->stages, told = full(b, cta, stage);
  protocol_step(&b->p, who, (step){STEP_EXPECT, .barrier = told, .value = 1});
  protocol_step(&b->p, who, (step){STEP_COPY, told, cell_of(b, cta, stage, part), i});
}

/* One of the warps that copy lines; they do for K tiles alone, and not in a cluster. */
static void add_line_producer(builder *b, int cta, int warp) {
  const ring *r = b->r;
  int who = protocol_agent(&b->p, "producer", cta);
  for (int i = 0; i < r->tiles * r->k_tiles; i++) {
    wait_empty(b, who, cta, i % r->stages, 0, i / r->stages);
    if (warp == 0 && r->boxed) bring(b, who, cta, i, r->producers);
    bring(b, who, cta, i, warp);
  }
}

/* What is to be transposed comes to the memory of the stage where it will be. */
static void ask_for_raw(builder *b, int who, int cta, int i) {
  const ring *r = b->r;
  int stage = i % r->stages, told = raw_full(b, cta, stage);
  if (b->mistake != RING_RAW_NO_EMPTY) wait_empty(b, who, cta, stage, 0, i / r->stages);
  if (r->boxed) bring(b, who, cta, i, r->producers);
  protocol_step(&b->p, who, (step){STEP_EXPECT, .barrier = told, .value = 1});
  protocol_step(&b->p, who, (step){STEP_COPY, told, cell_of(b, cta, stage, raw_part(r)), i});
}

/* One of the warps that transpose, the first of which asks for boxes. */
static void add_transposer(builder *b, int cta, int warp) {
  const ring *r = b->r;
  int who = protocol_agent(&b->p, "producer", cta), all = r->tiles * r->k_tiles;
  for (int begun = 0; begun < all + r->ahead; begun++) {
    if (warp == 0 && begun < all) ask_for_raw(b, who, cta, begun);
    int i = begun - r->ahead, stage = i % r->stages;
    if (i < 0) continue;
    int raw = cell_of(b, cta, stage, raw_part(r));
    step wait = {STEP_WAIT, .barrier = raw_full(b, cta, stage), .value = i / r->stages};
    if (b->mistake != RING_RAW_NO_FULL) protocol_step(&b->p, who, wait);
    protocol_step(&b->p, who, (step){STEP_READ, .cell = raw, .value = i});
    protocol_step(&b->p, who, (step){STEP_DONE, .cell = raw, .value = i});
    bring(b, who, cta, i, warp);
  }
}

static void add_producer(builder *b, int cta) {
  const ring *r = b->r;
  for (int warp = 0; r->producers > 1 && warp < r->producers; warp++)
    (r->raw ? add_transposer : add_line_producer)(b, cta, warp);
  if (r->producers > 1) return;
  int who = protocol_agent(&b->p, "producer", cta), a_tile = tile_stages(r),
      all = r->tiles * a_tile;
  for (int i = 0; i < all; i++) {
    if (i % a_tile == 0) begin_maps(b, who, cta, i / a_tile);
    if (i % a_tile < r->k_tiles)
      load_stage(b, who, cta, i, i % a_tile);
    else
      fetch_stage(b, who, cta, i);
  }
  if (ctas_of(b) == 1 || b->mistake == RING_NO_STAY) return;
  for (int i = all; i < all + r->stages; i++) {
    for (int operand = 0; operand < operands; operand++)
      wait_empty(b, who, cta, i % r->stages, operand, i / r->stages);
  }
}

/* A warp beside it writes the vectors, and says so when they are written: to the others that is as
 * if they were copied. */
static void add_vectors(builder *b, int cta) {
  if (b->buffers == 0) return;
  int who = protocol_agent(&b->p, "warp of vectors", cta);
  for (int tile = 0; tile < b->r->tiles; tile++) {
    int buffer = tile % b->buffers, told = vectors_full(b, cta, buffer);
    step wait = {STEP_WAIT, .barrier = vectors_empty(b, cta, buffer),
                 .value = tile / b->buffers - 1};
    if (b->mistake != RING_VECTORS_NO_EMPTY) protocol_step(&b->p, who, wait);
    protocol_step(&b->p, who, (step){STEP_EXPECT, .barrier = told, .value = 1});
    protocol_step(&b->p, who, (step){STEP_COPY, told, vectors_cell(b, cta, buffer), tile});
  }
}

/* A thread for each consumer in turns fetches the sub-tiles of that one's tiles. */
static void add_fetcher(builder *b, int cta, int consumer) {
  const ring *r = b->r;
  int who = protocol_agent(&b->p, "fetching thread", cta), i = 0;
  for (int tile = consumer; tile < r->tiles; tile += r->subtile_rings) {
    if (r->fetches_by_maps) begin_maps(b, who, cta, tile);
    for (int number = 0; number < r->subtiles; number++, i++) {
      int place = subtile_place(b, consumer, i), told = full_subtile(b, cta, place);
      step wait = {STEP_WAIT, .barrier = empty_subtile(b, cta, place),
                   .value = subtile_round(b, i)};
      if (b->mistake != RING_SUBTILE_NO_EMPTY) protocol_step(&b->p, who, wait);
      protocol_step(&b->p, who, (step){STEP_EXPECT, .barrier = told, .value = 1});
      protocol_step(
          &b->p, who,
          (step){STEP_COPY, told, subtile_cell(b, cta, place), tile * r->subtiles + number});
    }
  }
}

/* ---- The consumers ---------------------------------------------------------------------- */

static void read_stage(builder *b, int who, int cta, int i, step_kind kind) {
  for (int part = 0; part < b->parts; part++) {
    step s = {kind, .cell = cell_of(b, cta, i % b->r->stages, part), .value = i};
    protocol_step(&b->p, who, s);
  }
}

static void release(builder *b, int who, int cta, int i) {
  int stage = i % b->r->stages;
  for (int to = 0; to < ctas_of(b); to++) {
    if (b->mistake == RING_OWN_RELEASE && to != cta) continue;
    bool both = !b->two_empties && (share(b, 0, cta, to) || share(b, 1, cta, to));
    for (int operand = 0; operand < operands; operand++) {
      if (b->two_empties ? share(b, operand, cta, to) : both && operand == 0)
        protocol_step(&b->p, who, (step){STEP_ARRIVE, .barrier = empty(b, to, stage, operand)});
    }
  }
}

static void wait_full(builder *b, int who, int cta, int i) {
  int stages = b->r->stages;
  protocol_step(&b->p, who,
                (step){STEP_WAIT, .barrier = full(b, cta, i % stages), .value = i / stages});
}

/* A stage is released when the next one's MMAs are issued and its own have ended; or as soon as it
 * is in registers. */
static void multiply(builder *b, int who, int cta, int first) {
  int end = first + b->r->k_tiles;
  bool early = b->mistake == RING_EARLY_RELEASE;
  for (int i = first; i < end; i++) {
    if (b->mistake != RING_NO_FULL) wait_full(b, who, cta, i);
    read_stage(b, who, cta, i, STEP_READ);
    if (early) release(b, who, cta, i);
    if (!b->r->loads && i == first) continue;
    int done = b->r->loads ? i : i - 1;
    read_stage(b, who, cta, done, STEP_DONE);
    if (!early) release(b, who, cta, done);
  }
}

static void await_vectors(builder *b, int who, int cta, int tile) {
  int buffer = tile % b->buffers;
  step wait = {STEP_WAIT, .barrier = vectors_full(b, cta, buffer), .value = tile / b->buffers};
  if (b->mistake != RING_VECTORS_NO_FULL) protocol_step(&b->p, who, wait);
}

static void use_vectors(builder *b, int who, int cta, int tile) {
  int buffer = tile % b->buffers, at = vectors_cell(b, cta, buffer);
  step arrival = {STEP_ARRIVE, .barrier = vectors_empty(b, cta, buffer)};
  protocol_step(&b->p, who, (step){STEP_READ, .cell = at, .value = tile});
  if (b->mistake == RING_VECTORS_EARLY) protocol_step(&b->p, who, arrival);
  protocol_step(&b->p, who, (step){STEP_DONE, .cell = at, .value = tile});
  if (b->mistake != RING_VECTORS_EARLY) protocol_step(&b->p, who, arrival);
}

static void await_subtile(builder *b, int who, int cta, int consumer, int i) {
  int told = full_subtile(b, cta, subtile_place(b, consumer, i));
  protocol_step(&b->p, who, (step){STEP_WAIT, .barrier = told, .value = subtile_round(b, i)});
}

/* Its stages are empty from when the consumer's first K tile has come. */
static void begin_subtiles(builder *b, int who, int cta, int tile, int consumer) {
  wait_full(b, who, cta, tile * tile_stages(b->r));
  for (int i = 0; i < b->r->subtile_stages; i++) {
    int place = subtile_place(b, consumer, i);
    protocol_step(&b->p, who, (step){STEP_ARRIVE, .barrier = empty_subtile(b, cta, place)});
  }
}

/* Sub-tiles are read one after the other. Those that the tile's last box has are awaited before
 * what they have columns of is stored. */
static void read_subtiles(builder *b, int who, int cta, int tile, int consumer) {
  const ring *r = b->r;
  int first = tile / r->subtile_rings * r->subtiles, last_box = first + r->subtiles - r->beside;
  for (int i = first; i < first + r->subtiles; i++) {
    int place = subtile_place(b, consumer, i), at = subtile_cell(b, cta, place);
    int value = tile * r->subtiles + i - first;
    step arrival = {STEP_ARRIVE, .barrier = empty_subtile(b, cta, place)};
    if (b->mistake != RING_SUBTILE_NO_FULL) await_subtile(b, who, cta, consumer, i);
    protocol_step(&b->p, who, (step){STEP_READ, .cell = at, .value = value});
    if (b->mistake == RING_SUBTILE_EARLY) protocol_step(&b->p, who, arrival);
    protocol_step(&b->p, who, (step){STEP_DONE, .cell = at, .value = value});
    if (b->mistake != RING_SUBTILE_EARLY) protocol_step(&b->p, who, arrival);
    if (i < last_box && i >= last_box - r->beside)
      await_subtile(b, who, cta, consumer, i + r->beside);
  }
}

/* All that was fetched behind a tile's K tiles is awaited together, when the last one's stage has
 * been released, which may be the last of these. */
static void await_fetched(builder *b, int who, int cta, int tile) {
  int end = (tile + 1) * tile_stages(b->r), first = end - b->r->behind;
  for (int i = first; i < end && b->mistake != RING_FETCH_NO_FULL; i++)
    wait_full(b, who, cta, i);
}

/* A fetched stage is released when it has been read, whatever of the tile is still to be done. */
static void finish_tile(builder *b, int who, int cta, int tile, int consumer) {
  const ring *r = b->r;
  int end = (tile + 1) * tile_stages(r), first = end - r->behind;
  if (b->buffers) await_vectors(b, who, cta, tile);
  for (int i = first; i < end; i++) {
    bool early = b->mistake == RING_FETCH_EARLY, kept = b->mistake == RING_FETCH_KEPT && i == first;
    read_stage(b, who, cta, i, STEP_READ);
    if (early) release(b, who, cta, i);
    read_stage(b, who, cta, i, STEP_DONE);
    if (!early && !kept) release(b, who, cta, i);
  }
  if (r->subtiles) read_subtiles(b, who, cta, tile, consumer);
  if (b->buffers) use_vectors(b, who, cta, tile);
}

static void pass_turn(builder *b, int who, int cta, int consumer) {
  protocol_step(&b->p, who, (step){STEP_ARRIVE, .barrier = turn(b, cta, consumer)});
}

static void await_turn(builder *b, int who, int cta, int consumer, int number) {
  if (b->mistake == RING_NO_TURN) return;
  pass_turn(b, who, cta, consumer);
  protocol_step(&b->p, who, (step){STEP_WAIT, .barrier = turn(b, cta, consumer), .value = number});
}

static void add_consumer(builder *b, int cta, int number) {
  const ring *r = b->r;
  int consumer = number / r->warps;
  bool first = r->pingpong ? number % r->warps == 0 : number == 0; /* of those of its tiles */
  int who = protocol_agent(&b->p, "consumer", cta), turns = r->pingpong ? r->consumers : 1;
  bool passes = r->pingpong && b->mistake != RING_NO_TURN;
  if (passes && consumer == 1) pass_turn(b, who, cta, 0);
  for (int tile = r->pingpong ? consumer : 0; tile < r->tiles; tile += turns) {
    if (r->pingpong) await_turn(b, who, cta, consumer, tile / turns);
    if (r->subtiles && tile == consumer) begin_subtiles(b, who, cta, tile, consumer);
    multiply(b, who, cta, tile * tile_stages(r));
    bool late = b->mistake != RING_FETCH_SOON;
    if (!late) await_fetched(b, who, cta, tile);
    if (passes && tile + 1 < r->tiles) pass_turn(b, who, cta, (consumer + 1) % turns);
    int last = tile * tile_stages(r) + r->k_tiles - 1;
    if (!r->loads) read_stage(b, who, cta, last, STEP_DONE);
    if (!r->loads && b->mistake != RING_EARLY_RELEASE) release(b, who, cta, last);
    if (late) await_fetched(b, who, cta, tile);
    take_maps(b, who, cta, tile, tile - turns, first);
    finish_tile(b, who, cta, tile, consumer);
  }
}

protocol ring_protocol(const ring *r, ring_mistake mistake) {
  builder b = {.r = r, .mistake = mistake};
  b.two_empties = r->empties > 1 && mistake != RING_ONE_EMPTY;
  b.buffers = mistake == RING_VECTORS_ONE_BUFFER && r->vectors ? 1 : r->vectors;
  b.barriers = r->stages * (b.two_empties ? 3 : 2) + (r->pingpong ? r->consumers : 0) +
               2 * b.buffers + (r->raw ? r->stages : 0) + 2 * subtile_places(&b) + 2 * r->maps;
  b.parts = r->producers > 1 ? r->producers + r->boxed + r->raw : operands;
  b.cells = b.parts * r->stages + b.buffers + subtile_places(&b) + r->maps;
  for (int cta = 0; cta < ctas_of(&b); cta++)
    add_memory(&b, cta);
  for (int cta = 0; cta < ctas_of(&b); cta++) {
    add_producer(&b, cta);
    add_vectors(&b, cta);
    add_maps(&b, cta);
    for (int i = 0; i < r->subtile_rings; i++)
      add_fetcher(&b, cta, i);
    for (int i = 0; i < r->consumers * r->warps; i++)
      add_consumer(&b, cta, i);
  }
  return b.p;
}
