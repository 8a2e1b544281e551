/* wgmma: decoding, and the instructions of synchronisation (PTX ISA, "Asynchronous Warpgroup Level
 * Matrix Instructions"). */
#include "emu/isa/wgmma.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "emu/hazard.h"

#define T(type) (UINT64_C(1) << EMU_##type)

enum { row_bytes = 32, n_most = 256 }; /* of a dense row of A */

/* ---- Forms ------------------------------------------------------------------------------ */

/* Operand types that may be mixed, and the accumulators that they take. */
typedef struct family {
  uint64_t operands, accumulators;
} family;

static const family families[] = {
    {T(F16), T(F16) | T(F32)}, {T(BF16), T(F32)},
    {T(TF32), T(F32)},         {T(E4M3) | T(E5M2), T(F16) | T(F32)},
    {T(S8) | T(U8), T(S32)},   {T(B1), T(S32)},
};

static bool has(uint64_t types, emu_type type) {
  return type != EMU_NONE && types >> type & 1;
}

static bool types_fit(const emu_wgmma_facts *f) {
  for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
    const family *m = &families[i];
    if (has(m->operands, f->a) && has(m->operands, f->b)) return has(m->accumulators, f->d);
  }
  return false;
}

/* Integers and bits: from 32 on multiples of 16, but for 40 and 56, which do not exist. */
static bool columns_fit(const emu_wgmma_facts *f) {
  if (f->n < 8 || f->n > n_most || f->n % 8) return false;
  return f->d != EMU_S32 || f->n <= 24 || f->n % 16 == 0;
}

static bool is_half(const emu_wgmma_facts *f) {
  return f->a == EMU_F16 || f->a == EMU_BF16;
}

static gg_status take_shape(emu_wgmma_facts *f, emu_decoder *d, gg_error *err) {
  const char *shape = emu_take_prefix(d, "m64n");
  char *rest = NULL;
  if (shape) f->n = (int)strtol(shape + 4, &rest, 10);
  if (!rest || *rest != 'k') return emu_unknown_form(d, err, "its shape is m64nNkK");
  f->k = atoi(rest + 1);
  return GG_OK;
}

static gg_status check_form(const emu_wgmma_facts *f, emu_decoder *d, gg_error *err) {
  if (emu_decoder_arch(d) != 90) {
    return emu_unknown_form(d, err, "sm_%d has none: it is sm_90a's", emu_decoder_arch(d));
  }
  if (!types_fit(f) || (f->sparse && f->a == EMU_B1)) {
    return emu_unknown_form(d, err, "it does not take these types");
  }
  int k = row_bytes * 8 / emu_type_of(f->a)->bits * (f->sparse ? 2 : 1);
  if (f->k != k) return emu_unknown_form(d, err, "its k is %d, not %d", k, f->k);
  if (!columns_fit(f)) return emu_unknown_form(d, err, "n cannot be %d", f->n);
  if (f->saturate && (f->d != EMU_S32 || f->a == EMU_B1)) {
    return emu_unknown_form(d, err, ".satfinite is for 8-bit integers");
  }
  return GG_OK;
}

static gg_status take_modifiers(emu_wgmma_facts *f, emu_decoder *d, gg_error *err) {
  gg_status st;
  f->sparse = emu_take(d, "sp");
  if (!emu_take(d, "sync") || !emu_take(d, "aligned")) {
    return emu_unknown_form(d, err, "it is .sync.aligned");
  }
  if ((st = take_shape(f, d, err))) return st;
  f->saturate = emu_take(d, "satfinite");
  f->d = emu_take_type(d);
  f->a = emu_take_type(d);
  f->b = emu_take_type(d);
  if (f->a == EMU_B1 && !(emu_take(d, "and") && emu_take(d, "popc"))) {
    return emu_unknown_form(d, err, "bits take .and.popc");
  }
  if ((st = emu_modifiers_end(d, err))) return st;
  if ((st = check_form(f, d, err))) return st;
  f->sparsity = (emu_sparsity){.type = f->a, .k = f->k, .ordered = true};
  return GG_OK;
}

/* ---- Operands --------------------------------------------------------------------------- */

/* The operands still to be read; `index` counts them as written. */
typedef struct reader {
  emu_op *op;
  emu_wgmma_facts *facts;
  emu_decoder *decoder;
  int index;
} reader;

static gg_status take_registers(reader *r, int expected, emu_type type, bool destination,
                                gg_error *err) {
  int count;
  emu_operand *out = r->op->operands + r->op->operand_count;
  gg_status st =
      emu_operand_vector(out, &count, expected, r->decoder, r->index, type, destination, err);
  if (st) return st;
  if (count != expected) {
    return emu_unknown_form(r->decoder, err, "operand %d has %d registers, not %d", r->index + 1,
                            expected, count);
  }
  r->op->operand_count = (uint16_t)(r->op->operand_count + count);
  r->index++;
  return GG_OK;
}

static gg_status take_value(reader *r, int *at, emu_type type, gg_error *err) {
  *at = r->op->operand_count++;
  return emu_operand_value(&r->op->operands[*at], r->decoder, r->index++, type, err);
}

/* One of two constants; whether it is the second. */
static gg_status take_choice(reader *r, bool *second, int64_t first_value, int64_t second_value,
                             gg_error *err) {
  int64_t value;
  gg_status st = emu_operand_immediate(&value, r->decoder, r->index, err);
  if (st) return st;
  if (value != first_value && value != second_value) {
    return emu_unknown_form(r->decoder, err, "operand %d is %lld: %lld or %lld are allowed",
                            r->index + 1, (long long)value, (long long)first_value,
                            (long long)second_value);
  }
  r->index++;
  *second = value == second_value;
  return GG_OK;
}

static gg_status take_metadata(reader *r, gg_error *err) {
  emu_wgmma_facts *f = r->facts;
  int64_t selector;
  gg_status st = take_value(r, &f->metadata_at, EMU_B32, err);
  if (!st) st = emu_operand_immediate(&selector, r->decoder, r->index, err);
  if (st) return st;
  int most = emu_sparse_selectors(f->a, f->k);
  if (selector < 0 || selector > most) {
    return emu_unknown_form(r->decoder, err, "the sparsity selector is %lld; 0 to %d are allowed",
                            (long long)selector, most);
  }
  f->sparsity.selector = (int)selector;
  r->index++;
  return GG_OK;
}

/* scale-d is a predicate; a constant does too. */
static gg_status take_scale(reader *r, gg_error *err) {
  const ptx_operand *written = emu_operand_at(r->decoder, r->index);
  r->facts->scale_constant = written && written->kind == PTX_INTEGER;
  if (!r->facts->scale_constant) return take_value(r, &r->facts->scale_at, EMU_PRED, err);
  return take_choice(r, &r->facts->scale, 0, 1, err);
}

/* Of floats: signs of A and B; of 16-bit ones then whether they are stored along M and N. */
static gg_status take_constants(reader *r, gg_error *err) {
  emu_wgmma_facts *f = r->facts;
  bool a_along_m = false, b_along_n = false;
  gg_status st = GG_OK;
  if (f->d == EMU_S32) return GG_OK;
  if ((st = take_choice(r, &f->negate_a, 1, -1, err))) return st;
  if ((st = take_choice(r, &f->negate_b, 1, -1, err))) return st;
  if (is_half(f) && !f->a_in_registers) st = take_choice(r, &a_along_m, 0, 1, err);
  if (is_half(f) && !st) st = take_choice(r, &b_along_n, 0, 1, err);
  f->a_along_k = !a_along_m;
  f->b_along_k = !b_along_n;
  return st;
}

static gg_status take_operands(reader *r, gg_error *err) {
  emu_wgmma_facts *f = r->facts;
  gg_status st;
  const ptx_operand *a = emu_operand_at(r->decoder, 1);
  f->d_count = f->n / (f->d == EMU_F16 ? 4 : 2);
  f->a_along_k = f->b_along_k = true;
  f->a_in_registers = a && a->kind == PTX_VECTOR;
  r->op->operands = GG_ARENA_ARRAY(emu_decoder_arena(r->decoder), emu_operand,
                                   (size_t)f->d_count + EMU_WGMMA_A_REGISTERS + 3);
  if (!r->op->operands) return gg_fail(err, MEMORY, NULL, "");
  emu_type d_type = f->d == EMU_F16 ? EMU_B32 : f->d;
  if ((st = take_registers(r, f->d_count, d_type, true, err))) return st;
  f->a_at = r->op->operand_count;
  st = f->a_in_registers ? take_registers(r, EMU_WGMMA_A_REGISTERS, EMU_B32, false, err)
                         : take_value(r, &f->a_at, EMU_B64, err);
  if (st) return st;
  if ((st = take_value(r, &f->b_at, EMU_B64, err))) return st;
  if (f->sparse && (st = take_metadata(r, err))) return st;
  if ((st = take_scale(r, err))) return st;
  if ((st = take_constants(r, err))) return st;
  if (r->index != emu_operand_count(r->decoder)) {
    return emu_unknown_form(r->decoder, err, "it has %d operands, not %d", r->index,
                            emu_operand_count(r->decoder));
  }
  return GG_OK;
}

static gg_status decode_mma(emu_op *op, emu_decoder *d, gg_error *err) {
  gg_status st;
  emu_wgmma_facts *f = GG_ARENA_NEW(emu_decoder_arena(d), emu_wgmma_facts);
  if (!f) return gg_fail(err, MEMORY, NULL, "");
  *f = (emu_wgmma_facts){0};
  if ((st = take_modifiers(f, d, err))) return st;
  reader r = {.op = op, .facts = f, .decoder = d};
  if ((st = take_operands(&r, err))) return st;
  f->model = emu_dot_find(emu_decoder_arch(d), EMU_UNIT_WGMMA, f->a, f->d);
  op->facts = f;
  op->exec = emu_wgmma_issue;
  return GG_OK;
}

/* ---- Synchronisation -------------------------------------------------------------------- */

static bool meet(emu_warp *warp, const emu_op *op, uint32_t *lanes) {
  if (!emu_converge(warp, op, UINT32_MAX, lanes)) return false;
  emu_hazard_converge(warp);
  return true;
}

static emu_step run_fence(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  if (!meet(warp, op, &lanes)) return EMU_WAIT;
  struct emu_wgmma *wgmma = emu_wgmma_of(warp, op);
  if (!wgmma) return EMU_FAULT;
  emu_wgmma_order(wgmma);
  return EMU_NEXT;
}

static emu_step run_commit(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  if (!meet(warp, op, &lanes)) return EMU_WAIT;
  struct emu_wgmma *wgmma = emu_wgmma_of(warp, op);
  if (!wgmma) return EMU_FAULT;
  wgmma->ends[wgmma->committed++ % EMU_WGMMA_GROUPS] = wgmma->issued;
  return EMU_NEXT;
}

/* The first wgmma of the group that is in flight; UINT64_MAX: none. */
static uint64_t first_in_flight(const emu_warp *first) {
  uint64_t number = UINT64_MAX;
  for (int i = 0; i < EMU_WGMMA_WARPS; i++) {
    const emu_wgmma_work *work = emu_wgmma_at(&first[i])->first;
    if (work && work->number < number) number = work->number;
  }
  return number;
}

/* The parts of a wgmma land one right after the other, so that its B need be decoded but once. */
static bool land_parts(emu_warp *first, uint64_t number) {
  emu_wgmma_b *b = &emu_wgmma_at(first)->b;
  bool ok = true;
  b->kept = true;
  for (int i = 0; i < EMU_WGMMA_WARPS && ok; i++)
    ok = emu_wgmma_land(&first[i], number + 1);
  b->kept = false;
  b->op = NULL;
  return ok;
}

/* The first `count` wgmmas of the warpgroup are done, and the warp knows it. */
static bool land_group(emu_warp *warp, uint64_t count) {
  emu_warp *first = emu_wgmma_group(warp);
  emu_cluster *cluster = warp->cta->cluster;
  for (uint64_t number; (number = first_in_flight(first)) < count;) {
    if (!land_parts(first, number)) return false;
  }
  for (int i = 0; i < EMU_WGMMA_WARPS; i++)
    emu_hazard_learn(warp, emu_hazard_agent(cluster, emu_wgmma_at(&first[i])), count);
  return true;
}

static emu_step run_wait(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  const uint64_t *pending = op->facts;
  if (!meet(warp, op, &lanes)) return EMU_WAIT;
  struct emu_wgmma *w = emu_wgmma_of(warp, op);
  if (!w) return EMU_FAULT;
  uint64_t left = *pending < EMU_WGMMA_GROUPS ? *pending : EMU_WGMMA_GROUPS - 1;
  uint64_t count = w->committed > left ? w->ends[(w->committed - left - 1) % EMU_WGMMA_GROUPS] : 0;
  if (!count) return EMU_NEXT;
  if (!emu_wgmma_started(warp, count)) return EMU_WAIT;
  return land_group(warp, count) ? EMU_NEXT : EMU_FAULT;
}

static gg_status decode_wait(emu_op *op, emu_decoder *d, gg_error *err) {
  int64_t pending;
  uint64_t *facts = GG_ARENA_NEW(emu_decoder_arena(d), uint64_t);
  if (!facts) return gg_fail(err, MEMORY, NULL, "");
  gg_status st = emu_operand_immediate(&pending, d, 0, err);
  if (st) return st;
  if (pending < 0) return emu_unknown_form(d, err, "it waits for %lld groups", (long long)pending);
  *facts = (uint64_t)pending;
  op->facts = facts;
  op->exec = run_wait;
  return GG_OK;
}

gg_status emu_decode_wgmma(emu_op *op, emu_decoder *d, gg_error *err) {
  static const char *const words[] = {"mma_async", "fence", "commit_group", "wait_group", NULL};
  op->kind = EMU_KIND_WGMMA;
  op->converges = true;
  int what = emu_take_word(d, words);
  if (what == 0) return decode_mma(op, d, err);
  if (what < 0) {
    return emu_unknown_form(d, err, "it is .mma_async, .fence, .commit_group or .wait_group");
  }
  if (!emu_take(d, "sync") || !emu_take(d, "aligned")) {
    return emu_unknown_form(d, err, "it is .sync.aligned");
  }
  gg_status st = emu_modifiers_end(d, err);
  if (st) return st;
  int operands = what == 3 ? 1 : 0;
  if (emu_operand_count(d) != operands) {
    return emu_unknown_form(d, err, "it has %d operands, not %d", operands, emu_operand_count(d));
  }
  if (what == 3) return decode_wait(op, d, err);
  op->exec = what == 1 ? run_fence : run_commit;
  return GG_OK;
}
