/* How many CTAs fit on a multiprocessor.
 *
 * Known beforehand are the CTA's shared memory and threads, and the bound on registers
 * (__launch_bounds__); if warps hand registers to each other (setmaxnreg), all of the bound is
 * taken. In other kernels ptxas decides how many registers are used: more than those that certainly
 * live at once, and no more than the bound.
 *
 * A multiprocessor has four partitions with a quarter of the registers each. Warps are assigned to
 * them in turn, and a warp takes registers in units of 8 for each thread. (CUDA C++ Programming
 * Guide, "Compute Capabilities"; the CUDA Occupancy Calculator.) */
#include "plan/occupancy.h"

enum {
  partitions = 4,
  unit = 8,       /* registers of a thread that are allotted at once */
  addresses = 24, /* registers of a thread for addresses, loop state and predicates, as seen in
                   * every build */
};

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static int64_t round_up(int64_t value, int64_t to) {
  return (value + to - 1) / to * to;
}

int64_t gg_registers_for(int64_t ctas, int64_t warps) {
  int64_t of_a_partition = round_up(ctas * warps, partitions) / partitions;
  int64_t each = GG_REGISTERS_PER_SM / partitions / (of_a_partition * GG_WARP) / unit * unit;
  return least(each, GG_REGISTERS_PER_THREAD);
}

static int64_t ctas_with(int64_t registers, int64_t warps) {
  int64_t of_a_warp = round_up(registers, unit) * GG_WARP;
  return GG_REGISTERS_PER_SM / partitions / of_a_warp * partitions / warps;
}

gg_occupancy gg_occupancy_of(const gg_plan *plan, const gg_layouts *layouts) {
  const gg_arch_info *limits = plan->limits;
  int64_t warps = plan->threads / GG_WARP, bound = gg_registers_for(plan->ctas_per_sm, warps);
  int64_t live = layouts->accumulator.registers + layouts->fragment_registers + addresses;
  bool moved = plan->producer_registers > 0;
  int64_t by_memory = limits->smem_per_sm / (layouts->smem_bytes + GG_SMEM_RESERVED);
  int64_t by_threads = least(limits->threads_per_sm / plan->threads, limits->ctas_per_sm);
  int64_t ctas = ctas_with(moved ? bound : least(live, bound), warps);
  const char *most = "its registers allow";
  if (by_threads <= ctas) ctas = by_threads, most = "threads allow";
  if (by_memory <= ctas) ctas = by_memory, most = "shared memory allows";
  int64_t needed = gg_registers_for(ctas, warps);
  return (gg_occupancy){
      .ctas = (int)ctas, .registers = bound <= needed ? 0 : (int)needed, .most = most};
}
