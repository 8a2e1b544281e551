/* Family sm80: operands of 4 bits and of single bits.
 *
 * Their MMAs read as many bytes as those of 8 bits: K is longer by as many elements as a byte
 * holds, of which the first is in the lowest bits. Fragments, counted in bytes, are the same (PTX
 * ISA, the figures of mma.m16n8k32, m16n8k64 and m16n8k256). So shared memory, copies and ldmatrix
 * are those of 8-bit operands: layouts are planned and checked in elements, and the text counts
 * bytes along K.
 *
 * Operands must be K-major, because neighbours along M or N would share a byte, which nothing takes
 * apart; and a line along K must end with a whole byte. */
#include <stdio.h>

#include "plan/check.h"
#include "plan/choices.h"
#include "plan/sm80.h"

static gg_status check_major(const gg_plan *plan, const gg_operand *operand,
                             const gg_spec_field *asked, const char *name, gg_error *err) {
  char what[48];
  if (operand->major == GG_MAJOR_K) return GG_OK;
  snprintf(what, sizeof what, "%s of %s with major", name, gg_dtype_info_of(operand->type)->name);
  return gg_refuse(plan, asked, what, asked->text, "k: others of 8 bits and more alone", err);
}

gg_status gg_sm80_check_packed(const gg_plan *plan, gg_error *err) {
  const gg_spec *spec = plan->spec;
  int packed = gg_sm80_packed(plan);
  gg_status st;
  if (packed == 1) return GG_OK;
  if ((st = check_major(plan, &plan->a, &spec->a.major, "A", err))) return st;
  if ((st = check_major(plan, &plan->b, &spec->b.major, "B", err))) return st;
  if (plan->fixed_k == GG_FIXED_NONE) return GG_OK;
  return gg_check_multiple("K of the problem", plan->fixed_k, packed, "elements of a byte",
                           &spec->problem.k.mark, err);
}

/* As ptxas 13.0 assembles them: up to sm_89 each MMA is one instruction; on sm_90 those of single
 * bits that multiply by `and` are. Others of 4 bits become two of 8 bits, for which lanes widen the
 * elements. */
bool gg_sm80_is_one_mma(const gg_plan *plan, int arch) {
  return arch < 90 || (arch == 90 && plan->a.type == GG_DTYPE_b1 && !plan->xor_bits);
}

/* MMAs that are one instruction multiply as many bytes at once as those of 8 bits, by NVIDIA's
 * figures for an A100. Those that are several instructions are assumed to be a quarter as fast as
 * 8-bit MMAs, and an eighth if a block leaves their registers no room; nobody has measured it. */
gg_device_number gg_sm80_packed_rate(const gg_plan *plan, int arch) {
  enum { high_block = 64 * 64 };
  bool spills = gg_plan_block_m(plan) * gg_plan_block_n(plan) >= high_block;
  double times = gg_sm80_is_one_mma(plan, arch) ? gg_sm80_packed(plan) : spills ? 1.0 / 8 : 1.0 / 4;
  return gg_device_times(times, GG_DEVICE_mma_rate_int8);
}
