/* Family sm80: the matrices that the epilogue reads in whole lines, by way of a warp's staging
 * memory. */
#include "atom/dtype.h"
#include "plan/choices.h"
#include "plan/operation.h"
#include "plan/sm80.h"

/* Whether a matrix is one of them: it has floats of 16 bits or more, which are read from staging in
 * pairs, and a lane copies more than one at once. */
static bool is_lined(const gg_operand *operand, int access_bytes) {
  int64_t bytes = gg_dtype_bytes(operand->type, 1);
  bool pairs = gg_dtype_is_float(operand->type) && bytes > 1;
  return pairs && access_bytes > bytes;
}

size_t gg_sm80_lined(gg_lined out[GG_LINED_MAX], const gg_plan *plan) {
  size_t count = 0;
  bool has_other = false;
  for (size_t i = 0; i < plan->operation_count; i++) {
    const gg_operation *op = &plan->operations[i];
    bool is_c = op->kind == GG_OP_LINEAR && op->beta;
    const gg_operand *operand = is_c ? &plan->c : &op->operand;
    bool other = gg_operation_reads_matrix(op) && !has_other;
    int access_bytes = is_c ? plan->access_bytes_c : gg_access_bytes(*operand);
    if (!(is_c || other) || !is_lined(operand, access_bytes)) continue;
    out[count++] = (gg_lined){
        .operation = (int)i, .is_c = is_c, .operand = *operand, .access_bytes = access_bytes};
    has_other = has_other || other;
  }
  return count;
}
