/* tcgen05.mma: D = A * B + D in tensor memory (PTX ISA, "tcgen05.mma", "Data path layout
 * organization").
 *
 * At its issue descriptors are read and checked, and what it will touch is claimed: units of shared
 * memory, regions of tensor memory, in both CTAs of a pair. The product is computed when it lands.
 * Those of one warp land in the order of issue, so that each finds the sum of those before. Of a
 * pair each CTA has half of A's rows and half of B's columns, at the same addresses, and gets its
 * rows of D. */
#include <inttypes.h>
#include <stdio.h>

#include "base/alloc.h"
#include "emu/async/modifiers.h"
#include "emu/isa/tcgen05_product.h"
#include "emu/isa/unit_set.h"
#include "emu/report.h"

/* ---- Landing ---------------------------------------------------------------------------- */

static void release(emu_product *x, bool done) {
  for (int i = 0; i < 2; i++) {
    emu_tmem_release(&x->d_claims[i], done);
    emu_tmem_release(&x->a_claims[i], done);
    emu_tmem_release(&x->metadata_claims[i], done);
    emu_tmem_release(&x->a_scale_claims[i], done);
    emu_tmem_release(&x->b_scale_claims[i], done);
  }
}

static bool land(emu_async *async, emu_cluster *cluster) {
  emu_product *x = (emu_product *)async;
  (void)cluster;
  bool ok = emu_product_compute(x);
  release(x, ok);
  return ok;
}

static void describe(emu_async_words *out, const emu_async *async) {
  const emu_product *x = (const emu_product *)async;
  const emu_umma_shape *s = &x->shape;
  snprintf(out->shape, sizeof out->shape, "m%dn%dk%d", s->m, s->n, s->k);
  emu_tmem_put_region(out->where, sizeof out->where, "D", &x->d_claims[0].region);
}

/* ---- Issue ------------------------------------------------------------------------------ */

static bool read_view(emu_umma_view *out, emu_warp *warp, const emu_op *op, int lane, int operand,
                      const char *name, bool along_k) {
  uint64_t descriptor = emu_lane_value(warp, &op->operands[operand], lane);
  int arch = warp->cta->cluster->run->options->arch;
  const char *why = emu_umma_operand_read(out, descriptor, along_k, arch);
  if (!why) return true;
  emu_fault(warp, op, lane, GG_E_EMU_DESCRIPTOR, "descriptor of %s 0x%016" PRIx64 ": %s", name,
            descriptor, why);
  return false;
}

static bool read_shape(emu_product *x, emu_warp *warp, const emu_op *op, int lane) {
  const emu_tcgen05_facts *f = op->facts;
  char why[160];
  uint32_t descriptor =
      (uint32_t)emu_lane_value(warp, &op->operands[EMU_TCGEN05_INSTRUCTION], lane);
  int arch = warp->cta->cluster->run->options->arch;
  emu_umma_form form = {f->kind, f->group, f->factors, f->ws, f->sparse, arch};
  if (emu_umma_shape_read(&x->shape, why, sizeof why, descriptor, &form)) return true;
  emu_fault(warp, op, lane, GG_E_EMU_DESCRIPTOR, "instruction descriptor 0x%08" PRIx32 ": %s",
            descriptor, why);
  return false;
}

/* A in tensor memory: rows along K; .ashift is of 128 rows a CTA. */
static bool check_a(const emu_product *x, emu_warp *warp, const emu_op *op, int lane) {
  const emu_tcgen05_facts *f = op->facts;
  if (!x->shape.a_along_k) {
    emu_fault(warp, op, lane, GG_E_EMU_DESCRIPTOR,
              "A in tensor memory is stored along K, not along M");
    return false;
  }
  if (!(f->shifts || f->ws) || x->shape.m == 128 * f->group) return true;
  emu_fault(warp, op, lane, GG_E_EMU_DESCRIPTOR, "M is %d; %s it is %d", x->shape.m,
            f->ws ? "of mma.ws with A in tensor memory" : "with .ashift", 128 * f->group);
  return false;
}

/* The zero-column mask. Where B is stored along N its columns come by units. */
static bool read_zeros(emu_product *x, emu_warp *warp, const emu_op *op, int lane) {
  uint64_t descriptor = emu_lane_value(warp, &op->operands[EMU_TCGEN05_MASKS], lane);
  const char *why = emu_umma_zero_read(x->zero, &x->b_shift, descriptor, &x->shape);
  if (!why && !x->shape.b_along_k && x->b_shift % emu_product_unit(x, x->shape.b)) {
    why = "a shift of B that is stored along N by other than 16 bytes is not emulated";
  }
  if (!why) return true;
  emu_fault(warp, op, lane, GG_E_EMU_DESCRIPTOR, "zero-column mask 0x%016" PRIx64 ": %s",
            descriptor, why);
  return false;
}

static bool read_operands(emu_product *x, emu_warp *warp, const emu_op *op, int lane) {
  const emu_tcgen05_facts *f = op->facts;
  if (!read_shape(x, warp, op, lane)) return false;
  const emu_umma_shape *s = &x->shape;
  if (f->a_in_tensor_memory && !check_a(x, warp, op, lane)) return false;
  if (!f->a_in_tensor_memory &&
      !read_view(&x->a, warp, op, lane, EMU_TCGEN05_A, "A", s->a_along_k)) {
    return false;
  }
  if (!read_view(&x->b, warp, op, lane, EMU_TCGEN05_B, "B", s->b_along_k)) return false;
  x->accumulate = emu_lane_value(warp, &op->operands[EMU_TCGEN05_ENABLE], lane);
  if (f->zeros && !read_zeros(x, warp, op, lane)) return false;
  for (int i = 0; i < f->masks; i++)
    x->masks[i] = (uint32_t)emu_lane_value(warp, &op->operands[EMU_TCGEN05_MASKS + i], lane);
  return true;
}

/* What it reads must have been written, but for padding. */
static bool add_view(emu_unit_set *set, const emu_product *x, emu_warp *warp, const emu_op *op,
                     const char *name, const emu_umma_view *v, emu_cta *cta, emu_type type,
                     int count, int k) {
  emu_unit_set own = {{0}};
  int each = emu_product_unit(x, type), lines = v->along_k ? count : k;
  int units = ((v->along_k ? k : count) + each - 1) / each;
  for (int line = 0; line < lines; line++) {
    for (int unit = 0; unit < units; unit++) {
      if (!emu_unit_add(&own, warp, op, name, cta, emu_umma_unit(v, line, unit))) return false;
    }
  }
  emu_unit_set_join(set, &own);
  size_t bytes = (size_t)(each * emu_type_of(type)->bits / 8);
  return emu_unit_set_written(warp, op, &own, cta, bytes);
}

static bool add_reads(emu_unit_set sets[2], const emu_product *x, emu_warp *warp,
                      const emu_op *op) {
  const emu_tcgen05_facts *f = op->facts;
  const emu_umma_shape *s = &x->shape;
  for (int i = 0; i < f->group; i++) {
    if (!f->a_in_tensor_memory && !add_view(&sets[i], x, warp, op, "A", &x->a, x->ctas[i], s->a,
                                            s->m / f->group, emu_product_stored(x))) {
      return false;
    }
    if (!add_view(&sets[i], x, warp, op, "B", &x->b, x->ctas[i], s->b, s->n / f->group + x->b_shift,
                  s->k)) {
      return false;
    }
  }
  return true;
}

/* D starts at lane 0, or at lane 16 where 16 of each 32 lanes are used; scale factors at lane 0. */
static bool check_lane(emu_warp *warp, const emu_op *op, int lane, const char *name,
                       uint32_t address, bool half) {
  uint32_t first = address >> 16;
  if (!first || (half && first == 16)) return true;
  emu_fault(warp, op, lane, GG_E_EMU_TENSOR_MEMORY,
            "%s is at lane %" PRIu32 "; its first lane is %s", name, first, half ? "0 or 16" : "0");
  return false;
}

/* Where scale factors of A or B are. Bits 30 and 31 of the address may say the id too, as in
 * CUTLASS, whose addresses are of bytes. */
static bool find_scale(emu_scale_view *v, const emu_product *x, emu_warp *warp, const emu_op *op,
                       int lane, bool of_b) {
  const emu_tcgen05_facts *f = op->facts;
  uint32_t address = emu_tmem_address(warp, of_b ? &f->b_scale : &f->a_scale, lane);
  int byte = (int)(address >> 30), id = of_b ? x->shape.scale_b_id : x->shape.scale_a_id;
  const char *name = of_b ? "scale_B" : "scale_A";
  *v = (emu_scale_view){.name = of_b ? "B's scale factor of column" : "A's scale factor of row",
                        .column = (int)(address & 0xffff),
                        .byte = id,
                        .rows = of_b ? x->shape.n : emu_product_rows(x),
                        .factors = x->shape.factors,
                        .folded = of_b && emu_product_folds(x) == 2};
  if (byte && byte != id) {
    emu_fault(warp, op, lane, GG_E_EMU_DESCRIPTOR,
              "%s is at 0x%08" PRIx32
              ", whose bits 30 and 31 say byte %d; its id in the instruction "
              "descriptor is %d",
              name, address, byte, id);
    return false;
  }
  return check_lane(warp, op, lane, name, address & 0x3fffffff, false);
}

/* What stands in the lanes that D's rows have. */
static bool check_beside(const emu_product *x, emu_warp *warp, const emu_op *op, int lane,
                         const char *name, uint32_t first) {
  if (first == (uint32_t)x->d_lane) return true;
  emu_fault(warp, op, lane, GG_E_EMU_TENSOR_MEMORY,
            "%s is at lane %" PRIu32 "; its first lane is that of D, %d", name, first, x->d_lane);
  return false;
}

/* Where a sparse A's metadata is: in the lanes that D's rows have, from an even column on. */
static bool find_metadata(emu_product *x, emu_warp *warp, const emu_op *op, int lane) {
  const emu_tcgen05_facts *f = op->facts;
  uint32_t address = emu_tmem_address(warp, &f->metadata, lane), first = address >> 16;
  emu_type type = x->shape.packed ? EMU_E2M1 : f->kind > EMU_UMMA_TF32 ? EMU_B8 : x->shape.a;
  x->metadata = (emu_meta_view){.sparsity = {type, x->shape.k, x->shape.selector, true, true},
                                .lane = (int)first,
                                .column = (int)(address & 0xffff),
                                .rows = emu_product_rows(x),
                                .half = emu_product_half(x)};
  if (!check_beside(x, warp, op, lane, "the metadata", first)) return false;
  if (address % 2 == 0) return true;
  emu_fault(warp, op, lane, GG_E_EMU_TENSOR_MEMORY,
            "the metadata is at column %d; it begins at an even one", x->metadata.column);
  return false;
}

static bool find_operands(emu_product *x, emu_warp *warp, const emu_op *op, int lane) {
  const emu_tcgen05_facts *f = op->facts;
  uint32_t d = emu_tmem_address(warp, &f->d, lane), a = 0;
  bool half = emu_product_half(x);
  if (f->a_in_tensor_memory) a = emu_tmem_address(warp, &f->a, lane);
  x->d_lane = (int)(d >> 16 & 16);
  x->d_column = (int)(d & 0xffff);
  x->a_column = (int)(a & 0xffff);
  if (!check_lane(warp, op, lane, "D", d, half)) return false;
  if (f->a_in_tensor_memory && !check_beside(x, warp, op, lane, "A", a >> 16)) return false;
  if (f->sparse && !find_metadata(x, warp, op, lane)) return false;
  return !f->factors || (find_scale(&x->a_scale, x, warp, op, lane, false) &&
                         find_scale(&x->b_scale, x, warp, op, lane, true));
}

static emu_tmem_region d_region(const emu_product *x, int column) {
  uint32_t lanes = emu_product_half(x) ? UINT32_C(0xffff) << x->d_lane : UINT32_MAX;
  int columns = x->shape.n / emu_product_folds(x);
  return (emu_tmem_region){{lanes, lanes, lanes, lanes}, column, columns};
}

/* Claims what is read of a CTA's tensor memory and D must not overwrite. */
static bool hold_beside(emu_tmem_claim *claim, emu_tmem_region r, emu_tmem *memory, emu_product *x,
                        const char *name) {
  emu_tmem_region d = d_region(x, x->d_column);
  if (r.column < d.column + d.columns && d.column < r.column + r.columns) {
    emu_fault(x->base.warp, x->base.op, -1, GG_E_EMU_TENSOR_MEMORY,
              "%s is in columns %d to %d, and D in columns %d to %d", name, r.column,
              r.column + r.columns - 1, d.column, d.column + d.columns - 1);
    return false;
  }
  return emu_tmem_hold(claim, memory, &r, false, EMU_TMEM_PIPE, &x->base, name);
}

static bool hold_in(emu_product *x, int which, emu_tmem *memory) {
  const emu_tcgen05_facts *f = emu_product_facts(x);
  emu_tmem_region region = d_region(x, x->d_column), from = region;
  from.column = x->a_column;
  from.columns = emu_product_stored(x) * emu_product_a_room(x) / 32;
  if (!emu_tmem_hold(&x->d_claims[which], memory, &region, true, EMU_TMEM_PIPE, &x->base, "D")) {
    return false;
  }
  if (f->a_in_tensor_memory &&
      !emu_tmem_hold(&x->a_claims[which], memory, &from, f->shifts, EMU_TMEM_PIPE, &x->base, "A")) {
    return false;
  }
  if (f->sparse && !hold_beside(&x->metadata_claims[which], emu_meta_region(&x->metadata), memory,
                                x, "the metadata")) {
    return false;
  }
  if (!f->factors) return true;
  return hold_beside(&x->a_scale_claims[which], emu_scale_region(&x->a_scale), memory, x,
                     "scale_A") &&
         hold_beside(&x->b_scale_claims[which], emu_scale_region(&x->b_scale), memory, x,
                     "scale_B");
}

static bool hold(emu_product *x, emu_warp *warp, const emu_op *op, int lane) {
  const emu_tcgen05_facts *f = op->facts;
  if (!find_operands(x, warp, op, lane)) return false;
  for (int i = 0; i < f->group; i++) {
    emu_tmem *memory = emu_tcgen05_memory(warp, op, x->ctas[i], f->group);
    if (!memory || !hold_in(x, i, memory)) return false;
  }
  return true;
}

/* The work, with what it reads of shared memory; NULL after a fault. */
static emu_product *prepare(emu_warp *warp, const emu_op *op, int lane, emu_tmem_user *user) {
  const emu_tcgen05_facts *f = op->facts;
  emu_unit_set sets[2] = {{{0}}, {{0}}};
  emu_product draft = {.base = emu_tcgen05_work(warp, op, lane, user)};
  draft.base.unit = "MMA pipe";
  draft.base.describe = describe;
  draft.base.land = land;
  if (!emu_tcgen05_ctas(draft.ctas, warp, op, lane, f->group)) return NULL;
  if (!read_operands(&draft, warp, op, lane) || !add_reads(sets, &draft, warp, op)) return NULL;
  uint32_t reads = emu_unit_count_spans(&sets[0]) + emu_unit_count_spans(&sets[1]);
  emu_product *x = gg_malloc(sizeof *x + reads * sizeof *x->spans);
  if (!x) {
    emu_fault(warp, op, -1, GG_E_MEMORY, " for tcgen05.mma");
    return NULL;
  }
  *x = draft;
  x->base.starts[0] = x->a.start;
  x->base.starts[1] = x->b.start;
  emu_tcgen05_list_reads(&x->base, x->spans, sets, x->ctas);
  return x;
}

static void count(emu_counters *counters, const emu_product *x) {
  const emu_tcgen05_facts *f = emu_product_facts(x);
  uint64_t macs = (uint64_t)x->shape.m * (uint64_t)(x->shape.n * emu_product_stored(x));
  _Static_assert(EMU_UMMA_MXF4NVF4 + 1 == EMU_COUNTED_KINDS, "all kinds are counted");
  counters->tensor_macs += macs;
  counters->umma_macs[f->kind] += macs;
  counters->umma_count[f->kind]++;
  if (x->accumulate)
    counters->tmem_columns_read += (uint64_t)(x->shape.n / emu_product_folds(x) * f->group);
}

static bool issue(emu_warp *warp, const emu_op *op, int lane) {
  const emu_tcgen05_facts *f = op->facts;
  emu_tmem_user *user = emu_tmem_user_of(warp, op);
  if (!user || !emu_tmem_of(warp, op, f->group)) return false;
  emu_product *x = prepare(warp, op, lane, user);
  if (!x) return false;
  if (!hold(x, warp, op, lane)) {
    release(x, false);
    gg_free(x);
    return false;
  }
  user->work[EMU_TMEM_PIPE].issued++;
  user->products++;
  emu_hazard_moment(warp, &x->base.since);
  count(emu_counting(warp), x);
  return emu_async_issue(warp->cta->cluster, &x->base);
}

emu_step emu_run_tcgen05_mma(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  EMU_EACH_LANE(lanes, lane) {
    if (!issue(warp, op, (int)lane)) return EMU_FAULT;
  }
  return EMU_NEXT;
}
