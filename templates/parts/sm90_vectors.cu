
// ---- The epilogue's vectors ---------------------------------------------------------------------

// A warp beside the producer's copies the vectors of a tile to shared memory while the tile is
// multiplied; zeros where D ends. Where consumers take tiles in turns, each has a buffer.

__device__ __forceinline__ unsigned vectors_full(unsigned smem, int buffer) {
  return smem + vector_barriers_begin + 8 * buffer;
}

__device__ __forceinline__ unsigned vectors_empty(unsigned smem, int buffer) {
  return smem + vector_barriers_begin + 8 * (vector_buffers + buffer);
}

__device__ __forceinline__ unsigned vectors_address(unsigned smem, int buffer) {
  return smem + vectors_begin + buffer * vectors_bytes;
}

// One arrival at a barrier of this CTA's.
__device__ __forceinline__ void mbarrier_arrive_here(unsigned barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

__device__ __forceinline__ void init_vector_barriers(unsigned smem) {
  for (int buffer = 0; buffer < vector_buffers; ++buffer) {
    mbarrier_init(vectors_full(smem, buffer), warp_size);
    mbarrier_init(vectors_empty(smem, buffer), tile_warps);
  }
}

template <int length, class element>
__device__ __forceinline__ void copy_vector(unsigned to, const element *from, int inside,
                                            int lane) {
  constexpr int each = (length + warp_size - 1) / warp_size;
  element x[each];
#pragma unroll
  for (int i = 0; i < each; ++i)
    x[i] = lane + i * warp_size < inside ? from[lane + i * warp_size] : element(0);
#pragma unroll
  for (int i = 0; i < each; ++i)
    if (length % warp_size == 0 || lane + i * warp_size < length)
      st_shared(to + (lane + i * warp_size) * unsigned(sizeof(element)), x[i]);
}

//@ if halves
// The same of two halves of a vector, by turns.
template <int length, class element>
__device__ __forceinline__ void copy_halves(unsigned to, const element *from, int64 half,
                                            int inside, int lane) {
  constexpr int each = (length + warp_size - 1) / warp_size;
  element x[each];
#pragma unroll
  for (int i = 0; i < each; ++i) {
    const int at = lane + i * warp_size;
    x[i] = at < inside ? from[at % 2 * half + at / 2] : element(0);
  }
#pragma unroll
  for (int i = 0; i < each; ++i)
    if (length % warp_size == 0 || lane + i * warp_size < length)
      st_shared(to + (lane + i * warp_size) * unsigned(sizeof(element)), x[i]);
}

//@ end
__device__ __forceinline__ void copy_vectors(const epilogue_operands &operands,
                                             const work_list &list, int64 m, int64 n,
                                             unsigned smem, int lane) {
  int buffer = 0;
  unsigned parity = 1;  // the first round finds every buffer empty
  ${each_vectors_tile} {
//@ insert next_item
    const tile_origin at = locate(list, ${tile});
    const epilogue_operands of = at_tile(operands, at.batch, at.m0, at.n0);
    const int rows = int(min(m - at.m0, int64(tile_m))), cols = int(min(n - at.n0, int64(${tile_columns})));
    const unsigned to = vectors_address(smem, buffer);
    mbarrier_wait(vectors_empty(smem, buffer), parity);
//@ insert copy_vectors
    mbarrier_arrive_here(vectors_full(smem, buffer));  // every lane has written
    if (++buffer == vector_buffers) {
      buffer = 0;
      parity ^= 1;
    }
  }
}
