// 8x8 matrices of 16-bit elements; lanes 0-7 name the rows of the first, 8-15 of the second, ...;
// transposed, the columns.
__device__ __forceinline__ void ldmatrix(unsigned (&r)[4], unsigned addr) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(addr)
               : "memory");
}

__device__ __forceinline__ void ldmatrix_transposed(unsigned (&r)[4], unsigned addr) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(addr)
               : "memory");
}

// The same where `exists`, else zeros: by a predicate, not a branch, so that several of them are
// under way together.
__device__ __forceinline__ void ldmatrix_or_zeros(unsigned (&r)[4], unsigned addr, bool exists) {
  r[0] = r[1] = r[2] = r[3] = 0;
  asm volatile("{ .reg .pred exists; setp.ne.b32 exists, %5, 0; @exists "
               "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4]; }"
               : "+r"(r[0]), "+r"(r[1]), "+r"(r[2]), "+r"(r[3])
               : "r"(addr), "r"(int(exists))
               : "memory");
}

__device__ __forceinline__ void ldmatrix_transposed_or_zeros(unsigned (&r)[4], unsigned addr,
                                                             bool exists) {
  r[0] = r[1] = r[2] = r[3] = 0;
  asm volatile("{ .reg .pred exists; setp.ne.b32 exists, %5, 0; @exists "
               "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4]; }"
               : "+r"(r[0]), "+r"(r[1]), "+r"(r[2]), "+r"(r[3])
               : "r"(addr), "r"(int(exists))
               : "memory");
}
