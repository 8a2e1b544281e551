/* Family simt: the words of shared memory that threads multiply, how threads copy and read them,
 * and what that costs. */
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

bool gg_simt_by_registers(const gg_plan *plan, const gg_operand *operand) {
  enum { least = 4 };
  bool widens = plan->mma.k == 1 && operand->type != plan->mma.a;
  bool turns = plan->mma.k > 1 && operand->major != GG_MAJOR_K;
  return widens || turns || operand->align < least;
}

int gg_simt_unit(const gg_plan *plan, const gg_operand *operand) {
  return operand->major == GG_MAJOR_K ? 1 : plan->mma.k;
}

gg_dealing gg_simt_deal(const gg_plan *plan, const gg_operand *operand, int mn, int copy_bytes) {
  enum { side_k = 8 };
  bool k_major = operand->major == GG_MAJOR_K;
  int64_t line = k_major ? plan->tile_k : mn;
  int64_t lines = k_major ? mn : plan->tile_k / gg_simt_unit(plan, operand);
  int64_t chunks = gg_dtype_bytes(operand->type, line) / copy_bytes;
  return gg_deal(plan->threads, lines, chunks, k_major ? side_k : GG_WARP);
}

/* Copies that a thread makes for each step along K. */
static double copies_each(const gg_plan *plan) {
  double a = (double)gg_dtype_bytes(plan->a.type, plan->tile_m * plan->tile_k) / plan->copy_bytes_a;
  double b = (double)gg_dtype_bytes(plan->b.type, plan->tile_n * plan->tile_k) / plan->copy_bytes_b;
  return (a + b) / plan->threads / (plan->tile_k / plan->mma.k);
}

/* The part of a thread's instructions in a step along K that are multiply-adds. The others are
 * reads of vectors, and about four instructions for each copy. */
static double issue_share(const gg_plan *plan) {
  const double of_copy = 4;
  int m = gg_plan_block_m(plan), n = gg_plan_block_n(plan);
  double reads = (double)m / gg_simt_vector(plan, m) + (double)n / gg_simt_vector(plan, n);
  return (double)m * n / (m * n + reads + of_copy * copies_each(plan));
}

/* A copy takes 0.6 of the time that one of family sm80 takes, which computes more to check bounds
 * (measured on an H100 and an H200).
 *
 * The vectors of half a warp come in one wavefront of 128 bytes. Those of A serve 4 threads along
 * M, those of B 8 along N, so each is read once for every two threads across. */
void gg_simt_traits(gg_traits *out, const gg_plan *plan, int arch) {
  gg_device_column_id rate = plan->mma.row->kind == GG_MMA_dot ? GG_DEVICE_dot_rate
                             : plan->mma.a == GG_DTYPE_f64     ? GG_DEVICE_fma_rate_64
                                                               : GG_DEVICE_fma_rate_32;
  gg_warp_traits(out, plan, arch);
  out->rate = gg_device_times(1, rate);
  out->tensor_share = gg_plain_number(issue_share(plan));
  out->reads_a = plan->atoms_n / 2.0;
  out->reads_b = plan->atoms_m / 2.0;
  out->reads_beside = true;
  out->copies_share = 1.8;
}
