/* Asynchronous copies: cp.async, bulk copies, TMA. */
#include "async.h"

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
                            "fence.proxy.async.shared::cta;\n"
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

/* A map that the kernel builds from zeros, field by field: rows of 32 words of the input, and a box
 * of eight of them from row 3 on. */
static const char built[] =
    HEAD ".shared .align 1024 .b8 buf[1024];\n.shared .align 128 .b8 map[128];\n"
         ".shared .align 8 .b64 bar;\n"
         "mov.u32 %r3, map;\nshl.b32 %r4, %r1, 2;\nadd.u32 %r3, %r3, %r4;\nmov.u32 %r5, 0;\n"
         "st.shared.u32 [%r3], %r5;\nbar.warp.sync 0xffffffff;\n"
         "setp.eq.u32 %p1, %r1, 0;\n@!%p1 bra READY;\n"
         "mbarrier.init.shared::cta.b64 [bar], 1;\nmov.b64 %d4, 128;\n"
         "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [map], %d1;\n"
         "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [map], 0, %d4;\n"
         "tensormap.replace.tile.rank.shared::cta.b1024.b32 [map], 1;\n"
         "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [map], 0, 32;\n"
         "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [map], 1, 8;\n"
         "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [map], 0, 32;\n"
         "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [map], 1, 128;\n"
         "tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [map], 0, 1;\n"
         "tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [map], 1, 1;\n"
         "tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [map], 7;\n"
         "tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [map], 0;\n"
         "tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [map], 0;\n"
         "tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [map], 0;\n"
         "READY:\nbar.warp.sync 0xffffffff;\nadd.u64 %d10, %d2, 16256;\n"
         "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned"
         " [%d10], [map], 128;\n"
         "fence.proxy.tensormap::generic.acquire.gpu [%d10], 128;\n"
         "mov.u32 %r8, buf;\nmov.u32 %r9, bar;\nmov.u32 %r10, 3;\n"
         "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r9], 1024;\n"
         "@%p1 cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes"
         " [%r8], [%d10, {%r5, %r10}], [%r9];\n"
         "W: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r9], 0;\n@!%p2 bra W;\n"
         "add.u32 %r12, %r8, %r2;\nadd.u64 %d2, %d2, %d3;\n"
         "ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r12];\n"
         "st.global.v4.u32 [%d2], {%r20, %r21, %r22, %r23};\n" TAIL;

static void expect_built(uint32_t *out, const uint32_t *in) {
  memcpy(out, in + 3 * 32, 32 * 16);
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

/* ---- Reductions of many clusters at once -------------------------------------------------- */

/* Each CTA adds ones sixteen times, so that on several threads of the host every sum is changed by
 * several at a time: words, the first 32 of them by red every other time; f32; halves; a tensor. */
static const char sums[] = HEAD
    ".shared .align 1024 .b8 ones[3072];\n"
    "mov.u32 %r3, ones;\nadd.u32 %r4, %r3, %r2;\nmov.u32 %r5, 1;\nmov.u32 %r6, 0x3f800000;\n"
    "mov.u32 %r7, 0x3c003c00;\nmov.u32 %r8, 0;\n"
    "FILL:\n"
    "st.shared.v4.u32 [%r4], {%r5, %r5, %r5, %r5};\n"
    "st.shared.v4.u32 [%r4+1024], {%r6, %r6, %r6, %r6};\n"
    "st.shared.v4.u32 [%r4+2048], {%r7, %r7, %r7, %r7};\n"
    "add.u32 %r4, %r4, 512;\nadd.u32 %r8, %r8, 1;\nsetp.lt.u32 %p1, %r8, 2;\n@%p1 bra FILL;\n"
    "fence.proxy.async;\nbar.warp.sync 0xffffffff;\n"
    "mul.wide.u32 %d4, %r1, 4;\nadd.u64 %d4, %d2, %d4;\n"
    "setp.ne.u32 %p2, %r1, 0;\nmov.u32 %r9, 0;\nmov.u32 %r11, 24;\nmov.u32 %r12, 0;\n"
    "ROUND:\n"
    "and.b32 %r10, %r9, 1;\nsetp.eq.u32 %p3, %r10, 0;\n"
    "@!%p3 red.global.add.u32 [%d4], 1;\n"
    "@%p2 bra NEXT;\n"
    "@%p3 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d2], [%r3], 128;\n"
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d2+128], [%r3], 896;\n"
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%d2+1024], [%r3+1024], 1024;\n"
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%d2+2048], [%r3+2048],"
    " 1024;\n"
    "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%d9, {%r12, %r11}], [%r3];\n"
    "cp.async.bulk.commit_group;\n"
    "NEXT:\n"
    "add.u32 %r9, %r9, 1;\nsetp.lt.u32 %p4, %r9, 16;\n@%p4 bra ROUND;\n"
    "cp.async.bulk.wait_group 0;\n" TAIL;
enum { sums_grid = 24 };

/* f32 and halves: what was there is less than half a unit of the sum. */
static void expect_sums(uint32_t *out, const uint32_t *in) {
  (void)in;
  for (uint32_t i = 0; i < 256; i++) {
    out[i] += sums_grid * 16;
    out[256 + i] = 0x43c00000;
    out[512 + i] = 0x5e005e00;
    out[768 + i] += sums_grid * 16;
  }
}

static const async_kernel kernels[] = {
    {"copies", copies, 1, 64, 0, expect_copies, 32},
    {"arrivals", arrivals, 1, 64, 0, expect_arrivals, 32},
    {"loads", loads, 1, 96, 0, expect_loads, 32},
    {"stores", stores, 1, 64, 0, expect_stores, 32},
    {"tails", stores, 1, 64, 0, expect_tails, 25},
    {"reduction", reduction, 1, 32, 0, expect_reduction, 32},
    {"zeros", zeros, 1, 32, 0, expect_zeros, 32},
    {"replaced", replaced, 1, 32, 0, expect_replaced, 32},
    {"built", built, 1, 32, 0, expect_built, 32},
    {"edges", edges, 1, 64, 0, expect_edges, 32},
    {"sums", sums, sums_grid, 32, 0, expect_sums, 32},
};
enum { kernel_count = sizeof kernels / sizeof *kernels };

static const async_mutant mutants[] = {
    {"built", "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [map], 1, 128;\n", ""},
    {"built", "tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [map], 0, 1;\n", ""},
    {"built", "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [map], 1, 8;\n", ""},
    {"built", "tensormap.replace.tile.rank.shared::cta.b1024.b32 [map], 1;\n", ""},
    {"built", "mov.b64 %d4, 128;", "mov.b64 %d4, 130;"},
    {"built", "fence.proxy.tensormap::generic.acquire.gpu [%d10], 128;\n", ""},
    {"replaced", "fence.proxy.tensormap::generic.acquire.gpu [%d10], 128;\n", ""},
    {"built", "box_dim.shared::cta.b1024.b32 [map], 1, 8;",
     "box_dim.shared::cta.b1024.b32 [map], 1, 264;"},
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
    {"loads", "fence.proxy.async.shared::cta;\n", ""},
    {"loads", "mbarrier.init.shared::cta.b64 [bar+8], 1;\n", ""},
    {"stores", "fence.proxy.async.shared::cta;\n", ""},
    {"stores", "bar.sync 0; // written\n", ""},
    {"stores", "bar.sync 0; // read\n", ""},
    {"stores", "cp.async.bulk.wait_group.read 0;\n", ""},
    {"stores", "cp.async.bulk.wait_group.read 0;", "cp.async.bulk.wait_group.read 1;"},
    {"stores", "cp.async.bulk.commit_group;\n", ""},
    {"reduction", "@%p1 mbarrier.init.shared::cta.b64 [bar], 1;\n@%p1 fence.mbarrier_init.release.",
     "@%p1 fence.mbarrier_init.release.cluster;\n@%p1 mbarrier.init.shared::cta.b64 [bar], 1; //"},
    {"reduction", "fence.proxy.async.shared::cta;\n", ""},
    {"reduction", "bar.warp.sync 0xffffffff;\n", ""},
    {"reduction", "cp.async.bulk.wait_group 0;\n", ""},
    {"reduction", "@!%p15 bra W;\n", ""},
    {"reduction", "[%r5], 512;", "[%r5], 496;"},
};

int main(void) {
  return async_main("async", kernels, kernel_count, mutants, sizeof mutants / sizeof *mutants);
}
