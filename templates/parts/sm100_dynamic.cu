// The grid has a cluster for each tile, but only as many clusters begin as fit on the device. A
// cluster computes the tile of its own number, and then takes over tiles of clusters that have not
// begun: a thread of its first CTA asks for one such cluster after the other, and the answers go to
// a ring in the shared memory of all of its CTAs. A role that is done with a tile finds the next
// one there: the number of that cluster's first CTA, or that there is none.

__device__ __forceinline__ unsigned full_answer(unsigned smem, int stage) {
  return smem + answer_barriers_begin + 8 * stage;
}

__device__ __forceinline__ unsigned empty_answer(unsigned smem, int stage) {
  return smem + answer_barriers_begin + 8 * (answer_stages + stage);
}

// A role's way from tile to tile.
struct work_walk {
  unsigned tile = blockIdx.x / cluster_size;
  bool any = true;  // whether there is such a tile
  int stage = 0;    // of the answer that is next
  unsigned parity = 0;

  // Reads the next answer. The fence orders this before the next write to the same place, which is
  // done by the asynchronous proxy and not by a thread.
  __device__ __forceinline__ void take(unsigned smem) {
    unsigned first_cta, granted;
    mbarrier_wait(full_answer(smem, stage), parity);
    asm volatile(
        "{ .reg .b128 answer;\n\t"
        ".reg .pred canceled;\n\t"
        "ld.shared.b128 answer, [%2];\n\t"
        "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 canceled, answer;\n\t"
        "selp.u32 %1, 1, 0, canceled;\n\t"
        "mov.u32 %0, 0;\n\t"
        "@canceled clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %0, answer;\n\t"
        "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster; }"
        : "=r"(first_cta), "=r"(granted)
        : "r"(smem + answers_begin + stage * answer_bytes)
        : "memory");
    any = granted != 0;
    tile = first_cta / cluster_size;
  }

  // Arrives at the barrier in the first CTA, whose thread asks.
  __device__ __forceinline__ void release(unsigned smem) {
    const unsigned empty = empty_answer(smem, stage);
    mbarrier_arrive(cluster_size == 1 ? empty : in_cta(empty, 0));
  }

  __device__ __forceinline__ void move_on() {
    if (++stage < answer_stages) return;
    stage = 0;
    parity ^= 1;
  }

  // The first is for a role that is one thread, the second for all lanes of a warp together.
  __device__ __forceinline__ void advance(unsigned smem) {
    take(smem);
    release(smem);
    move_on();
  }

  __device__ __forceinline__ void advance_warp(unsigned smem, int lane) {
    take(smem);
    __syncwarp();
    if (lane == 0) release(smem);
    move_on();
  }
};
