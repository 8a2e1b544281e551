#include "annotate/remarks.h"

#include <string.h>

#include "emit/cuda_text.h"

typedef struct remark {
  gg_str *out;
  const kernel_ptx *ptx;
  const about *of;
  const remark_facts *facts;
} remark;

static bool has_word(const ptx_instruction *i, const char *word) {
  for (uint32_t k = 0; k < i->form->modifier_count; k++) {
    if (strcmp(i->form->modifiers[k], word) == 0) return true;
  }
  return false;
}

/* ---- Phrases ---------------------------------------------------------------------------- */

/* Who fills a ring's stages, or drains them. Answers and maps are for all that have to do with a
 * tile. */
static const char *role(const remark *r, const gg_ring *ring, bool fills) {
  if ((ring->id == GG_RING_ANSWERS || ring->id == GG_RING_MAPS) && !fills)
    return "every role that needs it";
  const gg_role *of =
      gg_rings_role(&r->ptx->memory.layouts->rings, fills ? ring->filled_by : ring->drained_by);
  return of ? of->name : "threads";
}

/* "stage 2 of stages", "stage %r12 of stages", "a stage of stages". */
static void put_stage(const remark *r, const operand_place *p) {
  const gg_ring *ring = p->at.ring;
  int64_t stages[FLOW_MOST];
  uint32_t reg = UINT32_MAX;
  if (ring->depth == 1) {
    gg_str_printf(r->out, "ring %s", ring->name);
    return;
  }
  if (p->at.stage < 0) {
    place_stages(stages, &p->at, p->value);
    reg = flow_register_of(r->ptx->flow, p->operand, p->value, stages);
  }
  if (p->at.stage >= 0)
    gg_str_printf(r->out, "stage %d of ring %s", p->at.stage, ring->name);
  else if (reg != UINT32_MAX)
    gg_str_printf(r->out, "stage %s of ring %s", r->ptx->function->registers[reg].name, ring->name);
  else
    gg_str_printf(r->out, "a stage of ring %s", ring->name);
}

static void put_barrier(const remark *r, const operand_place *p) {
  gg_str_printf(r->out, "barrier %s, ", p->at.barriers->name);
  put_stage(r, p);
}

static void put_parameter(const remark *r, int parameter) {
  gg_cuda_write_parameter_name(r->out, r->ptx->plan, r->ptx->params[parameter]);
}

static void put_map(const remark *r) {
  gg_str_puts(r->out, r->of->map >= 0 ? "a box by " : "a box");
  if (r->of->map >= 0) put_parameter(r, r->of->map);
}

/* Who waits at the barrier that is arrived at. */
static void put_waiter(const remark *r, const operand_place *p) {
  if (p->operand)
    gg_str_printf(r->out, "%s waits for it", role(r, p->at.ring, !p->at.is_full));
  else
    gg_str_puts(r->out, "who waits for it is not known");
}

/* The operand that is a number: of wait_group. */
static long long number_of(const ptx_instruction *i) {
  return i->operand_count && i->operands[0].kind == PTX_INTEGER ? (long long)i->operands[0].value
                                                                : 0;
}

/* ---- mbarriers -------------------------------------------------------------------------- */

static void waits(const remark *r) {
  const operand_place *p = &r->of->barrier;
  if (!p->operand) {
    gg_str_puts(r->out, "waits for a phase of an mbarrier");
    return;
  }
  gg_str_puts(r->out, "waits at ");
  put_barrier(r, p);
  gg_str_printf(r->out, ", until %s has %s it", role(r, p->at.ring, p->at.is_full),
                p->at.is_full ? "filled" : "drained");
}

static void arrives(const remark *r) {
  const operand_place *p = &r->of->barrier;
  bool expects = has_word(r->of->instruction, "expect_tx");
  gg_str_puts(r->out, expects ? "says how many bytes will come, at " : "arrives at ");
  if (p->operand)
    put_barrier(r, p);
  else
    gg_str_puts(r->out, "an mbarrier");
  gg_str_puts(r->out, "; ");
  put_waiter(r, p);
}

/* ---- Copies ----------------------------------------------------------------------------- */

static void put_memory(const remark *r, const char *before) {
  gg_str_puts(r->out, before);
  if (r->of->memory.operand)
    put_stage(r, &r->of->memory);
  else
    gg_str_puts(r->out, "shared memory");
}

static void counts_at(const remark *r) {
  gg_str_puts(r->out, "; its bytes count at ");
  if (r->of->barrier.operand) {
    put_barrier(r, &r->of->barrier);
    gg_str_puts(r->out, "; ");
  } else {
    gg_str_puts(r->out, "an mbarrier; ");
  }
  put_waiter(r, &r->of->barrier);
}

/* To shared memory by an mbarrier, or from there by a group. */
static void copies_bulk(const remark *r) {
  bool tensor = has_word(r->of->instruction, "tensor");
  bool stores = has_word(r->of->instruction, "bulk_group");
  bool adds = strcmp(r->of->instruction->form->opcode, "cp") != 0 ||
              has_word(r->of->instruction, "reduce") || has_word(r->of->instruction, "add");
  gg_str_puts(r->out, stores && adds ? "adds " : stores ? "stores " : "copies ");
  if (tensor)
    put_map(r);
  else if (r->of->pointer >= 0)
    put_parameter(r, r->of->pointer);
  else
    gg_str_puts(r->out, "bytes");
  put_memory(r, stores ? " from " : " to ");
  if (!stores) {
    counts_at(r);
    return;
  }
  gg_str_puts(r->out, "; this thread waits for it by cp.async.bulk.wait_group");
}

static void prefetches(const remark *r) {
  gg_str_puts(r->out, "asks for ");
  put_map(r);
  gg_str_puts(r->out, " in the L2 cache; nobody waits for it");
}

static void put_ring(const remark *r, const char *before, const gg_ring *ring) {
  if (ring) gg_str_printf(r->out, "%sring %s", before, ring->name);
}

static void commits_bulk(const remark *r) {
  gg_str_puts(r->out, "the stores since the last group are one");
  put_ring(r, ", from ", r->facts->stored_from);
  gg_str_puts(r->out, "; this thread waits for it by cp.async.bulk.wait_group");
}

static void waits_bulk(const remark *r) {
  bool reads = has_word(r->of->instruction, "read");
  gg_str_printf(r->out, "waits until at most %lld of this thread's groups of stores",
                number_of(r->of->instruction));
  gg_str_puts(r->out, reads ? " have yet to read" : " are under way");
  if (reads) gg_str_puts(r->out, r->facts->stored_from ? "" : " shared memory");
  put_ring(r, reads ? " " : ", from ", r->facts->stored_from);
}

static void copies(const remark *r) {
  gg_str_puts(r->out, "copies ");
  if (r->of->pointer >= 0)
    put_parameter(r, r->of->pointer);
  else
    gg_str_puts(r->out, "from global memory");
  put_memory(r, " to ");
  if (!r->facts->by_barriers)
    gg_str_puts(r->out, "; this thread waits for it by cp.async.wait_group");
  else if (!r->facts->by_groups)
    gg_str_puts(r->out, "; cp.async.mbarrier.arrive tells those who wait");
  else
    gg_str_puts(r->out, "; its group, or an mbarrier, tells those who wait");
}

static void commits_copies(const remark *r) {
  gg_str_puts(r->out, "the copies since the last group are one");
  put_ring(r, ", to ", r->facts->copied_to);
  gg_str_puts(r->out, "; this thread waits for it by cp.async.wait_group");
}

static void waits_copies(const remark *r) {
  gg_str_printf(r->out, "waits until at most %lld of this thread's groups of copies are under way",
                number_of(r->of->instruction));
  put_ring(r, ", to ", r->facts->copied_to);
}

/* Which barrier hears of it, and who waits there. */
static void put_arrival(const remark *r) {
  if (r->of->barrier.operand)
    put_barrier(r, &r->of->barrier);
  else
    gg_str_puts(r->out, "an mbarrier");
  gg_str_puts(r->out, "; ");
  put_waiter(r, &r->of->barrier);
}

static void arrives_with_copies(const remark *r) {
  gg_str_puts(r->out, "when this thread's copies are there, arrives at ");
  put_arrival(r);
}

/* To another CTA's shared memory. */
static void stores_there(const remark *r) {
  put_memory(r, "stores to another CTA's ");
  counts_at(r);
}

static void asks_for_tile(const remark *r) {
  put_memory(r, "asks which tile is next; the answer comes to ");
  counts_at(r);
}

/* ---- The tensor core -------------------------------------------------------------------- */

static void put_factors(const remark *r) {
  const about *of = r->of;
  static const char *const names[] = {"A", "B"};
  gg_str_puts(r->out, "multiplies");
  for (int i = 0; i < of->descriptor_count; i++) {
    /* With one descriptor alone A is elsewhere: in registers, or in tensor memory. */
    const char *name = names[of->descriptor_count == 2 ? i : 1];
    gg_str_printf(r->out, "%s %s in ", i ? " by" : "", name);
    put_stage(r, &of->descriptors[i]);
  }
  if (!of->descriptor_count) gg_str_puts(r->out, " A by B");
}

static void multiplies_group(const remark *r) {
  put_factors(r);
  gg_str_puts(r->out, "; this warpgroup waits for it by wgmma.wait_group");
}

static void commits_group(const remark *r) {
  gg_str_puts(r->out, "the MMAs since the last group are one; this warpgroup waits for it by "
                      "wgmma.wait_group");
}

static void waits_group(const remark *r) {
  gg_str_printf(r->out, "waits until at most %lld of this warpgroup's groups of MMAs are running",
                number_of(r->of->instruction));
}

static void fences_group(const remark *r) {
  gg_str_puts(r->out, "MMAs behind it see what was written to their registers before");
}

static void multiplies(const remark *r) {
  put_factors(r);
  if (r->of->accumulators) gg_str_puts(r->out, ", to ring accumulators");
  gg_str_puts(r->out, "; tcgen05.commit tells those who wait");
}

static void commits(const remark *r) {
  gg_str_puts(r->out, "when all that this thread has issued is done, arrives at ");
  put_arrival(r);
}

static void copies_to_tensor(const remark *r) {
  gg_str_puts(r->out, "copies to tensor memory");
  if (r->of->descriptor_count) {
    gg_str_puts(r->out, " from ");
    put_stage(r, &r->of->descriptors[0]);
  }
  gg_str_puts(r->out, "; MMAs behind it come after it, tcgen05.commit tells others");
}

static void loads(const remark *r) {
  gg_str_puts(r->out, "loads from tensor memory");
  if (r->of->accumulators) gg_str_puts(r->out, ", ring accumulators");
  gg_str_puts(r->out, "; this warp waits for it by tcgen05.wait::ld");
}

static void stores(const remark *r) {
  gg_str_puts(r->out, "stores to tensor memory");
  if (r->of->accumulators) gg_str_puts(r->out, ", ring accumulators");
  gg_str_puts(r->out, "; this warp waits for it by tcgen05.wait::st");
}

static void waits_loads(const remark *r) {
  gg_str_puts(r->out, "waits for this warp's loads from tensor memory");
}

static void waits_stores(const remark *r) {
  gg_str_puts(r->out, "waits for this warp's stores to tensor memory");
}

/* ---- The table -------------------------------------------------------------------------- */

static const struct {
  const char *begins; /* an instruction's text: the first that fits */
  void (*write)(const remark *r);
} remarks[] = {
    {"mbarrier.try_wait", waits},
    {"mbarrier.test_wait", waits},
    {"mbarrier.arrive", arrives},
    {"mbarrier.expect_tx", arrives},
    {"cp.async.bulk.prefetch", prefetches},
    {"cp.async.bulk.commit_group", commits_bulk},
    {"cp.async.bulk.wait_group", waits_bulk},
    {"cp.async.bulk", copies_bulk},
    {"cp.reduce.async.bulk", copies_bulk},
    {"cp.async.commit_group", commits_copies},
    {"cp.async.wait_group", waits_copies},
    {"cp.async.wait_all", waits_copies},
    {"cp.async.mbarrier.arrive", arrives_with_copies},
    {"cp.async", copies},
    {"st.async", stores_there},
    {"red.async", stores_there},
    {"clusterlaunchcontrol.try_cancel", asks_for_tile},
    {"wgmma.mma_async", multiplies_group},
    {"wgmma.commit_group", commits_group},
    {"wgmma.wait_group", waits_group},
    {"wgmma.fence", fences_group},
    {"tcgen05.mma", multiplies},
    {"tcgen05.commit", commits},
    {"tcgen05.cp", copies_to_tensor},
    {"tcgen05.ld", loads},
    {"tcgen05.st", stores},
    {"tcgen05.wait::ld", waits_loads},
    {"tcgen05.wait::st", waits_stores},
};
enum { remark_count = sizeof remarks / sizeof *remarks };

static size_t find(const ptx_instruction *i) {
  size_t k = 0;
  while (k < remark_count &&
         strncmp(i->form->text, remarks[k].begins, strlen(remarks[k].begins)) != 0)
    k++;
  return k;
}

bool remark_is_due(const ptx_instruction *instruction) {
  return find(instruction) < remark_count;
}

void remark_write(gg_str *out, const kernel_ptx *ptx, const about *of, const remark_facts *facts) {
  size_t k = find(of->instruction);
  if (k < remark_count) remarks[k].write(&(remark){out, ptx, of, facts});
}

static void take_ring(const gg_ring **ring, bool *several, const about *of) {
  const gg_ring *here = of->memory.operand ? of->memory.at.ring : NULL;
  if (!here || (*ring && *ring != here)) *several = true;
  *ring = *several ? NULL : here;
}

void remark_take(remark_survey *survey, const about *of) {
  const ptx_instruction *i = of->instruction;
  void (*write)(const remark *r) = NULL;
  if (remark_is_due(i)) write = remarks[find(i)].write;
  if (write == copies) take_ring(&survey->facts.copied_to, &survey->several_copied, of);
  if (write == copies_bulk && has_word(i, "bulk_group"))
    take_ring(&survey->facts.stored_from, &survey->several_stored, of);
  if (write == waits_copies) survey->facts.by_groups = true;
  if (write == arrives_with_copies) survey->facts.by_barriers = true;
}
