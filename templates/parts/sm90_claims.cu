// ---- Which work this cluster begins with --------------------------------------------------------

// The multiprocessors of a GPC ask the L2 cache for a line once where several of them want it at
// the same time. So the clusters that run in one GPC compute neighbouring tiles, which read the
// same rows of A and columns of B. In which GPC a cluster runs it knows when it begins: then it
// claims the next piece of work of that GPC, or, where those are all claimed, of another.
struct gpc_table {
  unsigned char gpcs[multiprocessors_most / 2];  // 4 bits for each, the even one's the lower
  unsigned short clusters[gpcs_most];            // that each GPC is to have,
  unsigned short works[gpcs_most];  // how many of these have something to compute,
  unsigned short first[gpcs_most];  // and the number of their first piece of work
};

constexpr unsigned no_work = 0x7fffffff;

struct work_claim {
  unsigned gpc, before;  // `before`: earlier claims on this GPC; only lane 0 knows them
};

// `claims` counts for each GPC how many clusters have claimed, or tried to, and behind these how
// many know their work. All are zero between launches.
__device__ __forceinline__ unsigned count_claim(unsigned *claims, unsigned gpc, int lane) {
  return lane == 0 ? atomicAdd(claims + gpc, 1u) : 0;
}

// A warp claims for its cluster, all lanes alike, so that ptxas knows it for uniform.
__device__ __forceinline__ work_claim begin_claim(const gpc_table &table, unsigned *claims,
                                                  int lane) {
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  const unsigned gpc = table.gpcs[sm / 2] >> sm % 2 * 4 & 15;
  return {gpc, count_claim(claims, gpc, lane)};
}

// The number of the work that this cluster has claimed, or no_work. The table gives all GPCs
// together as many places as the grid has clusters, and a GPC that is full stays full. So each GPC
// is asked once at most, and one of them has a place.
__device__ __forceinline__ unsigned claimed_work(work_claim claim, const gpc_table &table,
                                                 unsigned *claims, int lane) {
  unsigned gpc = __shfl_sync(~0u, claim.gpc, 0), before = __shfl_sync(~0u, claim.before, 0);
#pragma unroll 1
  for (int asked = 1; asked < gpcs_most && before >= table.clusters[gpc]; ++asked) {
    gpc = (gpc + 1) % gpcs_most;
    before = __shfl_sync(~0u, count_claim(claims, gpc, lane), 0);
  }
  return before < table.works[gpc] ? table.first[gpc] + before : no_work;
}

// Tells all CTAs of the cluster which work a warp of it has claimed. Behind that number in shared
// memory is a flag: whether the warp has also counted its cluster among those that know their work.
__device__ __forceinline__ void tell_work(unsigned smem, unsigned work, int lane) {
  if (lane != 0) return;
//@ if clustered
  for (unsigned cta = 0; cta < cluster_size; ++cta)
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(in_cta(smem + work_begin, cta)), "r"(work)
                 : "memory");
//@ else
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(smem + work_begin), "r"(work) : "memory");
//@ end
  asm volatile("st.shared.u32 [%0], 0;" ::"r"(smem + work_begin + 4) : "memory");
}

__device__ __forceinline__ unsigned told_work(unsigned smem) {
  unsigned work;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(work) : "r"(smem + work_begin) : "memory");
  return work;
}

__device__ __forceinline__ void meet() {
//@ if clustered
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
//@ else
  __syncthreads();
//@ end
}

// The cluster that is the last to know its work makes the counters zero again. One without work
// keeps its place until then, so that no other of the launch gets it; but not for ever: those that
// are to come may themselves wait for places, behind launches that wait likewise, or where the
// stream has only a part of the device.
__device__ __forceinline__ void end_claims(unsigned *claims, unsigned smem) {
  unsigned known = atomicAdd(claims + gpcs_most, 1u) + 1;
  if (known == gridDim.x / cluster_size) {
    for (int i = 0; i <= gpcs_most; ++i) atomicExch(claims + i, 0u);
    __threadfence();
  }
  constexpr int most_looks = 1000;
  const int looks = told_work(smem) == no_work ? most_looks : 0;
  for (int i = 0; i < looks && known != gridDim.x / cluster_size && known != 0; ++i) {
    __nanosleep(100);
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(known) : "l"(claims + gpcs_most));
  }
  asm volatile("st.release.cta.shared.u32 [%0], 1;" ::"r"(smem + work_begin + 4) : "memory");
}

// The launch behind this one claims anew: it may begin when all counters are zero.
__device__ __forceinline__ void await_claims(unsigned smem) {
//@ if clustered
  if (cluster_rank() != 0) return;
//@ end
  for (unsigned ended = 0; !ended;)
    asm volatile("ld.acquire.cta.shared.u32 %0, [%1];"
                 : "=r"(ended)
                 : "r"(smem + work_begin + 4)
                 : "memory");
}
