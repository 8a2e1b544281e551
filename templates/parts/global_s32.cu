
// What is where it exists, else 0.
__device__ __forceinline__ int ld_global(const int *from, bool exists) {
  int x = 0;
  asm volatile("{ .reg .pred exists; setp.ne.b32 exists, %2, 0; @exists ld.global.s32 %0, [%1]; }"
               : "+r"(x)
               : "l"(from), "r"(int(exists)));
  return x;
}

__device__ __forceinline__ two<int> ld_global_pair(const int *from, bool exists) {
  two<int> x = {0, 0};
  asm volatile(
      "{ .reg .pred exists; setp.ne.b32 exists, %3, 0; @exists ld.global.v2.s32 {%0, %1}, [%2]; }"
      : "+r"(x.x), "+r"(x.y)
      : "l"(from), "r"(int(exists)));
  return x;
}
