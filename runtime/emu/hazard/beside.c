/* See beside.h.
 *
 * A stream (emu_succession) knows which launches may still run when its next one begins, and which
 * of them may still run when that one has waited: griddepcontrol.wait waits for the launch ahead,
 * but for those before it only as far as that one has waited itself.
 *
 * For the race detector, an agent called the gate stands for having waited, at clock
 * EMU_ORDER_WAITED: whoever waits learns it, and barriers hand it on. Between clusters, and from
 * one launch to the next, there is no clock. There, a byte's tag says whether a strong write of it
 * was a release, and whoever acquires it learns of the gate. That may be too much, but is never too
 * little.
 *
 * On hardware, what came before its CTA's launch_dependents was over when the next launch began, if
 * it was a read, or a write with a fence behind it; PTX does not say so. Stores are kept in a list
 * until that instruction comes; the list has room for as many as are usual. */
#include "emu/hazard/beside.h"

#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "emu/hazard/state.h"
#include "emu/hazard/touches.h"
#include "emu/isa/access.h"
#include "emu/isa/lanes.h"
#include "emu/module.h"
#include "emu/state.h"

enum { recent_most = 64, stores_most = 256, sites_least = 64 };

/* Bits of a warp's state. */
enum { FENCED = 1, FENCED_WAITED = 2, PENDING_WAITED = 4, PENDING_ALL = 8 };

/* The number of an instruction's accesses. */
typedef struct site {
  const emu_op *op; /* NULL: none */
  uint32_t number;
} site;

struct emu_beside {
  struct emu_touches *touches; /* the device's */
  uint32_t first;              /* the first of this launch's numbers */
  emu_ahead begun, waited;     /* what may still run before, and behind, the wait */
  atomic_bool has_waited;      /* whether some thread has waited */
  atomic_bool begins_late;     /* whether the next launch begins behind such a wait */
  pthread_mutex_t lock;
  site *sites; /* a hash table */
  uint32_t site_count, site_room;
};

/* Bytes that a warp has stored before its CTA's launch_dependents. */
typedef struct early_store {
  emu_place place;
  uint32_t bytes;
  unsigned rank;
  emu_agent agent;
  uint64_t clock;
  bool fenced;
} early_store;

struct emu_part {
  emu_agent gate;
  bool triggered[EMU_CLUSTER_MAX], waited[EMU_CLUSTER_MAX];
  bool unwaited[EMU_CLUSTER_MAX]; /* whether a thread has triggered that has not waited */
  uint8_t warps[EMU_CLUSTER_MAX * EMU_WARPS_MAX];
  site recent[recent_most];
  early_store stores[stores_most];
  uint32_t store_count;
};

/* ---- Launches of a stream --------------------------------------------------------------- */

/* Which of the launches has left a tag, from 1 on; 0: none. */
static uint32_t launch_of(const emu_ahead *ahead, emu_tag tag) {
  uint32_t number = tag & EMU_TAG_NUMBER;
  for (uint32_t i = 0; number && i < ahead->count; i++) {
    if (number >= ahead->first[i] && number < ahead->end[i]) return i + 1;
  }
  return 0;
}

static bool is_ahead(const emu_ahead *ahead, emu_tag tag) {
  return launch_of(ahead, tag) != 0;
}

/* Adds a launch. If there is no more room, the oldest one counts as ended. */
static void add_ahead(emu_ahead *ahead, uint32_t first, uint32_t end) {
  if (first == end) return;
  if (ahead->count == EMU_AHEAD_MAX) {
    ahead->count--;
    memmove(ahead->first, ahead->first + 1, ahead->count * sizeof *ahead->first);
    memmove(ahead->end, ahead->end + 1, ahead->count * sizeof *ahead->end);
  }
  ahead->first[ahead->count] = first;
  ahead->end[ahead->count++] = end;
}

static bool triggers(const ptx_module *ptx) {
  for (uint32_t i = 0; i < ptx->form_count; i++) {
    if (strcmp(ptx->forms[i]->opcode, "griddepcontrol")) continue;
    if (!strcmp(ptx->forms[i]->modifiers[0], "launch_dependents")) return true;
  }
  return false;
}

/* Whether a launch beside this one may need to know what it has done, or it what others have: if it
 * is beside others, lets others begin early, or if some launch of the device has been beside
 * others. */
static bool is_wanted(const emu_run *run) {
  const emu_device *device = run->device;
  if (!run->config->succession) return false;
  if (run->options->severities.of[EMU_CLASS_RACE] == EMU_SEVERITY_OFF) return false;
  return run->config->beside || device->beside || triggers(emu_kernel_ptx(run->kernel));
}

static void forget_long_ago(emu_device *device) {
  if (!emu_touches_many(device->touches)) return;
  for (uint32_t i = 0; i < device->range_count; i++)
    gg_free(atomic_exchange(&device->ranges[i]->touched, NULL));
  emu_touches_forget(device->touches);
}

gg_status emu_beside_open(emu_run *run, gg_error *err) {
  emu_device *device = run->device;
  device->beside |= run->config->beside && run->config->succession;
  if (!is_wanted(run)) return GG_OK;
  if (!device->touches) device->touches = emu_touches_open();
  struct emu_beside *beside = device->touches ? gg_calloc(1, sizeof *beside) : NULL;
  if (!beside) return gg_fail(err, MEMORY, NULL, "");
  if (pthread_mutex_init(&beside->lock, NULL)) {
    gg_free(beside);
    return gg_fail(err, MEMORY, NULL, "");
  }
  forget_long_ago(device);
  beside->touches = device->touches;
  beside->first = emu_touches_next(beside->touches);
  if (run->config->beside && run->config->succession->age == emu_touches_age(device->touches)) {
    beside->begun = run->config->succession->begun;
    beside->waited = run->config->succession->waited;
  }
  run->beside = beside;
  return GG_OK;
}

void emu_beside_close(emu_run *run, bool failed) {
  struct emu_beside *beside = run->beside;
  emu_succession *stream = run->config->succession;
  if (stream && (failed || !beside)) *stream = (emu_succession){0};
  if (!beside) return;
  if (!failed) {
    stream->age = emu_touches_age(beside->touches);
    stream->begun = beside->begins_late ? beside->waited : beside->begun;
    stream->waited = beside->has_waited ? beside->waited : beside->begun;
    add_ahead(&stream->begun, beside->first, emu_touches_next(beside->touches));
  }
  pthread_mutex_destroy(&beside->lock);
  gg_free(beside->sites);
  gg_free(beside);
  run->beside = NULL;
}

/* ---- Instructions by number ------------------------------------------------------------- */

static site *bucket(site *sites, uint32_t room, const emu_op *op) {
  uint64_t mixed = (uint64_t)(uintptr_t)op * 0x9e3779b97f4a7c15u;
  uint32_t i = (uint32_t)(mixed >> 32) & (room - 1);
  while (sites[i].op && sites[i].op != op)
    i = (i + 1) & (room - 1);
  return &sites[i];
}

static bool grow(struct emu_beside *beside) {
  if (beside->site_count * 2 < beside->site_room) return true;
  uint32_t room = beside->site_room ? beside->site_room * 2 : sites_least;
  site *sites = gg_calloc(room, sizeof *sites);
  if (!sites) return false;
  for (uint32_t i = 0; i < beside->site_room; i++) {
    if (beside->sites[i].op) *bucket(sites, room, beside->sites[i].op) = beside->sites[i];
  }
  gg_free(beside->sites);
  beside->sites = sites;
  beside->site_room = room;
  return true;
}

/* The number of an op's accesses; 0 when memory is out. */
static uint32_t number_of(struct emu_beside *beside, const emu_op *op, const char *kernel) {
  uint32_t number = 0;
  pthread_mutex_lock(&beside->lock);
  if (grow(beside)) {
    site *found = bucket(beside->sites, beside->site_room, op);
    if (!found->op) {
      *found = (site){op, emu_touches_add(beside->touches, kernel, op)};
      beside->site_count++;
    }
    number = found->number;
  }
  pthread_mutex_unlock(&beside->lock);
  return number;
}

static struct emu_part *part_of(const emu_warp *warp) {
  const struct emu_hazards *hazards = warp->cta->cluster->hazards;
  return hazards ? hazards->part : NULL;
}

static uint32_t number_for(const emu_warp *warp, const emu_op *op) {
  emu_run *run = warp->cta->cluster->run;
  site *known = &part_of(warp)->recent[((uintptr_t)op / sizeof *op) % recent_most];
  if (known->op != op) *known = (site){op, number_of(run->beside, op, run->kernel->facts.name)};
  return known->number;
}

/* ---- What warps know -------------------------------------------------------------------- */

static uint8_t *bits_of(struct emu_part *part, const emu_warp *warp) {
  return &part->warps[warp->cta->rank * EMU_WARPS_MAX + (unsigned)warp->index];
}

emu_order emu_beside_order(emu_warp *warp) {
  const struct emu_part *part = part_of(warp);
  if (!part || emu_hazard_knows(warp, part->gate, EMU_ORDER_ALL)) return EMU_ORDER_ALL;
  return emu_hazard_knows(warp, part->gate, EMU_ORDER_WAITED) ? EMU_ORDER_WAITED : EMU_ORDER_NONE;
}

void emu_beside_complete(emu_cluster *cluster, const void *object, emu_order order) {
  const struct emu_part *part = cluster->hazards ? cluster->hazards->part : NULL;
  if (part && order != EMU_ORDER_NONE) emu_hazard_teach(cluster, object, part->gate, order);
}

void emu_beside_wait(emu_warp *warp) {
  struct emu_part *part = part_of(warp);
  if (!part) return;
  emu_hazard_learn(warp, part->gate, EMU_ORDER_WAITED);
  part->waited[warp->cta->rank] = true;
  atomic_store(&warp->cta->cluster->run->beside->has_waited, true);
}

/* From now on the warp may rely on what it has read before, and others on what it knew. */
void emu_beside_fence(emu_warp *warp) {
  struct emu_part *part = part_of(warp);
  if (!part) return;
  uint8_t *bits = bits_of(part, warp);
  if (*bits & PENDING_WAITED) emu_hazard_learn(warp, part->gate, EMU_ORDER_WAITED);
  if (*bits & PENDING_ALL) emu_hazard_learn(warp, part->gate, EMU_ORDER_ALL);
  *bits |= FENCED;
  if (emu_beside_order(warp) != EMU_ORDER_NONE) *bits |= FENCED_WAITED;
  for (uint32_t i = 0; i < part->store_count; i++) {
    early_store *store = &part->stores[i];
    store->fenced |= emu_hazard_knows(warp, store->agent, store->clock);
  }
}

static bool says(const emu_op *op, const char *modifier) {
  const ptx_form *form = op->ptx ? op->ptx->form : NULL;
  for (uint32_t i = 0; form && i < form->modifier_count; i++) {
    if (!strcmp(form->modifiers[i], modifier) || !strcmp(form->modifiers[i], "acq_rel"))
      return true;
  }
  return false;
}

/* Called for a strong read of what a strong write has left. */
static void acquire(emu_warp *warp, const emu_op *op, emu_tag found) {
  struct emu_part *part = part_of(warp);
  const struct emu_beside *beside = warp->cta->cluster->run->beside;
  bool own = (found & EMU_TAG_NUMBER) >= beside->first;
  emu_order order = EMU_ORDER_NONE;
  if (own && found & EMU_TAG_TEACHES) order = EMU_ORDER_WAITED;
  if (!own && found & EMU_TAG_RELEASED && is_ahead(&beside->begun, found)) order = EMU_ORDER_ALL;
  if (order == EMU_ORDER_NONE) return;
  if (says(op, "acquire")) {
    emu_hazard_learn(warp, part->gate, order);
  } else {
    *bits_of(part, warp) |= order == EMU_ORDER_ALL ? PENDING_ALL : PENDING_WAITED;
  }
}

/* What a strong write tells those that acquire it. */
static emu_tag released(emu_warp *warp, const emu_op *op) {
  uint8_t bits = *bits_of(part_of(warp), warp);
  bool releases = says(op, "release");
  emu_tag tag = releases || bits & FENCED ? EMU_TAG_RELEASED : 0;
  bool waited = releases ? emu_beside_order(warp) != EMU_ORDER_NONE : bits & FENCED_WAITED;
  return tag | (waited ? EMU_TAG_TEACHES : 0);
}

/* ---- The next launch may begin ---------------------------------------------------------- */

/* Notes that what the CTA has stored and fenced is over. `trigger` is the warp that triggers, which
 * must know of it; NULL: all warps have ended. */
static void end_stores(struct emu_part *part, const struct emu_beside *beside, unsigned rank,
                       emu_warp *trigger) {
  for (uint32_t i = 0; i < part->store_count; i++) {
    const early_store *store = &part->stores[i];
    emu_touch *touched = atomic_load(&store->place.bank->touched);
    if (store->rank != rank || !store->fenced || !touched) continue;
    if (trigger && !emu_hazard_knows(trigger, store->agent, store->clock)) continue;
    for (uint32_t k = 0; k < store->bytes; k++) {
      _Atomic emu_tag *tag = &touched[store->place.offset + k].write;
      emu_tag last = atomic_load_explicit(tag, memory_order_relaxed);
      if ((last & EMU_TAG_NUMBER) < beside->first) continue;
      atomic_store_explicit(tag, last | EMU_TAG_EARLY, memory_order_relaxed);
    }
  }
}

/* The first thread of a CTA that triggers is what counts, and any that does may be the first. */
void emu_beside_trigger(emu_warp *warp) {
  struct emu_part *part = part_of(warp);
  unsigned rank = warp->cta->rank;
  if (!part) return;
  part->unwaited[rank] |= emu_beside_order(warp) == EMU_ORDER_NONE;
  if (part->triggered[rank]) return;
  part->triggered[rank] = true;
  end_stores(part, warp->cta->cluster->run->beside, rank, warp);
}

gg_status emu_part_open(struct emu_part **out, emu_cluster *cluster, gg_error *err) {
  *out = NULL;
  if (!cluster->run->beside) return GG_OK;
  *out = gg_calloc(1, sizeof **out);
  if (!*out) return gg_fail(err, MEMORY, NULL, "");
  (*out)->gate = emu_hazard_agent(cluster, *out);
  return GG_OK;
}

/* A CTA that ends without launch_dependents lets the next launch begin by that. */
void emu_part_close(emu_cluster *cluster) {
  struct emu_part *part = cluster->hazards->part;
  struct emu_beside *beside = cluster->run->beside;
  for (unsigned rank = 0; part && rank < cluster->cta_count; rank++) {
    bool triggered = part->triggered[rank];
    bool late = triggered ? !part->unwaited[rank] : part->waited[rank];
    if (late) atomic_store(&beside->begins_late, true);
    if (!triggered) end_stores(part, beside, rank, NULL);
  }
  gg_free(part);
  cluster->hazards->part = NULL;
}

/* ---- Accesses --------------------------------------------------------------------------- */

/* Who makes an access. */
typedef struct actor {
  emu_warp *warp;
  const emu_op *op;
  int lane;
  unsigned intent;
  bool synchronous;
  emu_order order;
  const struct emu_beside *beside;
  const emu_ahead *ahead;        /* the launches that it is compared with; NULL: none */
  emu_tag write, read;           /* the tags that it leaves */
  emu_tag good_write, good_read; /* the last tags that were found good */
  bool told;
} actor;

/* What may still run for an access with this order; NULL: nothing. */
static const emu_ahead *ahead_of(const struct emu_beside *beside, emu_order order) {
  if (order == EMU_ORDER_ALL) return NULL;
  const emu_ahead *ahead = order == EMU_ORDER_WAITED ? &beside->waited : &beside->begun;
  return ahead->count ? ahead : NULL;
}

static bool begin(actor *a, emu_warp *warp, const emu_op *op, emu_order order, unsigned intent) {
  const struct emu_beside *beside = warp->cta->cluster->run->beside;
  uint32_t number = number_for(warp, op);
  *a = (actor){.warp = warp, .op = op, .intent = intent, .order = order, .beside = beside};
  if (!number) {
    emu_fault(warp, op, -1, GG_E_MEMORY, " for what launches touch");
    return false;
  }
  a->ahead = ahead_of(beside, order);
  a->write = a->read = number | (intent & EMU_STRONG ? EMU_TAG_STRONG : 0);
  return true;
}

static bool report(actor *a, emu_place place, emu_tag earlier, bool wrote) {
  emu_touch_words who = emu_touches_words(a->beside->touches, earlier & EMU_TAG_NUMBER);
  bool early = earlier & EMU_TAG_EARLY, further = a->order == EMU_ORDER_WAITED;
  const char *reason =
      early     ? "nothing but its griddepcontrol.launch_dependents is between the two: hardware "
                  "has them in this order, and PTX does not promise it"
      : further ? "it may still run, as the launch between the two has not waited for it "
                  "(griddepcontrol.wait)"
                : "it may still run, as this access is not ordered behind a griddepcontrol.wait";
  a->told = true;
  return emu_tolerated(a->warp, a->op, a->lane, early ? GG_E_EMU_RELAXED : GG_E_EMU_RACE,
                       "%s %s, which the launch %s, %s, has %s at line %u (%s): %s",
                       a->intent & EMU_WRITE ? "writes" : "reads", emu_place_in_words(place).text,
                       further ? "before the one ahead" : "ahead", who.kernel,
                       wrote ? "written" : "read", who.line, who.form, reason);
}

/* Whether a thread stores the value that is there, which changes nothing. */
static bool stores_the_same(const actor *a, emu_place place) {
  uint8_t value[EMU_ACCESS_MAX];
  if (!a->synchronous || !emu_is_store(a->op)) return false;
  emu_stored_value(value, a->warp, a->op, a->lane);
  size_t bytes =
      (size_t)emu_type_of((emu_type)a->op->type)->bits / 8 * (a->op->vector ? a->op->vector : 1);
  return !memcmp(value, emu_place_bytes(place), bytes);
}

/* Whether two accesses, one of them a write, need an order between them. */
static bool conflicts(const actor *a, emu_tag earlier) {
  return is_ahead(a->ahead, earlier) && !(a->intent & EMU_STRONG && earlier & EMU_TAG_STRONG);
}

/* Checks one byte of the access at `place`; false after a fault. A launch that stores what the one
 * ahead has stored changes nothing for that one. But if a third one has read the byte between them,
 * that is a fault, as it is if nobody ahead has stored: values may be equal by chance. */
static bool check(actor *a, emu_place place, emu_tag write, emu_tag read) {
  if (write == a->good_write && read == a->good_read) return true;
  if (conflicts(a, write)) {
    if (!(a->intent & EMU_WRITE) || !stores_the_same(a, place))
      return report(a, place, write, true);
    if (conflicts(a, read) && launch_of(a->ahead, read) != launch_of(a->ahead, write))
      return report(a, place, read, false);
  } else if (a->intent & EMU_WRITE && conflicts(a, read)) {
    return report(a, place, read, false);
  } else {
    a->good_write = write;
    a->good_read = read;
  }
  return true;
}

/* Of a launch's accesses to a byte, the one that needs the most order is remembered: one that is
 * neither atomic nor early. */
static bool asks_more(const actor *a, emu_tag last, emu_tag now) {
  const emu_tag less = EMU_TAG_STRONG | EMU_TAG_EARLY;
  return (last & EMU_TAG_NUMBER) >= a->beside->first && (last & less) < (now & less);
}

static void leave(_Atomic emu_tag *tag, const actor *a, emu_tag last, emu_tag now) {
  if (last == now || asks_more(a, last, now)) return;
  atomic_store_explicit(tag, now, memory_order_relaxed);
}

/* An exchange hands on what it learns from the write that it has read. */
static emu_tag hand_on(const actor *a, emu_tag last) {
  if (!(a->intent & EMU_STRONG) || !(a->intent & EMU_READ) || !(last & EMU_TAG_STRONG)) return 0;
  if ((last & EMU_TAG_NUMBER) >= a->beside->first)
    return last & (EMU_TAG_RELEASED | EMU_TAG_TEACHES);
  bool released = last & EMU_TAG_RELEASED && is_ahead(&a->beside->begun, last);
  return released ? EMU_TAG_TEACHES : 0;
}

/* Tags take eight times as much memory as a range. If there is not enough, it is not checked. */
static bool touch(actor *a, emu_place place, uint32_t bytes) {
  emu_touch *touched = place.bank->read_only ? NULL : emu_touches_of(place.bank);
  if (!touched) return true;
  touched += place.offset;
  for (uint32_t i = 0; i < bytes; i++) {
    emu_tag write = atomic_load_explicit(&touched[i].write, memory_order_relaxed);
    emu_tag read = atomic_load_explicit(&touched[i].read, memory_order_relaxed);
    if (a->ahead && !a->told && !check(a, place, write, read)) return false;
    if (a->intent & EMU_STRONG && a->intent & EMU_READ && write & EMU_TAG_STRONG)
      acquire(a->warp, a->op, write);
    if (a->intent & EMU_WRITE) leave(&touched[i].write, a, write, a->write | hand_on(a, write));
    if (a->intent & EMU_READ) leave(&touched[i].read, a, read, a->read);
  }
  return true;
}

/* Keeps a store in the list. Stores of neighbouring bytes become one. */
static void keep_store(struct emu_part *part, emu_warp *warp, emu_place place, uint32_t bytes) {
  uint64_t clock;
  emu_agent agent = emu_hazard_moment(warp, &clock);
  early_store *last = part->store_count ? &part->stores[part->store_count - 1] : NULL;
  if (last && last->agent == agent && last->clock == clock && !last->fenced &&
      last->place.bank == place.bank && last->place.offset + last->bytes == place.offset) {
    last->bytes += bytes;
  } else if (part->store_count < stores_most) {
    part->stores[part->store_count++] =
        (early_store){place, bytes, warp->cta->rank, agent, clock, false};
  }
}

bool emu_beside_access(const emu_bank_access *access, const emu_places *places) {
  actor a;
  struct emu_part *part = part_of(access->warp);
  if (!part) return true;
  if (!begin(&a, access->warp, access->op, emu_beside_order(access->warp), access->intent))
    return false;
  bool strong = a.intent & EMU_STRONG, early = !part->triggered[a.warp->cta->rank];
  a.synchronous = true;
  if (early) a.read |= EMU_TAG_EARLY;
  if (strong && a.intent & EMU_WRITE) a.write |= released(a.warp, a.op);
  EMU_EACH_LANE(access->lanes, lane) {
    emu_place place = places->of[lane];
    a.lane = (int)lane;
    a.good_write = a.good_read = 0;
    if (!touch(&a, place, access->bytes)) return false;
    if (early && !strong && a.intent & EMU_WRITE && !place.bank->read_only)
      keep_store(part, a.warp, place, access->bytes);
  }
  return true;
}

bool emu_beside_span(emu_warp *warp, const emu_op *op, int lane, emu_order order, uint64_t address,
                     uint32_t bytes, unsigned intent) {
  actor a;
  if (!part_of(warp) || !bytes) return true;
  emu_bank *range = emu_range_find(warp->cta->cluster->run->device, address, bytes);
  if (!range) return true;
  if (!begin(&a, warp, op, order, intent)) return false;
  a.lane = lane;
  return touch(&a, (emu_place){range, address - range->base}, bytes);
}
