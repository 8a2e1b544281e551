__device__ __forceinline__ void add(acc_t &sum, acc_t x) {
  if constexpr (acc_elements == 2)  // of f16
    asm("add.rn.f16x2 %0, %0, %1;" : "+${acc_register}"(sum) : "${acc_register}"(x));
  else
    sum += x;
}
