
// ---- Tensor maps of a batch's matrices ----------------------------------------------------------

// A tensor map has one address, and the matrices of a batch are anywhere. So this CTA has copies of
// the launch's maps in the workspace, a ring of sets of them. A warp beside the producer's gives
// each tile the next set, with the addresses of the tile's batch, as far ahead as there are sets:
// nobody else waits for these writes. It says at `full_maps` that a set is ready; the warps that
// compute the tile say at `empty_maps` that nobody uses it any more: all of the tile's K tiles have
// come, and what they have stored by it has been read.
struct alignas(128) map_set {
  tensor_map ${set_members};
};

// The n-th tile of this CTA: its set, and the parity of the set's barriers.
__device__ __forceinline__ int set_of(unsigned n) { return int(n % map_set_count); }
__device__ __forceinline__ unsigned round_of(unsigned n) { return n / map_set_count % 2; }

__device__ __forceinline__ unsigned full_maps(unsigned smem, int set) {
  return smem + map_barriers_begin + 8 * set;
}

__device__ __forceinline__ unsigned empty_maps(unsigned smem, int set) {
  return full_maps(smem, map_set_count + set);
}

__device__ __forceinline__ void copy_map(tensor_map &to, const tensor_map &from, int lane) {
  if (lane < 16) to.words[lane] = from.words[lane];
}

__device__ __forceinline__ void change_address(const tensor_map &map, const void *address) {
  asm volatile("tensormap.replace.tile.global_address.global.b1024.b64 [%0], %1;" ::"l"(&map),
               "l"(address)
               : "memory");
}

// Copies read maps by a way of their own: what was written to one is there for them behind a fence
// that releases it and one that acquires the map.
__device__ __forceinline__ void release_changes() {
  asm volatile("fence.proxy.tensormap::generic.release.cta;" ::: "memory");
}

__device__ __forceinline__ void acquire_map(const tensor_map &map) {
  asm volatile("fence.proxy.tensormap::generic.acquire.cta [%0], 128;" ::"l"(&map) : "memory");
}

//@ if tells_d
// Where D of a set's batch is: beside the set's barriers.
__device__ __forceinline__ void put_d(unsigned smem, int set, d_t *gD) {
  asm volatile("st.shared.u64 [%0], %1;" ::"r"(smem + d_addresses_begin + 8 * set), "l"(gD)
               : "memory");
}

__device__ __forceinline__ d_t *d_of(unsigned smem, int set) {
  d_t *gD;
  asm volatile("ld.shared.u64 %0, [%1];"
               : "=l"(gD)
               : "r"(smem + d_addresses_begin + 8 * set)
               : "memory");
  return gD;
}

//@ end
// Without K tiles A and B are not read: there may be no arrays of their addresses.
__device__ __forceinline__ void change_maps(map_set *sets, ${launch_maps},
                                            const ab_t *const *A, const ab_t *const *B,
                                            ${behind_arrays}) {
  for (int set = 0; set < map_set_count; ++set) {
//@ insert copy_maps
  }
  __syncwarp();
  if (lane > 0) return;
  unsigned number = 0;
  ${each_tile} {
//@ insert next_item
    const int64 batch = locate(list, ${tile}).batch;
    const void *gA = nullptr, *gB = nullptr;
    if (list.k_tiles > 0) {
      gA = A[batch];
      gB = B[batch];
    }
//@ if maps_c
    const c_t *const gC = C ? C[batch] : nullptr;  // without a beta it is not read, either
//@ end
    d_t *const gD = D[batch];
    const int set = set_of(number);
    const map_set &maps = sets[set];
    mbarrier_wait(empty_maps(smem, set), round_of(number) ^ 1);  // the first round finds all empty
//@ insert change_addresses
//@ if tells_d
    put_d(smem, set, gD);
//@ end
    release_changes();
//@ insert acquire_maps
    mbarrier_arrive(full_maps(smem, set));
    ++number;
  }
}

// The set of a consumer's tile, behind the tile's K tiles. By then what this warp stored by the set
// before has had time to be read.
__device__ __forceinline__ const map_set &take_set(map_set *sets, unsigned number, unsigned smem,
                                                   int lane) {
  constexpr unsigned turns = ${consumer_turns};
  __syncwarp();
  if (lane == 0 && number >= turns) {
//@ if maps_d
    tma_store_wait_read<0>();
//@ end
    mbarrier_arrive(empty_maps(smem, set_of(number - turns)));
  }
  mbarrier_wait(full_maps(smem, set_of(number)), round_of(number));
  return sets[set_of(number)];
}
