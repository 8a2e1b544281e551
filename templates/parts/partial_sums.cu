// What one lane has of a share's sums. Others of the GPU read it: past the L1 cache.
struct partial_sums {
  unsigned char *at;

  __device__ __forceinline__ void load(acc_t (&x)[sum_words], int chunk) const {
    asm volatile("ld.global.cg.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=${acc_register}"(x[0]), "=${acc_register}"(x[1]),
                   "=${acc_register}"(x[2]), "=${acc_register}"(x[3])
                 : "l"(at + chunk * (warp_size * 16)));
  }

  __device__ __forceinline__ void store(const acc_t *x, int chunk) const {
    asm volatile("st.global.cg.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(
                     at + chunk * (warp_size * 16)),
                 "${acc_register}"(x[0]), "${acc_register}"(x[1]),
                 "${acc_register}"(x[2]), "${acc_register}"(x[3])
                 : "memory");
  }
};
