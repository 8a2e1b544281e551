    const int consumer = group - 1;
//@ if column_parts_of_tile
    constexpr int first_block = 0;  // each consumer has all of the tile's rows
    const int first_column = consumer * mma_n;
//@ else
    const int first_block = pingpong ? 0 : consumer * frags_m;  // of the tile's 64-row blocks
//@ end
    const int turn = pingpong ? consumer : 0;
    const unsigned staging =
        smem + epi_begin + (warp - warps_per_group)${of_box} * epi_buffers * epi_bytes;
    const unsigned empty_barriers = empty_barriers_of(list, smem, lane);
    ring_position read = {0, 0};
    unsigned vectors_parity = 0;
//@ insert begin_fetched
//@ insert walk_object
//@ insert begin_sets
    // The first consumer begins.
    if (pingpong && turn == 1${and_work}) pass_turn(consumer);
    ${each_turn} {
//@ insert next_turn
      const int behind = ${behind};  // stages with what this tile's epilogue reads
      if (pingpong && int(i) % consumers != turn) {
        read.skip(${k_tiles});
//@ insert skip_set
        continue;
      }
//@ insert locate_early
      acc_t tCrC[frags_m][acc_words];
      clear(tCrC);
      if constexpr (pingpong) await_turn(consumer);
//@ if subtiles
      if (${begins_to_fetch}) {
        // This waits for the first K tile to arrive: earlier, it would only delay that tile.
        if (${k_tiles} > 0) mbarrier_wait(full_barrier(smem, read.stage), read.parity);
        fetched.begin(turn, lane);
      }
//@ end
      if (prefetches && ${last_share} && ${k_tiles} > 0) {
        // This waits for the first K tile to arrive: earlier, it would only delay that tile.
        mbarrier_wait(full_barrier(smem, read.stage), read.parity);
        constexpr int workers = tile_warps * warp_size;
        const int worker = (thread - warpgroup_size) % workers;
        prefetch_operands<workers * cluster_k>(
            at_tile(operands, at.batch, at.m0, at.n0), int(min(m - at.m0, int64(tile_m))),
            int(min(n - at.n0, int64(tile_n))),
            cluster_k == 1 ? worker : list.rank_k * workers + worker);
      }
      multiply(tCrC, read, empty_barriers, smem, ${k_tiles}, first_block${and_first_column}${first_factor});
      if (pingpong && ${more_tiles}) pass_turn(consumer);
//@ insert locate_late
      if constexpr (reads_ahead) {
        mbarrier_wait(vectors_full(smem, turn), vectors_parity);
        vectors_parity ^= 1;
      }
//@ slot finish_multiply
      if constexpr (fetches_behind) await_fetched(smem, read, behind);
//@ insert combine_boxes
//@ insert take_set

      const int row0 = at.m0 + first_block * mma_m + warp % warps_per_group * epi_m;
//@ if column_parts_of_tile
      const int col0 = at.n0 + first_column;
//@ end
      epilogue_arguments arguments = {
//@ insert arguments
      };
      if constexpr (reads_ahead) arguments.operands.vectors = vectors_address(smem, turn);
      if constexpr (traced) stamp<trace_finish>(0);
      if (!reduces_sums || boxes != 0${or_fetched})
        epilogue(tCrC, arguments, staging, lane);
      else if constexpr (fetches_behind)
        release_fetched(empty_barriers, read, behind);
      if constexpr (traced) stamp<trace_finished>(0);
      if constexpr (fetches_behind) read.skip(behind);
      if constexpr (reads_ahead) {
        __syncwarp();
        if (lane == 0) mbarrier_arrive_here(vectors_empty(smem, turn));
      }
//@ insert next_set
    }
    // The CTA stays until the copy engine has read what it stores from shared memory.
    if constexpr (maps_results) tma_store_wait_read<0>();
