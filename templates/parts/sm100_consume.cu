    const int rank = warp % warps_per_group;  // its lanes of tensor memory begin at 32 * rank
    const unsigned staging = smem + epi_begin + rank * epi_buffers * epi_bytes;
    sums_position read = {0, 0};
    unsigned vectors_parity = 0;
//@ insert begin_fetched
//@ insert walk_object
//@ insert begin_sets
    ${each_turn} {
//@ insert next_turn
//@ insert locate_early
      if (prefetches && ${last_share})
        prefetch_operands<tile_warps * warp_size>(
            at_tile(operands, at.batch, at.m0, at.n0), int(min(m - at.m0, int64(tile_m))),
            int(min(n - at.n0, int64(tile_n))), rank * warp_size + lane);
//@ insert locate_late
      if constexpr (reads_ahead) {
        mbarrier_wait(vectors_full(smem, 0), vectors_parity);
        vectors_parity ^= 1;
      }
      mbarrier_wait(full_sums(smem, read.set), read.parity);
      fence_after_barrier();
      const unsigned sums = tmem + (unsigned(rank * warp_size) << 16) + read.set * sums_columns;
//@ insert combine_boxes
//@ insert take_set

//@ insert warp_origin
      epilogue_arguments arguments = {
//@ insert arguments
      };
      if constexpr (reads_ahead) arguments.operands.vectors = vectors_address(smem, 0);
      const bool any = ${k_tiles} > 0;
      if constexpr (traced) stamp<trace_finish>(0);
      epilogue(sums, any, empty_sums(smem, read.set), arguments, staging, lane);
      if constexpr (traced) stamp<trace_finished>(0);
//@ insert next_set
      read.advance();
      if constexpr (reads_ahead) {
        __syncwarp();
        if (lane == 0) mbarrier_arrive_here(vectors_empty(smem, 0));
      }
    }
    // The CTA stays until the copy engine has read what it stores from shared memory.
    if constexpr (maps_results) tma_store_wait_read<0>();
