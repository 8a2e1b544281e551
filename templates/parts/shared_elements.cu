// Two elements of one, two or four bytes in shared memory, at an address aligned to both.
__device__ __forceinline__ void st_shared_pair(unsigned addr, const unsigned char (&x)[2]) {
  const unsigned short pair = (unsigned short)(x[0] | x[1] << 8);
  asm volatile("st.shared.b16 [%0], %1;" ::"r"(addr), "h"(pair) : "memory");
}

__device__ __forceinline__ void st_shared_pair(unsigned addr, const unsigned short (&x)[2]) {
  const unsigned pair = x[0] | unsigned(x[1]) << 16;
  asm volatile("st.shared.b32 [%0], %1;" ::"r"(addr), "r"(pair) : "memory");
}

__device__ __forceinline__ void st_shared_pair(unsigned addr, const float (&x)[2]) {
  asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(addr), "f"(x[0]), "f"(x[1]) : "memory");
}

__device__ __forceinline__ void st_shared_pair(unsigned addr, const int (&x)[2]) {
  asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(addr), "r"(x[0]), "r"(x[1]) : "memory");
}

// One element.
__device__ __forceinline__ void st_shared(unsigned addr, unsigned char x) {
  asm volatile("st.shared.u8 [%0], %1;" ::"r"(addr), "h"((unsigned short)x) : "memory");
}

__device__ __forceinline__ void st_shared(unsigned addr, unsigned short x) {
  asm volatile("st.shared.b16 [%0], %1;" ::"r"(addr), "h"(x) : "memory");
}

__device__ __forceinline__ void st_shared(unsigned addr, float x) {
  asm volatile("st.shared.f32 [%0], %1;" ::"r"(addr), "f"(x) : "memory");
}

__device__ __forceinline__ void st_shared(unsigned addr, int x) {
  asm volatile("st.shared.b32 [%0], %1;" ::"r"(addr), "r"(x) : "memory");
}

__device__ __forceinline__ void ld_shared(unsigned char &x, unsigned addr) {
  unsigned short wide;
  asm volatile("ld.shared.u8 %0, [%1];" : "=h"(wide) : "r"(addr) : "memory");
  x = (unsigned char)wide;
}

__device__ __forceinline__ void ld_shared(unsigned short &x, unsigned addr) {
  asm volatile("ld.shared.b16 %0, [%1];" : "=h"(x) : "r"(addr) : "memory");
}

__device__ __forceinline__ void ld_shared(float &x, unsigned addr) {
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(x) : "r"(addr) : "memory");
}

__device__ __forceinline__ void ld_shared(int &x, unsigned addr) {
  asm volatile("ld.shared.b32 %0, [%1];" : "=r"(x) : "r"(addr) : "memory");
}
