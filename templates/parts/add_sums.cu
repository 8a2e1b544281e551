using box_set = unsigned long long;

__device__ __forceinline__ void add(acc_t &sum, acc_t x) {
  if constexpr (acc_elements == 2)  // of f16
    asm("add.rn.f16x2 %0, %0, %1;" : "+${acc_register}"(sum) : "${acc_register}"(x));
  else
    sum += x;
}

// This CTA among those of its cluster that have the same part of K.
__device__ __forceinline__ int plane_rank(const work_list &list) {
  return (cluster_m == 1 ? 0 : list.rank_m) + (cluster_n == 1 ? 0 : list.rank_n * cluster_m);
}
