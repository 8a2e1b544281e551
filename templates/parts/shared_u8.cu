
// Two elements of one byte in shared memory, at an address aligned to both.
__device__ __forceinline__ void st_shared_pair(unsigned addr, const unsigned char (&x)[2]) {
  const unsigned short pair = (unsigned short)(x[0] | x[1] << 8);
  asm volatile("st.shared.b16 [%0], %1;" ::"r"(addr), "h"(pair) : "memory");
}

// One element.
__device__ __forceinline__ void st_shared(unsigned addr, unsigned char x) {
  asm volatile("st.shared.u8 [%0], %1;" ::"r"(addr), "h"((unsigned short)x) : "memory");
}

__device__ __forceinline__ void ld_shared(unsigned char &x, unsigned addr) {
  unsigned short wide;
  asm volatile("ld.shared.u8 %0, [%1];" : "=h"(wide) : "r"(addr) : "memory");
  x = (unsigned char)wide;
}
