/* The atoms' golden cases. */
#include "golden.h"

bool golden_eval_atoms(golden_case *c, golden_verdict *verdict, gg_str *got) {
  (void)c, (void)verdict, (void)got;
  return false;
}
