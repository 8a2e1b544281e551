#include "ring.h"

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
};

ring ring_of_plan(const gg_plan *plan) {
  enum { warps_a_group = 4 };
  return (ring){.cluster_m = plan->cluster_m,
                .cluster_n = plan->cluster_n,
                .stages = plan->stages,
                .consumers = plan->consumers,
                .warps = warps_a_group,
                .pingpong = plan->pingpong,
                .both_shared = gg_plan_both_shared(plan),
                .tiles = 4,
                .k_tiles = plan->stages + 2};
}

/* Barriers and cells are numbered CTA by CTA. */
typedef struct builder {
  const ring *r;
  ring_mistake mistake;
  protocol p;
  int barriers, cells; /* of a CTA */
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
static int cell_of(const builder *b, int cta, int stage, int operand) {
  return cta * b->cells + stage * operands + operand;
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
    protocol_barrier(&b->p, "full", cta, s, 1);
  for (int operand = 0; operand < (b->two_empties ? 2 : 1); operand++) {
    int sharers = !b->two_empties ? r->cluster_m + r->cluster_n - 1
                  : operand == 0  ? r->cluster_n
                                  : r->cluster_m;
    const char *name = !b->two_empties ? "empty" : operand == 0 ? "empty A" : "empty B";
    for (int s = 0; s < r->stages; s++)
      protocol_barrier(&b->p, name, cta, s, sharers * readers);
  }
  /* The one whose turn it is waits with all its warps, the other arrives with all of its own. */
  for (int c = 0; r->pingpong && c < r->consumers; c++)
    protocol_barrier(&b->p, "turn", cta, c, 2 * r->warps);
  for (int s = 0; s < r->stages; s++) {
    protocol_cell(&b->p, "A", cta, s, readers);
    protocol_cell(&b->p, "B", cta, s, readers);
  }
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

static void add_producer(builder *b, int cta) {
  const ring *r = b->r;
  int who = protocol_agent(&b->p, "producer", cta), all = r->tiles * r->k_tiles;
  for (int i = 0; i < all; i++) {
    int stage = i % r->stages, round = i / r->stages, k_tile = i % r->k_tiles;
    wait_empty(b, who, cta, stage, 0, round);
    if (b->mistake != RING_LATE_EMPTY) wait_empty(b, who, cta, stage, 1, round);
    protocol_step(&b->p, who,
                  (step){STEP_EXPECT, .barrier = full(b, cta, stage),
                         .value = b->mistake == RING_FEW_BYTES ? 1 : operands});
    copy_tile(b, who, cta, stage, 0, i, k_tile);
    if (b->mistake == RING_LATE_EMPTY) wait_empty(b, who, cta, stage, 1, round);
    copy_tile(b, who, cta, stage, 1, i, k_tile);
  }
  if (ctas_of(b) == 1 || b->mistake == RING_NO_STAY) return;
  for (int i = all; i < all + r->stages; i++) {
    for (int operand = 0; operand < operands; operand++)
      wait_empty(b, who, cta, i % r->stages, operand, i / r->stages);
  }
}

/* ---- The consumers ---------------------------------------------------------------------- */

static void read_stage(builder *b, int who, int cta, int i, step_kind kind) {
  for (int operand = 0; operand < operands; operand++) {
    step s = {kind, .cell = cell_of(b, cta, i % b->r->stages, operand), .value = i};
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

/* A stage is released when the next one's MMAs are issued and its own have ended. */
static void multiply(builder *b, int who, int cta, int first) {
  int end = first + b->r->k_tiles;
  bool early = b->mistake == RING_EARLY_RELEASE;
  for (int i = first; i < end; i++) {
    if (b->mistake != RING_NO_FULL) {
      protocol_step(
          &b->p, who,
          (step){STEP_WAIT, .barrier = full(b, cta, i % b->r->stages), .value = i / b->r->stages});
    }
    read_stage(b, who, cta, i, STEP_READ);
    if (early) release(b, who, cta, i);
    if (i == first) continue;
    read_stage(b, who, cta, i - 1, STEP_DONE);
    if (!early) release(b, who, cta, i - 1);
  }
}

static void pass_turn(builder *b, int who, int cta, int consumer) {
  protocol_step(&b->p, who, (step){STEP_ARRIVE, .barrier = turn(b, cta, consumer)});
}

static void await_turn(builder *b, int who, int cta, int consumer, int number) {
  if (b->mistake == RING_NO_TURN) return;
  pass_turn(b, who, cta, consumer);
  protocol_step(&b->p, who, (step){STEP_WAIT, .barrier = turn(b, cta, consumer), .value = number});
}

static void add_consumer(builder *b, int cta, int consumer) {
  const ring *r = b->r;
  int who = protocol_agent(&b->p, "consumer", cta), turns = r->pingpong ? r->consumers : 1;
  bool passes = r->pingpong && b->mistake != RING_NO_TURN;
  if (passes && consumer == 1) pass_turn(b, who, cta, 0);
  for (int tile = r->pingpong ? consumer : 0; tile < r->tiles; tile += turns) {
    if (r->pingpong) await_turn(b, who, cta, consumer, tile / turns);
    multiply(b, who, cta, tile * r->k_tiles);
    if (passes && tile + 1 < r->tiles) pass_turn(b, who, cta, (consumer + 1) % turns);
    int last = (tile + 1) * r->k_tiles - 1;
    read_stage(b, who, cta, last, STEP_DONE);
    if (b->mistake != RING_EARLY_RELEASE) release(b, who, cta, last);
  }
}

protocol ring_protocol(const ring *r, ring_mistake mistake) {
  builder b = {.r = r, .mistake = mistake};
  b.two_empties = r->both_shared && mistake != RING_ONE_EMPTY;
  b.barriers = r->stages * (b.two_empties ? 3 : 2) + (r->pingpong ? r->consumers : 0);
  b.cells = operands * r->stages;
  for (int cta = 0; cta < ctas_of(&b); cta++)
    add_memory(&b, cta);
  for (int cta = 0; cta < ctas_of(&b); cta++) {
    add_producer(&b, cta);
    for (int i = 0; i < r->consumers * r->warps; i++)
      add_consumer(&b, cta, i / r->warps);
  }
  return b.p;
}
