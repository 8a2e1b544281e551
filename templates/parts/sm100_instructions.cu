// ---- Instructions: tensor memory ----------------------------------------------------------------

// Allocates columns of tensor memory for this CTA; the address of the first one goes to shared
// memory. A whole warp does this, and also frees them in the end.
__device__ __forceinline__ void allocate_columns(unsigned to) {
  asm volatile("tcgen05.alloc.cta_group::${cta_group}.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(to),
               "r"(tmem_columns)
               : "memory");
  asm volatile("tcgen05.relinquish_alloc_permit.cta_group::${cta_group}.sync.aligned;" ::: "memory");
}

__device__ __forceinline__ void free_columns(unsigned tmem) {
  asm volatile("tcgen05.dealloc.cta_group::${cta_group}.sync.aligned.b32 %0, %1;" ::"r"(tmem),
               "r"(tmem_columns)
               : "memory");
}

// A barrier orders what threads do with tensor memory where there is a fence on either side of it.
__device__ __forceinline__ void fence_before_barrier() {
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
}

__device__ __forceinline__ void fence_after_barrier() {
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

// The tensor core arrives at the barrier when all MMAs that this thread has issued have ended: so
// they have read their operands and written their sums.
__device__ __forceinline__ void commit(unsigned barrier) {
  if constexpr (traced) stamp<trace_commit>(barrier);
  asm volatile("tcgen05.commit.cta_group::${cta_group}.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(
                   barrier)
               : "memory");
}

// The same, but the tensor core arrives at this barrier in all CTAs that the mask names.
__device__ __forceinline__ void commit_multicast(unsigned barrier, unsigned short ctas) {
  if constexpr (traced) stamp<trace_commit>(barrier);
  asm volatile(
      "tcgen05.commit.cta_group::${cta_group}.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64"
      " [%0], %1;" ::"r"(barrier),
      "h"(ctas)
      : "memory");
}

// Waits until what this thread has loaded from tensor memory is in its registers.
__device__ __forceinline__ void wait_loads() {
  asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
}

// Waits until what this thread has stored is in tensor memory.
__device__ __forceinline__ void wait_stores() {
  asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");
}
