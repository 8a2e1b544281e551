constexpr int chunk_bytes = 16;
constexpr int chunk_words = chunk_bytes / 4;

__device__ __forceinline__ void ld_shared_chunk(unsigned (&x)[chunk_words], unsigned addr) {
  asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
               : "r"(addr)
               : "memory");
}

__device__ __forceinline__ void st_shared_chunk(unsigned addr, const unsigned (&x)[chunk_words]) {
  asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(addr), "r"(x[0]), "r"(x[1]),
               "r"(x[2]), "r"(x[3])
               : "memory");
}
