using box_set = unsigned long long;

//@ include add_words

// This CTA's number among those of its cluster that have the same part of K.
__device__ __forceinline__ int plane_rank(const work_list &list) {
  return (cluster_m == 1 ? 0 : list.rank_m) + (cluster_n == 1 ? 0 : list.rank_n * cluster_m);
}
