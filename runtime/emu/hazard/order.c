/* What is ordered before what: agents, objects, and how knowledge passes between them.
 *
 * A warp's clock moves on whenever somebody may have learnt of it, so that what it does next is not
 * yet known to them. Objects are kept by address in a hash table. If memory runs out here, there is
 * no instruction to blame, so it is remembered, and the next access faults. */
#include <string.h>

#include "base/alloc.h"
#include "emu/hazard/beside.h"
#include "emu/hazard/state.h"
#include "emu/module.h"

bool emu_hazard_fences(const ptx_module *ptx, const char *modifier) {
  for (uint32_t i = 0; i < ptx->form_count; i++) {
    const ptx_form *form = ptx->forms[i];
    if (strcmp(form->opcode, "fence") && strcmp(form->opcode, "membar")) continue;
    if (!modifier) return true;
    for (uint32_t m = 0; m < form->modifier_count; m++) {
      if (!strcmp(form->modifiers[m], modifier)) return true;
    }
  }
  return false;
}

gg_status emu_hazards_open(struct emu_hazards **out, emu_cluster *cluster, gg_error *err) {
  *out = NULL;
  if (cluster->run->options->severities.of[EMU_CLASS_RACE] == EMU_SEVERITY_OFF) return GG_OK;
  struct emu_hazards *hazards = gg_malloc(sizeof *hazards);
  if (!hazards) return gg_fail(err, MEMORY, NULL, "");
  memset(hazards, 0, sizeof *hazards);
  hazards->cluster = cluster;
  hazards->init_fences = emu_hazard_fences(emu_kernel_ptx(cluster->run->kernel), "mbarrier_init");
  cluster->hazards = *out = hazards;
  return emu_part_open(&hazards->part, cluster, err);
}

void emu_hazards_close(struct emu_hazards *hazards) {
  if (!hazards) return;
  emu_part_close(hazards->cluster);
  for (int i = 0; i < EMU_CLUSTER_MAX * EMU_WARPS_MAX; i++) {
    emu_watched *watched = hazards->watched[i];
    if (!watched) continue;
    emu_knowledge_free(&watched->knows);
    emu_knowledge_free(&watched->fenced);
    emu_knowledge_free(&watched->pending);
    gg_free(watched->tensor.at);
    gg_free(watched);
  }
  for (uint32_t i = 0; i < hazards->object_room; i++)
    emu_knowledge_free(&hazards->objects[i].knows);
  gg_free(hazards->shadow.bytes);
  emu_readers_free(&hazards->shadow.readers);
  gg_free(hazards->objects);
  gg_free(hazards->sites.ops);
  gg_free(hazards->sites.buckets);
  gg_free(hazards);
}

/* ---- Agents ----------------------------------------------------------------------------- */

static void check(struct emu_hazards *hazards, bool ok) {
  hazards->broken |= !ok;
}

emu_watched *emu_watch(struct emu_hazards *hazards, emu_warp *warp) {
  emu_watched **slot = &hazards->watched[warp->cta->rank * EMU_WARPS_MAX + (unsigned)warp->index];
  if (*slot) return *slot;
  emu_watched *watched = gg_malloc(sizeof *watched);
  if (!watched) {
    hazards->broken = true;
    return NULL;
  }
  *watched = (emu_watched){.warp = warp};
  if (hazards->agents < EMU_AGENTS_MAX) {
    watched->agent = ++hazards->agents;
    hazards->warp_of[watched->agent] = watched;
  }
  check(hazards, emu_clocks_raise(&watched->knows.seen, watched->agent, 1));
  *slot = watched;
  return watched;
}

/* The warp's record; NULL if checks are off or memory has run out. */
static emu_watched *watch(emu_warp *warp) {
  struct emu_hazards *hazards = warp->cta->cluster->hazards;
  return hazards && !hazards->broken ? emu_watch(hazards, warp) : NULL;
}

static struct emu_hazards *hazards_of(const emu_watched *watched) {
  return watched->warp->cta->cluster->hazards;
}

/* From now on accesses have a new clock. */
static void move_on(emu_watched *watched) {
  uint32_t next = emu_clocks_of(&watched->knows.seen, watched->agent) + 1;
  check(hazards_of(watched), emu_clocks_raise(&watched->knows.seen, watched->agent, next));
  watched->touched = false;
}

/* ---- Objects ---------------------------------------------------------------------------- */

static uint32_t bucket(const struct emu_hazards *hazards, const void *key) {
  uint64_t mixed = (uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15u;
  uint32_t i = (uint32_t)(mixed >> 32) & (hazards->object_room - 1);
  while (hazards->objects[i].key && hazards->objects[i].key != key)
    i = (i + 1) & (hazards->object_room - 1);
  return i;
}

static bool grow(struct emu_hazards *hazards) {
  if (hazards->object_count * 2 < hazards->object_room) return true;
  emu_object *old = hazards->objects;
  uint32_t room = hazards->object_room, wider = room ? room * 2 : 64;
  emu_object *objects = gg_malloc(wider * sizeof *objects);
  if (!objects) return false;
  memset(objects, 0, wider * sizeof *objects);
  hazards->objects = objects;
  hazards->object_room = wider;
  for (uint32_t i = 0; i < room; i++) {
    if (old[i].key) objects[bucket(hazards, old[i].key)] = old[i];
  }
  gg_free(old);
  return true;
}

static emu_object *find(const struct emu_hazards *hazards, const void *key) {
  if (!hazards->object_room) return NULL;
  emu_object *object = &hazards->objects[bucket(hazards, key)];
  return object->key ? object : NULL;
}

static emu_object *find_or_make(struct emu_hazards *hazards, const void *key) {
  emu_object *object = find(hazards, key);
  if (object) return object;
  if (!grow(hazards)) {
    hazards->broken = true;
    return NULL;
  }
  object = &hazards->objects[bucket(hazards, key)];
  object->key = key;
  hazards->object_count++;
  return object;
}

/* An object keeps its slot; only what it knows is forgotten. */
void emu_hazard_forget(emu_cluster *cluster, const void *key) {
  emu_object *object = cluster->hazards ? find(cluster->hazards, key) : NULL;
  if (!object) return;
  emu_knowledge_free(&object->knows);
  object->knows = (emu_knowledge){0};
}

emu_agent emu_hazard_agent(emu_cluster *cluster, const void *key) {
  struct emu_hazards *hazards = cluster->hazards;
  emu_object *object = hazards && !hazards->broken ? find_or_make(hazards, key) : NULL;
  if (!object) return 0;
  if (!object->agent && hazards->agents < EMU_AGENTS_MAX) object->agent = ++hazards->agents;
  return object->agent;
}

/* ---- Passing knowledge on --------------------------------------------------------------- */

static void release(emu_watched *watched, const emu_knowledge *what, const void *key) {
  emu_object *object = find_or_make(hazards_of(watched), key);
  if (object) check(hazards_of(watched), emu_knowledge_join(&object->knows, what));
}

void emu_hazard_release(emu_warp *warp, const void *key) {
  emu_watched *watched = watch(warp);
  if (!watched) return;
  release(watched, &watched->knows, key);
  move_on(watched);
}

void emu_hazard_release_relaxed(emu_warp *warp, const void *key) {
  emu_watched *watched = watch(warp);
  if (watched) release(watched, &watched->fenced, key);
}

void emu_hazard_release_past(emu_warp *warp, const void *key) {
  emu_watched *watched = watch(warp);
  emu_object *object = watched ? find_or_make(hazards_of(watched), key) : NULL;
  if (!object) return;
  check(hazards_of(watched), emu_clocks_join(&object->knows.past, &watched->knows.seen) &&
                                 emu_clocks_join(&object->knows.past, &watched->knows.past));
  move_on(watched);
}

void emu_hazard_acquire(emu_warp *warp, const void *key) {
  emu_watched *watched = watch(warp);
  const emu_object *object = watched ? find(hazards_of(watched), key) : NULL;
  if (!object) return;
  check(hazards_of(watched), emu_knowledge_join(&watched->knows, &object->knows));
  emu_hazard_converge(warp);
}

void emu_hazard_acquire_relaxed(emu_warp *warp, const void *key) {
  emu_watched *watched = watch(warp);
  const emu_object *object = watched ? find(hazards_of(watched), key) : NULL;
  if (object) check(hazards_of(watched), emu_knowledge_join(&watched->pending, &object->knows));
}

void emu_hazard_fence(emu_warp *warp) {
  emu_watched *watched = watch(warp);
  if (!watched) return;
  check(hazards_of(watched), emu_knowledge_join(&watched->knows, &watched->pending) &&
                                 emu_knowledge_join(&watched->fenced, &watched->knows));
  move_on(watched);
}

void emu_hazard_fence_proxy(emu_warp *warp) {
  emu_watched *watched = watch(warp);
  if (!watched) return;
  check(hazards_of(watched), emu_clocks_join(&watched->knows.proxied, &watched->knows.seen));
  move_on(watched);
}

void emu_hazard_consume(emu_warp *warp) {
  emu_watched *watched = watch(warp);
  if (watched) watched->consumed = emu_clocks_of(&watched->knows.seen, watched->agent);
}

void emu_hazard_fence_tensor(emu_warp *warp) {
  emu_watched *watched = watch(warp);
  if (!watched) return;
  check(hazards_of(watched), emu_clocks_join(&watched->tensor, &watched->knows.seen));
}

void emu_hazard_fence_inits(emu_warp *warp) {
  emu_watched *watched = watch(warp);
  if (watched) watched->inits = emu_clocks_of(&watched->knows.seen, watched->agent);
  emu_hazard_fence(warp);
}

bool emu_hazard_init_fenced(emu_warp *warp, emu_agent maker, uint64_t made) {
  const emu_watched *watched = maker ? watch(warp) : NULL;
  if (!watched || !hazards_of(watched)->init_fences) return true;
  return hazards_of(watched)->warp_of[maker]->inits >= made ||
         emu_clocks_of(&watched->knows.proxied, maker) >= made;
}

void emu_hazard_converge(emu_warp *warp) {
  emu_watched *watched = watch(warp);
  if (!watched) return;
  if (watched->touched) move_on(watched);
  watched->met = emu_clocks_of(&watched->knows.seen, watched->agent);
}

void emu_hazard_flag(emu_warp *warp, uint64_t address) {
  emu_watched *watched = watch(warp);
  if (!watched) return;
  const void *flag = &hazards_of(watched)->flags[(address >> 7) % EMU_FLAGS];
  if (watched->flag == flag && !watched->touched) return;
  emu_hazard_acquire(warp, flag);
  emu_hazard_release(warp, flag);
  watched->flag = flag;
}

void emu_hazard_learn(emu_warp *warp, emu_agent agent, uint64_t clock) {
  emu_watched *watched = watch(warp);
  if (!watched || !agent) return;
  check(hazards_of(watched), emu_clocks_raise(&watched->knows.seen, agent, (uint32_t)clock));
}

void emu_hazard_teach(emu_cluster *cluster, const void *key, emu_agent agent, uint64_t clock) {
  struct emu_hazards *hazards = cluster->hazards;
  emu_object *object = hazards && agent && !hazards->broken ? find_or_make(hazards, key) : NULL;
  if (object) check(hazards, emu_clocks_raise(&object->knows.seen, agent, (uint32_t)clock));
}

void emu_hazard_pass(emu_cluster *cluster, const void *to, const void *from) {
  struct emu_hazards *hazards = cluster->hazards;
  if (!hazards || hazards->broken || !find(hazards, from)) return;
  emu_object *taker = find_or_make(hazards, to);
  if (taker) check(hazards, emu_knowledge_join(&taker->knows, &find(hazards, from)->knows));
}

emu_agent emu_hazard_moment(emu_warp *warp, uint64_t *clock) {
  const emu_watched *watched = watch(warp);
  *clock = watched ? emu_clocks_of(&watched->knows.seen, watched->agent) : 0;
  return watched ? watched->agent : 0;
}

bool emu_hazard_knows(emu_warp *warp, emu_agent agent, uint64_t clock) {
  const emu_watched *watched = agent ? watch(warp) : NULL;
  return !watched || emu_clocks_of(&watched->knows.seen, agent) >= clock;
}

bool emu_hazard_past(emu_warp *warp, emu_agent agent, uint64_t clock) {
  const emu_watched *watched = agent ? watch(warp) : NULL;
  return watched && emu_clocks_of(&watched->knows.past, agent) >= clock;
}

bool emu_hazard_knows_fenced(emu_warp *warp, emu_agent agent, uint64_t clock) {
  const emu_watched *watched = agent ? watch(warp) : NULL;
  return !watched || emu_clocks_of(&watched->tensor, agent) >= clock;
}
