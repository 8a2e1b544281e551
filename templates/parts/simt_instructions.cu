// An empty instruction that the compiler must assume to change x: what follows from x is computed
// where it is used, not earlier.
__device__ __forceinline__ void forget_address(const ab_t *&x) { asm volatile("" : "+l"(x)); }

// Copies 16, 8 or 4 bytes, or writes zeros where the source is not inside the matrix.
template <int bytes>
__device__ __forceinline__ void cp_async_or_zeros(unsigned dst, const void *src, bool inside) {
  if constexpr (bytes == 16)
    asm volatile(
        "{ .reg .pred ignore; setp.eq.b32 ignore, %2, 0;\n\t"
        "cp.async.cg.shared.global.L2::128B [%0], [%1], 16, ignore; }" ::"r"(dst),
        "l"(src), "r"(int(inside))
        : "memory");
  else
    asm volatile(
        "{ .reg .pred ignore; setp.eq.b32 ignore, %2, 0;\n\t"
        "cp.async.ca.shared.global.L2::128B [%0], [%1], %3, ignore; }" ::"r"(dst),
        "l"(src), "r"(int(inside)), "n"(bytes)
        : "memory");
}

//@ insert words
