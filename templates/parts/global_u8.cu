
// What is where it exists, else 0.
__device__ __forceinline__ unsigned char ld_global(const unsigned char *from, bool exists) {
  unsigned x = 0;
  asm volatile("{ .reg .pred exists; setp.ne.b32 exists, %2, 0; @exists ld.global.u8 %0, [%1]; }"
               : "+r"(x)
               : "l"(from), "r"(int(exists)));
  return (unsigned char)x;
}

__device__ __forceinline__ two<unsigned char> ld_global_pair(const unsigned char *from,
                                                             bool exists) {
  unsigned short x = 0;
  asm volatile("{ .reg .pred exists; setp.ne.b32 exists, %2, 0; @exists ld.global.b16 %0, [%1]; }"
               : "+h"(x)
               : "l"(from), "r"(int(exists)));
  return {(unsigned char)x, (unsigned char)(x >> 8)};
}
