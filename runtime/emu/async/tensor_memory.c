/* Tensor memory: who has which columns, what is in flight there, and in which order it must be. */
#include "emu/async/tensor_memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "emu/module.h"
#include "emu/report.h"
#include "emu/trace.h"

enum { part_lanes = 16, parts = EMU_TMEM_LANES / part_lanes };

/* A moment in an agent's work. */
typedef struct moment {
  emu_agent agent; /* 0: there is none */
  uint32_t clock;
  emu_agent issuer; /* as a claim's */
  uint32_t issued;
  const emu_op *op;
} moment;

/* What has happened to 16 lanes of a column: the last write, and the last read since. */
typedef struct emu_tmem_past {
  moment write, read;
} past;

static past *past_of(const emu_tmem *memory, int column, int part) {
  return &memory->past[column * parts + part];
}

/* ---- States ----------------------------------------------------------------------------- */

static bool has(const ptx_module *ptx, const char *modifier) {
  for (uint32_t i = 0; i < ptx->form_count; i++) {
    const ptx_form *form = ptx->forms[i];
    if (strcmp(form->opcode, "tcgen05")) continue;
    for (uint32_t m = 0; m < form->modifier_count; m++) {
      if (!strcmp(form->modifiers[m], modifier)) return true;
    }
  }
  return false;
}

emu_tmem_user *emu_tmem_user_of(emu_warp *warp, const emu_op *op) {
  emu_tmem_user *user = emu_unit_of_warp(warp, op, EMU_UNIT_ID_TENSOR_MEMORY);
  if (!user || user->known) return user;
  const ptx_module *ptx = emu_kernel_ptx(warp->cta->cluster->run->kernel);
  for (int i = 0; i < EMU_TMEM_WORKS; i++)
    user->work[i].agent = emu_hazard_agent(warp->cta->cluster, &user->work[i]);
  user->before = has(ptx, "fence::before_thread_sync");
  user->after = has(ptx, "fence::after_thread_sync");
  user->waits = user->before || user->after || has(ptx, "wait::ld") || has(ptx, "wait::st");
  user->known = true;
  return user;
}

static bool make_cells(emu_tmem *memory) {
  if (memory->past) return true;
  if (!memory->cells) memory->cells = gg_calloc(EMU_TMEM_LANES, sizeof *memory->cells);
  if (!memory->written) memory->written = gg_calloc(EMU_TMEM_LANES, sizeof *memory->written);
  if (!memory->cells || !memory->written) return false;
  memory->past = gg_calloc((size_t)EMU_TMEM_COLUMNS * parts, sizeof *memory->past);
  return memory->past != NULL;
}

static void close_cta(void *state) {
  emu_tmem *memory = state;
  gg_free(memory->cells);
  gg_free(memory->written);
  gg_free(memory->past);
}

static emu_tmem *of_cta(emu_cta *cta, emu_warp *warp, const emu_op *op) {
  emu_tmem *memory = cta->units[EMU_UNIT_ID_TENSOR_MEMORY];
  if (!memory) {
    memory = cta->units[EMU_UNIT_ID_TENSOR_MEMORY] = gg_calloc(1, sizeof *memory);
    if (memory) memory->cta = cta;
  }
  if (memory && make_cells(memory)) return memory;
  emu_fault(warp, op, -1, GG_E_MEMORY, " for tensor memory");
  return NULL;
}

static emu_cta *peer_of(const emu_cta *cta) {
  unsigned rank = cta->rank ^ 1;
  return rank < cta->cluster->cta_count ? &cta->cluster->ctas[rank] : NULL;
}

emu_tmem *emu_tmem_of(emu_warp *warp, const emu_op *op, int group) {
  emu_tmem *memory = of_cta(warp->cta, warp, op);
  if (!memory || !group) return memory;
  if (memory->group && memory->group != group) {
    emu_fault(warp, op, -1, GG_E_EMU_TENSOR_MEMORY,
              "cta_group::%d, in a kernel whose tcgen05 instructions before were of cta_group::%d",
              group, memory->group);
    return NULL;
  }
  if (group == 2 && !peer_of(warp->cta)) {
    emu_fault(warp, op, -1, GG_E_EMU_TENSOR_MEMORY,
              "cta_group::2 in CTA %u of a cluster of %u: it has no pair", warp->cta->rank,
              warp->cta->cluster->cta_count);
    return NULL;
  }
  memory->group = group;
  return memory;
}

emu_tmem *emu_tmem_of_peer(emu_warp *warp, const emu_op *op) {
  return of_cta(peer_of(warp->cta), warp, op);
}

/* ---- Columns ---------------------------------------------------------------------------- */

static bool is_free(const emu_tmem *memory, int slice, int count) {
  for (int i = slice; i < slice + count; i++) {
    if (memory->slices[i].warp) return false;
  }
  return true;
}

/* The first slice of columns that are free in all of the memories; -1: there are none. */
static int find_columns(emu_tmem *const *memories, int memory_count, int columns) {
  int count = columns / EMU_TMEM_SLICE;
  for (int slice = 0; slice + count <= EMU_TMEM_COLUMNS / EMU_TMEM_SLICE; slice += count) {
    bool found = true;
    for (int i = 0; i < memory_count; i++)
      found &= is_free(memories[i], slice, count);
    if (found) return slice;
  }
  return -1;
}

/* Marks columns that change their owner as not written. */
static void renew(emu_tmem *memory, int column, int columns) {
  for (int lane = 0; lane < EMU_TMEM_LANES; lane++)
    memset(&memory->written[lane][column], 0, (size_t)columns);
  memset(past_of(memory, column, 0), 0, (size_t)(columns * parts) * sizeof *memory->past);
}

static void own(emu_tmem *memory, emu_warp *warp, const emu_op *op, int column, int columns) {
  for (int i = column / EMU_TMEM_SLICE; i < (column + columns) / EMU_TMEM_SLICE; i++) {
    memory->slices[i].warp = warp;
    memory->slices[i].op = op;
    memory->slices[i].first = column;
    memory->slices[i].columns = columns;
  }
}

static void take(emu_tmem *memory, emu_warp *warp, const emu_op *op, int column, int columns) {
  own(memory, warp, op, column, columns);
  renew(memory, column, columns);
}

/* Reads an operand that must have the same value in all lanes; false after a fault. */
static bool uniform(uint32_t *out, emu_warp *warp, const emu_op *op, int operand, uint32_t lanes,
                    const char *name) {
  const uint32_t *values = EMU_AT(uint32_t, warp, &op->operands[operand]);
  *out = values[__builtin_ctz(lanes)];
  for (uint32_t left = lanes; left; left &= left - 1) {
    int lane = __builtin_ctz(left);
    if (values[lane] == *out) continue;
    emu_fault(warp, op, lane, GG_E_EMU_CONVERGENCE,
              "%s is %" PRIu32 " here and %" PRIu32 " in another lane of the warp", name,
              values[lane], *out);
    return false;
  }
  return true;
}

static bool take_count(uint32_t *out, emu_warp *warp, const emu_op *op, int operand,
                       uint32_t lanes) {
  if (!uniform(out, warp, op, operand, lanes, "the number of columns")) return false;
  if (*out >= 32 && *out <= EMU_TMEM_COLUMNS && !(*out & (*out - 1))) return true;
  emu_fault(warp, op, -1, GG_E_EMU_TENSOR_MEMORY,
            "%" PRIu32 " columns: it is 32, 64, 128, 256 or 512", *out);
  return false;
}

/* Allocates columns in one CTA and returns the first; -1: it must wait. */
static int allocate(emu_tmem *memory, emu_warp *warp, const emu_op *op, int columns) {
  int slice = find_columns(&memory, 1, columns);
  if (slice < 0) return -1;
  take(memory, warp, op, slice * EMU_TMEM_SLICE, columns);
  return slice * EMU_TMEM_SLICE;
}

/* The same in both CTAs of a pair, once both have asked; -2 after a fault. */
static int allocate_pair(emu_tmem *memory, emu_warp *warp, const emu_op *op, int columns) {
  emu_tmem *peer = emu_tmem_of_peer(warp, op);
  if (!peer) return -2;
  int me = (int)(warp->cta->rank & 1);
  emu_tmem *first = me ? peer : memory;
  if (!first->pair.given[me]) {
    first->pair.asked[me] = columns;
    int other = first->pair.asked[!me];
    if (!other) return -1;
    if (other != columns) {
      emu_fault(warp, op, -1, GG_E_EMU_TENSOR_MEMORY,
                "CTA %u of the pair allocates %d columns, CTA %u %d", warp->cta->rank, columns,
                peer->cta->rank, other);
      return -2;
    }
    int slice = find_columns((emu_tmem *[]){memory, peer}, 2, columns);
    if (slice < 0) return -1;
    take(memory, warp, op, slice * EMU_TMEM_SLICE, columns);
    take(peer, warp, op, slice * EMU_TMEM_SLICE, columns);
    first->pair.asked[0] = first->pair.asked[1] = 0;
    first->pair.given[0] = first->pair.given[1] = 1 + slice * EMU_TMEM_SLICE;
    emu_wake(warp->cta->cluster, peer);
  }
  int column = first->pair.given[me] - 1;
  first->pair.given[me] = 0;
  own(memory, warp, op, column, columns); /* the other CTA may have written there since */
  return column;
}

static int allocated(const emu_tmem *memory) {
  int columns = 0;
  for (int i = 0; i < EMU_TMEM_COLUMNS / EMU_TMEM_SLICE; i++)
    columns += memory->slices[i].warp ? EMU_TMEM_SLICE : 0;
  return columns;
}

/* operands: columns. The address of the first goes to shared memory. */
emu_step emu_tmem_alloc(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  uint32_t columns;
  int group = op->vector;
  if (!emu_converge(warp, op, UINT32_MAX, &lanes)) return EMU_WAIT;
  emu_hazard_converge(warp);
  emu_tmem *memory = emu_tmem_of(warp, op, group);
  if (!memory || !take_count(&columns, warp, op, 0, lanes)) return EMU_FAULT;
  if (memory->relinquished) {
    return emu_fault(warp, op, -1, GG_E_EMU_TENSOR_MEMORY,
                     "the CTA has given up its right to allocate: "
                     "tcgen05.relinquish_alloc_permit came before");
  }
  int column = group == 2 ? allocate_pair(memory, warp, op, (int)columns)
                          : allocate(memory, warp, op, (int)columns);
  if (column == -2) return EMU_FAULT;
  if (column < 0) return emu_block(warp, memory, op->ptx->form->text);
  memory->slices[column / EMU_TMEM_SLICE].number =
      emu_trace_allocated(warp, op, column, (int)columns, allocated(memory));
  uint64_t address[EMU_LANES];
  uint8_t data[EMU_LANES][EMU_ACCESS_MAX];
  uint32_t value = (uint32_t)column, one = lanes & -lanes;
  emu_addresses(address, warp, &op->address);
  memcpy(data[__builtin_ctz(one)], &value, sizeof value);
  bool ok = emu_store(warp, op, (emu_space)op->space, address, one, sizeof value, data);
  emu_hazard_converge(warp); /* it is done for all lanes */
  return ok ? EMU_NEXT : EMU_FAULT;
}

static bool overlap(const emu_tmem_region *a, const emu_tmem_region *b) {
  if (a->column >= b->column + b->columns || b->column >= a->column + a->columns) return false;
  for (int i = 0; i < 4; i++) {
    if (a->lanes[i] & b->lanes[i]) return true;
  }
  return false;
}

static void describe(char *out, size_t size, const emu_async *async) {
  snprintf(out, size, "%s of line %u (CTA %u, warp %d)", async->op->ptx->form->text,
           async->op->ptx->place.line, async->warp->cta->rank, async->warp->index);
}

/* Checks that the columns are all of an allocation, and that nothing is in flight there. */
static bool may_free(const emu_tmem *memory, emu_warp *warp, const emu_op *op, uint32_t address,
                     uint32_t columns) {
  const int first = (int)(address & 0xffff), slice = first / EMU_TMEM_SLICE;
  if (address >> 16 || first >= EMU_TMEM_COLUMNS || !memory->slices[slice].warp ||
      memory->slices[slice].first != first || memory->slices[slice].columns != (int)columns) {
    emu_fault(warp, op, -1, GG_E_EMU_TENSOR_MEMORY,
              "frees %" PRIu32 " columns at 0x%08" PRIx32 "; %s", columns, address,
              first >= EMU_TMEM_COLUMNS || !memory->slices[slice].warp
                  ? "nobody has allocated them, or they have been freed"
                  : "that is not what was allocated there");
    return false;
  }
  emu_tmem_region region = {{~0u, ~0u, ~0u, ~0u}, first, (int)columns};
  for (const emu_tmem_claim *claim = memory->claims; claim; claim = claim->next) {
    if (!overlap(&region, &claim->region)) continue;
    char who[200];
    describe(who, sizeof who, claim->async);
    emu_fault(warp, op, -1, GG_E_EMU_TENSOR_MEMORY, "frees columns %d to %d, which %s still %s",
              first, first + (int)columns - 1, who, claim->write ? "writes" : "reads");
    return false;
  }
  return true;
}

/* operands: address, columns. */
emu_step emu_tmem_dealloc(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  uint32_t address, columns;
  if (!emu_converge(warp, op, UINT32_MAX, &lanes)) return EMU_WAIT;
  emu_hazard_converge(warp);
  emu_tmem *memory = emu_tmem_of(warp, op, op->vector);
  if (!memory || !uniform(&address, warp, op, 0, lanes, "the address") ||
      !take_count(&columns, warp, op, 1, lanes) || !may_free(memory, warp, op, address, columns)) {
    return EMU_FAULT;
  }
  int slice = (int)(address & 0xffff) / EMU_TMEM_SLICE;
  for (int i = slice; i < slice + (int)columns / EMU_TMEM_SLICE; i++)
    memory->slices[i].warp = NULL;
  emu_trace_freed(warp, memory->slices[slice].number, slice * EMU_TMEM_SLICE, (int)columns,
                  allocated(memory));
  emu_wake(warp->cta->cluster, memory);
  if (op->vector == 2) emu_wake(warp->cta->cluster, emu_tmem_of_peer(warp, op));
  return EMU_NEXT;
}

emu_step emu_tmem_relinquish(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  if (!emu_converge(warp, op, UINT32_MAX, &lanes)) return EMU_WAIT;
  emu_hazard_converge(warp);
  emu_tmem *memory = emu_tmem_of(warp, op, op->vector);
  if (!memory) return EMU_FAULT;
  memory->relinquished = true;
  return EMU_NEXT;
}

static bool cta_exit(emu_cta *cta) {
  const emu_tmem *memory = cta->units[EMU_UNIT_ID_TENSOR_MEMORY];
  for (int i = 0; i < EMU_TMEM_COLUMNS / EMU_TMEM_SLICE; i++) {
    if (!memory->slices[i].warp) continue;
    emu_fault(
        memory->slices[i].warp, memory->slices[i].op, -1, GG_E_EMU_TENSOR_MEMORY,
        "the CTA exits, and nobody has freed the %d columns from %d on that this has allocated",
        memory->slices[i].columns, memory->slices[i].first);
    return false;
  }
  return true;
}

/* ---- Claims ----------------------------------------------------------------------------- */

static bool is_allocated(const emu_tmem *memory, const emu_tmem_region *r, emu_warp *warp,
                         const emu_op *op, const char *name) {
  int end = r->column + r->columns;
  for (int column = r->column; column < end; column++) {
    if (column < EMU_TMEM_COLUMNS && memory->slices[column / EMU_TMEM_SLICE].warp) continue;
    emu_fault(warp, op, -1, GG_E_EMU_TENSOR_MEMORY,
              "comes to columns %d to %d of tensor memory for %s; column %d %s", r->column, end - 1,
              name, column,
              column < EMU_TMEM_COLUMNS ? "is not allocated" : "is not there: it has 512");
    return false;
  }
  return true;
}

uint64_t emu_tmem_move_group(const emu_tmem_user *user, emu_tmem_move move) {
  return EMU_TMEM_MOVES * (1 + user->products) + move;
}

/* Whether both are in one pipe, which does the older one first. */
static bool is_piped(const emu_async *older, const emu_async *newer) {
  if (!newer->chain || older->chain != newer->chain) return false;
  if (!older->group || !newer->group) return true; /* one of them is a product */
  if (older->group / EMU_TMEM_MOVES != newer->group / EMU_TMEM_MOVES) return true;
  return older->group % EMU_TMEM_MOVES == EMU_TMEM_MOVE_SHIFT &&
         newer->group % EMU_TMEM_MOVES == EMU_TMEM_MOVE_FOUR;
}

/* The claim of an operation in flight that forbids this use of a region; NULL: none. */
static const emu_tmem_claim *find_owner(const emu_tmem *memory, const emu_tmem_region *region,
                                        bool write, const emu_async *async) {
  for (const emu_tmem_claim *claim = memory->claims; claim; claim = claim->next) {
    if (!write && !claim->write) continue;
    if (is_piped(claim->async, async)) continue;
    if (claim->async != async && overlap(region, &claim->region)) return claim;
  }
  return NULL;
}

/* Whether the warp knows of what happened at the moment, for work of this kind. */
static bool knows(emu_warp *warp, const emu_tmem_user *user, emu_tmem_work work, const moment *m) {
  if (!m->agent) return true;
  if (m->agent == user->work[EMU_TMEM_LOADS].agent) {
    return m->clock <= user->work[EMU_TMEM_LOADS].done;
  }
  if (m->agent == user->work[EMU_TMEM_STORES].agent) {
    return m->clock <= user->work[EMU_TMEM_STORES].done;
  }
  bool own = m->agent == user->work[EMU_TMEM_PIPE].agent;
  if (own && work == EMU_TMEM_PIPE) return true;
  return user->after && !own ? emu_hazard_knows_fenced(warp, m->agent, m->clock)
                             : emu_hazard_knows(warp, m->agent, m->clock);
}

/* Whether a load or store is in front of this work of the warp in the queue of its lanes. */
static bool is_queued(emu_warp *warp, emu_tmem_work work, emu_agent issuer, uint64_t issued) {
  return work != EMU_TMEM_PIPE && issuer && emu_hazard_knows(warp, issuer, issued);
}

/* The first lane of a part that is in the region; -1: none. */
static int lane_in(const emu_tmem_region *r, int part) {
  uint32_t lanes = r->lanes[part / 2] >> part % 2 * part_lanes & 0xffff;
  return lanes ? part * part_lanes + __builtin_ctz(lanes) : -1;
}

static bool is_ordered(emu_warp *warp, const emu_op *op, const emu_tmem *memory,
                       const emu_tmem_region *r, bool write, emu_tmem_work work, const char *name) {
  const emu_tmem_user *user = emu_tmem_user_of(warp, op);
  if (!user) return false;
  for (int part = 0; part < parts; part++) {
    int lane = lane_in(r, part);
    for (int column = r->column; lane >= 0 && column < r->column + r->columns; column++) {
      const past *p = past_of(memory, column, part);
      const moment *m = !knows(warp, user, work, &p->write)           ? &p->write
                        : write && !knows(warp, user, work, &p->read) ? &p->read
                                                                      : NULL;
      if (!m) continue;
      /* The fence is not an instruction of the hardware: beside a barrier's wait, it only keeps
       * compilers from reordering. */
      bool waited = emu_hazard_knows(warp, m->agent, m->clock);
      bool queued = is_queued(warp, work, m->issuer, m->issued);
      return emu_tolerated(
          warp, op, -1, waited || queued ? GG_E_EMU_RELAXED : GG_E_EMU_RACE,
          "%s %s at lane %d, column %d of tensor memory, which %s of line %u %s; %s",
          write ? "writes" : "reads", name, lane, column, m->op->ptx->form->text,
          m->op->ptx->place.line, m == &p->write ? "wrote" : "read",
          waited   ? "a wait orders the two, but there is no "
                     "tcgen05.fence::after_thread_sync behind it"
          : queued ? "the two instructions are in order, but no tcgen05.wait, and before a "
                     "barrier tcgen05.fence::before_thread_sync, stands between them"
                   : "nothing orders the two");
    }
  }
  return true;
}

/* Checks that no operation in flight forbids this use of a region. Those in front of it in the
 * queue of its lanes land, and is_ordered checks them. False after a fault. */
static bool is_clear(emu_tmem *memory, const emu_tmem_region *region, bool write,
                     emu_tmem_work work, const emu_async *async, const char *name) {
  emu_cluster *cluster = async->warp->cta->cluster;
  const emu_tmem_claim *owner = find_owner(memory, region, write, async);
  while (owner && is_queued(async->warp, work, owner->issuer, owner->issued)) {
    if (!emu_async_land(cluster, owner->async)) return false;
    owner = find_owner(memory, region, write, async);
  }
  if (!owner) return true;
  char who[200];
  describe(who, sizeof who, owner->async);
  int column = owner->region.column > region->column ? owner->region.column : region->column;
  return emu_tolerated(async->warp, async->op, -1, GG_E_EMU_IN_FLIGHT,
                       "%s %s at column %d of tensor memory, which %s has yet to %s: nothing has "
                       "waited for it",
                       write ? "writes" : "reads", name, column, who,
                       owner->write ? "write" : "read");
}

bool emu_tmem_hold(emu_tmem_claim *claim, emu_tmem *memory, const emu_tmem_region *region,
                   bool write, emu_tmem_work work, emu_async *async, const char *name) {
  emu_warp *warp = async->warp;
  const emu_op *op = async->op;
  *claim = (emu_tmem_claim){.region = *region, .write = write, .async = async};
  if (work != EMU_TMEM_PIPE) claim->issuer = emu_hazard_moment(warp, &claim->issued);
  if (!is_allocated(memory, region, warp, op, name)) return false;
  if (!is_clear(memory, region, write, work, async, name)) return false;
  if (!is_ordered(warp, op, memory, region, write, work, name)) return false;
  if (!write) emu_counting(warp)->tmem_columns_read += (uint64_t)region->columns;
  claim->memory = memory;
  claim->next = memory->claims;
  if (claim->next) claim->next->previous = claim;
  memory->claims = claim;
  return true;
}

static void remember(const emu_tmem_claim *claim) {
  moment now = {.agent = claim->async->agent,
                .clock = (uint32_t)claim->async->clock,
                .issuer = claim->issuer,
                .issued = (uint32_t)claim->issued,
                .op = claim->async->op};
  const emu_tmem_region *r = &claim->region;
  for (int part = 0; part < parts; part++) {
    if (lane_in(r, part) < 0) continue;
    for (int column = r->column; column < r->column + r->columns; column++) {
      past *p = past_of(claim->memory, column, part);
      if (claim->write) {
        *p = (past){.write = now};
      } else {
        p->read = now;
      }
    }
  }
}

void emu_tmem_release(emu_tmem_claim *claim, bool done) {
  emu_tmem *memory = claim->memory;
  if (!memory) return;
  if (done) remember(claim);
  *(claim->previous ? &claim->previous->next : &memory->claims) = claim->next;
  if (claim->next) claim->next->previous = claim->previous;
  claim->memory = NULL;
}

/* The first column of a lane of the region that nobody has written; NULL: there is none. */
static const uint8_t *find_gap(const emu_tmem_claim *claim, int lane) {
  const emu_tmem_region *r = &claim->region;
  return memchr(&claim->memory->written[lane][r->column], 0, (size_t)r->columns);
}

static bool is_in(const emu_tmem_region *r, int lane) {
  return r->lanes[lane / 32] >> lane % 32 & 1;
}

bool emu_tmem_written_partly(const emu_tmem_claim *claim) {
  for (int lane = 0; lane < EMU_TMEM_LANES; lane++) {
    if (is_in(&claim->region, lane) && !find_gap(claim, lane)) return true;
  }
  return false;
}

bool emu_tmem_written(const emu_tmem_claim *claim, gg_status code, const char *name) {
  for (int lane = 0; lane < EMU_TMEM_LANES; lane++) {
    const uint8_t *gap = is_in(&claim->region, lane) ? find_gap(claim, lane) : NULL;
    if (!gap) continue;
    return emu_tolerated(
        claim->async->warp, claim->async->op, -1, code,
        "reads %s at lane %d, column %d of tensor memory, which nobody has written", name, lane,
        (int)(gap - claim->memory->written[lane]));
  }
  return true;
}

void emu_tmem_put_region(char *out, size_t size, const char *name, const emu_tmem_region *region) {
  int first = EMU_TMEM_LANES, last = 0;
  for (int lane = 0; lane < EMU_TMEM_LANES; lane++) {
    if (!(region->lanes[lane / 32] >> lane % 32 & 1)) continue;
    if (lane < first) first = lane;
    last = lane;
  }
  snprintf(out, size, "%s: lanes %d to %d, columns %d to %d", name, first, last, region->column,
           region->column + region->columns - 1);
}

/* ---- Order ------------------------------------------------------------------------------ */

void emu_tmem_wait(emu_warp *warp, emu_tmem_user *user, emu_tmem_work work) {
  user->work[work].done = user->work[work].issued;
  if (work == EMU_TMEM_LOADS && user->marked) {
    memset(user->marks, EMU_TMEM_MARK_NONE, user->mark_count);
    user->marked = false;
  }
  if (!user->before) emu_tmem_tell(warp, user);
}

void emu_tmem_tell(emu_warp *warp, const emu_tmem_user *user) {
  emu_hazard_learn(warp, user->work[EMU_TMEM_LOADS].agent, user->work[EMU_TMEM_LOADS].done);
  emu_hazard_learn(warp, user->work[EMU_TMEM_STORES].agent, user->work[EMU_TMEM_STORES].done);
}

/* ---- The unit --------------------------------------------------------------------------- */

static void close_warp(void *state) {
  emu_tmem_user *user = state;
  gg_free(user->marks);
}

const emu_unit emu_unit_tensor_memory = {.name = "tensor memory",
                                         .warp_bytes = sizeof(emu_tmem_user),
                                         .cta_bytes = sizeof(emu_tmem),
                                         .close_warp = close_warp,
                                         .close_cta = close_cta,
                                         .admit = emu_tmem_admit,
                                         .cta_exit = cta_exit};

void emu_tmem_shift_down(emu_tmem *memory, int lane, int column) {
  for (int i = lane; i < lane + EMU_TMEM_SLICE - 1; i++) {
    memcpy(&memory->cells[i][column], &memory->cells[i + 1][column],
           EMU_TMEM_SHIFTED * sizeof **memory->cells);
  }
}
