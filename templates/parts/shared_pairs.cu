// Two elements of shared memory, at an address aligned to both.
__device__ __forceinline__ void ld_shared_pair(unsigned char (&x)[2], unsigned addr) {
  unsigned short pair;
  asm volatile("ld.shared.b16 %0, [%1];" : "=h"(pair) : "r"(addr) : "memory");
  x[0] = (unsigned char)pair;
  x[1] = (unsigned char)(pair >> 8);
}

__device__ __forceinline__ void ld_shared_pair(unsigned short (&x)[2], unsigned addr) {
  unsigned pair;
  asm volatile("ld.shared.b32 %0, [%1];" : "=r"(pair) : "r"(addr) : "memory");
  x[0] = (unsigned short)pair;
  x[1] = (unsigned short)(pair >> 16);
}

__device__ __forceinline__ void ld_shared_pair(float (&x)[2], unsigned addr) {
  asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];"
               : "=f"(x[0]), "=f"(x[1])
               : "r"(addr)
               : "memory");
}

__device__ __forceinline__ void ld_shared_pair(int (&x)[2], unsigned addr) {
  asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];"
               : "=r"(x[0]), "=r"(x[1])
               : "r"(addr)
               : "memory");
}
