
// One arrival at a barrier of this CTA's.
__device__ __forceinline__ void mbarrier_arrive_here(unsigned barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
