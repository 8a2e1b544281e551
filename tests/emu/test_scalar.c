/* Scalar instructions from PTX text to their results: forms, operands, lanes. What each operation
 * computes is held by test_float.c, test_integer.c and, on a device, tests/gpu. */
#include <stdio.h>
#include <string.h>

#include "emu/emu.h"
#include "suite.h"

enum { lanes = 32 };

/* Lane i has a + i * step in %d1, %r1, %h1 (their low bits), b in those numbered 2, c in 3; the
 * code leaves its result in %d0. */
static const char prologue[] =
    ".version 9.0\n.target sm_100a\n.address_size 64\n"
    ".visible .entry k(.param .u64 in, .param .u64 out) {\n"
    ".reg .pred %p<8>; .reg .b8 %c<8>; .reg .b16 %h<8>; .reg .b32 %r<8>; .reg .b64 %d<16>;\n"
    ".reg .b128 %q<2>;\n"
    "ld.param.u64 %d10, [in];\nld.param.u64 %d11, [out];\n"
    "mov.u32 %r7, %tid.x;\nmul.wide.u32 %d12, %r7, 8;\nadd.u64 %d11, %d11, %d12;\n"
    "mul.wide.u32 %d12, %r7, 24;\nadd.u64 %d10, %d10, %d12;\n"
    "ld.global.u64 %d1, [%d10];\nld.global.u64 %d2, [%d10+8];\nld.global.u64 %d3, [%d10+16];\n"
    "cvt.u32.u64 %r1, %d1;\ncvt.u32.u64 %r2, %d2;\ncvt.u32.u64 %r3, %d3;\n"
    "cvt.u16.u64 %h1, %d1;\ncvt.u16.u64 %h2, %d2;\ncvt.u16.u64 %h3, %d3;\n";
static const char epilogue[] = "\nst.global.u64 [%d11], %d0;\nret;\n}\n";

static gg_status run(uint64_t out[lanes], const char *code, const uint64_t in[3 * lanes],
                     gg_error *err) {
  char text[4096];
  emu_device *device = NULL;
  emu_module *module;
  uint64_t params[2];
  snprintf(text, sizeof text, "%s%s%s", prologue, code, epilogue);
  emu_launch_config config = {.grid = {1, 1, 1}, .block = {lanes, 1, 1}, .params = params};
  const emu_options options = {.arch = 100};
  gg_status st = emu_device_open(&device, &options, err);
  if (!st) st = emu_memory_alloc(&params[0], device, 24 * lanes, 16, err);
  if (!st) st = emu_memory_alloc(&params[1], device, 8 * lanes, 16, err);
  if (!st) st = emu_memory_write(device, params[0], in, 24 * lanes, err);
  if (!st) st = emu_module_load(&module, device, "test.ptx", text, strlen(text), err);
  if (!st) st = emu_launch(device, emu_module_kernel(module, "k"), &config, err);
  if (!st) st = emu_memory_read(device, out, params[1], 8 * lanes, err);
  emu_device_close(device);
  return st;
}

#define LOW  "cvt.u64.u32 %d0, %r0;"
#define HALF "cvt.u64.u16 %d0, %h0;"
#define PRED "selp.u64 %d0, 1, 0, %p1;"

static const struct {
  const char *code;
  uint64_t a, b, c, expected;
} cases[] = {
    /* Carries: 128-bit sums and differences of 64-bit words. */
    {"add.cc.u64 %d4, %d1, %d2; addc.u64 %d0, %d3, 5;", UINT64_MAX, 1, 7, 13},
    {"sub.cc.u32 %r4, %r1, %r2; subc.u32 %r0, %r3, 5;" LOW, 0, 1, 7, 1},
    {"add.cc.u32 _, %r1, %r2; addc.cc.u32 %r4, %r3, 0; addc.u32 %r0, 0, 0;" LOW, 0xffffffff, 1,
     0xffffffff, 1},
    {"mad.lo.cc.u32 %r4, %r1, %r2, %r3; madc.hi.u32 %r0, %r1, %r2, 0;" LOW, 0xffffffff, 2, 2, 2},
    /* Immediates, wide products, 16 bits. */
    {"add.s32 %r0, %r1, -3;" LOW, 1, 0, 0, 0xfffffffe},
    {"mul.wide.s16 %r0, %h1, %h2;" LOW, 0xffff, 3, 0, 0xfffffffd},
    {"mad.wide.u32 %d0, %r1, %r2, %d3;", 0xffffffff, 0xffffffff, 1, 0xfffffffe00000002},
    {"shr.s16 %h0, %h1, 20;" HALF, 0x8000, 0, 0, 0xffff},
    {"add.f32 %r0, %r1, 0f3F800000;" LOW, 0x3f800000, 0, 0, 0x40000000},
    {"add.f32 %r0, %r1, 1.5;" LOW, 0x3f800000, 0, 0, 0x40200000},
    {"fma.rn.f64 %d0, %d1, 0d4000000000000000, %d2;", 0x3ff0000000000000, 0x3ff0000000000000, 0,
     0x4008000000000000},
    {"fma.rz.ftz.sat.f32 %r0, %r1, %r2, %r3;" LOW, 0x3f800000, 0x40000000, 0, 0x3f800000},
    {"fma.rn.relu.f16x2 %r0, %r1, %r2, %r3;" LOW, 0x3c003c00, 0xc0004000, 0, 0x00004000},
    {"add.rn.bf16x2 %r0, %r1, %r2;" LOW, 0x3f803f80, 0x3f804000, 0, 0x40004040},
    {"max.NaN.f32 %r0, %r1, %r2;" LOW, 0x7fc00001, 0, 0, 0x7fffffff},
    {"min.s16x2 %r0, %r1, %r2;" LOW, 0xffff0001, 0x0001ffff, 0, 0xffffffff},
    {"fma.rn.oob.f16 %h0, %h1, %h2, %h3;" HALF, 0xfff7, 0x3c00, 0x3c00, 0},
    /* Predicates. */
    {"setp.lt.s32 %p1, %r1, %r2;" PRED, 0xffffffff, 0, 0, 1},
    {"setp.lo.u32 %p1, %r1, %r2;" PRED, 0xffffffff, 0, 0, 0},
    {"setp.ltu.f32 %p1, %r1, %r2;" PRED, 0x7fc00000, 0, 0, 1},
    {"setp.eq.u32 %p2|%p3, %r1, %r2; setp.ne.or.u32 %p1, %r1, 7, !%p3;" PRED, 7, 7, 0, 1},
    {"setp.eq.u32 _|%p1, %r1, %r2;" PRED, 7, 7, 0, 0},
    {"setp.gt.f16x2 %p2|%p1, %r1, %r2;" PRED, 0x40003c00, 0x3c003c00, 0, 1},
    {"setp.eq.u32 %p2, %r1, 1; not.pred %p3, %p2; xor.pred %p1, %p2, !%p3;" PRED, 1, 0, 0, 0},
    {"setp.eq.u32 %p2, %r1, 1; mov.pred %p1, %p2;" PRED, 1, 0, 0, 1},
    {"set.eq.u32.f32 %r0, %r1, %r2;" LOW, 0, 0x80000000, 0, 0xffffffff},
    {"set.lt.f16x2.f16x2 %r0, %r1, %r2;" LOW, 0x00003c00, 0x3c003c00, 0, 0x3c000000},
    {"testp.subnormal.f32 %p1, %r1;" PRED, 1, 0, 0, 1},
    {"lop3.or.b32 %r0|%p1, %r1, %r2, %r3, 0x80, %p0;" LOW, 0xff, 0xf0, 0x3c, 0x30},
    {"setp.ne.u32 %p2, %r1, %r1; lop3.or.b32 _|%p1, %r1, %r2, %r3, 0x80, %p2;" PRED, 1, 1, 1, 1},
    {"slct.u32.f32 %r0, %r1, %r2, %r3;" LOW, 1, 2, 0x80000000, 1},
    /* Moves. */
    {"mov.b32 %r0, {%h1, %h2};" LOW, 0x1234, 0x5678, 0, 0x56781234},
    {"mov.b32 {%h2, %h0}, %r1;" HALF, 0x56781234, 0, 0, 0x5678},
    {"mov.b32 {_, %h0}, %r1;" HALF, 0x56781234, 0, 0, 0x5678},
    {"mov.b64 {%r1, %r0}, %d1;" LOW, 0x1234567800000001, 0, 0, 0x12345678},
    {"mov.b64 %d0, {%h1, %h2, %h3, %h1};", 1, 2, 3, 0x0001000300020001},
    {"mov.b128 %q0, {%d1, %d2}; mov.b128 {_, %d0}, %q0;", 5, 6, 0, 6},
    {"cvt.u8.u32 %c1, %r1; cvt.u8.u32 %c2, %r2; mov.b16 %h0, {%c1, %c2};" HALF, 1, 2, 0, 0x0201},
    {"mov.b64 {%r1, %r2}, %d1; mov.b64 %d0, {%r2, %r1};", 0x0000000100000002, 0, 0,
     0x0000000200000001},
    /* Conversions. */
    {"cvt.s64.s8 %d0, %r1;", 0x180, 0, 0, 0xffffffffffffff80},
    {"cvt.sat.u8.s32 %r0, %r1;" LOW, 0xffffffff, 0, 0, 0},
    {"cvt.sat.s8.u64 %d0, %d1;", UINT64_MAX, 0, 0, 127},
    {"cvt.rni.s32.f32 %r0, %r1;" LOW, 0x40200000, 0, 0, 2},
    {"cvt.rpi.s32.f64 %r0, %d1;" LOW, 0xbff8000000000000, 0, 0, 0xffffffff},
    {"cvt.rzi.u64.f32 %d0, %r1;", 0x7f800000, 0, 0, UINT64_MAX},
    {"cvt.rzi.u32.f32 %r0, %r1;" LOW, 0x7fc00000, 0, 0, 0},
    {"cvt.rzi.s64.f64 %d0, %d1;", 0xc3e0000000000000, 0, 0, 0x8000000000000000},
    {"cvt.rz.f32.u64 %r0, %d1;" LOW, UINT64_MAX, 0, 0, 0x5f7fffff},
    {"cvt.rn.f16.s32 %h0, %r1;" HALF, 0x7fffffff, 0, 0, 0x7c00},
    {"cvt.rmi.f32.f32 %r0, %r1;" LOW, 0xbf000000, 0, 0, 0xbf800000},
    {"cvt.f64.f32 %d0, %r1;", 1, 0, 0, 0x36a0000000000000},
    {"cvt.rn.f16x2.f32 %r0, %r1, %r2;" LOW, 0x3f800000, 0x40000000, 0, 0x3c004000},
    {"cvt.rn.relu.bf16x2.f32 %r0, %r1, %r2;" LOW, 0xbf800000, 0x40000000, 0, 0x00004000},
    {"cvt.rn.satfinite.e4m3x2.f32 %h0, %r1, %r2;" HALF, 0x7f800000, 0xbf800000, 0, 0x7eb8},
    {"cvt.rn.f16x2.e5m2x2 %r0, %h1;" LOW, 0x3cbc, 0, 0, 0x3c00bc00},
    {"cvt.rn.satfinite.e2m1x2.f32 %c0, %r1, %r2; cvt.u64.u8 %d0, %c0;", 0x7f800000, 0xbf000000, 0,
     0x79},
    /* Pairs of bf16, and with a power of two each. */
    {"cvt.rn.satfinite.e4m3x2.bf16x2 %h0, %r1;" HALF, 0xbf803fc0, 0, 0, 0xb83c},
    {"cvt.rn.satfinite.relu.e2m3x2.bf16x2 %h0, %r1;" HALF, 0xbf8040f0, 0, 0, 0x001f},
    {"cvt.rn.satfinite.e3m2x2.f16x2 %h0, %r1;" HALF, 0xbc003e00, 0, 0, 0x2c0e},
    {"cvt.rn.satfinite.e2m1x2.bf16x2 %c0, %r1; cvt.u64.u8 %d0, %c0;", 0xc0c03f00, 0, 0, 0xf1},
    {"cvt.rn.bf16x2.e4m3x2 %r0, %h1;" LOW, 0x7fb8, 0, 0, 0x7fffbf80},
    {"cvt.rn.relu.bf16x2.e5m2x2 %r0, %h1;" LOW, 0xbc7c, 0, 0, 0x00007f80},
    {"cvt.u8.u32 %c1, %r1; cvt.rn.bf16x2.e2m1x2 %r0, %c1;" LOW, 0xf1, 0, 0, 0xc0c03f00},
    {"cvt.rn.scaled::n2::ue8m0.bf16x2.e4m3x2 %r0, %h1, %h2;" LOW, 0x38b8, 0x807e, 0, 0x4000bf00},
    {"cvt.rn.scaled::n2::ue8m0.bf16x2.e3m2x2 %r0, %h1, %h2;" LOW, 0x0c0c, 0xfffe, 0, 0x7fff7f00},
    {"cvt.rn.satfinite.scaled::n2::ue8m0.bf16x2.e5m2x2 %r0, %h1, %h2;" LOW, 0x7b3c, 0xfe00, 0,
     0x7f7f0040},
    /* Four numbers, of which each pair has 16 random bits: halfway up with them, or down. */
    {"cvt.rs.satfinite.e4m3x4.f32 %r0, {%r1, %r2, %r1, %r3}, 0x80007fff;" LOW, 0x3f880000,
     0x40000000, 0xc0400000, 0x394038c4},
    {"cvt.rs.satfinite.e5m2x4.f32 %r0, {%r1, %r2, %r1, %r3}, 0x7fff8000;" LOW, 0x3f900000,
     0x7f800000, 0x80000000, 0x3c7b3d80},
    {"cvt.rs.relu.satfinite.e2m3x4.f32 %r0, {%r1, %r2, %r3, %r3}, 0;" LOW, 0x3f800000, 0x40f00000,
     0xbf800000, 0x081f0000},
    {"cvt.rs.satfinite.e3m2x4.f32 %r0, {%r1, %r2, %r3, %r3}, 0;" LOW, 0x3f800000, 0x41e00000,
     0xbf800000, 0x0c1f2c2c},
    {"cvt.rs.satfinite.e2m1x4.f32 %h0, {%r1, %r2, %r1, %r2}, 0x00800000;" HALF, 0x3fa00000,
     0x40000000, 0, 0x2434},
    {"cvt.rs.satfinite.e2m1x4.f32 %h0, {%r1, %r2, %r1, %r2}, 0x80000000;" HALF, 0x3fa00000,
     0x40000000, 0, 0x3424},
    {"cvt.rna.tf32.f32 %r0, %r1;" LOW, 0x3f801000, 0, 0, 0x3f802000},
    {"cvt.pack.sat.s16.s32 %r0, %r1, %r2;" LOW, 0x7fffffff, 0xffffffff, 0, 0x7fffffff},
    {"cvt.pack.sat.u4.s32.b32 %r0, %r1, %r2, %r3;" LOW, 99, 0x80000000, 0xa, 0xaf0},
    /* Video: parts of the sources, clamping, the third source. */
    {"vadd.u32.u32.u32.sat %r0, %r1, %r2;" LOW, 0xffffffff, 2, 0, 0xffffffff},
    {"vadd.u32.u32.u32 %r0, %r1, 2;" LOW, 0xffffffff, 0, 0, 1},
    {"vsub.u32.u32.u32.sat %r0, %r1, %r2;" LOW, 1, 2, 0, 0},
    {"vadd.s32.s32.u32 %r0, %r1.b0, %r2.h1;" LOW, 0x80, 0x50000, 0, 0xffffff85},
    {"vabsdiff.u32.s32.u32.max %r0, %r1.b3, %r2, %r3;" LOW, 0xff000000, 2, 1, 3},
    {"vmin.s32.s32.s32.sat %r0.h1, %r1, %r2, %r3;" LOW, 0xfffe7960, 5, 0x1234abcd, 0x8000abcd},
    {"vmax.s32.s32.s32.sat %r0.b2, %r1, %r2, %r3;" LOW, 1000, 5, 0x11223344, 0x117f3344},
    {"vmin.s32.s32.s32.min %r0, %r1, %r2, %r3;" LOW, 3, 2, 0xffffffff, 0xffffffff},
    {"vset.s32.u32.lt.add %r0, %r1, %r2, %r3;" LOW, 0xffffffff, 0, 41, 42},
    {"vset.s32.s32.ge.max %r0, %r1, %r2, %r3;" LOW, 1, 1, 0xffffffff, 0xffffffff},
    {"vshl.u32.u32.u32.sat.clamp %r0, %r1, %r2;" LOW, 3, 40, 0, 0xffffffff},
    {"vshl.u32.u32.u32.clamp %r0, %r1, %r2;" LOW, 3, 40, 0, 0},
    {"vshl.u32.u32.u32.wrap %r0, %r1, %r2;" LOW, 3, 33, 0, 6},
    {"vshr.s32.s32.u32.clamp.add %r0, %r1.b0, %r2, %r3;" LOW, 0x80, 99, 5, 4},
    {"vmad.s32.s32.u32.sat %r0, %r1, -%r2, %r3;" LOW, 0x7fffffff, 4, 0, 0x80000000},
    {"vmad.s32.u32.u32 %r0, %r1.h1, %r2.b1, -%r3;" LOW, 0x20000, 0x300, 7, 0xffffffff},
    {"vmad.u32.u32.u32.po.shr7 %r0, %r1.b0, %r2.b0, %r3;" LOW, 255, 255, 62, 508},
    {"vmad.u32.u32.u32.sat %r0, %r1, %r2, %r3;" LOW, 0xffffffff, 0xffffffff, 0xffffffff,
     0xffffffff},
    {"vadd4.u32.u32.u32.sat %r0, %r1, %r2, %r3;" LOW, 0xf0ff0102, 0x20000304, 0, 0xffff0406},
    {"vadd4.u32.u32.u32 %r0, %r1, %r2, %r3;" LOW, 0xf0ff0102, 0x20010304, 0, 0x10000406},
    {"vsub2.s32.s32.s32.sat %r0, %r1, %r2, %r3;" LOW, 0x80000005, 0x00010007, 0, 0x8000fffe},
    {"vadd2.u32.u32.u32 %r0.h1, %r1.h03, %r2.h21, %r3;" LOW, 0x00050007, 0x000b000d, 0xaaaabbbb,
     0x0014bbbb},
    {"vavrg4.s32.s32.s32 %r0, %r1, %r2, %r3;" LOW, 0xff010203, 0xfe020304, 0, 0xfe020304},
    {"vabsdiff4.u32.u32.u32.add %r0, %r1, %r2, %r3;" LOW, 0x10203040, 0x11223344, 100, 110},
    {"vmax2.s32.s32.s32.add %r0.h0, %r1, %r2, %r3;" LOW, 0x7fffffff, 0xfffe, 10, 9},
    {"vset4.u32.u32.ge %r0.b20, %r1, %r2, %r3;" LOW, 0x01020304, 0x04030201, 0x99999999,
     0x99009901},
    {"vset2.s32.u32.lt.add %r0, %r1, %r2, %r3;" LOW, 0x8000ffff, 0x00000001, 1, 3},
    /* Sinks that drop a result. */
    {"mov.u64 %d0, 9; cvt.u64.u32 _, %r1;", 0, 0, 0, 9},
};

START_TEST(cases_give_their_results) {
  gg_error err = GG_ERROR_INIT;
  uint64_t in[3 * lanes], out[lanes];
  for (int i = 0; i < lanes; i++) {
    in[3 * i] = cases[_i].a, in[3 * i + 1] = cases[_i].b, in[3 * i + 2] = cases[_i].c;
  }
  gg_status st = run(out, cases[_i].code, in, &err);
  ck_assert_msg(!st, "%s: %s", cases[_i].code, err.message);
  for (int i = 0; i < lanes; i++) {
    ck_assert_msg(out[i] == cases[_i].expected, "%s, lane %d: %#llx, expected %#llx",
                  cases[_i].code, i, (unsigned long long)out[i],
                  (unsigned long long)cases[_i].expected);
  }
}
END_TEST

/* Lanes that the guard leaves out keep what they had. */
START_TEST(guarded_lanes_alone_are_written) {
  static const char *const guarded[] = {
      "mov.u64 %d0, %d2; @%p1 add.u64 %d0, %d1, %d3;",
      "mov.u64 %d0, %d2; @%p1 mov.u64 %d0, %d1;",
      "mov.u64 %d0, %d2; @%p1 cvt.u64.u32 %d0, %r1;",
      "mov.u64 %d0, %d2; mov.b64 {%r4, %r5}, %d1; @%p1 mov.b64 %d0, {%r4, %r5};",
      "mov.u64 %d0, %d2; @%p1 bfi.b64 %d0, %d1, %d3, 0, 64;",
      "setp.ne.u64 %p2, 0, 0; @%p1 setp.eq.u64 %p2, 0, 0; selp.u64 %d0, %d1, %d2, %p2;",
  };
  gg_error err = GG_ERROR_INIT;
  uint64_t in[3 * lanes], out[lanes];
  char code[512];
  for (int i = 0; i < lanes; i++) {
    in[3 * i] = 100 + (uint64_t)i, in[3 * i + 1] = 7, in[3 * i + 2] = 0;
  }
  snprintf(code, sizeof code, "setp.lt.u32 %%p1, %%r7, 5; %s", guarded[_i]);
  ck_assert_msg(!run(out, code, in, &err), "%s: %s", code, err.message);
  for (int i = 0; i < lanes; i++) {
    ck_assert_uint_eq(out[i], i < 5 ? 100u + (unsigned)i : 7u);
  }
}
END_TEST

/* Each is refused with its name. */
START_TEST(unknown_forms) {
  static const char *const unknown[] = {
      "add.foo.f32 %r0, %r1, %r2;",
      "add.sat.u32 %r0, %r1, %r2;",
      "fma.f32 %r0, %r1, %r2, %r3;",
      "fma.rn.rz.f32 %r0, %r1, %r2, %r3;",
      "cvt.f32.s32 %r0, %r1;",
      "cvt.rn.s32.f32 %r0, %r1;",
      "cvt.u64.u32 %d0, %h1;",
      "cvt.rn.e4m3x2.f32 %h0, %r1, %r2;",
      "setp.lt.b32 %p1, %r1, %r2;",
      "setp.lo.s32 %p1, %r1, %r2;",
      "setp.eq.f16 %p1|%p2, %h1, %h2;",
      "mov.f16 %h0, %h1;",
      "mov.b64 {%r1, %r2, %r3}, %d1;",
      "shf.l.b32 %r0, %r1, %r2, %r3;",
      "lop3.b32 %r0, %r1, %r2, %r3, 256;",
      "lop3.b32 %r0|%p1, %r1, %r2, %r3, 1, %p2;",
      "add.u32 %r0, %r1;",
      "set.eq.u64.u32 %d0, %r1, %r2;",
      "mul.u32 %r0, %r1, %r2;",
      "max.relu.u32 %r0, %r1, %r2;",
      "vadd.u32.u32.u32.add %r0.b0, %r1, %r2, %r3;",
      "vadd.u32.u32.u32 %r0.b0, %r1, %r2;",
      "vadd.u32.u32.u32 %r0, %r1.h10, %r2;",
      "vadd.u32.u32.u32 %r0, -%r1, %r2;",
      "vadd4.u32.u32.u32.sat.add %r0, %r1, %r2, %r3;",
      "vadd4.u32.u32.u32.max %r0, %r1, %r2, %r3;",
      "vadd4.u32.u32.u32 %r0.b01, %r1, %r2, %r3;",
      "vadd2.u32.u32.u32 %r0, %r1.h40, %r2, %r3;",
      "vset.u32.u32.lo %r0, %r1, %r2;",
      "vshl.u32.u32.s32.clamp %r0, %r1, %r2;",
      "vmad.u32.u32.u32 %r0, -%r1, %r2, -%r3;",
      "vmad.u32.u32.u32.po %r0, %r1, %r2, -%r3;",
      "vmad.u32.u32.u32 %r0.b0, %r1, %r2, %r3;",
  };
  gg_error err = GG_ERROR_INIT;
  uint64_t in[3 * lanes] = {0}, out[lanes];
  ck_assert_msg(run(out, unknown[_i], in, &err), "%s is taken", unknown[_i]);
  ck_assert_msg(strstr(err.message, "unknown instruction") != NULL, "%s: %s", unknown[_i],
                err.message);
  ck_assert_int_gt(err.line, 0);
  gg_error_clear(&err);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("scalar");
  TCase *t = tcase_create("scalar");
  tcase_set_timeout(t, 0);
  tcase_add_loop_test(t, cases_give_their_results, 0, sizeof cases / sizeof *cases);
  tcase_add_loop_test(t, guarded_lanes_alone_are_written, 0, 6);
  tcase_add_loop_test(t, unknown_forms, 0, 33);
  suite_add_tcase(suite, t);
  return run_suite(suite);
}
