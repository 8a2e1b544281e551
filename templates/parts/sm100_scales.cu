// ---- Scale factors ------------------------------------------------------------------------------

//@ include load_atoms

// The same to all CTAs that the mask names.
__device__ __forceinline__ void load_atoms_multicast(unsigned dst, const tensor_map &map,
                                                     unsigned barrier, int rows, int k, int batch,
                                                     unsigned short ctas) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      ".multicast::cluster${load_group} [%0], [%1, {%3, %4, %5, %6}], [%2], %7;" ::"r"(dst),
      "l"(&map), "r"(barrier), "r"(0), "r"(rows), "r"(k), "r"(batch), "h"(ctas)
      : "memory");
}

//@ if shares_scales
// CTAs of the cluster need the same factors of A where they have the same rows, those of B where
// they have the same columns: they take turns at copying them to all of these, a K tile each.
//@ else
// Each CTA brings those of its own rows, and of all columns of the tile.
//@ end
__device__ __forceinline__ void load_scales(const tensor_map &map_a, const tensor_map &map_b,
                                            unsigned stage, unsigned barrier,
                                            const tile_origin &at, int k_tile${scale_sharers}) {
  const int k = k_tile * scale_atoms_k;
  if constexpr (cluster_n == 1)
    load_atoms(stage + stage_scales_a, map_a, barrier, at.m0 / scale_rows, k, at.batch);
  else if (k_tile % cluster_n == list.rank_n)
    load_atoms_multicast(stage + stage_scales_a, map_a, barrier, at.m0 / scale_rows, k, at.batch,
                         sharers_a);
//@ if folds_scales
  if (k_tile % cluster_m != list.rank_m) return;
  // A box has an atom of each half of the columns.
#pragma unroll
  for (int i = 0; i < scale_pairs_b; ++i)
    load_atoms_multicast(stage + stage_scales_b + i * scale_atoms_k * scale_rows * 8, map_b,
                         barrier, at.n0 / scale_rows + i, k, at.batch, ${sharers_scales_b});
//@ else
//@ if splits_scales
  // A tile has an atom's columns of each half of N.
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const unsigned to = stage + stage_scales_b + half * scale_atoms_k * scale_rows * 4;
    const int rows = (at.n0 / 2 + half * at.half_n) / scale_rows;
    if constexpr (cluster_m == 1)
      load_atoms(to, map_b, barrier, rows, k, at.batch);
    else if (k_tile % cluster_m == list.rank_m)
      load_atoms_multicast(to, map_b, barrier, rows, k, at.batch,
                           ${sharers_scales_b});
  }
//@ else
  if constexpr (cluster_m == 1)
    load_atoms(stage + stage_scales_b, map_b, barrier, at.n0 / scale_rows, k, at.batch);
  else if (k_tile % cluster_m == list.rank_m)
    load_atoms_multicast(stage + stage_scales_b, map_b, barrier, at.n0 / scale_rows, k, at.batch,
                         ${sharers_scales_b});
//@ end
//@ end
}

// Copies an atom to tensor memory: row r to lane r % 32 of column r / 32, in the lanes of each
// warp. The tensor core does this behind the MMAs that this thread has issued and before those that
// it issues later. In a pair each CTA's atom goes to its own tensor memory.
__device__ __forceinline__ void copy_atom(unsigned to, unsigned long long from) {
  asm volatile("tcgen05.cp.cta_group::${cta_group}.32x128b.warpx4 [%0], %1;" ::"r"(to), "l"(from)
               : "memory");
}

//@ if folds_scales
// Copies two atoms, one to lanes 0 to 63, the other to lanes 64 to 127. There MMAs read the factors
// of the two halves of B's columns, whose sums are in the same lanes.
__device__ __forceinline__ void copy_halves(unsigned to, unsigned long long from) {
  asm volatile("tcgen05.cp.cta_group::${cta_group}.64x128b.warpx2::01_23 [%0], %1;" ::"r"(to),
               "l"(from)
               : "memory");
}

// Copies all factors of a stage.
__device__ __forceinline__ void copy_scales(unsigned tmem, unsigned long long from) {
  constexpr int atom = scale_rows * 4 / 16;
#pragma unroll
  for (int i = 0; i < scale_atoms_k; ++i) copy_atom(tmem + scales_column + 4 * i, from + atom * i);
  from += atom * scale_atoms_k;
#pragma unroll
  for (int i = 0; i < scale_pairs_b * scale_atoms_k; ++i) {
    const int place = i % scale_atoms_k * scale_pairs_b + i / scale_atoms_k;
    copy_halves(tmem + scales_column + 4 * (scale_atoms_k + place), from + 2 * atom * i);
  }
}
//@ else
//@ if splits_scales
// Copies all factors of a stage. Those of B's two halves of N come to lie side by side, for one
// atom along K after the other.
__device__ __forceinline__ void copy_scales(unsigned tmem, unsigned long long from) {
  constexpr int atom = scale_rows * 4 / 16, atoms_a = scale_atoms_k * scale_atoms_a;
#pragma unroll
  for (int i = 0; i < atoms_a; ++i) copy_atom(tmem + scales_column + 4 * i, from + atom * i);
#pragma unroll
  for (int i = 0; i < 2 * scale_atoms_k; ++i)
    copy_atom(tmem + scales_column + 4 * (atoms_a + i % scale_atoms_k * 2 + i / scale_atoms_k),
              from + atom * (atoms_a + i));
}
//@ else
// Copies all factors of a stage.
__device__ __forceinline__ void copy_scales(unsigned tmem, unsigned long long from) {
#pragma unroll
  for (int i = 0; i < scale_atoms; ++i)
    copy_atom(tmem + scales_column + 4 * i, from + scale_rows * 4 / 16 * i);
}
//@ end
//@ end

//@ if long_k_scales
// Where the factors of a K step begin in tensor memory, those of A and of B, and in which byte of a
// word: of what is behind the fourth byte the tensor core itself goes on with the next atom's.
__device__ __forceinline__ constexpr unsigned scales_of_a(int, int step) {
  return scales_column + 4 * (step * step_factors / 4 * scale_atoms_a);
}

__device__ __forceinline__ constexpr unsigned scales_of_b(int step) {
  return scales_column +
         4 * (scale_atoms_k * scale_atoms_a + step * step_factors / 4 * scale_atoms_b);
}

__device__ __forceinline__ constexpr unsigned scale_ids(int step) {
  return step * step_factors % 4 * (1u << 29 | 1u << 4);
}
//@ else
// Where the factors of a K step are in tensor memory: of a block of A's rows; of B.
__device__ __forceinline__ constexpr unsigned scales_of_a(int block, int step) {
  return scales_column + 4 * (step / steps_an_atom * scale_atoms_a + block);
}

__device__ __forceinline__ constexpr unsigned scales_of_b(int step) {
//@ if folds_scales
  return scales_column + 4 * (scale_atoms_k + step / steps_an_atom * scale_pairs_b);
//@ else
  return scales_column + 4 * (scale_atoms_k * scale_atoms_a + step / steps_an_atom * scale_atoms_b);
//@ end
}

// In the instruction descriptor: the byte of a word in which a K step's factors begin, of A and B.
__device__ __forceinline__ constexpr unsigned scale_ids(int step) {
  return step % steps_an_atom * (4 / steps_an_atom) * (1u << 29 | 1u << 4);
}
//@ end
