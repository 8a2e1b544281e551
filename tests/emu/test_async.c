/* Asynchronous copies, mbarriers, clusters and the race detector: small kernels that are right give
 * the right result with no alarm, however late or early their copies land; each of their mutants
 * (one wait, fence, barrier, commit, parity or count changed) is caught when copies land late. */
#include <stdio.h>
#include <string.h>

#include "emu/async/tensor_map.h"
#include "emu/emu.h"
#include "suite.h"

enum { words = 4096, seeds = 50, compared = words - 32 }; /* the rest is scratch */

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

typedef struct kernel {
  const char *name, *text;
  unsigned grid, block, cluster;
  void (*expect)(uint32_t *out, const uint32_t *in); /* out: as it was before */
  uint32_t columns;                                  /* of the map of out */
} kernel;

/* ---- cp.async: three stages, two groups in flight --------------------------------------- */

enum { tiles = 6, threads = 64, tile_words = 256 };

static const char copies[] =
    HEAD ".shared .align 128 .b8 buf[3072];\n"
         "add.u64 %d1, %d1, %d3;\nadd.u64 %d2, %d2, %d3;\n"
         "mov.u32 %r3, buf;\nadd.u32 %r4, %r3, %r2;\n"
         "xor.b32 %r5, %r2, 512;\nadd.u32 %r5, %r3, %r5;\n"
         "cp.async.cg.shared.global [%r4], [%d1], 16;\n"
         "cp.async.commit_group;\n"
         "cp.async.cg.shared.global.L2::128B [%r4+1024], [%d1+1024], 16;\n"
         "cp.async.commit_group;\n"
         "mov.u32 %r10, 0;\nmov.u32 %r11, 0;\nmov.u32 %r12, 2048;\n"
         "mov.u32 %r20, 0;\nmov.u32 %r21, 0;\nmov.u32 %r22, 0;\nmov.u32 %r23, 0;\n"
         "LOOP:\n"
         "cp.async.wait_group 1;\n"
         "bar.sync 0;\n"
         "add.u32 %r6, %r5, %r11;\n"
         "ld.shared.v4.u32 {%r16, %r17, %r18, %r19}, [%r6];\n"
         "add.u32 %r20, %r20, %r16;\nadd.u32 %r21, %r21, %r17;\n"
         "add.u32 %r22, %r22, %r18;\nadd.u32 %r23, %r23, %r19;\n"
         "add.u32 %r7, %r10, 2;\nsetp.lt.u32 %p1, %r7, 6;\n"
         "mul.wide.u32 %d4, %r7, 1024;\nadd.u64 %d4, %d1, %d4;\nadd.u32 %r8, %r4, %r12;\n"
         "@%p1 cp.async.cg.shared.global [%r8], [%d4], 16;\n"
         "cp.async.commit_group; // in the loop\n"
         "add.u32 %r11, %r11, 1024;\nsetp.eq.u32 %p2, %r11, 3072;\n@%p2 mov.u32 %r11, 0;\n"
         "add.u32 %r12, %r12, 1024;\nsetp.eq.u32 %p2, %r12, 3072;\n@%p2 mov.u32 %r12, 0;\n"
         "add.u32 %r10, %r10, 1;\nsetp.lt.u32 %p3, %r10, 6;\n@%p3 bra LOOP;\n"
         "st.global.v4.u32 [%d2], {%r20, %r21, %r22, %r23};\n" TAIL;

static void expect_copies(uint32_t *out, const uint32_t *in) {
  for (int i = 0; i < tile_words; i++) {
    out[i] = 0;
    for (int k = 0; k < tiles; k++)
      out[i] += in[k * tile_words + (i ^ 128)];
  }
}

/* ---- cp.async that arrives at an mbarrier ----------------------------------------------- */

static const char arrivals[] =
    HEAD ".shared .align 128 .b8 buf[512];\n.shared .align 8 .b64 bar;\n"
         "setp.eq.u32 %p1, %r1, 0;\n"
         "@%p1 mbarrier.init.shared.b64 [bar], 32;\n"
         "bar.sync 0; // after init\n"
         "mov.u32 %r3, buf;\nsetp.ge.u32 %p2, %r1, 32;\n@%p2 bra CONSUME;\n"
         "add.u32 %r4, %r3, %r2;\nadd.u64 %d1, %d1, %d3;\n"
         "cp.async.ca.shared.global [%r4], [%d1], 16;\n"
         "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n"
         "cp.async.wait_all;\n"
         "bra DONE;\n"
         "CONSUME:\n" WAIT(
             "W", "bar",
             "0") "xor.b32 %r5, %r2, 528;\nadd.u32 %r5, %r3, %r5;\nld.shared.u32 %r6, [%r5];\n"
                  "add.u64 %d2, %d2, %d3;\nst.global.u32 [%d2], %r6;\n"
                  "DONE:\n" TAIL;

static void expect_arrivals(uint32_t *out, const uint32_t *in) {
  for (int t = 32; t < 64; t++)
    out[4 * t] = in[4 * ((t - 32) ^ 1)];
}

/* ---- TMA loads, a producer, two consumers, full and empty barriers ---------------------- */

static const char loads[] = HEAD
    ".shared .align 1024 .b8 buf[2048];\n.shared .align 8 .b64 bar[4];\n"
    "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra READY;\n"
    "mbarrier.init.shared::cta.b64 [bar], 1;\n"
    "mbarrier.init.shared::cta.b64 [bar+8], 1;\n"
    "mbarrier.init.shared::cta.b64 [bar+16], 64;\n"
    "mbarrier.init.shared::cta.b64 [bar+24], 64;\n"
    "fence.mbarrier_init.release.cluster;\n"
    "READY:\n"
    "bar.sync 0; // after init\n"
    "mov.u32 %r3, buf;\nmov.u32 %r4, bar;\nmov.u32 %r10, 0;\nmov.u32 %r30, 0;\n"
    "setp.ge.u32 %p2, %r1, 32;\n@%p2 bra CONSUME;\n"
    "@%p1 bra DONE;\n"
    "PRODUCE:\n"
    "and.b32 %r11, %r10, 1;\nshr.u32 %r12, %r10, 1;\nand.b32 %r12, %r12, 1;\n"
    "xor.b32 %r12, %r12, 1;\n"
    "shl.b32 %r13, %r11, 3;\nadd.u32 %r13, %r4, %r13;\nadd.u32 %r14, %r13, 16;\n"
    "shl.b32 %r15, %r11, 10;\nadd.u32 %r15, %r3, %r15;\nshl.b32 %r16, %r10, 3;\n" WAIT(
        "WP", "%r14",
        "%r12") "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r13], 1024;\n"
                "mov.u32 %r17, 0;\n"
                "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                " [%r15], [%d8, {%r17, %r16}], [%r13];\n"
                "add.u32 %r10, %r10, 1;\nsetp.lt.u32 %p3, %r10, 8;\n@%p3 bra PRODUCE;\n"
                "bra DONE;\n"
                "CONSUME:\n"
                "sub.u32 %r5, %r1, 32;\nshr.u32 %r6, %r5, 3;\nand.b32 %r7, %r5, 7;\n"
                "xor.b32 %r7, %r7, %r6;\n"
                "shl.b32 %r6, %r6, 7;\nshl.b32 %r7, %r7, 4;\nadd.u32 %r6, %r6, %r7;\n"
                "add.u32 %r6, %r3, %r6;\n"
                "CLOOP:\n"
                "and.b32 %r11, %r10, 1;\nshr.u32 %r12, %r10, 1;\nand.b32 %r12, %r12, 1;\n"
                "shl.b32 %r13, %r11, 3;\nadd.u32 %r13, %r4, %r13;\nadd.u32 %r14, %r13, 16;\n"
                "shl.b32 %r15, %r11, 10;\nadd.u32 %r15, %r6, %r15;\n" WAIT(
                    "WC", "%r13",
                    "%r12") "ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r15];\n"
                            "add.u32 %r30, %r30, %r20;\nadd.u32 %r30, %r30, %r23;\n"
                            "mbarrier.arrive.shared::cta.b64 _, [%r14];\n"
                            "add.u32 %r10, %r10, 1;\nsetp.lt.u32 %p3, %r10, 8;\n@%p3 bra CLOOP;\n"
                            "mul.wide.u32 %d4, %r5, 4;\nadd.u64 %d2, %d2, %d4;\n"
                            "st.global.u32 [%d2], %r30;\n"
                            "DONE:\n" TAIL;

static void expect_loads(uint32_t *out, const uint32_t *in) {
  for (int t = 0; t < 64; t++) {
    out[t] = 0;
    for (int k = 0; k < 8; k++)
      out[t] += in[k * 256 + t * 4] + in[k * 256 + t * 4 + 3];
  }
}

/* ---- TMA stores from a buffer that is used again ---------------------------------------- */

static const char stores[] = HEAD
    ".shared .align 1024 .b8 buf[1024];\n"
    "setp.eq.u32 %p1, %r1, 0;\n"
    "mov.u32 %r3, buf;\nshr.u32 %r6, %r1, 3;\nand.b32 %r7, %r1, 7;\nxor.b32 %r7, %r7, %r6;\n"
    "shl.b32 %r6, %r6, 7;\nshl.b32 %r7, %r7, 4;\nadd.u32 %r6, %r6, %r7;\nadd.u32 %r6, %r3, %r6;\n"
    "mov.u32 %r10, 0;\nmov.u32 %r17, 0;\n"
    "fence.acq_rel.cta;\n"
    "LOOP:\n"
    "mul.lo.u32 %r20, %r10, 1000;\nadd.u32 %r20, %r20, %r1;\n"
    "st.shared.v4.u32 [%r6], {%r20, %r20, %r20, %r10};\n"
    "fence.proxy.async.shared::cta;\n"
    "bar.sync 0; // written\n"
    "shl.b32 %r16, %r10, 3;\n"
    "@!%p1 bra NEXT;\n"
    "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%d9, {%r17, %r16}], [%r3];\n"
    "cp.async.bulk.commit_group;\n"
    "cp.async.bulk.wait_group.read 0;\n"
    "NEXT:\n"
    "bar.sync 0; // read\n"
    "add.u32 %r10, %r10, 1;\nsetp.lt.u32 %p3, %r10, 4;\n@%p3 bra LOOP;\n" TAIL;

static void expect_stores(uint32_t *out, const uint32_t *in) {
  (void)in;
  for (uint32_t i = 0; i < 4; i++) {
    for (uint32_t t = 0; t < 64; t++) {
      for (uint32_t j = 0; j < 4; j++)
        out[i * 256 + t * 4 + j] = j == 3 ? i : i * 1000 + t;
    }
  }
}

/* Of a tensor of 25 columns: lines end at whole 16 bytes, column 28, as on an H100. */
static void expect_tails(uint32_t *out, const uint32_t *in) {
  uint32_t whole[4 * 256];
  expect_stores(whole, in);
  for (uint32_t i = 0; i < 4 * 256; i++) {
    if (i % 32 < 28) out[i] = whole[i];
  }
}

/* ---- Plain bulk copies, and a reduction ------------------------------------------------- */

static const char reduction[] = HEAD
    ".shared .align 128 .b8 buf[512];\n.shared .align 128 .b8 sums[512];\n"
    ".shared .align 8 .b64 bar;\n"
    "setp.eq.u32 %p1, %r1, 0;\n"
    "@%p1 mbarrier.init.shared::cta.b64 [bar], 1;\n"
    "@%p1 fence.mbarrier_init.release.cluster;\n"
    "bar.sync 0; // after init\n"
    "mov.u32 %r3, buf;\nmov.u32 %r4, sums;\nmov.u32 %r5, bar;\nmov.u32 %r6, 512;\n"
    "@%p1 mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%r5], 512;\n"
    "@%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r3], [%d1], 512, [%r5];\n" WAIT(
        "W", "%r5",
        "0") "xor.b32 %r7, %r2, 16;\nadd.u32 %r7, %r3, %r7;\nadd.u32 %r8, %r4, %r2;\n"
             "ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r7];\n"
             "add.u32 %r20, %r20, 1;\n"
             "st.shared.v4.u32 [%r8], {%r20, %r21, %r22, %r23};\n"
             "fence.proxy.async.shared::cta;\n"
             "bar.warp.sync 0xffffffff;\n"
             "@!%p1 bra DONE;\n"
             "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d2], [%r4], %r6;\n"
             "cp.async.bulk.commit_group;\n"
             "cp.async.bulk.wait_group 0;\n"
             "DONE:\n" TAIL;

static void expect_reduction(uint32_t *out, const uint32_t *in) {
  for (int i = 0; i < 128; i++)
    out[i] += in[i ^ 4] + (i % 4 == 0);
}

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

/* ---- cp.async that fills with zeros ----------------------------------------------------- */

static const char zeros[] = HEAD
    ".shared .align 128 .b8 buf[1024];\n"
    "mov.u32 %r3, buf;\nadd.u32 %r4, %r3, %r2;\nadd.u64 %d1, %d1, %d3;\nadd.u64 %d2, %d2, %d3;\n"
    "and.b32 %r5, %r1, 15;\nsetp.gt.u32 %p1, %r1, 7;\nmov.b64 %d5, 0;\n"
    "cp.async.cg.shared.global [%r4], [%d1], 16, %r5;\n"
    "cp.async.ca.shared.global.L2::cache_hint [%r4+512], [%d1], 4, 4, %d5;\n"
    "cp.async.ca.shared.global [%r4+516], [%d1+4], 4, %p1;\n"
    "cp.async.ca.shared.global [%r4+520], [%d1+8], 8;\n"
    "cp.async.wait_all;\n"
    "ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r4];\n"
    "st.global.v4.u32 [%d2], {%r20, %r21, %r22, %r23};\n"
    "ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r4+512];\n"
    "st.global.v4.u32 [%d2+512], {%r20, %r21, %r22, %r23};\n" TAIL;

static void expect_zeros(uint32_t *out, const uint32_t *in) {
  for (int t = 0; t < 32; t++) {
    memset(out + 4 * t, 0, 16);
    memcpy(out + 4 * t, in + 4 * t, (size_t)(t & 15));
    memcpy(out + 128 + 4 * t, in + 4 * t, 16);
    if (t > 7) out[128 + 4 * t + 1] = 0;
  }
}

/* ---- A tensor map that the kernel changes; boxes over the edge; reductions --------------- */

/* The map's rank becomes 1: 1,000 words from word 500 of the input, and a box of 64. */
static const char replaced[] =
    HEAD ".shared .align 1024 .b8 buf[1024];\n.shared .align 128 .b8 map[128];\n"
         ".shared .align 8 .b64 bar;\n"
         "setp.eq.u32 %p1, %r1, 0;\n@!%p1 bra READY;\n"
         "mbarrier.init.shared::cta.b64 [bar], 1;\n"
         "mov.u32 %r3, 0;\n"
         "COPY:\n"
         "cvt.u64.u32 %d4, %r3;\nadd.u64 %d5, %d8, %d4;\nld.b64 %d6, [%d5];\n"
         "mov.u32 %r4, map;\nadd.u32 %r4, %r4, %r3;\nst.shared.b64 [%r4], %d6;\n"
         "add.u32 %r3, %r3, 8;\nsetp.lt.u32 %p2, %r3, 128;\n@%p2 bra COPY;\n"
         "add.u64 %d7, %d1, 2000;\nmov.u32 %r5, 0;\nmov.u32 %r6, 1000;\nmov.u32 %r7, 64;\n"
         "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [map], %d7;\n"
         "tensormap.replace.tile.rank.shared::cta.b1024.b32 [map], %r5;\n"
         "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [map], 0, %r6;\n"
         "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [map], 0, %r7;\n"
         "tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [map], 0;\n"
         "tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [map], 7;\n"
         "tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [map], 1;\n"
         "READY:\n"
         "bar.warp.sync 0xffffffff;\n"
         "add.u64 %d10, %d2, 16256;\n"
         "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned"
         " [%d10], [map], 128;\n"
         "fence.proxy.tensormap::generic.acquire.gpu [%d10], 128;\n"
         "mov.u32 %r8, buf;\nmov.u32 %r9, bar;\nmov.u32 %r10, 968;\nmov.u32 %r11, -8;\n"
         "@%p1 prefetch.tensormap [%d10];\n"
         "@%p1 cp.async.bulk.prefetch.tensor.1d.L2.global [%d10, {%r10}];\n"
         "@%p1 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r9], 256;\n"
         "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r9], 256;\n"
         "@%p1 cp.async.bulk.tensor.1d.shared::cta.global.mbarrier::complete_tx::bytes"
         " [%r8], [%d10, {%r10}], [%r9];\n"
         "@%p1 cp.async.bulk.tensor.1d.shared::cta.global.mbarrier::complete_tx::bytes"
         " [%r8+256], [%d10, {%r11}], [%r9];\n" WAIT(
             "W", "%r9", "0") "add.u32 %r12, %r8, %r2;\nadd.u64 %d2, %d2, %d3;\n"
                              "ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r12];\n"
                              "st.global.v4.u32 [%d2], {%r20, %r21, %r22, %r23};\n" TAIL;

static void expect_replaced(uint32_t *out, const uint32_t *in) {
  for (int i = 0; i < 64; i++) {
    out[i] = i < 32 ? in[500 + 968 + i] : 0x7ff77ff7;
    out[64 + i] = i < 8 ? 0x7ff77ff7 : in[500 + i - 8];
  }
}

/* The map of the output has 64 rows: of this box, rows 60 to 67, four are beyond. */
static const char edges[] = HEAD
    ".shared .align 1024 .b8 buf[1024];\n"
    "mov.u32 %r3, buf;\nadd.u32 %r4, %r3, %r2;\nmov.u32 %r5, 60;\nmov.u32 %r6, 0;\n"
    "mov.u32 %r7, 3;\nst.shared.v4.u32 [%r4], {%r7, %r7, %r7, %r7};\n"
    "fence.proxy.async;\nbar.sync 0;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra DONE;\n"
    "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%d9, {%r6, %r5}],"
    " [%r3];\n"
    "cp.reduce.async.bulk.tensor.2d.global.shared::cta.max.bulk_group [%d9, {%r6, %r6}], [%r3];\n"
    "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n"
    "DONE:\n" TAIL;

static void expect_edges(uint32_t *out, const uint32_t *in) {
  (void)in;
  for (int i = 0; i < 128; i++)
    out[60 * 32 + i] += 3;
  for (int i = 0; i < 256; i++)
    out[i] = out[i] > 3 ? out[i] : 3;
}

static const kernel kernels[] = {
    {"states", states, 1, 32, 0, expect_states, 32},
    {"zeros", zeros, 1, 32, 0, expect_zeros, 32},
    {"replaced", replaced, 1, 32, 0, expect_replaced, 32},
    {"edges", edges, 1, 64, 0, expect_edges, 32},
    {"copies", copies, 1, 64, 0, expect_copies, 32},
    {"arrivals", arrivals, 1, 64, 0, expect_arrivals, 32},
    {"loads", loads, 1, 96, 0, expect_loads, 32},
    {"stores", stores, 1, 64, 0, expect_stores, 32},
    {"tails", stores, 1, 64, 0, expect_tails, 25},
    {"reduction", reduction, 1, 32, 0, expect_reduction, 32},
    {"cluster", cluster, 2, 32, 2, expect_cluster, 32},
    {"remote", remote, 2, 32, 2, expect_remote, 32},
    {"lanes", lanes, 1, 32, 0, expect_lanes, 32},
};
enum { kernel_count = sizeof kernels / sizeof *kernels };

/* ---- Running ---------------------------------------------------------------------------- */

static gg_status encode(uint8_t out[EMU_TENSOR_MAP_BYTES], uint64_t address, uint32_t columns,
                        gg_error *err) {
  emu_tensor_map map = {.type = EMU_TENSOR_U32,
                        .rank = 2,
                        .address = address,
                        .dims = {columns, 64},
                        .strides = {128},
                        .box = {32, 8},
                        .element_strides = {1, 1},
                        .swizzle = EMU_SWIZZLE_128B};
  return emu_tensor_map_encode(out, &map, err);
}

/* Runs `text` as the kernel: what it leaves in `out` (as it was before, on entry). */
static gg_status run(uint32_t out[words], const uint32_t in[words], const kernel *k,
                     const char *text, const emu_options *options, gg_error *err) {
  emu_device *device = NULL;
  emu_module *module;
  struct {
    uint64_t in, out;
    uint8_t pad[48], maps[2][EMU_TENSOR_MAP_BYTES];
  } params = {0};
  emu_launch_config config = {
      .grid = {k->grid, 1, 1}, .block = {k->block, 1, 1}, .params = &params};
  if (k->cluster) memcpy(config.cluster, (unsigned[3]){k->cluster, 1, 1}, sizeof config.cluster);
  gg_status st = emu_device_open(&device, options, err);
  if (!st) st = emu_memory_alloc(&params.in, device, words * 4, 1024, err);
  if (!st) st = emu_memory_alloc(&params.out, device, words * 4, 1024, err);
  if (!st) st = emu_memory_write(device, params.in, in, words * 4, err);
  if (!st) st = emu_memory_write(device, params.out, out, words * 4, err);
  if (!st) st = encode(params.maps[0], params.in, 32, err);
  if (!st) st = encode(params.maps[1], params.out, k->columns, err);
  if (!st) st = emu_module_load(&module, device, k->name, text, strlen(text), err);
  if (!st) st = emu_launch(device, emu_module_kernel(module, "k"), &config, err);
  if (!st) st = emu_memory_read(device, out, params.out, words * 4, err);
  emu_device_close(device);
  return st;
}

static void fill(uint32_t in[words], uint32_t out[words]) {
  for (uint32_t i = 0; i < words; i++) {
    in[i] = i * 2654435761u;
    out[i] = i;
  }
}

/* ---- Right kernels ---------------------------------------------------------------------- */

static void check_right(const kernel *k, const emu_options *options) {
  static uint32_t in[words], out[words], expected[words];
  gg_error err = GG_ERROR_INIT;
  fill(in, out);
  memcpy(expected, out, sizeof out);
  k->expect(expected, in);
  gg_status st = run(out, in, k, k->text, options, &err);
  ck_assert_msg(!st, "%s, seed %d: line %d: %s", k->name, (int)options->seed, err.line,
                err.message);
  for (int i = 0; i < compared; i++) {
    ck_assert_msg(out[i] == expected[i], "%s, seed %d: out[%d] = %u, not %u", k->name,
                  (int)options->seed, i, out[i], expected[i]);
  }
  gg_error_clear(&err);
}

START_TEST(right_kernels_land_late) {
  emu_options options = {.threads = 1};
  check_right(&kernels[_i], &options);
  options.hazards_off = true;
  check_right(&kernels[_i], &options);
}
END_TEST

START_TEST(right_kernels_land_at_random) {
  for (uint64_t seed = 0; seed < seeds; seed++) {
    emu_options options = {.threads = 1, .random = true, .seed = seed};
    check_right(&kernels[_i], &options);
  }
}
END_TEST

/* ---- Mutants ---------------------------------------------------------------------------- */

typedef struct mutant {
  const char *kernel, *from, *to; /* the first place where `from` stands */
} mutant;

static const mutant mutants[] = {
    {"copies", "cp.async.wait_group 1;\n", ""},
    {"copies", "cp.async.wait_group 1;", "cp.async.wait_group 2;"},
    {"copies", "bar.sync 0;", ""},
    {"copies", "cp.async.commit_group;\n", ""},
    {"copies", "cp.async.commit_group; // in the loop\n", ""},
    {"copies", "mov.u32 %r12, 2048;", "mov.u32 %r12, 1024;"},
    {"arrivals", ".noinc", ""},
    {"arrivals", "[bar], 32;", "[bar], 33;"},
    {"arrivals", "[bar], 32;", "[bar], 31;"},
    {"arrivals", "@!%p15 bra W;", ""},
    {"arrivals", "bar.sync 0; // after init\n", ""},
    {"loads", "bar.sync 0; // after init\n", ""},
    {"loads", "[%r13], 1024;", "[%r13], 1008;"},
    {"loads", "[%r13], 1024;", "[%r13], 1040;"},
    {"loads", "[bar+16], 64;", "[bar+16], 63;"},
    {"loads", "[bar+24], 64;", "[bar+24], 65;"},
    {"loads", "[bar], 1;", "[bar], 2;"},
    {"loads", "xor.b32 %r12, %r12, 1;\n", ""},
    {"loads", "@!%p15 bra WC;\n", ""},
    {"loads", "@!%p15 bra WP;\n", ""},
    {"loads", "[%r13], %r12", "[%r13], 0"},
    {"loads", "mbarrier.arrive.shared::cta.b64 _, [%r14];\n", ""},
    {"loads", "xor.b32 %r7, %r7, %r6;\n", ""},
    {"loads", "mbarrier.init.shared::cta.b64 [bar+8], 1;\n", ""},
    {"stores", "fence.proxy.async.shared::cta;\n", ""},
    {"stores", "bar.sync 0; // written\n", ""},
    {"stores", "bar.sync 0; // read\n", ""},
    {"stores", "cp.async.bulk.wait_group.read 0;\n", ""},
    {"stores", "cp.async.bulk.wait_group.read 0;", "cp.async.bulk.wait_group.read 1;"},
    {"stores", "cp.async.bulk.commit_group;\n", ""},
    {"reduction", "fence.proxy.async.shared::cta;\n", ""},
    {"reduction", "bar.warp.sync 0xffffffff;\n", ""},
    {"reduction", "cp.async.bulk.wait_group 0;\n", ""},
    {"reduction", "@!%p15 bra W;\n", ""},
    {"reduction", "[%r5], 512;", "[%r5], 496;"},
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
};
enum { mutant_count = sizeof mutants / sizeof *mutants };

static const kernel *find_kernel(const char *name) {
  for (int i = 0; i < kernel_count; i++) {
    if (!strcmp(kernels[i].name, name)) return &kernels[i];
  }
  return NULL;
}

START_TEST(mutants_are_caught) {
  static uint32_t in[words], out[words], expected[words];
  const mutant *m = &mutants[_i];
  const kernel *k = find_kernel(m->kernel);
  const char *at = strstr(k->text, m->from);
  char text[8192];
  ck_assert_msg(at, "%s has no %s", m->kernel, m->from);
  snprintf(text, sizeof text, "%.*s%s%s", (int)(at - k->text), k->text, m->to,
           at + strlen(m->from));
  fill(in, out);
  memcpy(expected, out, sizeof out);
  k->expect(expected, in);
  emu_options options = {.threads = 1, .max_steps = 1000000};
  gg_error err = GG_ERROR_INIT;
  gg_status st = run(out, in, k, text, &options, &err);
  ck_assert_msg(st || memcmp(out, expected, sizeof out), "%s without %s is right", m->kernel,
                m->from);
  if (st) ck_assert_msg(st >= GG_E_EMU_BOUNDS && st != GG_E_EMU_ENDLESS, "%s", err.message);
  gg_error_clear(&err);
}
END_TEST

/* ---- Misuse ----------------------------------------------------------------------------- */

#define MISUSE                                                                                     \
  HEAD                                                                                             \
      ".shared .align 1024 .b8 buf[2048];\n.shared .align 8 .b64 bar[2];\n"                        \
      "mov.u32 %r3, buf;\nmov.u32 %r4, bar;\nmov.u32 %r5, 0;\nmov.u32 %r6, -8;\nmov.u32 %r7, 3;\n" \
      "mbarrier.init.shared::cta.b64 [bar], 1;\n"
#define LOAD2D "cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes"
#define BULK   "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes"

/* One thread. */
static const struct {
  const char *code;
  gg_status status;
  const char *message;
} misuses[] = {
    {"mbarrier.arrive.shared.b64 _, [bar+8];", GG_E_EMU_MBARRIER, "no mbarrier"},
    {"mbarrier.init.shared.b64 [bar], 1;", GG_E_EMU_MBARRIER, "initialised again"},
    {"mbarrier.init.shared.b64 [bar+8], 0;", GG_E_EMU_MBARRIER, "arrival count of 0"},
    {"mbarrier.init.shared.b64 [bar+8], 1048576;", GG_E_EMU_MBARRIER, "arrival count of 1048576"},
    {"mbarrier.init.shared.b64 [bar+4], 1;", GG_E_EMU_MISALIGNED, "multiple of 8"},
    {"mbarrier.arrive.shared.b64 _, [bar], 2;", GG_E_EMU_MBARRIER, "too many"},
    {"mbarrier.arrive.noComplete.shared.b64 %d4, [bar], 1;", GG_E_EMU_MBARRIER, ".noComplete"},
    {"mbarrier.expect_tx.shared.b64 [bar], 1048576;", GG_E_EMU_MBARRIER, "0 +1048576"},
    {"mbarrier.complete_tx.shared.b64 [bar], 16; mbarrier.arrive.shared.b64 _, [bar];",
     GG_E_EMU_MBARRIER, "underflows"},
    {"mbarrier.inval.shared.b64 [bar]; mbarrier.arrive.shared.b64 _, [bar];", GG_E_EMU_MBARRIER,
     "invalidated"},
    {"mbarrier.arrive.shared.b64 %d4, [bar]; mbarrier.arrive.shared.b64 _, [bar];"
     "mbarrier.test_wait.shared.b64 %p1, [bar], %d4;",
     GG_E_EMU_MBARRIER, "waits for phase 0"},
    {"mbarrier.test_wait.parity.shared.b64 %p1, [bar], 2;", GG_E_EMU_MBARRIER, "parity of 2"},
    {"st.shared.u32 [bar+4], 1;", GG_E_EMU_MBARRIER, "where an mbarrier object lives"},
    {BULK " [%r3], [%d1], 24, [%r4];", GG_E_EMU_MISALIGNED, "the size, 24"},
    {BULK " [%r3], [%d1+4], 16, [%r4];", GG_E_EMU_MISALIGNED, "the global address"},
    {BULK " [%r3+8], [%d1], 16, [%r4];", GG_E_EMU_MISALIGNED, "not a multiple of 16"},
    {BULK " [bar], [%d1], 16, [%r4];", GG_E_EMU_MBARRIER, "where an mbarrier object lives"},
    {BULK " [%r3], [%d1+16368], 32, [%r4];" WAIT("W", "bar", "0"), GG_E_EMU_BOUNDS, "the end"},
    {BULK " [%r3], [%d1], 32, [%r4]; ld.shared.u32 %r8, [%r3+16];", GG_E_EMU_IN_FLIGHT,
     "has yet to write"},
    {BULK " [%r3], [%d1], 32, [%r4];" BULK " [%r3+16], [%d1], 32, [%r4];", GG_E_EMU_IN_FLIGHT,
     "has yet to write"},
    {BULK " [%r3], [%d1], 32, [%r4];", GG_E_EMU_IN_FLIGHT, "exits while"},
    {"cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r3], [%r3+64], 16,"
     " [%r4];",
     GG_E_EMU_ILLEGAL, "without the cluster attribute"},
    {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r3],"
     " [%d1], 16, [%r4], 2;",
     GG_E_EMU_CLUSTER, "a CTA mask of 0x2"},
    {"cp.async.bulk.prefetch.L2.global [%d1+8], 16;", GG_E_EMU_MISALIGNED, "the global address"},
    {"cp.async.bulk.prefetch.tensor.2d.L2.global [%d8, {%r7, %r5}];", GG_E_EMU_ILLEGAL,
     "multiples of 16"},
    {LOAD2D " [%r3+64], [%d8, {%r5, %r5}], [%r4];", GG_E_EMU_MISALIGNED, "multiple of 128"},
    {LOAD2D " [%r3], [%d8, {%r7, %r5}], [%r4];", GG_E_EMU_ILLEGAL, "multiples of 16"},
    {LOAD2D " [%r3], [%d1, {%r5, %r5}], [%r4];", GG_E_EMU_TENSOR_MAP, "no tensor map"},
    {"cp.async.bulk.tensor.1d.shared::cta.global.mbarrier::complete_tx::bytes [%r3], [%d8, {%r5}],"
     " [%r4];",
     GG_E_EMU_TENSOR_MAP, "has 2 dimensions, the instruction 1"},
    {"cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%d9, {%r5, %r6}], [%r3];",
     GG_E_EMU_ILLEGAL, "coordinate 1 is -8"},
    {"cp.async.ca.shared.global [%r3], [%d1], 4, 8;", GG_E_EMU_ILLEGAL, "src-size 8"},
    {"cp.async.cg.shared.global [%r3], [%d1+8], 16;", GG_E_EMU_MISALIGNED, "multiple of 16"},
    {"cp.async.cg.shared.global [%r3], [%d1+16384], 16;", GG_E_EMU_BOUNDS, "the end"},
    {"barrier.cluster.wait;", GG_E_EMU_ILLEGAL, "without having arrived"},
    {"barrier.cluster.arrive.release; barrier.cluster.arrive;", GG_E_EMU_ILLEGAL, "second time"},
    {"mapa.shared::cluster.u32 %r8, %r3, 1;", GG_E_EMU_BOUNDS, "cluster"},
    {"mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;" WAIT("W", "bar", "0"), GG_E_EMU_DEADLOCK,
     "needs 0 of 1 arrivals and 16 bytes"},
    {"mbarrier.frob.shared.b64 [bar];", GG_E_EMU_FORM, "no such operation"},
    {"mbarrier.try_wait.acquire.shared.b32 %p1, [bar], 0;", GG_E_EMU_FORM, "b32"},
    {"cp.async.cg.shared.global [%r3], [%d1], 8;", GG_E_EMU_FORM, "with .cg it is 16"},
    {"cp.async.bulk.tensor.2d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [%r3],"
     " [%d8, {%r5, %r5}], [%r4];",
     GG_E_EMU_FORM, "im2col mode is not emulated"},
    {"cp.async.bulk.tensor.2d.cta_group::1.shared::cta.global.tile.mbarrier::complete_tx::bytes"
     " [%r3], [%d8, {%r5, %r5}], [%r4];",
     GG_E_EMU_FORM, ".cta_group::1 needs sm_100"},
    {"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.min.u64 [%r3],"
     " [%r3+64], 16, [%r4];",
     GG_E_EMU_FORM, "no such reduction of .u64"},
    {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f16 [%d2], [%r3], 16;", GG_E_EMU_FORM,
     ".noftz"},
};

START_TEST(misuse_has_a_name) {
  static uint32_t in[words], out[words];
  static const kernel one = {"misuse", NULL, 1, 1, 0, NULL, 32};
  char text[4096];
  snprintf(text, sizeof text, "%s%s\n%s", MISUSE, misuses[_i].code, TAIL);
  fill(in, out);
  gg_error err = GG_ERROR_INIT;
  emu_options options = {.threads = 1};
  gg_status st = run(out, in, &one, text, &options, &err);
  ck_assert_msg(st == misuses[_i].status && strstr(err.message, misuses[_i].message), "%s\n%s: %s",
                misuses[_i].code, st ? gg_error_info_of(st)->name : "right", err.message);
  gg_error_clear(&err);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("async");
  TCase *right = tcase_create("right kernels");
  tcase_add_loop_test(right, right_kernels_land_late, 0, kernel_count);
  tcase_add_loop_test(right, right_kernels_land_at_random, 0, kernel_count);
  tcase_set_timeout(right, 60);
  suite_add_tcase(suite, right);
  TCase *wrong = tcase_create("mutants");
  tcase_add_loop_test(wrong, mutants_are_caught, 0, mutant_count);
  suite_add_tcase(suite, wrong);
  TCase *misuse = tcase_create("misuse");
  tcase_add_loop_test(misuse, misuse_has_a_name, 0, sizeof misuses / sizeof *misuses);
  suite_add_tcase(suite, misuse);
  return run_suite(suite);
}
