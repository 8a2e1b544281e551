__device__ __forceinline__ unsigned empty_barriers_of(const work_list &list, unsigned smem,
                                                      int lane) {
  // A lane for each CTA that copies A here, and one for each that copies B.
  const int operand = lane / cluster_plane, cta = lane % cluster_plane;
  if (operand == 0 ? cta % cluster_m != list.rank_m
                   : operand > 1 || cta / cluster_m != list.rank_n)
    return 0;
  return in_cta(empty_barrier(smem, 0, operand),
                cta + (cluster_k == 1 ? 0 : list.rank_k * cluster_plane));
}
