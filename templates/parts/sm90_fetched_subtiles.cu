//@ if in_turns
// A tile of at least so many K tiles has its first sub-tiles fetched when its consumer begins to
// multiply it. Fetched while the other consumer still multiplies, lines of C would leave the L2
// cache before D is stored in their place, and those that several boxes of D have a part of would
// come and go with each. With fewer K tiles the first sub-tiles are fetched as soon as there is
// room for them.
constexpr int k_tiles_to_fetch_in = ${k_tiles_to_fetch_in};

//@ end
// Where a warp is in the ring of fetched sub-tiles. A sub-tile has the rows of an MMA and the
// columns of a box of D, of all matrices that are fetched. Each warp awaits a sub-tile before it
// reads its rows of it, and says when it has read them.
struct fetched_tile {
  unsigned smem;
  subtile_position read;
//@ if in_turns
  bool late;  // each tile's consumer says when its first ones may be fetched
//@ end
//@ if column_parts
  int part;  // which part of the columns this warp has
//@ end

  __device__ __forceinline__ unsigned subtile() const {
    return smem + subtiles_begin + read.stage * subtile_bytes;
  }

//@ if in_turns
  // Says that all stages of the consumer's ring are empty.
  __device__ __forceinline__ void begin(int consumer, int lane) const {
    fence_async_shared();  // what was read comes before what is copied there next
    __syncwarp();
    for (int i = lane; i < subtile_stages; i += warp_size)
      mbarrier_arrive_here(empty_subtile(smem, consumer * subtile_stages + i));
  }

//@ end
  __device__ __forceinline__ void await() const {
    mbarrier_wait(full_subtile(smem, read.stage), read.parity);
  }

  // Says that the sub-tile's stage is empty.
  __device__ __forceinline__ void give_back(int lane) const {
    fence_async_shared();  // what was read comes before what is copied there next
    __syncwarp();
    if (lane == 0) mbarrier_arrive_here(empty_subtile(smem, read.stage));
  }

//@ if in_turns
  // `more`: whether another sub-tile of this tile is to come where this one was.
  __device__ __forceinline__ void release(bool more, int lane) {
    if (more || !late) give_back(lane);
    read.advance();
  }
//@ else
  __device__ __forceinline__ void release(int lane) {
    give_back(lane);
    read.advance();
  }
//@ end
//@ if overlaps

  // Awaits the sub-tile that has the rows of the last released one and the next box of columns.
  __device__ __forceinline__ void await_beside() const {
    subtile_position beside = read;
#pragma unroll
    for (int i = 1; i < frags_m; ++i) beside.advance();
    mbarrier_wait(full_subtile(smem, beside.stage), beside.parity);
  }
//@ end
//@ if skips

  // Passes over a sub-tile of a box that another CTA stores.
  __device__ __forceinline__ void skip(bool more, int lane) {
    await();
    release(more, lane);
  }
//@ end
};
