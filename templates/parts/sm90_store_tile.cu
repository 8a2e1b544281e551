//@ insert count_boxes
__device__ __forceinline__ void epilogue(const acc_t (&tCrC)[frags_m][acc_words],
                                         const epilogue_arguments &arg, unsigned staging,
                                         int lane) {
  forget(lane);  // else the addresses below are kept in registers through the main loop
  const tile_place first = lane_place(arg.at, lane);
  row_values rows[frags_m][2];
  if constexpr (reads_row_values)
#pragma unroll
    for (int i = 0; i < frags_m * 2; ++i)
      rows[i / 2][i % 2] = read_row(arg.operands, first.beyond(i / 2 * mma_m + i % 2 * 8, 0));
//@ insert seen
#pragma unroll
  for (int b = 0; b < block_boxes; ++b) {
#pragma unroll
    for (int i = 0; i < frags_m; ++i) {
//@ if subtiles
      const bool more = b * frags_m + i + subtile_stages < block_boxes * frags_m;  // to be fetched
//@ end
      if (reduces_sums && !(arg.boxes >> (i * block_boxes + b) & 1)) {
        if (maps_results && lane == 0)
          for (int r = 0; r < results; ++r) tma_store_commit();  // empty: await_buffer counts them
//@ if subtiles
        ${if_stored}arg.fetched.skip(more, lane);
//@ end
      } else {
        const int turn = frags_m == 1 ? b${times_results} : (b * frags_m + i)${times_results};
        finished_box box;
//@ if subtiles
        arg.fetched.await();
//@ end
        finish_box(box, tCrC[i], arg, rows[i], first.beyond(i * mma_m, box_column(b)),
                   arg.at.row + i * mma_m, b, lane${and_seen});
//@ if subtiles
        arg.fetched.release(more, lane);
//@ end
//@ if overlaps
        // The last box has some of this one's columns, too: what it reads of them must have been
        // fetched before they are stored here.
        if (b == block_boxes - 2) arg.fetched.await_beside();
//@ end
        store_results(arg, box, arg.row0 + i * mma_m, arg.col0 + box_column(b), staging, turn,
                      lane);
      }
    }
    if constexpr (fetches_behind) release_read(arg.operands, arg.fetched, b);
  }
//@ insert report
}
