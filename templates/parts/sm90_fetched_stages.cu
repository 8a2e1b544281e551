// The stages that were fetched for a tile's epilogue.
struct fetched_tile {
  unsigned smem, empty_barriers;
  int first;

  __device__ __forceinline__ int place(int number) const {
    const int at = first + number;
    return at < stages ? at : at - stages;
  }

  __device__ __forceinline__ unsigned stage(int number) const {
    return smem + place(number) * stage_bytes;
  }

  __device__ __forceinline__ void release(int number) const {
    ::release(empty_barriers, place(number));
  }
};

static_assert(fetch_stages <= stages, "all of them are in the ring together");

// Awaits what was fetched. Consumers have given back the stage of their last K tile before, so that
// it may take all stages.
__device__ __forceinline__ void await_fetched(unsigned smem, ring_position read, int behind) {
#pragma unroll 1
  for (int i = 0; i < behind; ++i, read.advance())
    mbarrier_wait(full_barrier(smem, read.stage), read.parity);
}

__device__ __forceinline__ void release_fetched(unsigned empty_barriers, ring_position read,
                                                int behind) {
#pragma unroll 1
  for (int i = 0; i < behind; ++i, read.advance()) release(empty_barriers, read.stage);
}
