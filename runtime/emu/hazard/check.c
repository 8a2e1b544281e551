/* Checks accesses against what is ordered before them.
 *
 * A write must come after the last write and after all reads since; a read after the last write.
 * Neighbouring words mostly have equal histories. So if a cell equals the one before, which was
 * found good, it is good, too, and becomes what that one has become. For a warp's own accesses only
 * the lane matters: another lane must have met this one since (`met`). What an asynchronous
 * operation does is ordered only by its agent. If that is of the async proxy, it may read what
 * threads wrote, and write where they read, only if a proxy fence was between.
 *
 * A store of the value that is there changes nothing: threads that store the same value to one
 * place do not race with each other. If nothing orders such a store, it is kept among the place's
 * readers, beside the last write. A later write must come after both, a read after one of the two.
 * (Warp-specialised kernels of Triton store the same constant from every warp.) */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "emu/hazard/state.h"
#include "emu/isa/access.h"

typedef enum verdict { ORDERED, UNORDERED, RELAXED, LANES, UNFENCED, TRUSTED, OVERTAKES } verdict;

enum { ANY_LANE = -1, known_most = 16 };

/* Who makes an access. */
typedef struct actor {
  struct emu_hazards *hazards;
  emu_watched *watched; /* whose knowledge counts */
  emu_warp *warp;
  const emu_op *op;
  int lane; /* ANY_LANE: of an operation that several lanes have issued */
  bool write, atomic;
  bool own;        /* whether it has found what its own warp has written */
  bool agrees;     /* the last write that it found is not ordered, but stores the same value */
  emu_place place; /* of the lane's access; `bytes` 0: it is an asynchronous operation's */
  uint32_t bytes;
  emu_proxy proxy;
  bool trusting; /* this and `since` are as in emu_async */
  uint64_t since;
  emu_epoch epoch;
  /* Histories; `write` is EMU_CELL_NONE if there is none. */
  emu_cell good;              /* the last one that was found good, for some lane */
  emu_cell before, after;     /* the last one that this lane has found, and what became of it */
  uint64_t known[known_most]; /* agents and clocks of writes that are ordered; 0: none */
} actor;

static void forget_histories(actor *a) {
  a->good.write = a->before.write = EMU_CELL_NONE;
}

/* ---- Epochs ----------------------------------------------------------------------------- */

/* The bucket of an op, or the empty one where it belongs. */
static uint32_t *site_bucket(const emu_sites *sites, const emu_op *op) {
  uint64_t mixed = (uint64_t)(uintptr_t)op * 0x9e3779b97f4a7c15u;
  uint32_t i = (uint32_t)(mixed >> 32) & (sites->room - 1);
  while (sites->buckets[i] && sites->ops[sites->buckets[i]] != op)
    i = (i + 1) & (sites->room - 1);
  return &sites->buckets[i];
}

static bool grow_sites(emu_sites *sites) {
  if ((sites->count + 1) * 2 <= sites->room) return true;
  uint32_t room = sites->room ? sites->room * 2 : 512;
  const emu_op **ops = gg_malloc(room * sizeof *ops);
  uint32_t *buckets = gg_malloc(room * sizeof *buckets);
  if (!ops || !buckets) {
    gg_free(ops);
    gg_free(buckets);
    return false;
  }
  memset(buckets, 0, room * sizeof *buckets);
  for (uint32_t i = 1; i <= sites->count; i++)
    ops[i] = sites->ops[i];
  gg_free(sites->ops);
  gg_free(sites->buckets);
  *sites = (emu_sites){ops, buckets, sites->count, room};
  for (uint32_t i = 1; i <= sites->count; i++)
    *site_bucket(sites, ops[i]) = i;
  return true;
}

/* The number of an op, which is remembered; 0 if it cannot have one. */
static uint32_t site_of(struct emu_hazards *hazards, const emu_op *op) {
  emu_sites *sites = &hazards->sites;
  if (!grow_sites(sites)) return 0;
  uint32_t *bucket = site_bucket(sites, op);
  if (!*bucket && sites->count + 1 < (1u << EMU_EPOCH_SITE_BITS)) {
    *bucket = ++sites->count;
    sites->ops[*bucket] = op;
  }
  return *bucket;
}

/* An access as an epoch; 0 if its agent or clock does not fit, so that it is forgotten. */
static emu_epoch epoch_of(struct emu_hazards *hazards, emu_agent agent, uint64_t clock,
                          const emu_op *op, int lane) {
  if (!agent || clock >= (1u << EMU_EPOCH_CLOCK_BITS)) return 0;
  return (uint64_t)agent << EMU_EPOCH_AGENT_SHIFT | clock << EMU_EPOCH_CLOCK_SHIFT |
         (uint64_t)site_of(hazards, op) << EMU_EPOCH_LANE_BITS | (uint64_t)lane;
}

static const emu_op *op_of(const struct emu_hazards *hazards, emu_epoch epoch) {
  uint32_t site = emu_epoch_site(epoch);
  return site ? hazards->sites.ops[site] : NULL;
}

/* ---- Verdicts --------------------------------------------------------------------------- */

static bool is_collective(const struct emu_hazards *hazards, emu_epoch epoch) {
  const emu_op *op = op_of(hazards, epoch);
  return op && op->collective;
}

/* Whether two threads of one CTA access its shared memory, and a relaxed arrival at the cluster's
 * barrier has kept them apart in time. Each SM serves its shared memory in order, so the hardware
 * has them in this order, too; that is not so across CTAs or proxies. If a thread has waited for
 * its cp.async before it arrived, what that wrote counts as an access of the thread, in its own
 * CTA. */
static bool is_past(const actor *a, emu_epoch earlier) {
  emu_agent agent = emu_epoch_agent(earlier);
  const emu_watched *other = a->hazards->warp_of[agent];
  const emu_op *op = op_of(a->hazards, earlier);
  const emu_cta *cta = a->warp->cta;
  bool theirs = other ? other->warp->cta == cta : op && emu_is_thread_copy(op);
  return a->bytes && theirs && a->place.bank->cta == cta &&
         emu_hazard_past(a->warp, agent, emu_epoch_clock(earlier));
}

/* Whether on hardware a copy may write before a thread has read, though a barrier orders the read
 * before it. A module without any fence relies on that not happening. */
static bool overtakes(const actor *a, emu_agent reader, uint32_t clock) {
  const emu_watched *read = a->hazards->warp_of[reader];
  if (!a->write || a->proxy != EMU_PROXY_ASYNC || !read) return false;
  return a->hazards->cluster->run->fences && read->consumed < clock &&
         emu_clocks_of(&a->watched->knows.proxied, reader) < clock;
}

/* Compares an access with an earlier one of the same warp, by lanes. */
static verdict after_own(const actor *a, emu_epoch earlier, bool earlier_wrote) {
  emu_agent agent = emu_epoch_agent(earlier);
  if (agent != a->watched->agent || emu_epoch_clock(earlier) < a->watched->met) return ORDERED;
  if (a->lane == ANY_LANE || (int)emu_epoch_lane(earlier) == a->lane) return ORDERED;
  /* If lanes write one place in one instruction, one of them wins. */
  if (earlier_wrote) return a->write && op_of(a->hazards, earlier) == a->op ? ORDERED : LANES;
  return is_collective(a->hazards, earlier) ? ORDERED : LANES;
}

/* Whether the async proxy reads what a thread wrote, without a proxy fence between the two. */
static bool is_unfenced(const actor *a, emu_epoch earlier) {
  emu_agent agent = emu_epoch_agent(earlier);
  return a->proxy == EMU_PROXY_ASYNC && !a->write && a->hazards->warp_of[agent] &&
         emu_clocks_of(&a->watched->knows.proxied, agent) < emu_epoch_clock(earlier);
}

static verdict after(const actor *a, emu_epoch earlier, bool earlier_wrote) {
  const emu_watched *watched = a->watched;
  emu_agent agent = emu_epoch_agent(earlier);
  uint32_t clock = emu_epoch_clock(earlier);
  if (emu_clocks_of(&watched->knows.seen, agent) < clock) {
    return is_past(a, earlier) ? RELAXED : UNORDERED;
  }
  if (a->since && agent == watched->agent && clock >= a->since) return UNORDERED;
  bool unfenced = earlier_wrote && is_unfenced(a, earlier);
  if (unfenced && !a->trusting) return UNFENCED;
  if (!earlier_wrote && overtakes(a, agent, clock)) return OVERTAKES;
  verdict found = after_own(a, earlier, earlier_wrote);
  return found == ORDERED && unfenced ? TRUSTED : found;
}

static verdict after_readers(const actor *a, uint64_t read, emu_epoch *culprit) {
  const emu_readers *readers = &a->hazards->shadow.readers;
  uint32_t set = read & EMU_CELL_FLAG ? (uint32_t)read : 0;
  emu_epoch epoch = set ? readers->nodes[set].epoch : read;
  verdict worst = ORDERED;
  while (epoch && (worst == ORDERED || worst == OVERTAKES)) {
    verdict found = after(a, epoch, false);
    if (found != ORDERED && found != worst) {
      *culprit = epoch;
      worst = found;
    }
    set = set ? readers->nodes[set].rest : 0;
    epoch = set ? readers->nodes[set].epoch : 0;
  }
  return worst;
}

/* Whether one of the readers is a store, of the same value as the last write. */
static bool is_store(const struct emu_hazards *hazards, emu_epoch reader) {
  const emu_op *op = op_of(hazards, reader);
  return op && emu_is_store(op);
}

static void name(char *out, size_t size, const struct emu_hazards *hazards, emu_epoch epoch,
                 bool wrote) {
  wrote = wrote || is_store(hazards, epoch);
  const char *verb = wrote ? "written" : "read";
  const emu_op *op = op_of(hazards, epoch);
  const emu_watched *watched = hazards->warp_of[emu_epoch_agent(epoch)];
  const char *text = op && op->ptx ? op->ptx->form->text : "an instruction";
  unsigned line = op && op->ptx ? op->ptx->place.line : 0;
  if (watched && !wrote && is_collective(hazards, epoch)) {
    snprintf(out, size, "warp %d of CTA %u has %s at line %u (%s)", watched->warp->index,
             watched->warp->cta->rank, verb, line, text);
  } else if (watched) {
    snprintf(out, size, "warp %d of CTA %u, lane %u, has %s at line %u (%s)", watched->warp->index,
             watched->warp->cta->rank, emu_epoch_lane(epoch), verb, line, text);
  } else {
    snprintf(out, size, "the asynchronous operation of line %u (%s) has %s", line, text, verb);
  }
}

/* Reports a race; whether the kernel goes on. */
static bool report(const actor *a, emu_place place, verdict found, emu_epoch earlier, bool wrote) {
  static const char *const reasons[] = {
      [UNORDERED] = "no barrier, wait or flag orders the two",
      [RELAXED] = "between the two is only a relaxed arrival at the cluster's barrier, which "
                  "makes nothing visible",
      [LANES] = "no bar.warp.sync or other barrier orders the two lanes",
      [UNFENCED] = "no fence.proxy.async makes what threads write visible to the async proxy",
      [TRUSTED] = "no fence.proxy.async makes what threads write visible to the async proxy, "
                  "and the module has no fence at all: hardware has them in this order, and PTX "
                  "does not promise it",
      [OVERTAKES] =
          "a barrier orders the two, but no fence.proxy.async stands between the read and "
          "the barrier: the copy may overtake the read",
  };
  char who[320];
  name(who, sizeof who, a->hazards, earlier, wrote);
  gg_status code = found == RELAXED || found == TRUSTED ? GG_E_EMU_RELAXED
                   : found == OVERTAKES                 ? GG_E_EMU_OVERTAKEN
                                                        : GG_E_EMU_RACE;
  return emu_tolerated(a->warp, a->op, a->lane, code, "%s %s, which %s: %s",
                       a->write ? "writes" : "reads", emu_place_in_words(place).text, who,
                       reasons[found]);
}

/* Whether a thread stores what another thread has stored there. */
static bool stores_the_same(const actor *a, const emu_cell *cell) {
  uint8_t value[EMU_ACCESS_MAX];
  emu_epoch last = cell->write & ~EMU_CELL_FLAG;
  if (!a->bytes || !emu_is_store(a->op) || !a->hazards->warp_of[emu_epoch_agent(last)])
    return false;
  emu_stored_value(value, a->warp, a->op, a->lane);
  return !memcmp(value, emu_place_bytes(a->place), a->bytes);
}

/* Whether a thread reads what it knows that another thread has stored, and the last write stored
 * the same. */
static bool reads_the_same(const actor *a, const emu_cell *cell) {
  const emu_readers *readers = &a->hazards->shadow.readers;
  uint32_t set = cell->read & EMU_CELL_FLAG ? (uint32_t)cell->read : 0;
  emu_epoch epoch = set ? readers->nodes[set].epoch : cell->read;
  while (a->bytes && epoch) {
    if (is_store(a->hazards, epoch) && after(a, epoch, true) == ORDERED) return true;
    set = set ? readers->nodes[set].rest : 0;
    epoch = set ? readers->nodes[set].epoch : 0;
  }
  return false;
}

/* Whether this is not a race because all accesses agree on the value. */
static bool is_agreed(actor *a, const emu_cell *cell) {
  a->agrees = a->write ? stores_the_same(a, cell) : reads_the_same(a, cell);
  return a->agrees;
}

/* Whether the access is ordered after those that the cell remembers; false after a fault. */
static bool is_ordered(actor *a, emu_place place, const emu_cell *cell) {
  a->agrees = false;
  if (cell->write == a->good.write && cell->read == a->good.read) return true;
  emu_epoch last = cell->write & ~EMU_CELL_FLAG;
  if (last && !(a->atomic && cell->write & EMU_CELL_FLAG)) {
    verdict found = after(a, last, true);
    if (found != ORDERED && !is_agreed(a, cell) && !report(a, place, found, last, true)) {
      return false;
    }
    a->own |= emu_epoch_agent(last) == a->watched->agent;
  }
  if (a->write && cell->read && !a->agrees) {
    emu_epoch culprit = 0;
    verdict found = after_readers(a, cell->read, &culprit);
    if (found != ORDERED && !is_agreed(a, cell) && !report(a, place, found, culprit, false)) {
      return false;
    }
  }
  a->good = *cell;
  return true;
}

/* ---- Recording -------------------------------------------------------------------------- */

/* What is done with the set of readers of each cell that has one. */
typedef enum sweep { MARK, RENAME, FORGET } sweep;

static void sweep_cell(emu_cell *cell, sweep how, uint32_t *marks) {
  if (cell->write == EMU_CELL_SPLIT || !(cell->read & EMU_CELL_FLAG)) return;
  uint32_t set = (uint32_t)cell->read;
  if (how == MARK) marks[set] = 1;
  if (how == RENAME) cell->read = EMU_CELL_FLAG | marks[set];
  if (how == FORGET) cell->read = 0;
}

/* How many cells a bank has: one for each word. */
static uint64_t cells_of(const emu_bank *bank) {
  return bank->size / 4 + 1;
}

/* Goes over all cells. Free ones have a number in `read`, without the flag; that of a split one is
 * not a set. */
static void sweep_cells(struct emu_hazards *hazards, sweep how, uint32_t *marks) {
  emu_shadow *shadow = &hazards->shadow;
  for (unsigned rank = 0; rank < hazards->cluster->cta_count; rank++) {
    for (const emu_bank *bank = hazards->cluster->ctas[rank].banks; bank; bank = bank->next) {
      for (uint64_t i = 0; bank->cells && i < cells_of(bank); i++)
        sweep_cell(&bank->cells[i], how, marks);
    }
  }
  for (uint32_t i = 0; i < shadow->byte_count; i++) {
    for (int k = 0; k < 4; k++)
      sweep_cell(&shadow->bytes[i][k], how, marks);
  }
}

/* Makes room for sets: those that no cell has are collected. If memory is out, or all of it is in
 * use, all readers of all bytes are forgotten. */
static void collect_readers(actor *a) {
  emu_readers *readers = &a->hazards->shadow.readers;
  uint32_t *marks = emu_readers_marks(readers);
  bool room = false;
  if (marks) {
    sweep_cells(a->hazards, MARK, marks);
    room = emu_readers_collect(readers, marks);
    sweep_cells(a->hazards, RENAME, marks);
    gg_free(marks);
  }
  if (!room) {
    sweep_cells(a->hazards, FORGET, NULL);
    emu_readers_clear(readers);
  }
  forget_histories(a);
}

/* Adds a reader to a cell; false if there is no room for the set. */
static bool add_reader(emu_readers *readers, emu_cell *cell, emu_epoch epoch) {
  uint32_t set = (uint32_t)cell->read;
  if (!(cell->read & EMU_CELL_FLAG) && !emu_readers_add(&set, readers, 0, cell->read)) return false;
  if (!emu_readers_add(&set, readers, set, epoch)) return false;
  cell->read = EMU_CELL_FLAG | set;
  return true;
}

static void record_read(actor *a, emu_cell *cell) {
  emu_epoch epoch = a->epoch;
  uint64_t read = cell->read;
  if (!epoch || (!(read & EMU_CELL_FLAG) && emu_epoch_alike(read, epoch))) return;
  if (!read || (!(read & EMU_CELL_FLAG) && emu_epoch_agent(read) == emu_epoch_agent(epoch))) {
    cell->read = epoch;
    return;
  }
  emu_readers *readers = &a->hazards->shadow.readers;
  if (add_reader(readers, cell, epoch)) return;
  collect_readers(a);
  if (!add_reader(readers, cell, epoch)) cell->read = epoch;
}

static void record(actor *a, emu_cell *cell) {
  if (a->agrees) {
    if (a->write) record_read(a, cell);
  } else if (a->write) {
    *cell = (emu_cell){a->epoch | (a->atomic && a->epoch ? EMU_CELL_FLAG : 0), 0};
  } else if (!a->atomic) {
    record_read(a, cell);
  }
}

/* ---- Ranges of bytes -------------------------------------------------------------------- */

typedef enum task { CHECK = 1, RECORD = 2 } task;

static bool touch_cell(actor *a, emu_place place, emu_cell *cell, int tasks) {
  if (tasks & CHECK && !is_ordered(a, place, cell)) return false;
  a->before = *cell;
  if (tasks & RECORD) record(a, cell);
  a->after = *cell;
  if (a->agrees) forget_histories(a); /* another cell may have another value */
  return true;
}

/* Updates words from `at` on, up to `end`, as long as their history is that of the cell before:
 * they become what that has become. Returns the first other one. For a read it does not matter
 * which lane and instruction of another agent has written, because only readers change. */
static uint32_t touch_alike(const actor *a, emu_cell *words, uint32_t at, uint32_t end, int tasks) {
  emu_cell before = a->before, after = a->after;
  if (before.write == EMU_CELL_NONE) return at;
  uint64_t matters = UINT64_MAX;
  bool own = emu_epoch_agent(before.write) == a->watched->agent;
  if (!a->write && !own) matters <<= EMU_EPOCH_CLOCK_SHIFT;
  if (!a->write && tasks == RECORD) matters = 0;
  uint64_t keep = a->write ? 0 : UINT64_MAX; /* what stays of `write` */
  after.write &= ~keep;
  for (; at < end; at++) {
    emu_cell word = words[at];
    if (((word.write ^ before.write) & matters) | (word.read ^ before.read)) break;
    if (word.write == EMU_CELL_SPLIT) break;
    if (tasks & RECORD) words[at] = (emu_cell){(word.write & keep) | after.write, after.read};
  }
  return at;
}

/* ---- Reads that are checked alone ------------------------------------------------------- */

/* The agent and clock of a write, by which it is found in `known`. */
static uint64_t key_of(emu_epoch write) {
  return write >> EMU_EPOCH_CLOCK_SHIFT;
}

static uint32_t slot_of(uint64_t key) {
  return (uint32_t)(key ^ key >> EMU_EPOCH_CLOCK_BITS) % known_most;
}

/* Skips words from `at` on whose writes are known to be ordered. Returns the first other one. */
static uint32_t skip_known(const actor *a, const emu_cell *words, uint32_t at, uint32_t end) {
  uint64_t last = 0;
  for (; at < end; at++) {
    uint64_t key = key_of(words[at].write);
    if (key != last && a->known[slot_of(key)] != key) break;
    last = key;
  }
  return at;
}

/* Remembers that a word's write is ordered. For a write of the own warp the lane may matter, so
 * that is not remembered. */
static void remember(actor *a, const emu_cell *word) {
  uint64_t key = key_of(word->write);
  if (word->write == EMU_CELL_SPLIT) return;
  if (a->lane != ANY_LANE && emu_epoch_agent(word->write) == a->watched->agent) return;
  a->known[slot_of(key)] = key;
}

/* ---- Words ------------------------------------------------------------------------------ */

/* Makes an access to bytes `from` to `to` of one word; false after a fault. */
static bool touch_word(actor *a, emu_place place, emu_cell *word, uint32_t from, uint32_t to,
                       int tasks) {
  emu_shadow *shadow = &a->hazards->shadow;
  bool whole = to - from == 4;
  if (word->write != EMU_CELL_SPLIT) {
    if (whole) return touch_cell(a, place, word, tasks);
    if (!emu_shadow_split(shadow, word)) return a->hazards->broken = true;
  }
  bool agrees = false;
  for (uint32_t i = from; i < to; i++) {
    if (!touch_cell(a, place, &emu_shadow_bytes(shadow, word)[i], tasks)) return false;
    agrees |= a->agrees;
    place.offset++;
  }
  if (whole && a->write && tasks & RECORD && !agrees) {
    emu_shadow_join(shadow, word, emu_shadow_bytes(shadow, word)[0]);
  }
  return true;
}

/* The cells of a bank; NULL when memory is out. */
static emu_cell *words_of(emu_bank *bank) {
  if (!bank->cells) bank->cells = gg_calloc((size_t)cells_of(bank), sizeof(emu_cell));
  return bank->cells;
}

static bool out_of_memory(emu_warp *warp, const emu_op *op) {
  emu_fault(warp, op, -1, GG_E_MEMORY, " for the race detector");
  return false;
}

static bool touch(actor *a, emu_place place, uint32_t bytes, int tasks) {
  emu_cell *words = words_of(place.bank);
  if (!words) return out_of_memory(a->warp, a->op);
  uint32_t at = (uint32_t)place.offset, end = at + bytes;
  bool checks = !a->write && tasks == CHECK;
  while (at < end) {
    if (at % 4 == 0) {
      at = 4 * (checks ? skip_known(a, words, at / 4, end / 4)
                       : touch_alike(a, words, at / 4, end / 4, tasks));
    }
    if (at >= end) break;
    uint32_t word_end = (at | 3) + 1;
    uint32_t stop = word_end < end ? word_end : end;
    emu_place here = {place.bank, at};
    if (!touch_word(a, here, &words[at / 4], at % 4, stop - (at & ~3u), tasks)) return false;
    if (checks) remember(a, &words[at / 4]);
    at = stop;
  }
  return true;
}

/* ---- Accesses of threads ---------------------------------------------------------------- */

/* An atomic access to a flag in shared memory: reads learn what writers knew. */
static void flag(emu_warp *warp, emu_place place, bool write) {
  const void *word = &place.bank->bytes[place.offset & ~UINT64_C(3)];
  emu_hazard_acquire(warp, word);
  if (write) emu_hazard_release(warp, word);
}

static bool begin(actor *a, emu_warp *warp, const emu_op *op) {
  struct emu_hazards *hazards = warp->cta->cluster->hazards;
  *a = (actor){.hazards = hazards, .warp = warp, .op = op};
  forget_histories(a);
  a->watched = hazards->broken ? NULL : emu_watch(hazards, warp);
  return a->watched || out_of_memory(warp, op);
}

/* Makes the most common access: to whole words that only this lane has touched, or nobody at all;
 * reads count only if they matter. Such accesses are ordered. False: this is not one. */
static bool touch_own(actor *a, emu_place place, uint32_t bytes) {
  const uint64_t other = ~((UINT64_C(1) << EMU_EPOCH_AGENT_SHIFT) - 1) | (EMU_LANES - 1);
  emu_cell *words = words_of(place.bank);
  uint32_t count = bytes / 4;
  if (!words || !a->epoch || a->atomic || place.offset % 4 || bytes % 4) return false;
  words += place.offset / 4;
  for (uint32_t i = 0; i < count; i++) {
    emu_cell word = words[i];
    if (word.write && (word.write ^ a->epoch) & other) return false;
    if (word.read && (word.read ^ a->epoch) & other) return false;
    a->own |= word.write != 0;
  }
  for (uint32_t i = 0; i < count; i++) {
    if (a->write) {
      words[i] = (emu_cell){a->epoch, 0};
    } else if (!emu_epoch_alike(words[i].read, a->epoch)) {
      words[i].read = a->epoch;
    }
  }
  return true;
}

/* Makes one lane's access. What is good for one lane need not be good for the next; but what
 * ldmatrix finds of other agents is, and its readers have no lanes. */
static bool touch_lane(actor *a, emu_place place, uint32_t bytes, bool together) {
  if (a->write || emu_epoch_agent(a->good.write) == a->watched->agent) {
    a->good.write = EMU_CELL_NONE;
  }
  if (!together || a->own) a->before.write = EMU_CELL_NONE;
  if (!together && touch_own(a, place, bytes)) return true;
  a->place = place;
  a->bytes = bytes;
  return touch(a, place, bytes, CHECK | RECORD);
}

bool emu_hazard_access(emu_warp *warp, const emu_op *op, uint32_t lanes,
                       const emu_place place[EMU_LANES], unsigned bytes, bool write, bool atomic) {
  actor a;
  if (!warp->cta->cluster->hazards) return true;
  if (!begin(&a, warp, op)) return false;
  a.write = write;
  a.atomic = atomic;
  a.watched->touched = true;
  a.watched->flag = NULL;
  bool together = !write && op->collective;
  emu_epoch epoch = epoch_of(a.hazards, a.watched->agent,
                             emu_clocks_of(&a.watched->knows.seen, a.watched->agent), op, 0);
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    int before = a.lane;
    a.lane = __builtin_ctz(rest);
    /* Nothing is new if the lane before has read the same, and others have written it. */
    if (rest != lanes && !write && !a.own && emu_place_same(place[before], place[a.lane])) continue;
    a.epoch = epoch && !together ? epoch | (unsigned)a.lane : epoch;
    if (!touch_lane(&a, place[a.lane], bytes, together)) return false;
  }
  for (uint32_t rest = atomic ? lanes : 0; rest; rest &= rest - 1)
    flag(warp, place[__builtin_ctz(rest)], write);
  return true;
}

/* ---- Accesses of asynchronous operations ------------------------------------------------ */

static bool touch_spans(actor *a, const emu_span *spans, uint32_t count, bool write, int tasks) {
  a->write = write;
  a->atomic = write && a->op->updates;
  forget_histories(a);
  for (uint32_t i = 0; i < count; i++) {
    if (!touch(a, spans[i].place, spans[i].bytes, tasks)) return false;
  }
  return true;
}

bool emu_hazard_issue(const emu_async *async) {
  actor a;
  if (!async->warp->cta->cluster->hazards) return true;
  uint32_t reads = async->read_count + async->shared_count;
  if (!async->write_count && !reads) return true;
  if (!begin(&a, async->warp, async->op)) return false;
  a.proxy = async->proxy;
  a.trusting = async->trusting;
  a.since = async->since;
  a.lane = async->lanes & (async->lanes - 1) ? ANY_LANE : __builtin_ctz(async->lanes);
  return touch_spans(&a, async->reads, reads, false, CHECK) &&
         touch_spans(&a, async->writes, async->write_count, true, CHECK);
}

void emu_hazard_land(const emu_async *async) {
  actor a;
  struct emu_hazards *hazards = async->warp->cta->cluster->hazards;
  if (!hazards || hazards->broken || (!async->write_count && !async->read_count)) return;
  if (!begin(&a, async->warp, async->op)) return;
  a.epoch = epoch_of(hazards, async->agent, async->clock, async->op, __builtin_ctz(async->lanes));
  touch_spans(&a, async->reads, async->read_count, false, RECORD);
  touch_spans(&a, async->writes, async->write_count, true, RECORD);
}
