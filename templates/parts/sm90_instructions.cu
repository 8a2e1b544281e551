// ---- Instructions: barriers, tensor copies, the warpgroup's MMA ---------------------------------

// Addresses are of shared memory, 32 bits, as the instructions take them.

__device__ __forceinline__ void mbarrier_init(unsigned barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

// Makes initialised barriers visible to the cluster and to the copies that arrive at them.
__device__ __forceinline__ void fence_barrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// One arrival, which also says how many bytes the copies of this phase will bring.
__device__ __forceinline__ void mbarrier_expect(unsigned barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}

__device__ __forceinline__ void mbarrier_wait(unsigned barrier, unsigned parity) {
  if constexpr (traced) stamp<trace_await_mbarrier>(barrier);
  asm volatile(
      "{ .reg .pred done;\n"
      "again:\n\t"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
      "@!done bra again; }" ::"r"(barrier),
      "r"(parity)
      : "memory");
  if constexpr (traced) stamp<trace_go>(0);
}

// A box from the tensor to this CTA's shared memory; the barrier hears of the bytes that arrived.
// What lies outside of the tensor becomes zeros.
__device__ __forceinline__ void tma_load(unsigned dst, const tensor_map &map, unsigned barrier,
                                         int x, int y, int z) {
  if constexpr (traced) stamp<trace_copy>(barrier);
  asm volatile(
      "cp.async.bulk.tensor.3d.${load_to}.global.tile.mbarrier::complete_tx::bytes"
      "${load_group} [%0], [%1, {%3, %4, %5}], [%2];" ::"r"(dst),
      "l"(&map), "r"(barrier), "r"(x), "r"(y), "r"(z)
      : "memory");
}

//@ if split
// The same of lines of the tensor's two halves by ${by_turns}: `y` counts those of both.
__device__ __forceinline__ void tma_load_halves(unsigned dst, const tensor_map &map,
                                                unsigned barrier, int x, int y, int z) {
  if constexpr (traced) stamp<trace_copy>(barrier);
  asm volatile(
      "cp.async.bulk.tensor.4d.${load_to}.global.tile.mbarrier::complete_tx::bytes"
      "${load_group} [%0], [%1, {%3, %4, %5, %6}], [%2];" ::"r"(dst),
      "l"(&map), "r"(barrier), "r"(x), ${place_in_halves}, "r"(z)
      : "memory");
}

// The same, to the same place in all CTAs that the mask names; every one's barrier hears of the
// bytes that arrived there.
__device__ __forceinline__ void tma_load_halves_multicast(unsigned dst, const tensor_map &map,
                                                          unsigned barrier, int x, int y, int z,
                                                          unsigned short ctas) {
  if constexpr (traced) stamp<trace_copy>(barrier);
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      ".multicast::cluster${load_group} [%0], [%1, {%3, %4, %5, %6}], [%2], %7;" ::"r"(dst),
      "l"(&map), "r"(barrier), "r"(x), ${place_in_halves}, "r"(z), "h"(ctas)
      : "memory");
}

//@ end
// A box from the tensor to the same place in all CTAs that the mask names; every one's barrier
// hears of the bytes that arrived there. What lies outside of the tensor becomes zeros.
__device__ __forceinline__ void tma_load_multicast(unsigned dst, const tensor_map &map,
                                                   unsigned barrier, int x, int y, int z,
                                                   unsigned short ctas) {
  if constexpr (traced) stamp<trace_copy>(barrier);
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      ".multicast::cluster${load_group} [%0], [%1, {%3, %4, %5}], [%2], %6;" ::"r"(dst),
      "l"(&map), "r"(barrier), "r"(x), "r"(y), "r"(z), "h"(ctas)
      : "memory");
}

//@ if has_policy
// How the L2 cache keeps what is stored: as all else, or so that it is the first to leave.
__device__ __forceinline__ unsigned long long policy_of(bool evict_first) {
  unsigned long long normal, first;
  asm("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(normal));
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(first));
  return evict_first ? first : normal;
}

//@ end
// A box from shared memory to the tensor; what lies outside of the tensor is not written.
__device__ __forceinline__ void tma_store(const tensor_map &map, unsigned src, int x, int y,
                                          int z${policy_parameter}) {
  if constexpr (traced) stamp<trace_store>(src);
  asm volatile(
      "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group${policy_hint}"
      " [%0, {%2, %3, %4}], [%1]${policy_operand};" ::"l"(&map),
      "r"(src), "r"(x), "r"(y), "r"(z)${policy_input}
      : "memory");
}

__device__ __forceinline__ void tma_store_commit() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// Waits until all but the last `pending` groups of this thread's stores have read their memory.
template <int pending>
__device__ __forceinline__ void tma_store_wait_read() {
  if constexpr (traced) stamp<trace_await_stores>(pending);
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory");
  if constexpr (traced) stamp<trace_go>(0);
}

// Makes this thread's writes to shared memory visible to tensor copies.
__device__ __forceinline__ void fence_async_shared() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ __forceinline__ void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ __forceinline__ void wgmma_commit() {
  if constexpr (traced) stamp<trace_mmas>(0);
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <int pending>
__device__ __forceinline__ void wgmma_wait() {
  if constexpr (traced) stamp<trace_await_mmas>(pending);
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
  if constexpr (traced) stamp<trace_go>(0);
}

// An empty instruction that the compiler must assume to change x: what is computed from x is
// computed where it is used, not earlier.
__device__ __forceinline__ void forget(int &x) { asm volatile("" : "+r"(x)); }

//@ insert shared_elements

//@ include ldmatrix
