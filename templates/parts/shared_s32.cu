
// Two elements of s32 in shared memory, at an address aligned to both.
__device__ __forceinline__ void st_shared_pair(unsigned addr, const int (&x)[2]) {
  asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(addr), "r"(x[0]), "r"(x[1]) : "memory");
}

// One element.
__device__ __forceinline__ void st_shared(unsigned addr, int x) {
  asm volatile("st.shared.b32 [%0], %1;" ::"r"(addr), "r"(x) : "memory");
}

__device__ __forceinline__ void ld_shared(int &x, unsigned addr) {
  asm volatile("ld.shared.b32 %0, [%1];" : "=r"(x) : "r"(addr) : "memory");
}
