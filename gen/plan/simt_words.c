/* Family simt: words of shared memory, and which thread copies and reads which of them. */
#include "atom/dtype.h"
#include "plan/choices.h"
#include "plan/simt.h"

int gg_simt_word_bytes(const gg_plan *plan) {
  return (int)gg_dtype_bytes(plan->mma.a, plan->mma.k);
}

int gg_simt_vector(const gg_plan *plan, int extent) {
  enum { widest = 16 };
  int words = widest / gg_simt_word_bytes(plan), power = extent & -extent;
  if (plan->stages == 1) return 1;
  return power < words ? power : words;
}

gg_dealing gg_simt_deal(const gg_plan *plan, const gg_operand *operand, int mn, int copy_bytes) {
  enum { side_k = 8 };
  bool k_major = operand->major == GG_MAJOR_K;
  int64_t line = k_major ? plan->tile_k : mn, lines = k_major ? mn : plan->tile_k;
  int64_t chunks = gg_dtype_bytes(operand->type, line) / copy_bytes;
  return gg_deal(plan->threads, lines, chunks, k_major ? side_k : GG_WARP);
}
