
extern "C" __global__ void __launch_bounds__(threads, ctas_per_sm)
    ${name}(${parameters}) {
  extern __shared__ __align__(128) unsigned char smem[];
  const unsigned smem_base = unsigned(__cvta_generic_to_shared(smem));
  if constexpr (traced) trace_begin(smem_base);
  const int64 m = extent_m(m_arg);
  const int64 n = extent_n(n_arg);
  const int64 k = extent_k(k_arg);
  const int64 batches = extent_batch(batch_arg);
//@ if awaits
  await_dependencies();
  launch_dependents();
//@ end
//@ insert read_scalars
  const epilogue_operands parameters = {${operand_list}};
  const int thread = int(threadIdx.x);
  const fragment_places at = {
      operand_a::offset(tile_row(thread, 0), 0) * element_bytes,
      stage_begin_b + operand_b::offset(tile_col(thread, 0), 0) * element_bytes};

  work_list list = list_work(m, n, k, batches, shared_tiles, group_tiles, group_shares);
#pragma unroll 1
  for (work_walk walk; walk.more(list);) {
    const work_item item = walk.next(list);
    if constexpr (traced) stamp<trace_tile>(item.tile);
    if constexpr (traced) stamp<trace_k_tile>(item.k_first);
    if constexpr (traced) stamp<trace_k_tiles>(item.k_tiles);
    const tile_origin from = locate(item.tile, m, n);
    const ab_t *gA = ${a_first} + from.m0 * (a_k_major ? lda : 1);
    const ab_t *gB = ${b_first} + from.${b_n0} * (b_k_major ? ldb : 1);
    const int last = max(item.k_first + item.k_tiles - 1, 0);  // of the K tiles
    loaders l;
    l.gA = start_loader<operand_a>(gA, lda, from.rows, last, thread${half_of_a});
    l.gB = start_loader<operand_b>(gB, ldb, from.cols, last, thread${half_of_b});

    acc_t tCrC[block_m][block_n][1];
#pragma unroll
    for (int i = 0; i < block_m; ++i)
#pragma unroll
      for (int j = 0; j < block_n; ++j) tCrC[i][j][0] = 0;
    if (prefetches && last + 1 >= list.k_tiles)
      prefetch_operands<threads>(at_tile(parameters, from.batch, from.m0, from.n0), from.rows,
                                 from.cols, thread);
    const int k_end = min(int(k), (last + 1) * tile_k);
    multiply(tCrC, l, smem_base, at, k_end - item.k_first * tile_k, item.k_tiles, lda, ldb);
    __syncthreads();  // nobody reads a stage any more

    list = list_work(m, n, k, batches, shared_tiles, group_tiles, group_shares);
    if constexpr (traced) stamp<trace_combine>(0);
    const box_set boxes =
        combine(tCrC, list, item, workspace, thread / warp_size, thread % warp_size);
    if constexpr (traced) stamp<trace_combined>(0);
    if (boxes == 0) continue;
    const tile_origin to = locate(item.tile, m, n);
    const epilogue_operands operands = at_tile(parameters, to.batch, to.m0, to.n0);
    d_t *gD = ${d_first} + (d_n_major ? to.m0 * ldd + to.${d_n0} : to.n0 * ldd + to.m0);
    if constexpr (traced) stamp<trace_finish>(0);
    epilogue(tCrC, boxes, operands, gD, ldd, thread, to.rows, to.cols);
    if constexpr (traced) stamp<trace_finished>(0);
  }
  if constexpr (traced) trace_end();
}
