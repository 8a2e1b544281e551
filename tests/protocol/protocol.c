#include "protocol.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Building --------------------------------------------------------------------------- */

static void *grown(void *list, int count, size_t size) {
  if (count & (count - 1)) return list; /* room for the next power of two */
  void *out = realloc(list, size * (size_t)(count ? 2 * count : 1));
  if (out) return out;
  fputs("protocol: out of memory\n", stderr);
  exit(EXIT_FAILURE);
}

int protocol_agent(protocol *p, const char *role, int cta) {
  p->agents = grown(p->agents, p->agent_count, sizeof *p->agents);
  p->agents[p->agent_count] = (agent){.role = role, .cta = cta};
  if (cta >= p->cta_count) p->cta_count = cta + 1;
  return p->agent_count++;
}

int protocol_barrier(protocol *p, const char *name, int cta, int stage, int arrivals) {
  p->barriers = grown(p->barriers, p->barrier_count, sizeof *p->barriers);
  p->barriers[p->barrier_count] = (barrier){name, cta, stage, arrivals};
  return p->barrier_count++;
}

int protocol_cell(protocol *p, const char *name, int cta, int stage, int readers) {
  p->cells = grown(p->cells, p->cell_count, sizeof *p->cells);
  p->cells[p->cell_count] = (cell){name, cta, stage, readers};
  return p->cell_count++;
}

void protocol_step(protocol *p, int index, step s) {
  agent *a = &p->agents[index];
  a->program = grown(a->program, a->length, sizeof *a->program);
  a->program[a->length++] = s;
}

void protocol_free(protocol *p) {
  for (int i = 0; i < p->agent_count; i++)
    free(p->agents[i].program);
  free(p->agents);
  free(p->barriers);
  free(p->cells);
  *p = (protocol){0};
}

/* ---- States ----------------------------------------------------------------------------- */

/* All of a state are 16-bit words in one piece, so that it can be compared and hashed as it lies.
 */
typedef struct state {
  int16_t *next;     /* [agent]: its next step */
  int16_t *ended;    /* [barrier]: phases that have ended, */
  int16_t *lacks;    /* arrivals that the present one still needs, */
  int16_t *awaits;   /* copies it was told of that have not come, less those it was not told of, */
  int16_t *arriving; /* and arrivals on their way */
  int16_t *tile;     /* [cell]: what is in it, */
  int16_t *have;     /* how many have read that, */
  int16_t *coming;   /* the tile on its way there, */
  int16_t *hears;    /* and the barrier that hears of it */
  size_t word_count; /* of all of the above, which begin at `next` */
} state;

enum { nothing = -1 };

/* Memory for a state of the protocol, as it is at first; free its `next`. */
static bool make_state(state *s, const protocol *p) {
  size_t agents = (size_t)p->agent_count, barriers = (size_t)p->barrier_count;
  size_t cells = (size_t)p->cell_count;
  s->word_count = agents + 4 * barriers + 4 * cells;
  s->next = calloc(s->word_count, sizeof *s->next);
  if (!s->next) return false;
  s->ended = s->next + agents;
  s->lacks = s->ended + barriers;
  s->awaits = s->lacks + barriers;
  s->arriving = s->awaits + barriers;
  s->tile = s->arriving + barriers;
  s->have = s->tile + cells;
  s->coming = s->have + cells;
  s->hears = s->coming + cells;
  for (int i = 0; i < p->barrier_count; i++)
    s->lacks[i] = (int16_t)p->barriers[i].arrivals;
  for (int i = 0; i < p->cell_count; i++)
    s->tile[i] = s->coming[i] = nothing;
  return true;
}

/* ---- What may happen, and what it does -------------------------------------------------- */

typedef struct walk {
  const protocol *p;
  state s;
  char *what; /* PROTOCOL_WHAT_MAX */
} walk;

static bool cta_has_ended(const walk *w, int cta) {
  for (int i = 0; i < w->p->agent_count; i++) {
    const agent *a = &w->p->agents[i];
    if (a->cta == cta && w->s.next[i] < a->length) return false;
  }
  return true;
}

static const step *next_step(const walk *w, int index) {
  const agent *a = &w->p->agents[index];
  return w->s.next[index] < a->length ? &a->program[w->s.next[index]] : NULL;
}

/* A wait passes where the parity of the phase that it looks for is not the present one's. */
static bool can_run(const walk *w, int index) {
  const step *s = next_step(w, index);
  if (!s) return false;
  return s->kind != STEP_WAIT || (w->s.ended[s->barrier] & 1) != (s->value & 1);
}

static void settle(walk *w, int b) {
  if (w->s.lacks[b] > 0 || w->s.awaits[b] != 0) return;
  w->s.ended[b]++;
  w->s.lacks[b] = (int16_t)w->p->barriers[b].arrivals;
}

static bool arrive(walk *w, int b) {
  w->s.lacks[b]--;
  settle(w, b);
  return true;
}

static bool begin_copy(walk *w, const agent *a, const step *s) {
  const cell *to = &w->p->cells[s->cell];
  bool unread = w->s.tile[s->cell] != nothing && w->s.have[s->cell] < to->readers;
  if (unread || w->s.coming[s->cell] != nothing) {
    snprintf(w->what, PROTOCOL_WHAT_MAX,
             "the %s of CTA %d copies tile %d to %s[%d] of CTA %d, where tile %d %s", a->role,
             a->cta, s->value, to->name, to->stage, to->cta,
             unread ? w->s.tile[s->cell] : w->s.coming[s->cell],
             unread ? "is not read yet" : "is still on its way");
    return false;
  }
  w->s.tile[s->cell] = nothing;
  w->s.coming[s->cell] = (int16_t)s->value;
  w->s.hears[s->cell] = (int16_t)s->barrier;
  return true;
}

static bool begin_reading(walk *w, const agent *a, const step *s) {
  if (w->s.tile[s->cell] == s->value) return true;
  const cell *from = &w->p->cells[s->cell];
  snprintf(w->what, PROTOCOL_WHAT_MAX, "a %s of CTA %d looks for tile %d in %s[%d] and finds %d",
           a->role, a->cta, s->value, from->name, from->stage, w->s.tile[s->cell]);
  return false;
}

static bool pass(walk *w, const agent *a, const step *s) {
  int ended = w->s.ended[s->barrier];
  if (ended == s->value + 1) return true;
  const barrier *at = &w->p->barriers[s->barrier];
  snprintf(w->what, PROTOCOL_WHAT_MAX,
           "a %s of CTA %d waits for phase %d of %s[%d] of CTA %d, of which %d have ended", a->role,
           a->cta, s->value, at->name, at->stage, at->cta, ended);
  return false;
}

static bool run_agent(walk *w, int index) {
  const agent *a = &w->p->agents[index];
  const step *s = next_step(w, index);
  w->s.next[index]++;
  switch (s->kind) {
  case STEP_WAIT:
    return pass(w, a, s);
  case STEP_EXPECT:
    w->s.awaits[s->barrier] = (int16_t)(w->s.awaits[s->barrier] + s->value);
    return arrive(w, s->barrier);
  case STEP_COPY:
    return begin_copy(w, a, s);
  case STEP_READ:
    return begin_reading(w, a, s);
  case STEP_DONE:
    w->s.have[s->cell]++;
    return true;
  case STEP_ARRIVE:
    if (w->p->barriers[s->barrier].cta == a->cta) return arrive(w, s->barrier);
    w->s.arriving[s->barrier]++;
    return true;
  }
  return false;
}

/* What can land: of numbers up to this, barriers with arrivals on their way, and behind them cells
 * with a copy. */
static int landing_places(const walk *w) {
  return w->p->barrier_count + w->p->cell_count;
}

static bool can_land(const walk *w, int place) {
  int behind = place - w->p->barrier_count;
  return behind < 0 ? w->s.arriving[place] > 0 : w->s.coming[behind] != nothing;
}

static bool land_arrival(walk *w, int b) {
  const barrier *at = &w->p->barriers[b];
  w->s.arriving[b]--;
  if (!cta_has_ended(w, at->cta)) return arrive(w, b);
  snprintf(w->what, PROTOCOL_WHAT_MAX, "an arrival at %s[%d] of CTA %d, which has ended", at->name,
           at->stage, at->cta);
  return false;
}

static bool land_copy(walk *w, int c) {
  const cell *to = &w->p->cells[c];
  int hears = w->s.hears[c];
  if (cta_has_ended(w, to->cta)) {
    snprintf(w->what, PROTOCOL_WHAT_MAX, "tile %d comes to %s[%d] of CTA %d, which has ended",
             w->s.coming[c], to->name, to->stage, to->cta);
    return false;
  }
  w->s.tile[c] = w->s.coming[c];
  w->s.coming[c] = nothing;
  w->s.hears[c] = w->s.have[c] = 0;
  w->s.awaits[hears]--;
  settle(w, hears);
  return true;
}

static bool land(walk *w, int place) {
  int behind = place - w->p->barrier_count;
  return behind < 0 ? land_arrival(w, place) : land_copy(w, behind);
}

static bool all_have_ended(const walk *w) {
  for (int i = 0; i < w->p->agent_count; i++) {
    if (next_step(w, i)) return false;
  }
  for (int i = 0; i < landing_places(w); i++) {
    if (can_land(w, i)) return false;
  }
  return true;
}

static void say_stuck(const walk *w) {
  for (int i = 0; i < w->p->agent_count; i++) {
    const step *s = next_step(w, i);
    if (!s) continue;
    const barrier *at = &w->p->barriers[s->barrier];
    snprintf(w->what, PROTOCOL_WHAT_MAX,
             "nobody can go on; the %s of CTA %d waits for phase %d of %s[%d] of CTA %d, of which "
             "%d have ended, and which lacks %d arrivals and %d copies",
             w->p->agents[i].role, w->p->agents[i].cta, s->value, at->name, at->stage, at->cta,
             w->s.ended[s->barrier], w->s.lacks[s->barrier], w->s.awaits[s->barrier]);
    return;
  }
}

/* ---- A walk by a seed ------------------------------------------------------------------- */

static uint64_t draw(uint64_t *random) {
  uint64_t z = *random += 0x9e3779b97f4a7c15u; /* SplitMix64 */
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

/* Agents have random ranks, and the one of the highest that can goes on: so some are a whole ring
 * ahead of others, which a coin at each step would hardly ever bring about. Now and then one falls
 * to the lowest rank (Burckhardt et al., "A Randomized Scheduler with Probabilistic Guarantees of
 * Finding Bugs", ASPLOS 2010), and one agent is held up in front of one of its steps until nothing
 * else can happen. What is under way lands with a chance that the seed decides. */
typedef struct order {
  uint64_t random;
  int64_t *rank, lowest;
  uint64_t landing, falling; /* of 100 times; once in so many */
  int held, held_at;         /* an agent and its step; nothing: not any more */
} order;

/* Roles are drawn alike, however many agents are of each. */
static int draw_agent(const protocol *p, uint64_t *random) {
  int first = (int)(draw(random) % (uint64_t)p->agent_count), other = nothing, of = 0;
  for (int i = 0; i < p->agent_count; i++) {
    bool same = strcmp(p->agents[i].role, p->agents[first].role) == 0;
    if (!same && draw(random) % (uint64_t)++of == 0) other = i;
  }
  return other != nothing && draw(random) % 2 ? other : first;
}

static bool begin_order(order *o, const protocol *p, uint64_t seed) {
  *o = (order){.random = seed};
  o->rank = malloc((size_t)p->agent_count * sizeof *o->rank);
  for (int i = 0; o->rank && i < p->agent_count; i++)
    o->rank[i] = (int64_t)(draw(&o->random) >> 2);
  o->landing = draw(&o->random) % 100;
  o->falling = (uint64_t)1 << draw(&o->random) % 14;
  o->held = draw_agent(p, &o->random);
  o->held_at = (int)(draw(&o->random) % (uint64_t)(p->agents[o->held].length + 1));
  return o->rank != NULL;
}

/* Who goes on; nothing: nobody can. */
static int next_agent(const walk *w, const order *o) {
  int best = nothing;
  for (int i = 0; i < w->p->agent_count; i++) {
    bool held = i == o->held && w->s.next[i] == o->held_at;
    if (!held && can_run(w, i) && (best == nothing || o->rank[i] > o->rank[best])) best = i;
  }
  return best;
}

/* One of what is under way; nothing: nothing is. */
static int next_landing(const walk *w, order *o) {
  int places = landing_places(w), first = (int)(draw(&o->random) % (uint64_t)places);
  for (int place = first; place < places; place++) {
    if (can_land(w, place)) return place;
  }
  for (int place = 0; place < first; place++) {
    if (can_land(w, place)) return place;
  }
  return nothing;
}

static bool go_on(walk *w, order *o) {
  int best = next_agent(w, o);
  bool may_land = best == nothing || draw(&o->random) % 100 < o->landing;
  int landing = may_land ? next_landing(w, o) : nothing;
  if (landing != nothing) return land(w, landing);
  if (best == nothing && o->held != nothing) {
    o->held = nothing;
    return true;
  }
  if (best == nothing) {
    say_stuck(w);
    return false;
  }
  if (draw(&o->random) % o->falling == 0) o->rank[best] = --o->lowest;
  return run_agent(w, best);
}

bool protocol_walk(const protocol *p, uint64_t seed, char what[PROTOCOL_WHAT_MAX]) {
  order o;
  walk w = {.p = p, .what = what};
  snprintf(what, PROTOCOL_WHAT_MAX, "out of memory");
  bool right = begin_order(&o, p, seed) && make_state(&w.s, p);
  while (right && !all_have_ended(&w))
    right = go_on(&w, &o);
  free(o.rank);
  free(w.s.next);
  return right;
}

/* ---- All orders ------------------------------------------------------------------------- */

/* States that were seen, by 64 bits of hash: of a million states, two are taken for one with a
 * probability of 3e-8. */
typedef struct seen {
  uint64_t *slots; /* 0: free */
  size_t capacity, count;
} seen;

static bool add_seen(seen *set, uint64_t hash) {
  size_t at = (size_t)hash & (set->capacity - 1);
  for (; set->slots[at]; at = (at + 1) & (set->capacity - 1)) {
    if (set->slots[at] == hash) return false;
  }
  set->slots[at] = hash;
  set->count++;
  return true;
}

static uint64_t hash_of(const state *s) {
  uint64_t hash = 1;
  for (size_t i = 0; i < s->word_count; i += 4) {
    uint64_t four = hash;
    for (size_t j = i; j < i + 4 && j < s->word_count; j++)
      four ^= (uint64_t)(uint16_t)s->next[j] << (j - i) * 16;
    hash = draw(&four);
  }
  return hash ? hash : 1;
}

typedef struct search {
  walk w;
  seen set;
  size_t most;
} search;

/* Whether a step may come at once, whatever else could come before it: then only one order of it
 * and the others' steps is looked at. An agent may be late at a wait, and at saying that it has
 * read; what it sends may land late. What it does between these is never more dangerous for being
 * late: a copy that begins early finds more that is not read, a read that is right now is made
 * wrong only by a copy, which would fail itself, and what an arrival could be late for is as late
 * where the step before it is. */
static bool is_eager(const walk *w, int index) {
  const step *s = next_step(w, index);
  if (!s || s->kind == STEP_WAIT) return false;
  return s->kind != STEP_DONE || (w->s.next[index] > 0 && s[-1].kind == STEP_DONE);
}

static bool run_eager(walk *w) {
  for (int i = 0; i < w->p->agent_count; i++) {
    while (is_eager(w, i)) {
      if (!run_agent(w, i)) return false;
    }
  }
  return true;
}

/* When things land at a barrier. What ends no phase is noticed by nobody, and is never more
 * dangerous for having landed: a copy that is still on its way is neither read nor overwritten, and
 * what lands in a CTA may find that it has ended. So nothing lands until what is on its way ends
 * the phase, and then that does all of it; only where there is more than the phase lacks, of which
 * it may be any, or where nothing else can happen, do they land one by one. */
typedef enum landing { LANDS_LATER, LANDS_TOGETHER, LANDS_SINGLY } landing;

/* Whether a copy is on its way to the cell that tells the barrier. */
static bool comes_to(const walk *w, int c, int b) {
  return w->s.coming[c] != nothing && w->s.hears[c] == b;
}

static landing landing_at(const walk *w, int b) {
  int arrivals = w->s.arriving[b], lacks = w->s.lacks[b], awaits = w->s.awaits[b], copies = 0;
  if (arrivals < lacks) return LANDS_LATER;
  for (int c = 0; c < w->p->cell_count; c++)
    copies += comes_to(w, c, b);
  if (arrivals > lacks || copies > awaits) return LANDS_SINGLY;
  return copies == awaits && arrivals + copies > 0 ? LANDS_TOGETHER : LANDS_LATER;
}

static bool land_together(walk *w, int b) {
  while (w->s.arriving[b] > 0) {
    if (!land_arrival(w, b)) return false;
  }
  for (int c = 0; c < w->p->cell_count; c++) {
    if (comes_to(w, c, b) && !land_copy(w, c)) return false;
  }
  return true;
}

static bool explore_from(search *x);

/* One thing that may happen: an agent's next step, or a landing, by the barrier or the place. */
typedef bool happening(walk *w, int index);

/* It happens, and all that follows; then the state is as before. */
static bool explore_move(search *x, happening *happens, int index, const int16_t *saved) {
  if (!happens(&x->w, index) || !explore_from(x)) return false;
  memcpy(x->w.s.next, saved, x->w.s.word_count * sizeof *saved);
  return true;
}

static bool explore_single_landings(search *x, int b, const int16_t *saved) {
  walk *w = &x->w;
  if (can_land(w, b) && !explore_move(x, land, b, saved)) return false;
  for (int c = 0; c < w->p->cell_count; c++) {
    if (comes_to(w, c, b) && !explore_move(x, land_copy, c, saved)) return false;
  }
  return true;
}

/* `moved`: something may happen. */
static bool explore_steps(search *x, bool *moved, const int16_t *saved) {
  walk *w = &x->w;
  for (int i = 0; i < w->p->agent_count; i++) {
    if (!can_run(w, i)) continue;
    *moved = true;
    if (!explore_move(x, run_agent, i, saved)) return false;
  }
  for (int b = 0; b < w->p->barrier_count; b++) {
    landing how = landing_at(w, b);
    if (how == LANDS_LATER) continue;
    *moved = true;
    bool right = how == LANDS_TOGETHER ? explore_move(x, land_together, b, saved)
                                       : explore_single_landings(x, b, saved);
    if (!right) return false;
  }
  return true;
}

static bool explore_moves(search *x, const int16_t *saved) {
  walk *w = &x->w;
  bool moved = false;
  if (!explore_steps(x, &moved, saved)) return false;
  if (moved || all_have_ended(w)) return true;
  for (int i = 0; i < landing_places(w); i++) {
    if (!can_land(w, i)) continue;
    moved = true;
    if (!explore_move(x, land, i, saved)) return false;
  }
  if (!moved) say_stuck(w);
  return moved;
}

static bool explore_from(search *x) {
  walk *w = &x->w;
  if (!run_eager(w)) return false;
  if (!add_seen(&x->set, hash_of(&w->s))) return true;
  if (x->set.count > x->most) {
    snprintf(w->what, PROTOCOL_WHAT_MAX, "more than %zu states", x->most);
    return false;
  }
  size_t bytes = w->s.word_count * sizeof *w->s.next;
  int16_t *saved = malloc(bytes);
  bool right = saved && explore_moves(x, memcpy(saved, w->s.next, bytes));
  free(saved);
  return right;
}

bool protocol_explore(const protocol *p, size_t most, size_t *states,
                      char what[PROTOCOL_WHAT_MAX]) {
  search x = {.w = {.p = p, .what = what}, .most = most};
  for (x.set.capacity = 1; x.set.capacity < 2 * most;)
    x.set.capacity *= 2;
  x.set.slots = calloc(x.set.capacity, sizeof *x.set.slots);
  snprintf(what, PROTOCOL_WHAT_MAX, "out of memory");
  bool right = make_state(&x.w.s, p) && x.set.slots && explore_from(&x);
  *states = x.set.count;
  free(x.w.s.next);
  free(x.set.slots);
  return right;
}
