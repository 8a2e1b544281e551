
// Two elements of f32 in shared memory, at an address aligned to both.
__device__ __forceinline__ void st_shared_pair(unsigned addr, const float (&x)[2]) {
  asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(addr), "f"(x[0]), "f"(x[1]) : "memory");
}

// One element.
__device__ __forceinline__ void st_shared(unsigned addr, float x) {
  asm volatile("st.shared.f32 [%0], %1;" ::"r"(addr), "f"(x) : "memory");
}

__device__ __forceinline__ void ld_shared(float &x, unsigned addr) {
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(x) : "r"(addr) : "memory");
}
