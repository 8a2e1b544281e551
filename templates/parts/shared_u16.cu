
// Two elements of two bytes in shared memory, at an address aligned to both.
__device__ __forceinline__ void st_shared_pair(unsigned addr, const unsigned short (&x)[2]) {
  const unsigned pair = x[0] | unsigned(x[1]) << 16;
  asm volatile("st.shared.b32 [%0], %1;" ::"r"(addr), "r"(pair) : "memory");
}

// One element.
__device__ __forceinline__ void st_shared(unsigned addr, unsigned short x) {
  asm volatile("st.shared.b16 [%0], %1;" ::"r"(addr), "h"(x) : "memory");
}

__device__ __forceinline__ void ld_shared(unsigned short &x, unsigned addr) {
  asm volatile("ld.shared.b16 %0, [%1];" : "=h"(x) : "r"(addr) : "memory");
}
