__device__ __forceinline__ void ldmatrix_x4(unsigned &r0, unsigned &r1, unsigned &r2, unsigned &r3,
                                            unsigned addr) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
               : "r"(addr));
}

__device__ __forceinline__ void ldmatrix_x4_trans(unsigned &r0, unsigned &r1, unsigned &r2,
                                                  unsigned &r3, unsigned addr) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
               : "r"(addr));
}

__device__ __forceinline__ void ldmatrix_x2(unsigned &r0, unsigned &r1, unsigned addr) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(r0), "=r"(r1)
               : "r"(addr));
}

__device__ __forceinline__ void ldmatrix_x2_trans(unsigned &r0, unsigned &r1, unsigned addr) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(r0), "=r"(r1)
               : "r"(addr));
}

// Empty instructions that the compiler must assume to change x: what follows from x is computed
// where it is used, not earlier.
__device__ __forceinline__ void forget_address(const ab_t *&x) { asm volatile("" : "+l"(x)); }
__device__ __forceinline__ void forget(int &x) { asm volatile("" : "+r"(x)); }

// Copies 16 bytes, or writes zeros where the source is not inside the matrix.
__device__ __forceinline__ void cp_async_or_zeros(unsigned dst, const void *src, bool inside) {
  asm volatile(
      "{ .reg .pred ignore; setp.eq.b32 ignore, %2, 0;\n\t"
      "cp.async.cg.shared.global.L2::128B [%0], [%1], 16, ignore; }" ::"r"(dst),
      "l"(src), "r"(int(inside))
      : "memory");
}

// Where it `works`, copies 16 bytes, or writes zeros where the source is not inside the matrix.
__device__ __forceinline__ void cp_async_or_zeros_if(bool works, unsigned dst, const void *src,
                                                     bool inside) {
  asm volatile(
      "{ .reg .pred p, ignore; setp.ne.b32 p, %0, 0; setp.eq.b32 ignore, %3, 0;\n\t"
      "@p cp.async.cg.shared.global.L2::128B [%1], [%2], 16, ignore; }" ::"r"(int(works)),
      "r"(dst), "l"(src), "r"(int(inside))
      : "memory");
}

// Copies the first `valid` bytes and fills the rest with zeros.
template <int bytes>
__device__ __forceinline__ void cp_async_first(unsigned dst, const void *src, int valid) {
  if constexpr (bytes == 16)
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(dst), "l"(src),
                 "r"(valid)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], %3, %2;" ::"r"(dst), "l"(src),
                 "r"(valid), "n"(bytes)
                 : "memory");
}

//@ include cp_async
//@ insert shared_elements

// A chunk of 16, 8, 4 or 2 bytes, where it exists; else x stays undefined.
template <int bytes>
__device__ __forceinline__ void ld_global_chunk(unsigned (&x)[(bytes + 3) / 4], const void *src,
                                                bool exists) {
  if constexpr (bytes == 16)
    asm volatile(
        "{ .reg .pred exists; setp.ne.b32 exists, %5, 0;\n\t"
        "@exists ld.global.v4.b32 {%0, %1, %2, %3}, [%4]; }"
        : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
        : "l"(src), "r"(int(exists)));
  else if constexpr (bytes == 8)
    asm volatile(
        "{ .reg .pred exists; setp.ne.b32 exists, %3, 0;\n\t"
        "@exists ld.global.v2.b32 {%0, %1}, [%2]; }"
        : "=r"(x[0]), "=r"(x[1])
        : "l"(src), "r"(int(exists)));
  else
    asm volatile(
        "{ .reg .pred exists; setp.ne.b32 exists, %2, 0;\n\t"
        "@exists ld.global.u%3 %0, [%1]; }"
        : "=r"(x[0])
        : "l"(src), "r"(int(exists)), "n"(bytes * 8));
}

template <int bytes>
__device__ __forceinline__ void st_shared_chunk(unsigned dst, const unsigned (&x)[(bytes + 3) / 4],
                                                bool exists) {
  if constexpr (bytes == 16)
    asm volatile(
        "{ .reg .pred exists; setp.ne.b32 exists, %5, 0;\n\t"
        "@exists st.shared.v4.b32 [%0], {%1, %2, %3, %4}; }" ::"r"(dst),
        "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(int(exists))
        : "memory");
  else if constexpr (bytes == 8)
    asm volatile(
        "{ .reg .pred exists; setp.ne.b32 exists, %3, 0;\n\t"
        "@exists st.shared.v2.b32 [%0], {%1, %2}; }" ::"r"(dst),
        "r"(x[0]), "r"(x[1]), "r"(int(exists))
        : "memory");
  else
    asm volatile(
        "{ .reg .pred exists; setp.ne.b32 exists, %2, 0;\n\t"
        "@exists st.shared.u%3 [%0], %1; }" ::"r"(dst),
        "r"(x[0]), "r"(int(exists)), "n"(bytes * 8)
        : "memory");
}

template <int bytes>
__device__ __forceinline__ void copy_shared_to_global(void *dst, unsigned src) {
  if constexpr (bytes == 16)
    asm volatile(
        "{ .reg .b32 x<4>; ld.shared.v4.b32 {x0, x1, x2, x3}, [%1];\n\t"
        "st.global.v4.b32 [%0], {x0, x1, x2, x3}; }" ::"l"(dst), "r"(src)
        : "memory");
  else if constexpr (bytes == 8)
    asm volatile(
        "{ .reg .b32 x<2>; ld.shared.v2.b32 {x0, x1}, [%1];\n\t"
        "st.global.v2.b32 [%0], {x0, x1}; }" ::"l"(dst), "r"(src)
        : "memory");
  else if constexpr (bytes == 4)
    asm volatile(
        "{ .reg .b32 x; ld.shared.b32 x, [%1]; st.global.b32 [%0], x; }" ::"l"(dst), "r"(src)
        : "memory");
  else if constexpr (bytes == 2)
    asm volatile(
        "{ .reg .b16 x; ld.shared.b16 x, [%1]; st.global.b16 [%0], x; }" ::"l"(dst), "r"(src)
        : "memory");
  else
    asm volatile(
        "{ .reg .b16 x; ld.shared.b8 x, [%1]; st.global.b8 [%0], x; }" ::"l"(dst), "r"(src)
        : "memory");
}
