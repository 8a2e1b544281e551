
  // The item in the accumulators, while it waits to be brought together with other parts.
  acc_t tCrC[frags_m][frags_n][acc_words];
  bool pending = false;
  work_item item = {};

  // The next item's first copies are under way while this one's sums are brought together and its
  // epilogue runs.
  work_list list = list_work(m, n, k, batches, shared_tiles, group_tiles, group_shares);
  for (work_walk walk;;) {
    const bool more = walk.more(list);
    const work_item next = more ? walk.next(list) : item;
    const int last = max(next.k_first + next.k_tiles - 1, 0);  // of the K tiles
    const tile_origin from = locate(next.tile, m, n);
    const ab_t *gA = ${a_first} + from.m0 * (a_k_major ? lda : 1);
    const ab_t *gB = ${b_first} + from.${b_n0} * (b_k_major ? ldb : 1);
    pipeline p = {start_loader<operand_a>(gA, lda, from.rows, last, thread${half_of_a}),
                  start_loader<operand_b>(gB, ldb, from.cols, last, thread${half_of_b}),
                  ${coord_a}(lane),
                  ${coord_b}(lane),
//@ if sparse
                  {},
                  start_metadata(metadata + from.batch * batch_stride_metadata, m,
                                 from.m0 + warp_m0, next.k_first, lane)};
//@ else
                  {}};
//@ end
    p.at_a.mn += warp_m0;
    p.at_b.mn += warp_n0;
//@ if along_k
    p.at_a.k += warp_k0;
    p.at_b.k += warp_k0;
//@ end
    const int k_end = min(int(k), (last + 1) * tile_k);
    if (more) fill(p, smem_base, k_end - next.k_first * tile_k, next.k_tiles, lda, ldb);
//@ if along_k
    const bool stores = pending && warp < block_warps;  // the first warps along K have the sums
//@ end
    if constexpr (traced) stamp<trace_combine>(0);
    const box_set boxes = ${stores} ? combine(tCrC, list, item, workspace, warp, lane) : 0;
    if constexpr (traced) stamp<trace_combined>(0);
    if (boxes != 0) {
      const tile_origin to = locate(item.tile, m, n);
      const unsigned staging = smem_base + staging_begin + warp * staging_bytes;
      d_t *gD =
          ${d_first} + (d_n_major ? to.m0 * ldd + to.${d_n0} : to.n0 * ldd + to.m0);
      const c_t *gC = nullptr;
      if constexpr (stages_c)
        gC = ${c_first} +
             (c_n_major ? to.m0 * ldc + to.n0 : to.n0 * ldc + to.m0);
      if constexpr (traced) stamp<trace_finish>(0);
      epilogue(tCrC, boxes, at_tile(operands, to.batch, to.m0, to.n0), gD, ldd, gC, ldc, warp_m0,
               warp_n0, to.rows, to.cols, staging, lane);
      if constexpr (traced) stamp<trace_finished>(0);
    }
    if (!more) break;
    if constexpr (traced) stamp<trace_tile>(next.tile);
    if constexpr (traced) stamp<trace_k_tile>(next.k_first);
    if constexpr (traced) stamp<trace_k_tiles>(next.k_tiles);

#pragma unroll
    for (int i = 0; i < frags_m; ++i)
#pragma unroll
      for (int j = 0; j < frags_n; ++j)
#pragma unroll
        for (int w = 0; w < acc_words; ++w) tCrC[i][j][w] = 0;
    const bool ends = last + 1 >= list.k_tiles;  // the part that stores all, or as much as others
    if (prefetches && ends)
      prefetch_operands<threads>(at_tile(operands, from.batch, from.m0, from.n0), from.rows,
                                 from.cols, thread);
    if (stages_c && ends)
      prefetch_c(operands, ${c_next}, ldc, from.m0, from.n0, from.rows,
                 from.cols, thread);
    item = next;
    pending = true;
    multiply(tCrC, p, smem_base, item.k_tiles);
//@ if along_k
    add_along_k(tCrC, smem_base, warp, lane);
//@ end
    list = list_work(m, n, k, batches, shared_tiles, group_tiles, group_shares);
  }
  if constexpr (traced) trace_end();
}
