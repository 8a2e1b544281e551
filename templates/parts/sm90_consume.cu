    const int consumer = group - 1;
    const int first_block = pingpong ? 0 : consumer * frags_m;  // of the tile's 64-row blocks
    const int turn = pingpong ? consumer : 0;
    const int turns = pingpong ? consumers : 1;
    const unsigned staging =
        smem + epi_begin + (warp - warps_per_group) * epi_buffers * epi_bytes;
    const unsigned empty_barriers = empty_barriers_of(list, smem, lane);
    ring_position read = {0, 0};
//@ if vectors
    unsigned vectors_parity = 0;
//@ end
    work_walk walk;
    if (turn == 1 && walk.more(list)) pass_turn(consumer);  // the first begins
    for (int i = 0; walk.more(list); ++i) {
      const work_item item = walk.next(list);
//@ if fetches
      const int behind = stages_behind(list, item);
//@ end
      if (i % turns != turn) {
        read.skip(${item_stages});
        continue;
      }
      acc_t tCrC[frags_m][acc_words];
      clear(tCrC);
      await_turn(consumer);
      multiply(tCrC, read, empty_barriers, smem, item.k_tiles, first_block);
//@ if fetches
      if constexpr (pingpong) await_fetched(smem, read, behind);
//@ end
      if (walk.more(list)) pass_turn(consumer);
      finish_multiply(tCrC, read, empty_barriers, item.k_tiles);
//@ if fetches
      if constexpr (!pingpong) await_fetched(smem, read, behind);
//@ end
//@ insert combine_boxes

      const tile_origin at = locate(list, item.tile);
      const int row0 = at.m0 + first_block * mma_m + warp % warps_per_group * epi_m;
      epilogue_arguments arguments = {
          ${map_arguments}row0, at.n0, at.batch, m, n, D + at.batch * batch_stride_d, ldd,
          row_place(row0 - at.m0, at.m0, at.n0, m, n),
          at_tile(operands, at.batch, at.m0, at.n0),
//@ insert more_arguments
      };
//@ if vectors
      arguments.operands.vectors = vectors_address(smem, turn);
      mbarrier_wait(vectors_full(smem, turn), vectors_parity);
      vectors_parity ^= 1;
//@ end
      ${if_boxes}epilogue(tCrC, arguments, staging, lane);
//@ if fetches
//@ if sums
      else release_fetched(empty_barriers, read, behind);
//@ end
      read.skip(behind);
//@ end
//@ if vectors
      __syncwarp();
      if (lane == 0) mbarrier_arrive_here(vectors_empty(smem, turn));
//@ end
    }
//@ if maps_results
    tma_store_wait_read<0>();  // shared memory outlives its last readers
//@ end
