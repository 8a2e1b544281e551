/* Family sm90: what the epilogue stores through its staging. D; and, in front of it, what
 * operations put aside (`aux`), a matrix like D of any type. All results take turns at the same
 * buffers, whose boxes have as many columns as a line of the widest type has in 128 bytes.
 *
 * Results whose lines tensor maps can address leave by the copy engine, as long as there are maps
 * and, of D, lanes are not asked for (d.store); lanes store the lines of the others. What is put
 * aside beyond the first few, or has lines of less than 16 bytes, or stands before a gate, so that
 * it has twice D's columns, is stored by the threads that have computed it. */
#include "atom/dtype.h"
#include "plan/choices.h"
#include "plan/gate.h"
#include "plan/operation.h"
#include "plan/scales.h"
#include "plan/sm90.h"

enum { map_bytes = 16 /* what maps take of addresses and strides, and the least line of a box */ };

static int bits_of(const gg_operand *operand) {
  return gg_dtype_info_of(operand->type)->bits;
}

static gg_result result_of(const gg_operand *operand, int operation, bool maps) {
  gg_result out = {.operation = operation, .operand = *operand};
  out.mapped = maps && operand->align >= map_bytes;
  if (!out.mapped) out.access_bytes = gg_access_bytes(*operand);
  return out;
}

/* In a box of so many columns. */
static bool has_lines(const gg_operand *operand, int columns) {
  int length = operand->major == GG_MAJOR_N ? columns : GG_SM90_STAGED_ROWS;
  return gg_bytes_of(length, bits_of(operand)) >= map_bytes;
}

/* Whether it is put aside in boxes of D's columns. */
static bool is_aside(const gg_plan *plan, const gg_operation *operation) {
  return operation->kind == GG_OP_AUX && !gg_plan_is_gated(plan);
}

size_t gg_sm90_results_in(gg_result out[GG_RESULTS_MAX], const gg_plan *plan, int columns,
                          size_t fetched) {
  size_t maps = (size_t)gg_plan_own_maps(plan) + fetched, count = 0;
  for (size_t i = 0; i < plan->operation_count && count < GG_RESULTS_MAX - 1; i++) {
    const gg_operation *operation = &plan->operations[i];
    if (!is_aside(plan, operation) || !has_lines(&operation->operand, columns)) continue;
    out[count] = result_of(&operation->operand, (int)i, maps < GG_TENSOR_MAPS_MAX);
    maps += out[count++].mapped;
  }
  out[count++] = result_of(&plan->d, -1, !plan->access_bytes_d);
  return count;
}

size_t gg_sm90_results(gg_result out[GG_RESULTS_MAX], const gg_plan *plan) {
  gg_fetched fetched[GG_FETCHED_MAX];
  return gg_sm90_results_in(out, plan, plan->epi_n, gg_sm90_fetched(fetched, plan));
}

int gg_sm90_result_bits(const gg_plan *plan) {
  int most = bits_of(&plan->d);
  for (size_t i = 0; i < plan->operation_count; i++) {
    const gg_operation *operation = &plan->operations[i];
    if (is_aside(plan, operation) && bits_of(&operation->operand) > most)
      most = bits_of(&operation->operand);
  }
  return most;
}

bool gg_sm90_stores_units(const gg_result *result) {
  return !result->mapped && result->access_bytes >= map_bytes;
}

bool gg_sm90_stores_lines(const gg_result *result) {
  return !result->mapped && !gg_sm90_stores_units(result);
}

/* Matrices that the epilogue reads are as large as D, which then is never most of the traffic.
 * Results of 8 bits take longer so (docs/performance/h100.md), and of other families, and of lines
 * that begin anywhere, nobody has measured it. */
bool gg_sm90_evicts_first(const gg_plan *plan, const gg_layouts *layouts) {
  bool measured = !gg_plan_in_tensor_memory(plan) && !gg_plan_multiplies_by_warps(plan);
  bool wide = bits_of(&plan->d) >= 16, reads = plan->has_c;
  for (size_t i = 0; i < plan->operation_count; i++)
    reads = reads || gg_operation_reads_matrix(&plan->operations[i]);
  const gg_result *d = &layouts->results[layouts->result_count - 1];
  return measured && wide && !reads && (d->mapped || gg_sm90_stores_units(d));
}
