//@ slot copied_lines
//@ slot transposed_boxes

// A K tile of a tile of D: which one, and the stage that it goes to.
struct load_position {
  work_walk walk;
  work_item item;
  tile_origin tile;
  int k_tile;
  bool ended;  // behind the last one
  ring_position ring;

  __device__ __forceinline__ load_position(const work_list &list) : ring{0, 1} { take(list); }

  __device__ __forceinline__ void take(const work_list &list) {
    ended = !walk.more(list);
    if (ended) return;
    item = walk.next(list);
    tile = locate(list, item.tile);
//@ insert own_rows_of_b
    k_tile = item.k_first;
  }

  __device__ __forceinline__ bool begins() const { return k_tile == item.k_first; }

  __device__ __forceinline__ void advance(const work_list &list) {
    ring.advance();
    if (++k_tile == item.k_first + item.k_tiles) take(list);
  }
};

//@ if pair_lines
// One arrival at a barrier of a CTA of the cluster: what this thread's warp wrote before is seen by
// those that wait there.
__device__ __forceinline__ void mbarrier_release(unsigned barrier) {
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(barrier)
               : "memory");
}

//@ end
// What the producer copies from: each operand's lines, or its map.
struct load_sources {
//@ insert source_members
};

//@ insert what_begins
__device__ __forceinline__ void begin_loads(const load_sources &from, const load_position &at,
                                            unsigned smem, int warp, int lane) {
  const unsigned sA = smem + at.ring.stage * stage_bytes;
  const unsigned sB = sA + stage_bytes_a;
  const int k0 = at.k_tile * tile_k;
//@ if copies_lines
  mbarrier_wait(empty_barrier(smem, at.ring.stage), at.ring.parity);
//@ end
  if constexpr (${boxed}) {
    if (${asks}) {
//@ insert await_alone
//@ insert announce_boxes
//@ insert load_boxes
//@ insert load_raw
    }
    __syncwarp();
  }
//@ insert copy_lines
}

__device__ __forceinline__ void produce(const load_sources &from, const work_list &list,
                                        unsigned smem, int warp, int lane) {
  if (list.k_tiles == 0) return;
//@ insert head_chunks
  load_position copy(list), move(list);
#pragma unroll 1
  for (int begun = 0; !move.ended;) {
//@ if copies_lines
    if (begun == copies_ahead) {  // while the copies are on their way
//@ insert load_heads
    }
//@ end
    if (${begins}) {
      begin_loads(from, copy, smem, warp, lane);
      copy.advance(list);
    }
//@ if copies_lines
    cp_async_commit();
//@ end
    if (begun < copies_ahead) {
      ++begun;
      continue;
    }
//@ if copies_lines
    cp_async_wait<copies_ahead>();
    __syncwarp();  // what the warp's other lanes copied is there, too
//@ end
    const unsigned sA = smem + move.ring.stage * stage_bytes;
//@ insert shift_lines
//@ insert await_raw
//@ insert transpose
    fence_async_shared();
    __syncwarp();
//@ insert say_full
    move.advance(list);
  }
  if (cluster_k == 1 || list.next_beside) launch_dependents();
//@ if pair_lines
  // This CTA stays as long as the tensor core may arrive at its barriers.
#pragma unroll 1
  for (int i = 0; i < stages; ++i, copy.ring.advance())
    mbarrier_wait(empty_barrier(smem, copy.ring.stage), copy.ring.parity);
//@ end
}
