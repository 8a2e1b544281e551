/* Order: clusters, mbarriers, named barriers, lanes of a warp, and the race detector. */
#include "async.h"

/* ---- A cluster: multicast, remote arrivals, remote stores ------------------------------- */

static const char cluster[] = HEAD
    ".shared .align 128 .b8 buf[2048];\n.shared .align 8 .b64 bar[2];\n"
    ".shared .align 128 .b8 mail[128];\n"
    "setp.eq.u32 %p1, %r1, 0;\nmov.u32 %r3, %cluster_ctarank;\nxor.b32 %r4, %r3, 1;\n"
    "@%p1 mbarrier.init.shared::cta.b64 [bar], 1;\n"
    "@%p1 mbarrier.init.shared::cta.b64 [bar+8], 1;\n"
    "@%p1 fence.mbarrier_init.release.cluster;\n"
    "barrier.cluster.arrive.relaxed.aligned;\n"
    "barrier.cluster.wait.acquire.aligned; // after init\n"
    "mov.u32 %r5, buf;\nmov.u32 %r6, bar;\nmov.u32 %r7, mail;\n"
    "shl.b32 %r8, %r3, 10;\nadd.u32 %r9, %r5, %r8;\ncvt.u64.u32 %d4, %r8;\n"
    "add.u64 %d1, %d1, %d4;\nmov.u16 %h1, 3;\n"
    "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r6], 2048;\n"
    "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
    " [%r9], [%d1], 1024, [%r6], %h1;\n" WAIT(
        "W0", "%r6",
        "0") "shl.b32 %r10, %r1, 2;\nadd.u32 %r11, %r5, %r10;\n"
             "ld.shared.u32 %r12, [%r11];\nld.shared.u32 %r13, [%r11+1024];\n"
             "add.u32 %r12, %r12, %r13;\n"
             "add.u32 %r14, %r7, %r10;\n"
             "mapa.shared::cluster.u32 %r15, %r14, %r4;\n"
             "st.shared::cluster.u32 [%r15], %r1;\n"
             "barrier.cluster.arrive.release.aligned;\n"
             "barrier.cluster.wait.acquire.aligned; // mail\n"
             "ld.shared.u32 %r16, [%r14];\nadd.u32 %r12, %r12, %r16;\n"
             "mapa.shared::cluster.u32 %r17, %r6, %r4;\n"
             "@%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r17+8];\n" WAIT(
                 "W1", "%r6+8", "0") "mad.lo.u32 %r18, %r3, 128, %r10;\ncvt.u64.u32 %d5, %r18;\n"
                                     "add.u64 %d2, %d2, %d5;\n"
                                     "st.global.u32 [%d2], %r12;\n" TAIL;

static void expect_cluster(uint32_t *out, const uint32_t *in) {
  for (uint32_t c = 0; c < 2; c++) {
    for (uint32_t t = 0; t < 32; t++)
      out[32 * c + t] = in[t] + in[256 + t] + t;
  }
}

/* ---- st.async and red.async ------------------------------------------------------------- */

static const char remote[] = HEAD
    ".shared .align 128 .b8 buf[256];\n.shared .align 8 .b64 bar;\n"
    "setp.eq.u32 %p1, %r1, 0;\nmov.u32 %r3, %cluster_ctarank;\nxor.b32 %r4, %r3, 1;\n"
    "@%p1 mbarrier.init.shared::cta.b64 [bar], 1;\n@%p1 st.shared.u32 [buf+128], 5;\n"
    "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned; // after init\n"
    "mov.u32 %r5, buf;\nmov.u32 %r6, bar;\n"
    "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r6], 256;\n"
    "shl.b32 %r10, %r1, 2;\nadd.u32 %r11, %r5, %r10;\n"
    "mapa.shared::cluster.u32 %r12, %r11, %r4;\nmapa.shared::cluster.u32 %r13, %r6, %r4;\n"
    "mapa.shared::cluster.u32 %r14, %r5, %r4;\nadd.u32 %r15, %r1, 7;\n"
    "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r12], %r15, [%r13];\n"
    "@!%p1 bra SKIP;\n"
    "mov.u32 %r16, 1;\n"
    "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32"
    " [%r14+128], %r16, [%r13];\n"
    "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r6], 124;\n"
    "SKIP:\n" WAIT(
        "W", "%r6",
        "0") "ld.shared.u32 %r17, [%r11];\nld.shared.u32 %r18, [%r5+128];\n"
             "add.u32 %r17, %r17, %r18;\n"
             "mad.lo.u32 %r18, %r3, 128, %r10;\ncvt.u64.u32 %d5, %r18;\nadd.u64 %d2, %d2, %d5;\n"
             "st.global.u32 [%d2], %r17;\n" TAIL;

static void expect_remote(uint32_t *out, const uint32_t *in) {
  (void)in;
  for (uint32_t i = 0; i < 64; i++)
    out[i] = i % 32 + 7 + 6;
}

/* ---- Lanes of a warp -------------------------------------------------------------------- */

static const char lanes[] =
    HEAD ".shared .align 128 .b8 buf[128];\n"
         "shl.b32 %r3, %r1, 2;\nmov.u32 %r4, buf;\nadd.u32 %r5, %r4, %r3;\nxor.b32 %r6, %r3, 4;\n"
         "add.u32 %r6, %r4, %r6;\nmov.u32 %r10, 0;\nmov.u32 %r12, 0;\n"
         "LOOP:\n"
         "add.u32 %r11, %r1, %r10;\nst.shared.u32 [%r5], %r11;\n"
         "bar.warp.sync 0xffffffff; // written\n"
         "ld.shared.u32 %r7, [%r6];\nadd.u32 %r12, %r12, %r7;\n"
         "bar.warp.sync 0xffffffff; // read\n"
         "add.u32 %r10, %r10, 1;\nsetp.lt.u32 %p1, %r10, 3;\n@%p1 bra LOOP;\n"
         "cvt.u64.u32 %d4, %r3;\nadd.u64 %d2, %d2, %d4;\nst.global.u32 [%d2], %r12;\n" TAIL;

static void expect_lanes(uint32_t *out, const uint32_t *in) {
  (void)in;
  for (uint32_t i = 0; i < 32; i++)
    out[i] = 3 * (i ^ 1) + 3;
}

/* ---- States, drops, test_wait, invalidation --------------------------------------------- */

static const char states[] =
    HEAD ".shared .align 8 .b64 bar;\n"
         "setp.eq.u32 %p1, %r1, 0;\n"
         "@%p1 mbarrier.init.shared.b64 [bar], 96;\n"
         "bar.warp.sync 0xffffffff;\n"
         "mbarrier.arrive.noComplete.shared.b64 %d4, [bar], 2;\n"
         "mbarrier.pending_count.b64 %r3, %d4;\n"
         "mbarrier.arrive_drop.shared.b64 %d5, [bar];\n"
         "W:\n"
         "mbarrier.test_wait.acquire.cta.shared::cta.b64 %p2, [bar], %d5;\n"
         "@!%p2 bra W;\n"
         "mbarrier.arrive.shared.b64 %d6, [bar];\n"
         "mbarrier.arrive.relaxed.cta.shared.b64 %d7, [bar];\n"
         "mbarrier.pending_count.b64 %r4, %d6;\n"
         "V:\n"
         "mbarrier.try_wait.shared.b64 %p3, [bar], %d7, 0x989680;\n"
         "@!%p3 bra V;\n"
         "bar.warp.sync 0xffffffff;\n"
         "@%p1 mbarrier.inval.shared.b64 [bar];\n"
         "@%p1 st.shared.b64 [bar], %d1;\n"
         "shl.b32 %r5, %r1, 3;\ncvt.u64.u32 %d8, %r5;\nadd.u64 %d2, %d2, %d8;\n"
         "st.global.v2.u32 [%d2], {%r3, %r4};\n" TAIL;

static void expect_states(uint32_t *out, const uint32_t *in) {
  (void)in;
  for (uint32_t t = 0; t < 32; t++) {
    out[2 * t] = 96 - 2 * t;
    out[2 * t + 1] = 64 - t;
  }
}

/* ---- Two phases of one named barrier ---------------------------------------------------- */

static const char phases[] =
    HEAD ".shared .u32 box;\n"
         "setp.eq.u32 %p1, %r1, 32;\nsetp.ge.u32 %p2, %r1, 32;\n"
         "bar.sync 0;\n"
         "@%p1 st.shared.u32 [box], %r1;\n"
         "bar.sync 0; // written\n"
         "@%p2 bra DONE;\n"
         "ld.shared.u32 %r3, [box];\n"
         "mul.wide.u32 %d4, %r1, 4;\nadd.u64 %d2, %d2, %d4;\nst.global.u32 [%d2], %r3;\n"
         "DONE:\n"
         "bar.sync 0;\n" TAIL;

static void expect_phases(uint32_t *out, const uint32_t *in) {
  (void)in;
  for (int i = 0; i < 32; i++)
    out[i] = 32;
}

/* ---- A CTA that exits ------------------------------------------------------------------- */

/* The first CTA reads the other's memory, which waits for that. */
static const char farewell[] =
    HEAD ".shared .align 128 .b8 buf[128];\n"
         "shl.b32 %r10, %r1, 2;\nmov.u32 %r5, buf;\nadd.u32 %r5, %r5, %r10;\n"
         "mov.u32 %r3, %cluster_ctarank;\nsetp.eq.u32 %p1, %r3, 1;\nmov.u32 %r6, 1;\n"
         "st.shared.u32 [%r5], %r1;\n"
         "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\n"
         "@%p1 bra DONE;\n"
         "mapa.shared::cluster.u32 %r6, %r5, %r6;\n"
         "bar.sync 0;\nbar.sync 0;\nbar.sync 0;\nnanosleep.u32 100;\nnanosleep.u32 100;\n"
         "ld.shared::cluster.u32 %r7, [%r6];\n"
         "cvt.u64.u32 %d4, %r10;\nadd.u64 %d2, %d2, %d4;\nst.global.u32 [%d2], %r7;\n"
         "DONE:\n"
         "barrier.cluster.arrive.release.aligned;\n"
         "barrier.cluster.wait.acquire.aligned; // the end\n" TAIL;

static void expect_farewell(uint32_t *out, const uint32_t *in) {
  (void)in;
  for (uint32_t i = 0; i < 32; i++)
    out[i] = i;
}

static const async_kernel kernels[] = {
    {"cluster", cluster, 2, 32, 2, expect_cluster, 32},
    {"remote", remote, 2, 32, 2, expect_remote, 32},
    {"lanes", lanes, 1, 32, 0, expect_lanes, 32},
    {"states", states, 1, 32, 0, expect_states, 32},
    {"phases", phases, 1, 64, 0, expect_phases, 32},
    {"farewell", farewell, 2, 32, 2, expect_farewell, 32},
};
enum { kernel_count = sizeof kernels / sizeof *kernels };

static const async_mutant mutants[] = {
    {"cluster", "@%p1 fence.mbarrier_init.release.cluster;\n", ""},
    {"cluster", "[%r6], 2048;", "[%r6], 1024;"},
    {"cluster", "mov.u16 %h1, 3;", "mov.u16 %h1, 1;"},
    {"cluster", "barrier.cluster.wait.acquire.aligned; // mail\n", ""},
    {"cluster", "barrier.cluster.arrive.release.aligned", "barrier.cluster.arrive.relaxed.aligned"},
    {"cluster", "@!%p15 bra W0;\n", ""},
    {"cluster", "@%p1 mbarrier.arrive.release.cluster", "// "},
    {"remote", "[%r6], 256;", "[%r6], 252;"},
    {"remote", "@!%p15 bra W;\n", ""},
    {"remote", "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r6], 124;\n", ""},
    {"lanes", "bar.warp.sync 0xffffffff; // written\n", ""},
    {"lanes", "bar.warp.sync 0xffffffff; // read\n", ""},
    {"phases", "bar.sync 0; // written\n", ""},
    {"farewell", "barrier.cluster.wait.acquire.aligned; // the end\n", ""},
};

int main(void) {
  return async_main("order", kernels, kernel_count, mutants, sizeof mutants / sizeof *mutants);
}
