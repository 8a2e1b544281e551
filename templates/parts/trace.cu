
// ---- The trace: what each warp does, and when ---------------------------------------------------

// A stamp: the clock's low half, what happens, in the upper 8 bits, and where, in the others.
struct trace_stamp {
  unsigned clock, event;
};

// Of a warp, by which its multiprocessor's clock is put beside the others'. `end` is behind its
// last stamp: what is not below stamp_count has not been written.
struct trace_warp {
  unsigned long long timer_begin, clock_begin, timer_end, clock_end;
  unsigned multiprocessor, shared_memory, end, unused;
};

// Whoever loads the kernel says where stamps go: stamp i of warp w, of all CTAs' one behind the
// other, to stamps[i * warp_count + w]. At first, and with no memory, there are none.
struct trace_memory {
  trace_warp *warps;
  trace_stamp *stamps;
  unsigned warp_count, stamp_count;
};

__constant__ trace_memory gemmgen_trace;

constexpr unsigned trace_done = 0x7fffffff;  // of what does not stamp: behind every memory's end

//@ insert trace_events

__device__ __forceinline__ unsigned long long trace_clock() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
  return now;
}

__device__ __forceinline__ unsigned long long trace_timer() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
  return now;
}

__device__ __forceinline__ unsigned trace_warp_index() {
  return blockIdx.x * (threads / 32) + threadIdx.x / 32;
}

// Only a warp's first lane stamps. Where its next stamp goes is in a register that PTX declares, as
// stamps are everywhere, and would have to be handed down to wherever there is one.
__device__ __forceinline__ void trace_begin(unsigned smem) {
  asm volatile(".reg .b32 trace_at;\n\tmov.b32 trace_at, %0;" ::"n"(trace_done) : "memory");
  const unsigned warp = trace_warp_index();
  if (threadIdx.x % 32 != 0 || warp >= gemmgen_trace.warp_count) return;
  trace_warp *const of = gemmgen_trace.warps + warp;
  of->shared_memory = smem;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(of->multiprocessor));
  asm volatile("mov.b32 trace_at, %0;" ::"r"(warp) : "memory");
  of->timer_begin = trace_timer();
  of->clock_begin = trace_clock();
}

__device__ __forceinline__ void trace_end() {
  const unsigned warp = trace_warp_index();
  if (threadIdx.x % 32 != 0 || warp >= gemmgen_trace.warp_count) return;
  trace_warp *const of = gemmgen_trace.warps + warp;
  of->timer_end = trace_timer();
  of->clock_end = trace_clock();
  asm volatile("mov.b32 %0, trace_at;" : "=r"(of->end));
}

// Without a branch, so that MMAs that are under way stay in one piece of text.
template <unsigned what>
__device__ __forceinline__ void stamp(unsigned where) {
  asm volatile(
      "{ .reg .pred fits;\n\t"
      ".reg .b32 now, event;\n\t"
      ".reg .b64 to;\n\t"
      "setp.lt.u32 fits, trace_at, %2;\n\t"
      "mad.wide.u32 to, trace_at, 8, %4;\n\t"
      "bfi.b32 event, %0, %1, 24, 8;\n\t"
      "mov.u32 now, %%clock;\n\t"
      "@fits st.global.v2.b32 [to], {now, event};\n\t"
      "add.u32 trace_at, trace_at, %3;\n\t"
      "min.u32 trace_at, trace_at, %5; }" ::"n"(what),
      "r"(where), "r"(gemmgen_trace.stamp_count), "r"(gemmgen_trace.warp_count),
      "l"(gemmgen_trace.stamps), "n"(trace_done)
      : "memory");
}
