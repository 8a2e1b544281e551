/* Family sm90: the elements of shared memory that its epilogue loads and stores one by one or in
 * pairs, in the functions of templates/parts/sm90_staging.cu, sm90_store_*.cu, sm90_cells.cu and
 * sm90_vectors.cu. */
#include "emit/element_text.h"
#include "emit/sm90.h"
#include "plan/operation.h"
#include "plan/sm90.h"

enum { turned_bytes = 4 };

static void use_cells(gg_element_uses *uses, gg_sm90_cells cells, gg_element_access one,
                      gg_element_access pair, gg_dtype type) {
  bool ones = cells == GG_SM90_CELLS_ONES || cells == GG_SM90_CELLS_GATED;
  if (ones || cells == GG_SM90_CELLS_PACKED) gg_use_element(uses, one, type);
  if (cells == GG_SM90_CELLS_HALVES || cells == GG_SM90_CELLS_PAIRS)
    gg_use_element(uses, pair, type);
  if (cells == GG_SM90_CELLS_TURNED) gg_use_unit(uses, one, turned_bytes);
}

/* Marks what moves results to the staging, as lanes hold them, and from there to where the copy
 * engine does not reach. */
static void use_results(gg_element_uses *uses, const gg_plan *plan, const gg_layouts *layouts) {
  bool tails = gg_sm90_epilogue_of(plan, layouts).tails;
  for (size_t i = 0; i < layouts->result_count; i++) {
    const gg_result *result = &layouts->results[i];
    use_cells(uses, gg_sm90_cells_of_result(plan, result), GG_SHARED_STORE, GG_SHARED_STORE_PAIR,
              result->operand.type);
    bool lines = gg_sm90_stores_lines(result);
    if (lines) gg_use_unit(uses, GG_SHARED_LOAD, result->access_bytes);
    if (lines || tails) gg_use_element(uses, GG_SHARED_LOAD, result->operand.type);
  }
}

static void use_vectors(gg_element_uses *uses, const gg_plan *plan) {
  for (size_t i = 0; i < plan->operation_count; i++) {
    const gg_operation *operation = &plan->operations[i];
    gg_dtype type = operation->operand.type;
    if (!gg_operation_reads_vector(operation)) continue;
    bool columns = gg_operation_span(operation) == GG_SPAN_COLUMNS;
    gg_use_element(uses, GG_SHARED_STORE, type);
    gg_use_element(uses, columns ? GG_SHARED_LOAD_PAIR : GG_SHARED_LOAD, type);
  }
}

void gg_sm90_bind_shared(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  gg_element_uses uses = {0};
  use_results(&uses, plan, layouts);
  for (size_t i = 0; i < layouts->fetched_count; i++) {
    const gg_fetched *matrix = &layouts->fetched[i];
    use_cells(&uses, gg_sm90_cells_of(&matrix->operand, matrix->line), GG_SHARED_LOAD,
              GG_SHARED_LOAD_PAIR, matrix->operand.type);
  }
  if (plan->vector_buffers > 0) use_vectors(&uses, plan);
  gg_bind_elements(out, "shared_elements", &uses);
}
