/* Family sm90: the results that the epilogue stores by way of its staging. These are D, and before
 * it what operations put aside (`aux`), matrices like D of any type. All results take turns at the
 * same buffers. A box has as many columns as a line of 128 bytes has elements of the widest type.
 *
 * Results whose lines tensor maps can address are stored by the copy engine, as long as there are
 * maps left (and, for D, unless the spec asks for lanes, d.store). Lanes store the lines of the
 * others. Three kinds of what is put aside do not go through staging, but are stored by the threads
 * that computed them: those beyond the first few, those with lines of less than 16 bytes, and those
 * before a gate, which have twice D's columns. */
#include "atom/dtype.h"
#include "plan/choices.h"
#include "plan/gate.h"
#include "plan/operation.h"
#include "plan/scales.h"
#include "plan/sm90.h"

enum { map_bytes = 16 /* unit of maps' addresses and strides, least line of a box */ };

static int bits_of(const gg_operand *operand) {
  return gg_dtype_info_of(operand->type)->bits;
}

static gg_result result_of(const gg_operand *operand, int operation, bool maps) {
  gg_result out = {.operation = operation, .operand = *operand};
  out.mapped = maps && operand->align >= map_bytes;
  if (!out.mapped) out.access_bytes = gg_access_bytes(*operand);
  return out;
}

/* Whether lines of the operand are long enough, in a box of `columns` columns. */
static bool has_lines(const gg_operand *operand, int columns) {
  int length = operand->major == GG_MAJOR_N ? columns : GG_SM90_STAGED_ROWS;
  return gg_bytes_of(length, bits_of(operand)) >= map_bytes;
}

/* Whether the operation puts a matrix aside in boxes of D's columns. */
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

/* D is marked to leave the L2 cache first only if nothing like it is read: matrices that the
 * epilogue reads are as large as D, which then is never most of the traffic. Results of 8 bits take
 * longer when marked (docs/performance/h100.md). For other families, and for lines that may begin
 * anywhere, nobody has measured it. */
bool gg_sm90_evicts_first(const gg_plan *plan, const gg_layouts *layouts) {
  bool measured = !gg_plan_in_tensor_memory(plan) && !gg_plan_multiplies_by_warps(plan);
  bool wide = bits_of(&plan->d) >= 16, reads = plan->has_c;
  for (size_t i = 0; i < plan->operation_count; i++)
    reads = reads || gg_operation_reads_matrix(&plan->operations[i]);
  const gg_result *d = &layouts->results[layouts->result_count - 1];
  return measured && wide && !reads && (d->mapped || gg_sm90_stores_units(d));
}
