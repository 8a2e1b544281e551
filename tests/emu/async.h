/* Small kernels of asynchronous copies, barriers and clusters: what those tests share.
 *
 * Each kernel is right: it gives the right result with no alarm, however late or early its copies
 * land. Each of its mutants (one wait, fence, barrier, commit, parity or count changed) is caught
 * when they land late. */
#ifndef GG_TESTS_ASYNC_H
#define GG_TESTS_ASYNC_H

#include <string.h>

#include "emu/emu.h"
#include "suite.h"

enum { words = 4096 };

/* A kernel of two buffers of `words` words, in and out, and their tensor maps: boxes of 32 x 8. */
#define HEAD                                                                                       \
  ".version 9.0\n.target sm_90a\n.address_size 64\n"                                               \
  ".visible .entry k(.param .u64 in, .param .u64 out, .param .align 64 .b8 map_in[128],\n"         \
  "                  .param .align 64 .b8 map_out[128]) {\n"                                       \
  ".reg .pred %p<16>; .reg .b16 %h<4>; .reg .b32 %r<64>; .reg .b64 %d<32>;\n"                      \
  "ld.param.u64 %d1, [in];\ncvta.to.global.u64 %d1, %d1;\n"                                        \
  "ld.param.u64 %d2, [out];\ncvta.to.global.u64 %d2, %d2;\n"                                       \
  "mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 4;\ncvt.u64.u32 %d3, %r2;\n"                            \
  "mov.b64 %d8, map_in;\ncvta.param.u64 %d8, %d8;\n"                                               \
  "mov.b64 %d9, map_out;\ncvta.param.u64 %d9, %d9;\n"
#define TAIL "ret;\n}\n"

/* Waits in a loop until the phase of parity `parity` is complete. */
#define WAIT(label, barrier, parity)                                                               \
  label ":\n"                                                                                      \
        "mbarrier.try_wait.parity.shared::cta.b64 %p15, [" barrier "], " parity ";\n"              \
        "@!%p15 bra " label ";\n"

typedef struct async_kernel {
  const char *name, *text;
  unsigned grid, block, cluster;
  void (*expect)(uint32_t *out, const uint32_t *in); /* out: as it was before */
  uint32_t columns;                                  /* of the map of out */
} async_kernel;

typedef struct async_mutant {
  const char *kernel, *from, *to; /* the first place where `from` stands */
} async_mutant;

/* What the buffers hold at first. */
void async_fill(uint32_t in[words], uint32_t out[words]);
/* Runs `text` as the kernel: what it leaves in `out` (as it was before, on entry). */
gg_status async_run(uint32_t out[words], const uint32_t in[words], const async_kernel *k,
                    const char *text, const emu_options *options, gg_error *err);

/* Runs the suite: each kernel is right with copies that land late, on one thread of the host and on
 * several, without checks, and at random; each mutant is wrong, or an error of the emulator. */
int async_main(const char *suite, const async_kernel *kernels, int kernel_count,
               const async_mutant *mutants, int mutant_count);

#endif
