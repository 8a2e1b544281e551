__device__ __forceinline__ unsigned empty_barriers_of(const work_list &list, unsigned smem,
                                                      int lane) {
  if (lane >= cluster_plane) return 0;
  if constexpr (cluster_plane == 1) return empty_barrier(smem, 0);
  return in_cta(empty_barrier(smem, 0), lane + (cluster_k == 1 ? 0 : list.rank_k * cluster_plane));
}
