// ---- Instructions: between roles, CTAs of a cluster and launches --------------------------------

// The same address in another CTA of the cluster, as mbarrier_arrive takes it.
__device__ __forceinline__ unsigned in_cta(unsigned address, unsigned cta) {
  unsigned there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(cta));
  return there;
}

__device__ __forceinline__ void mbarrier_arrive(unsigned barrier) {
  if constexpr (cluster_plane == 1)
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
  else
    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(barrier) : "memory");
}

// A barrier of the CTA's for some of its threads: those that wait and those that only arrive.
__device__ __forceinline__ void named_barrier_sync(int id, int count) {
  if constexpr (traced) stamp<trace_await_barrier>(id);
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(count) : "memory");
  if constexpr (traced) stamp<trace_go>(0);
}

__device__ __forceinline__ void named_barrier_arrive(int id, int count) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(count) : "memory");
}

__device__ __forceinline__ unsigned cluster_rank() {
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

// All threads of the cluster meet: they arrive, and wait for the others. Barriers that were
// initialised before are ready then, by fence_barrier_init(): to release all other writes as well
// would take a fence of the whole GPU, and there are none.
__device__ __forceinline__ void cluster_arrive() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}

__device__ __forceinline__ void cluster_wait() {
  if constexpr (traced) stamp<trace_await_cluster>(0);
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  if constexpr (traced) stamp<trace_go>(0);
}

__device__ __forceinline__ void prefetch_map(const tensor_map &map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

//@ include dependencies

// Registers are shared out evenly at launch; where that is too few for the consumers, the producer
// gives of its own. All warps of a warpgroup do this together.
__device__ __forceinline__ void give_registers_back() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(producer_registers));
}

__device__ __forceinline__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(consumer_registers));
}
