// A warp's rows of the tile, in blocks of 16: those of an MMA of 128 rows are 32 neighbours.
__device__ __forceinline__ constexpr int block_row(int block) {
  return block / blocks_of_mma * mma_rows + block % blocks_of_mma * epi_m;
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

//@ insert count_boxes
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
//@ insert seen
  constexpr int boxes = block_boxes * warp_blocks;
  acc_t acc[2][acc_words];
  if (!reduces_sums || (arg.boxes & 1)) load_box(acc[0], sums, any, 0, 0);
#pragma unroll
  for (int at = 0; at < boxes; ++at) {
    const int i = at % warp_blocks, b = at / warp_blocks, next = at + 1;
    const bool own = !reduces_sums || (arg.boxes >> at & 1);
    wait_loads();
    settle(acc[at % 2]);
    if (next < boxes) {
      if (!reduces_sums || (arg.boxes >> next & 1))
        load_box(acc[next % 2], sums, any, next % warp_blocks, next / warp_blocks);
    } else {
      fence_before_barrier();
      __syncwarp();
      if (lane == 0) ${release_sums}
    }
    if (fetches && i % blocks_of_mma == 0${and_stored}) arg.fetched.await();
    if (own) {
      finished_box box;
      finish_box(box, acc[at % 2], arg, rows[i], first.beyond(block_row(i), box_column(b)),
                 arg.at.row + block_row(i), b, lane${and_seen});
      store_results(arg, box, arg.row0 + block_row(i), arg.col0 + box_column(b), staging,
                    at${times_results}, lane);
    } else if (maps_results && lane == 0) {
      for (int r = 0; r < results; ++r) tma_store_commit();  // empty: await_buffer counts them
    }
    if (fetches && i % blocks_of_mma == blocks_of_mma - 1${and_stored}) arg.fetched.release(lane);
  }
//@ insert report
}
