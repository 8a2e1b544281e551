
// What is where it exists, else 0.
__device__ __forceinline__ unsigned short ld_global(const unsigned short *from, bool exists) {
  unsigned short x = 0;
  asm volatile("{ .reg .pred exists; setp.ne.b32 exists, %2, 0; @exists ld.global.b16 %0, [%1]; }"
               : "+h"(x)
               : "l"(from), "r"(int(exists)));
  return x;
}

__device__ __forceinline__ two<unsigned short> ld_global_pair(const unsigned short *from,
                                                              bool exists) {
  unsigned x = 0;
  asm volatile("{ .reg .pred exists; setp.ne.b32 exists, %2, 0; @exists ld.global.b32 %0, [%1]; }"
               : "+r"(x)
               : "l"(from), "r"(int(exists)));
  return {(unsigned short)x, (unsigned short)(x >> 16)};
}
