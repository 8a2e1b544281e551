// Copies the first `valid` bytes and fills the rest with zeros.
template <int bytes>
__device__ __forceinline__ void cp_async_zfill(unsigned dst, const void *src, int valid,
                                               bool works) {
  if constexpr (bytes == 16)
    asm volatile(
        "{ .reg .pred p; setp.ne.b32 p, %0, 0;\n\t"
        "@p cp.async.cg.shared.global.L2::128B [%1], [%2], 16, %3; }" ::"r"(int(works)),
        "r"(dst), "l"(src), "r"(valid)
        : "memory");
  else
    asm volatile(
        "{ .reg .pred p; setp.ne.b32 p, %0, 0;\n\t"
        "@p cp.async.ca.shared.global.L2::128B [%1], [%2], %4, %3; }" ::"r"(int(works)),
        "r"(dst), "l"(src), "r"(valid), "n"(bytes)
        : "memory");
}

__device__ __forceinline__ void cp_async_commit() {
  if constexpr (traced) stamp<trace_copies>(0);
  asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int pending>
__device__ __forceinline__ void cp_async_wait() {
  if constexpr (traced) stamp<trace_await_copies>(pending);
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
  if constexpr (traced) stamp<trace_go>(0);
}
