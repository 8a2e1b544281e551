
// ---- The scheduler ------------------------------------------------------------------------------

// Asks for a cluster that has not begun. The answer goes to the same place in all CTAs of this one,
// and each one's barrier hears of its bytes.
__device__ __forceinline__ void ask(unsigned answer, unsigned barrier) {
  asm volatile(
      "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;\n\t"
      "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes"
      "${cancel_form}.b128 [%0], [%1];" ::"r"(answer),
      "r"(barrier)
      : "memory");
}

// One thread of each CTA announces the answers' bytes; that of the first CTA also asks. It sees
// each answer before it asks again: nobody may ask after the answer that no cluster is left.
__device__ __forceinline__ void schedule(unsigned smem) {
  const bool asks = cluster_size == 1 || cluster_rank() == 0;
  work_walk walk;
  while (walk.any) {
    const unsigned full = full_answer(smem, walk.stage);
    mbarrier_expect(full, answer_bytes);
    if (asks) {
      mbarrier_wait(empty_answer(smem, walk.stage), walk.parity ^ 1);  // all are empty at first
      ask(smem + answers_begin + walk.stage * answer_bytes, full);
    }
    walk.advance(smem);
  }
  // The first CTA stays as long as others may arrive at its barriers.
  if (cluster_size > 1 && asks)
#pragma unroll 1
    for (int i = 0; i < answer_stages; ++i, walk.move_on())
      mbarrier_wait(empty_answer(smem, walk.stage), walk.parity ^ 1);
}
