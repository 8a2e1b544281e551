/* Plans as lists of decisions, row by row of plan.def: which two plans are the same kernel, and
 * what the plan of the transposed problem is.
 *
 * A row names the C type of its decision. For each such type there are two functions here. One puts
 * a value into numbers, so that equal values, and only these, give equal numbers. The other
 * transposes a value that says something about M or N; most values do not.
 *
 * `gemmgen tune` keeps measurements by these numbers from one version of gemmgen to the next. So an
 * entry of a table or an enumeration that may grow in its middle is put by its name; gg_dtype,
 * gg_major and the other enumerations of gemmgen.h never change their numbers. */
#include "plan/decisions.h"

#include <assert.h>
#include <string.h>

#include "plan/operation.h"
#include "plan/target.h"
#include "spec/keys.h"

/* ---- Values ----------------------------------------------------------------------------- */

static void put(gg_identity *out, int64_t number) {
  assert(out->count < GG_IDENTITY_MAX && "a plan has more numbers than an identity");
  out->numbers[out->count++] = number;
}

/* A name of any length: eight characters to a number. The terminating zero is among the characters,
 * so no two names give the same numbers. */
static void put_name(gg_identity *out, const char *name) {
  size_t length = strlen(name) + 1;
  for (size_t i = 0; i < length; i += sizeof(int64_t)) {
    size_t left = length - i;
    int64_t number = 0;
    memcpy(&number, name + i, left < sizeof number ? left : sizeof number);
    put(out, number);
  }
}

/* By its bits. */
static void put_float(gg_identity *out, float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  put(out, bits);
}

static void put_int64_t(gg_identity *out, const int64_t *value) {
  put(out, *value);
}

static void put_int(gg_identity *out, const int *value) {
  put(out, *value);
}

static void put_size_t(gg_identity *out, const size_t *value) {
  put(out, (int64_t)*value);
}

static void put_bool(gg_identity *out, const bool *value) {
  put(out, *value);
}

static void put_gg_dtype(gg_identity *out, const gg_dtype *value) {
  put(out, *value);
}

static void put_gg_swizzle_kind(gg_identity *out, const gg_swizzle_kind *value) {
  put_name(out, gg_swizzle_name(*value));
}

static void put_gg_scheduler(gg_identity *out, const gg_scheduler *value) {
  put_name(out, gg_choice_word(GG_SET_SCHEDULER, *value));
}

static void put_gg_raster(gg_identity *out, const gg_raster *value) {
  put_name(out, gg_choice_word(GG_SET_RASTER, *value));
}

static void put_gg_family(gg_identity *out, const gg_family *value) {
  put_name(out, (*value)->name);
}

static void put_gg_arch(gg_identity *out, const gg_arch *value) {
  put(out, value->number);
  put(out, value->suffix);
}

static void put_gg_operand(gg_identity *out, const gg_operand *value) {
  put(out, value->type);
  put(out, value->major);
  put(out, value->align);
}

static void put_gg_scaling(gg_identity *out, const gg_scaling *value) {
  put(out, value->type);
  put(out, value->block);
}

static void put_gg_mma_atom(gg_identity *out, const gg_mma_atom *value) {
  put_name(out, value->row->cute);
  put(out, value->m);
  put(out, value->n);
  put(out, value->k);
  put(out, value->c);
  put(out, value->a);
  put(out, value->b);
  put(out, value->a_mn_major);
  put(out, value->b_mn_major);
}

/* Each operation with its index. Operations that do nothing are left out, because the unused
 * entries behind the last one look the same. */
static void put_gg_operation_list(gg_identity *out, const gg_operation_list *value) {
  for (int i = 0; i < GG_OPERATIONS_MAX; i++) {
    const gg_operation *op = &(*value)[i];
    if (op->kind == GG_OP_LINEAR && !op->alpha && !op->beta) continue;
    put(out, i);
    put(out, op->kind);
    put(out, op->alpha);
    put(out, op->beta);
    put(out, op->scalars);
    put(out, op->form);
    put(out, gg_operation_act(op));
    put(out, gg_operation_splits(op));
    put(out, op->along);
    put_gg_operand(out, &op->operand);
    for (int j = 0; j < gg_operation_numbers(op); j++)
      put_float(out, op->numbers[j]);
  }
  put(out, -1);
}

static void put_gg_expressions(gg_identity *out, const gg_expressions *value) {
  for (int i = 0; i < value->count; i++) {
    const gg_expression *e = &value->list[i];
    put(out, e->count);
    for (int j = 0; j < e->count; j++) {
      const gg_expression_node *node = &e->nodes[j];
      int64_t of_number;
      memcpy(&of_number, &node->number, sizeof of_number);
      put(out, node->op | (int64_t)node->arguments[0] << 8 | (int64_t)node->arguments[1] << 16 |
                   (int64_t)node->arguments[2] << 24);
      if (node->op == GG_EXPRESSION_NUMBER) put(out, of_number);
    }
  }
}

/* ---- Transposed ------------------------------------------------------------------------- */

gg_major gg_major_transposed(gg_major major) {
  return major == GG_MAJOR_M ? GG_MAJOR_N : major == GG_MAJOR_N ? GG_MAJOR_M : GG_MAJOR_K;
}

gg_along gg_along_transposed(gg_along along) {
  return along == GG_ALONG_M ? GG_ALONG_N : along == GG_ALONG_N ? GG_ALONG_M : along;
}

gg_raster gg_raster_transposed(gg_raster raster) {
  return raster == GG_RASTER_ALONG_M   ? GG_RASTER_ALONG_N
         : raster == GG_RASTER_ALONG_N ? GG_RASTER_ALONG_M
                                       : GG_RASTER_HILBERT;
}

static void transpose_gg_operand(gg_operand *value) {
  value->major = gg_major_transposed(value->major);
}

static void transpose_gg_raster(gg_raster *value) {
  *value = gg_raster_transposed(*value);
}

static void transpose_gg_operation_list(gg_operation_list *value) {
  for (size_t i = 0; i < GG_OPERATIONS_MAX; i++) {
    gg_operation *op = &(*value)[i];
    transpose_gg_operand(&op->operand);
    op->along = gg_along_transposed(op->along);
  }
}

/* Values of the other types say nothing about M and N. That includes the atom: it is the
 * instruction that runs, whichever problem it runs for. */
#define transpose_int64_t(value)
#define transpose_int(value)
#define transpose_size_t(value)
#define transpose_bool(value)
#define transpose_gg_dtype(value)
#define transpose_gg_scaling(value)
#define transpose_gg_swizzle_kind(value)
#define transpose_gg_scheduler(value)
#define transpose_gg_family(value)
#define transpose_gg_arch(value)
#define transpose_gg_mma_atom(value)
#define transpose_gg_expressions(value)

/* ---- The rows --------------------------------------------------------------------------- */

void gg_plan_identity(gg_identity *out, const gg_plan *plan) {
  out->count = 0;
#define GG_DECISION(type, member, ...) put_##type(out, &plan->member);
#include "plan/plan.def"
}

bool gg_plan_is_same(const gg_plan *plan, const gg_identity *identity) {
  gg_identity own;
  gg_plan_identity(&own, plan);
  return own.count == identity->count &&
         memcmp(own.numbers, identity->numbers, own.count * sizeof *own.numbers) == 0;
}

uint64_t gg_identity_hash(const gg_identity *identity) {
  uint64_t hash = identity->count;
  for (size_t i = 0; i < identity->count; i++) {
    hash = (hash ^ (uint64_t)identity->numbers[i]) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  return hash;
}

gg_plan gg_plan_transposed(const gg_plan *plan) {
  gg_plan out = *plan;
#define GG_DECISION(type, member, transposed, ...)                                                 \
  _Static_assert(sizeof out.member == sizeof plan->transposed, "both are of one type");            \
  memcpy(&out.member, &plan->transposed, sizeof out.member);                                       \
  transpose_##type(&out.member);
#include "plan/plan.def"
  return out;
}
