// What one lane has of a share's sums. Others of the GPU read it: past the L1 cache.
struct partial_sums {
  unsigned char *at;

  __device__ __forceinline__ void load(acc_t (&x)[sum_words], int chunk) const {
    asm volatile("ld.global.cg.v2.f64 {%0, %1}, [%2];"
                 : "=d"(x[0]), "=d"(x[1])
                 : "l"(at + chunk * (warp_size * 16)));
  }

  __device__ __forceinline__ void store(const acc_t *x, int chunk) const {
    asm volatile("st.global.cg.v2.f64 [%0], {%1, %2};" ::"l"(at + chunk * (warp_size * 16)),
                 "d"(x[0]), "d"(x[1])
                 : "memory");
  }
};
