//@ insert banner

//@ insert sizes

//@ insert instructions

//@ include rasterise

//@ include operations

//@ insert count_boxes
// ---- The kernel ---------------------------------------------------------------------------------

// One thread computes one element of D: it walks a row of A and a row of B, both in global memory,
// and multiplies as it goes. Nothing is shared but what the caches happen to keep.
extern "C" __global__ void __launch_bounds__(threads)
    ${name}(${parameters}) {
  const int64 m = extent_m(m_arg);
  const int64 n = extent_n(n_arg);
  const int64 k = extent_k(k_arg);
  const unsigned tiles_m = unsigned((m + tile_m - 1) / tile_m);
  const unsigned tiles_n = unsigned((n + tile_n - 1) / tile_n);
  const int64 batch = blockIdx.x / (tiles_m * tiles_n);
  const tile_coord tile = rasterise(blockIdx.x % (tiles_m * tiles_n), tiles_m, tiles_n);

  // Neighbouring threads have neighbouring columns, so that a warp's stores are whole lines.
  const int64 row = int64(tile.m) * tile_m + threadIdx.x / tile_n;
  const int64 col = int64(tile.n) * tile_n + threadIdx.x % tile_n;
  if (row >= m || col >= n) return;

  const ab_t *a = ${a_first} + row * (a_k_major ? lda : 1);
  const ab_t *b = ${b_first} + col * (b_k_major ? ldb : 1);
  float acc = 0;
  for (int64 i = 0; i < k; ++i)
    acc = __fmaf_rn(ab_value(a[i * (a_k_major ? 1 : lda)]), ab_value(b[i * (b_k_major ? 1 : ldb)]),
                    acc);

  // Operations and conversions work on two neighbouring columns; this thread has only the first.
//@ insert read_scalars
  const epilogue_operands parameters = {${operand_list}};
  const epilogue_operands operands = at_tile(parameters, batch, row, col);
  const tile_place at = {0, 0, 1, 1};
//@ insert seen
//@ if column_sums
  column_totals column_total[1] = {};
//@ end
//@ if row_sums
  row_totals row_total[1] = {};
//@ end
  const pair x = finish({acc, 0}, operands, at, read_row(operands, at), read_col(operands, at),
                        read_cell(operands, at)${and_seen}${and_totals});
//@ if column_sums
  send_columns(operands, column_total, at, 0);
//@ end
//@ if row_sums
  send_rows(operands, row_total, at, 0);
//@ end
//@ insert report
  d_t bits[2];
  d_from_values(bits, x.x, x.y);
  ${d_element} = bits[0];
}
