#include "race.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "problem.h"

enum { rounds_most = 8 }; /* including the first one, which does not count */

/* By how much of the fastest time a contender may be slower and yet stay, after each round that
 * counts; the last value holds for all later rounds. Limits become narrower because times become
 * more precise: each is the least of more and more turns. At first, noise is a few percent. */
static const double tolerances[] = {0.10, 0.05, 0.03, 0.02};

/* Seconds that the model's choice may gain by starting while the launch ahead of it still runs. No
 * time that is measured shows this gain, because events keep the launches apart. Any other kernel
 * is launched as it was measured, so it has to be faster by more than this to lead
 * (docs/performance/h100.md, "Launches beside each other"). */
static const double hidden = 1.6e-6;

enum { tolerance_count = sizeof tolerances / sizeof *tolerances };

/* ---- Races ---------------------------------------------------------------------------- */

gg_race *gg_races_find(gg_races *races, const gg_seen_key *key) {
  gg_race *race = atomic_load_explicit(&races->first, memory_order_acquire);
  while (race && !gg_seen_same(&race->key, key))
    race = race->next;
  return race;
}

gg_race *gg_races_add(gg_races *races, const gg_context *context, const gg_form *form,
                      const gg_problem *problem, const gg_gemm_choice *leader, bool packed,
                      int room) {
  if (races->count == GG_RACES_MAX) return NULL;
  size_t length = form->epilogue ? strlen(form->epilogue) + 1 : 0;
  gg_race *race = gg_calloc(1, sizeof *race + length);
  if (!race) return NULL;
  race->list = gg_calloc((size_t)room, sizeof *race->list);
  if (!race->list || pthread_mutex_init(&race->lock, NULL)) {
    gg_free(race->list);
    gg_free(race);
    return NULL;
  }
  race->context = context;
  race->form = *form;
  if (length) race->form.epilogue = memcpy(race->epilogue, form->epilogue, length);
  race->problem = *problem;
  race->key = gg_seen_key_of(&race->form, problem);
  race->packed = packed;
  race->leader = *leader;
  race->usual = leader->module;
  race->room = room;
  race->next = atomic_load_explicit(&races->first, memory_order_relaxed);
  atomic_store_explicit(&races->first, race, memory_order_release);
  races->count++;
  return race;
}

static void destroy_events(gg_race *race, gg_contender *c) {
  const gg_driver *driver = &race->context->driver;
  if (c->start) driver->cuEventDestroy(c->start);
  if (c->end) driver->cuEventDestroy(c->end);
  c->start = c->end = NULL;
}

/* Drops all contenders, unless a thread is launching one: then that thread does it later. The
 * context must be current. */
static void drop_all(gg_race *race) {
  if (race->taken > 0) return;
  while (race->count > 0)
    destroy_events(race, &race->list[--race->count]);
}

void gg_races_free(gg_races *races) {
  gg_race *race = atomic_load_explicit(&races->first, memory_order_relaxed);
  while (race) {
    gg_race *next = race->next;
    if (race->count > 0 && gg_context_enter(race->context, NULL) == GG_OK) {
      drop_all(race);
      gg_context_leave(race->context);
    }
    gg_error_clear(&race->fault);
    pthread_mutex_destroy(&race->lock);
    gg_free(race->list);
    gg_free(race);
    race = next;
  }
  *races = (gg_races){0};
}

gg_race_stage gg_race_stage_of(gg_race *race) {
  pthread_mutex_lock(&race->lock);
  gg_race_stage stage = race->stage;
  pthread_mutex_unlock(&race->lock);
  return stage;
}

gg_gemm_choice gg_race_leader(gg_race *race) {
  pthread_mutex_lock(&race->lock);
  gg_gemm_choice leader = race->leader;
  leader.measuring = race->stage != GG_RACE_OVER;
  pthread_mutex_unlock(&race->lock);
  return leader;
}

/* ---- The beginning and the end -------------------------------------------------------- */

static void end(gg_race *race) {
  race->stage = GG_RACE_OVER;
  drop_all(race);
}

/* If the driver fails with an event, that is no error of the caller's product: the race ends. */
static bool succeeds(gg_race *race, const char *call, CUresult result) {
  if (gg_driver_result(&race->context->driver, call, result, &race->fault) == GG_OK) return true;
  end(race);
  return false;
}

void gg_race_enter(gg_race *race, gg_slot *slot) {
  race->list[race->count++] = (gg_contender){.slot = slot, .least = INFINITY};
}

static bool make_events(gg_race *race) {
  const gg_driver *driver = &race->context->driver;
  for (int i = 0; i < race->count; i++) {
    gg_contender *c = &race->list[i];
    if (!succeeds(race, "cuEventCreate", driver->cuEventCreate(&c->start, 0)) ||
        !succeeds(race, "cuEventCreate", driver->cuEventCreate(&c->end, 0)))
      return false;
  }
  return true;
}

void gg_race_start(gg_race *race) {
  pthread_mutex_lock(&race->lock);
  race->stage = GG_RACE_OVER;
  if (race->count > 1 && gg_context_enter(race->context, &race->fault) == GG_OK) {
    if (make_events(race)) race->stage = GG_RACE_RUNS;
    gg_context_leave(race->context);
  }
  if (race->stage == GG_RACE_OVER) race->count = 0; /* they have no events to destroy */
  race->told = race->stage == GG_RACE_OVER;
  pthread_mutex_unlock(&race->lock);
}

/* ---- Rounds --------------------------------------------------------------------------- */

/* Who has the `turn`th turn of a round. Each round begins with another contender, so that not
 * always the same one profits from what the program calls between, and from what is in the L2
 * cache. */
static gg_contender *at_turn(gg_race *race, int turn) {
  return &race->list[(turn + race->round) % race->count];
}

static bool is_usual(const gg_race *race, const gg_contender *c) {
  return c->slot->module == race->usual;
}

static void lead(gg_race *race, const gg_contender *c) {
  race->leading = c->slot;
  race->leader = (gg_gemm_choice){.size = sizeof(gg_gemm_choice),
                                  .module = c->slot->module,
                                  .kernel = c->slot->kernel->name,
                                  .seconds = c->least,
                                  .measured = true,
                                  .apart = !is_usual(race, c)};
}

/* Drops the contenders that are out, or slower than `limit`. The others keep their order. */
static void keep_within(gg_race *race, double limit) {
  int kept = 0;
  for (int i = 0; i < race->count; i++) {
    gg_contender c = race->list[i];
    if (c.state == GG_CONTENDER_OUT || (c.least > limit && !is_usual(race, &c)))
      destroy_events(race, &c);
    else
      race->list[kept++] = c;
  }
  race->count = kept;
}

static void end_round(gg_race *race) {
  const gg_contender *best = NULL, *usual = NULL;
  for (int i = 0; i < race->count; i++) {
    const gg_contender *c = &race->list[i];
    if (c->state == GG_CONTENDER_OUT) continue;
    if (!(best && best->least <= c->least)) best = c;
    if (is_usual(race, c)) usual = c;
  }
  double limit = INFINITY; /* the first round does not count */
  if (best && race->round > 0) {
    int counted = race->round < tolerance_count ? race->round : tolerance_count;
    limit = best->least * (1 + tolerances[counted - 1]);
    lead(race, usual && usual->least <= best->least + hidden ? usual : best);
  }
  keep_within(race, limit);
  race->round++;
  race->launched = race->returned = 0;
  bool one = race->count <= 1 && race->round > 1; /* one that is alone is measured, too */
  if (one || race->count == 0 || race->round == rounds_most) end(race);
}

/* Reads how long a contender took; false if it has not ended. */
static bool read_time(gg_race *race, gg_contender *c) {
  const gg_driver *driver = &race->context->driver;
  float milliseconds = 0;
  CUresult result = driver->cuEventQuery(c->end);
  if (result == CUDA_ERROR_NOT_READY) return false;
  if (!succeeds(race, "cuEventQuery", result)) return true;
  result = driver->cuEventElapsedTime(&milliseconds, c->start, c->end);
  if (!succeeds(race, "cuEventElapsedTime", result)) return true;
  double seconds = 1e-3 * (double)milliseconds;
  if (race->round > 0 && seconds < c->least) c->least = seconds;
  c->state = GG_CONTENDER_BACK;
  return true;
}

/* Reads the times of launches that have ended, in the order of turns. */
static void look(gg_race *race) {
  while (race->stage == GG_RACE_RUNS && race->returned < race->launched) {
    gg_contender *c = at_turn(race, race->returned);
    if (c->state == GG_CONTENDER_TAKEN) return;
    if (c->state == GG_CONTENDER_AWAY && !read_time(race, c)) return;
    if (race->stage == GG_RACE_RUNS && ++race->returned == race->count) end_round(race);
  }
}

/* ---- Turns ---------------------------------------------------------------------------- */

/* Reads times in a mode that allows it while another stream is captured: otherwise, asking an event
 * whether it has passed would break the capture. */
static void look_while_captured(gg_race *race) {
  int mode = gg_capture_allow(race->context);
  look(race);
  gg_capture_forbid(race->context, mode);
}

/* Takes the next turn. NULL: all turns of the round are taken, or the race is over. */
static gg_contender *take_turn(gg_race *race) {
  gg_contender *c = NULL;
  pthread_mutex_lock(&race->lock);
  if (race->returned < race->launched) look_while_captured(race);
  if (race->stage == GG_RACE_RUNS && race->launched < race->count) {
    c = at_turn(race, race->launched++);
    c->state = GG_CONTENDER_TAKEN;
    race->taken++;
  }
  pthread_mutex_unlock(&race->lock);
  return c;
}

/* What became of a turn. */
typedef struct outcome {
  enum gg_contender_state state;
  bool parted;       /* whether the kernel does not take the problem, though the leader does */
  CUresult recorded; /* the driver's result for its events */
} outcome;

static outcome launch_between(const gg_contender *c, const gg_driver *driver,
                              const gg_problem *problem, CUstream stream) {
  outcome out = {.state = GG_CONTENDER_OUT};
  gg_prepared prepared;
  out.parted = gg_prepare(&prepared, c->slot->module, problem, NULL) != GG_OK;
  if (out.parted) return out;
  out.recorded = driver->cuEventRecord(c->start, stream);
  if (out.recorded || gg_launch_prepared(&prepared, stream, NULL)) return out;
  out.state = GG_CONTENDER_AWAY;
  out.recorded = driver->cuEventRecord(c->end, stream);
  return out;
}

/* False: nothing is launched. */
static bool run_turn(gg_race *race, gg_contender *c, const gg_problem *problem, CUstream stream) {
  outcome out = launch_between(c, &race->context->driver, problem, stream);
  pthread_mutex_lock(&race->lock);
  c->state = out.state;
  race->taken--;
  race->parted = race->parted || out.parted;
  if (race->stage == GG_RACE_OVER)
    drop_all(race); /* others have ended it meanwhile */
  else
    (void)succeeds(race, "cuEventRecord", out.recorded);
  pthread_mutex_unlock(&race->lock);
  return out.state == GG_CONTENDER_AWAY;
}

/* If the driver does not say, as for the default stream while another one is captured, the stream
 * might be captured. */
static bool is_captured(const gg_driver *driver, CUstream stream) {
  int status = 0;
  return driver->cuStreamIsCapturing(stream, &status) != CUDA_SUCCESS || status != 0;
}

bool gg_race_launch(gg_race *race, const gg_problem *problem, CUstream stream) {
  if (gg_race_stage_of(race) != GG_RACE_RUNS || gg_context_enter(race->context, NULL)) return false;
  bool captured = is_captured(&race->context->driver, stream);
  gg_contender *c = captured ? NULL : take_turn(race);
  bool launched = c && run_turn(race, c, problem, stream);
  gg_context_leave(race->context);
  return launched;
}

bool gg_race_ends(gg_race *race) {
  pthread_mutex_lock(&race->lock);
  bool ends = race->stage == GG_RACE_OVER && !race->told;
  race->told = race->told || ends;
  pthread_mutex_unlock(&race->lock);
  return ends;
}
