// A warp's rows of the tile, in blocks of 16: those of an MMA of 128 rows are 32 neighbours.
__device__ __forceinline__ constexpr int block_row(int block) {
  return block / blocks_of_mma * mma_rows + block % blocks_of_mma * epi_m;
}

// Where a box of a block's sums is in tensor memory, from the warp's first lane on.
__device__ __forceinline__ constexpr unsigned box_address(int block, int box) {
  return unsigned(block % blocks_of_mma * epi_m) << 16 |
         unsigned(block / blocks_of_mma * mma_n + box_column(box));
}

// What was loaded, once it is there: an empty instruction that the compiler must assume to change
// it, so that nothing is read from it before.
__device__ __forceinline__ void settle(acc_t (&acc)[acc_words]) {
#pragma unroll
  for (int w = 0; w < acc_words; ++w) asm volatile("" : "+${acc_register}"(acc[w])::"memory");
}

// A box's sums, of which there are none where K has no elements.
__device__ __forceinline__ void load_box(acc_t (&acc)[acc_words], unsigned sums, bool any,
                                         int block, int box) {
  if (any) {
    load_sums(acc, sums + box_address(block, box));
  } else {
#pragma unroll
    for (int w = 0; w < acc_words; ++w) acc[w] = 0;
  }
}

// While a box is finished and stored, the next one is loaded. When the last one is in registers the
// MMAs of another tile may write to this tile's columns.
__device__ __forceinline__ void epilogue(unsigned sums, bool any, unsigned empty_sums,
                                         const epilogue_arguments &arg, unsigned staging,
                                         int lane) {
  const tile_place first = lane_place(arg.at, lane);
  row_values rows[warp_blocks][2];
  if constexpr (reads_row_values)
#pragma unroll
    for (int i = 0; i < warp_blocks * 2; ++i)
      rows[i / 2][i % 2] = read_row(arg.operands, first.beyond(block_row(i / 2) + i % 2 * 8, 0));
  constexpr int boxes = block_boxes * warp_blocks;
  acc_t acc[2][acc_words];
  load_box(acc[0], sums, any, 0, 0);
#pragma unroll
  for (int at = 0; at < boxes; ++at) {
    const int i = at % warp_blocks, b = at / warp_blocks, next = at + 1;
    wait_loads();
    settle(acc[at % 2]);
    if (next < boxes) {
      load_box(acc[next % 2], sums, any, next % warp_blocks, next / warp_blocks);
    } else {
      fence_before_barrier();
      __syncwarp();
      if (lane == 0) ${release_sums}
    }
    if (fetches && i % blocks_of_mma == 0) arg.fetched.await();
    finished_box box;
    finish_box(box, acc[at % 2], arg, rows[i], first.beyond(block_row(i), box_column(b)),
               arg.at.row + block_row(i), b, lane);
    if (fetches && i % blocks_of_mma == blocks_of_mma - 1) arg.fetched.release(lane);
    store_results(arg, box, arg.row0 + block_row(i), arg.col0 + box_column(b), staging,
                  at${times_results}, lane);
  }
}
