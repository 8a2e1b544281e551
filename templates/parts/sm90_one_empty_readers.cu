__device__ __forceinline__ unsigned empty_barriers_of(const work_list &list, unsigned smem,
                                                      int lane) {
  if (lane >= cluster_plane) return 0;
  return in_cta(empty_barrier(smem, 0), lane + list.rank_k * cluster_plane);
}
