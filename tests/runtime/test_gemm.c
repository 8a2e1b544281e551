/* gg_gemm: forms, choices, what is remembered and what was tuned. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "choice/catalogue.h"
#include "choice/form.h"
#include "complete.h"
#include "context.h"
#include "fake_driver.h"
#include "gemm_fixture.h"
#include "problem.h"
#include "seen.h"
#include "suite.h"
#include "tuned.h"

/* ---- What is remembered --------------------------------------------------------------- */

START_TEST(seen_finds_all) {
  gg_seen seen;
  atomic_init(&seen.table, NULL);
  gg_form form = gemm_form(GG_DTYPE_bf16, GG_DTYPE_bf16, GG_DTYPE_f32), other = form;
  form.a.align = form.b.align = form.d.align = 16;
  other.epilogue = "[linear, relu]";
  for (int64_t i = 0; i < 1000; i++) {
    gg_problem p = {.size = sizeof(gg_problem), .m = i, .n = i % 7, .k = 64, .batch = 1};
    gg_seen_key key = gg_seen_key_of(i % 2 ? &form : &other, &p);
    ck_assert_ptr_null(gg_seen_find(&seen, &key));
    gg_seen_add(&seen, &key,
                &(gg_gemm_choice){.size = sizeof(gg_gemm_choice), .seconds = (double)i});
  }
  for (int64_t i = 0; i < 1000; i++) {
    gg_problem p = {.size = sizeof(gg_problem), .m = i, .n = i % 7, .k = 64, .batch = 1};
    gg_seen_key key = gg_seen_key_of(i % 2 ? &form : &other, &p);
    ck_assert_double_eq(gg_seen_find(&seen, &key)->seconds, (double)i);
    key = gg_seen_key_of(i % 2 ? &other : &form, &p);
    ck_assert_ptr_null(gg_seen_find(&seen, &key));
  }
  gg_seen_free(&seen);
}
END_TEST

START_TEST(seen_tells_forms_apart) {
  gg_form base = gemm_form(GG_DTYPE_f16, GG_DTYPE_f16, GG_DTYPE_f32);
  base.a.align = base.b.align = base.c.align = base.d.align = 16;
  enum { count = 17 };
  gg_form forms[count];
  for (int i = 0; i < count; i++)
    forms[i] = base;
  forms[1].a.major = GG_MAJOR_M;
  forms[2].b.type = GG_DTYPE_bf16;
  forms[3].d.align = 8;
  forms[4].accumulator = GG_DTYPE_f16;
  forms[5].has_c = true;
  forms[6].has_c = true, forms[6].c.type = GG_DTYPE_f32;
  forms[7].epilogue = "[]";
  forms[8].promote = 4;
  forms[9].scale_a = (gg_scaling){GG_DTYPE_ue8m0, 32};
  forms[10].scale_b = (gg_scaling){GG_DTYPE_ue8m0, 32};
  forms[11].scale_a = forms[11].scale_b = (gg_scaling){GG_DTYPE_ue8m0, 32};
  forms[12].scale_a = forms[12].scale_b = (gg_scaling){GG_DTYPE_ue8m0, 16};
  forms[13].scale_a = forms[13].scale_b = (gg_scaling){GG_DTYPE_ue4m3, 16};
  forms[14].sparse_a = true;
  forms[15].sparse_b = true;
  forms[16].xor_bits = 1;
  gg_problem p = GG_PROBLEM_INIT;
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < count; j++) {
      gg_seen_key left = gg_seen_key_of(&forms[i], &p), right = gg_seen_key_of(&forms[j], &p);
      ck_assert_int_eq(gg_seen_same_form(&left, &right), i == j);
    }
  }
}
END_TEST

START_TEST(seen_counts_workspace) {
  static const int64_t bytes[][2] = {
      {0, 0}, {-1, 0}, {1, 1}, {63, 32}, {1 << 20, 1 << 20}, {INT64_MAX, 1LL << 62}};
  for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
    gg_problem p = {.size = sizeof(gg_problem), .workspace = 256, .workspace_bytes = bytes[i][0]};
    ck_assert_int_eq(gg_seen_workspace(&p), bytes[i][1]);
    p.workspace = 0;
    ck_assert_int_eq(gg_seen_workspace(&p), 0);
  }
}
END_TEST

/* ---- Choices -------------------------------------------------------------------------- */

/* On the device of the family before nothing computes it. */
START_TEST(sparse_products_want_a_family) {
  gemm_rig on = gemm_rig_open(90);
  gg_gemm_choice choice = GG_GEMM_CHOICE_INIT;
  gg_problem p = gemm_problem(128, 128, 128);
  gg_form form = gemm_form(GG_DTYPE_bf16, GG_DTYPE_bf16, GG_DTYPE_f32);
  form.sparse_b = true;
  gg_gemm_choose(&choice, on.gemm, &form, &p, &on.err);
  assert_error(&on.err, GG_E_GEMM_FORM, "no sparse B");
  gemm_rig_close(&on);
}
END_TEST

/* Of types that no kernel of the device has the message tells. */
START_TEST(devices_lack_kernels) {
  static const struct {
    int arch, align;
    gg_dtype in, out, accumulator;
  } lacks[] = {{103, 1, GG_DTYPE_e2m1, GG_DTYPE_f32, GG_DTYPE_f32},
               {100, 16, GG_DTYPE_e3m2, GG_DTYPE_bf16, GG_DTYPE_f32},
               {80, 16, GG_DTYPE_e4m3, GG_DTYPE_bf16, GG_DTYPE_f32},
               {86, 16, GG_DTYPE_e4m3, GG_DTYPE_bf16, GG_DTYPE_f32},
               {87, 16, GG_DTYPE_e4m3, GG_DTYPE_bf16, GG_DTYPE_f32}};
  gemm_rig on = gemm_rig_open(lacks[_i].arch);
  gg_gemm_choice choice = GG_GEMM_CHOICE_INIT;
  gg_form form = gemm_form(lacks[_i].in, lacks[_i].out, lacks[_i].accumulator);
  form.a.align = form.b.align = lacks[_i].align;
  gg_problem p = gemm_problem(64, 64, 64);
  gg_gemm_choose(&choice, on.gemm, &form, &p, &on.err);
  assert_error(&on.err, GG_E_GEMM_FORM, "no kernel of the catalogue computes");
  gemm_rig_close(&on);
}
END_TEST

/* What shares tiles is chosen where its workspace is there alone, whatever was seen before. */
START_TEST(workspaces_decide) {
  gemm_rig on = gemm_rig_open(0);
  gg_prepared prepared;
  gg_form form = gemm_form(GG_DTYPE_bf16, GG_DTYPE_bf16, GG_DTYPE_f32);
  for (int round = 0; round < 2; round++) {
    for (int64_t bytes = 0; bytes <= GG_GEMM_WORKSPACE; bytes = bytes ? bytes * 64 : 1 << 14) {
      gg_gemm_choice choice = GG_GEMM_CHOICE_INIT;
      int64_t taken;
      gg_problem p = gemm_problem(64, 64, 1 << 18);
      p.workspace = bytes ? 1 << 20 : 0, p.workspace_bytes = bytes;
      ck_assert_int_eq(gg_gemm_choose(&choice, on.gemm, &form, &p, &on.err), GG_OK);
      ck_assert_int_eq(gg_workspace_bytes(&taken, choice.module, &p, &on.err), GG_OK);
      ck_assert_int_le(taken, bytes);
      ck_assert_int_eq(taken > 0, bytes >= 1 << 20);
      ck_assert_int_eq(gg_gemm_prepare(&prepared, on.gemm, &form, &p, &on.err), GG_OK);
    }
  }
  gg_problem p = gemm_problem(64, 64, 1 << 18);
  p.workspace = 1000, p.workspace_bytes = GG_GEMM_WORKSPACE;
  gg_gemm_prepare(&prepared, on.gemm, &form, &p, &on.err);
  assert_error(&on.err, GG_E_PROBLEM_ALIGN, "workspace = 1000");
  gemm_rig_close(&on);
}
END_TEST

/* So is what claims tiles, of which the workspace has the counters. */
START_TEST(claims_want_a_workspace) {
  gemm_rig on = gemm_rig_open(0);
  gg_form form = gemm_form(GG_DTYPE_bf16, GG_DTYPE_bf16, GG_DTYPE_f32);
  for (int64_t bytes = 0; bytes <= GG_WORKSPACE_COUNTERS; bytes += GG_WORKSPACE_COUNTERS / 2) {
    gg_gemm_choice choice = GG_GEMM_CHOICE_INIT;
    gg_problem p = gemm_problem(472, 3032, 6848);
    gg_prepared prepared;
    p.workspace = bytes ? 1 << 20 : 0, p.workspace_bytes = bytes;
    ck_assert_int_eq(gg_gemm_choose(&choice, on.gemm, &form, &p, &on.err), GG_OK);
    ck_assert_int_eq(strstr(choice.kernel, "_gpc") != NULL, bytes == GG_WORKSPACE_COUNTERS);
    ck_assert_int_eq(gg_gemm_prepare(&prepared, on.gemm, &form, &p, &on.err), GG_OK);
  }
  gemm_rig_close(&on);
}
END_TEST

/* What of the catalogue is chosen on a device whose kernels spill as `fake.spills` says. */
static const char *chosen_beside(const char *spills) {
  static char name[FAKE_NAME_BYTES];
  gg_error err = GG_ERROR_INIT;
  gg_driver driver = fake_table();
  gg_context *context;
  gg_context_options options = {
      .size = sizeof(gg_context_options),
      .compiler = &(gg_compiler_options){.size = sizeof(gg_compiler_options), .cache = ""}};
  gg_gemm_choice choice = GG_GEMM_CHOICE_INIT;
  gg_form form = gemm_form(GG_DTYPE_bf16, GG_DTYPE_bf16, GG_DTYPE_f32);
  gg_problem p = gemm_problem(64, 64, 64);
  fake_reset();
  fake.spills = spills;
  ck_assert_int_eq(gg_context_open_on(&context, &driver, &options, &err), GG_OK);
  gg_gemm *gemm = gemm_open(context, &err);
  ck_assert_msg(gg_gemm_choose(&choice, gemm, &form, &p, &err) == GG_OK, "%s", err.message);
  snprintf(name, sizeof name, "%s", choice.kernel);
  gg_gemm_close(gemm);
  gg_context_close(context);
  return name;
}

/* A kernel that spills gives way to one that does not, and where all do the fastest is taken. */
START_TEST(spilling_kernels_give_way) {
  char fastest[FAKE_NAME_BYTES], all[FAKE_NAME_BYTES];
  snprintf(fastest, sizeof fastest, "%s", chosen_beside("none"));
  snprintf(all, sizeof all, "%s", chosen_beside(NULL));
  ck_assert_str_eq(all, fastest);
  ck_assert_str_ne(chosen_beside(fastest), fastest);
}
END_TEST

/* clang-format off */
static void spoil_type(gg_form *f) { f->a.type = (gg_dtype)9999; }
static void spoil_negative(gg_form *f) { f->d.type = (gg_dtype)-1; }
static void spoil_accumulator(gg_form *f) { f->accumulator = (gg_dtype)77; }
static void spoil_major(gg_form *f) { f->a.major = GG_MAJOR_N; }
static void spoil_major_of_b(gg_form *f) { f->b.major = (gg_major)9; }
static void spoil_align(gg_form *f) { f->b.align = 3; }
static void spoil_large_align(gg_form *f) { f->d.align = 4096; }
static void spoil_promote(gg_form *f) { f->promote = 65; }
static void spoil_block(gg_form *f) { f->scale_b.block = 64; }
static void spoil_sparse(gg_form *f) { f->sparse_a = f->sparse_b = true; }
static void spoil_sparse_block(gg_form *f) { f->sparse_a = true, f->scale_b.block = 16; }
static void spoil_factor(gg_form *f) { f->scale_a = (gg_scaling){GG_DTYPE_e4m3, 32}; }
static void spoil_c(gg_form *f) { f->has_c = true, f->c.type = GG_DTYPE_COUNT; }
/* clang-format on */

static const struct wrong_form {
  void (*spoil)(gg_form *form);
  const char *message;
} wrong_forms[] = {
    {spoil_type, "gg_form.a.type is 9999; it takes a gg_dtype"},
    {spoil_negative, "gg_form.d.type is "},
    {spoil_accumulator, "gg_form.accumulator is 77"},
    {spoil_major, "gg_form.a.major is 2; it takes GG_MAJOR_K and GG_MAJOR_M"},
    {spoil_major_of_b, "gg_form.b.major is 9; it takes GG_MAJOR_K and GG_MAJOR_N"},
    {spoil_align, "gg_form.b.align is 3; it takes a power of two"},
    {spoil_large_align, "gg_form.d.align is 4096"},
    {spoil_promote,
     "gg_form.promote is 65; it takes GG_PROMOTE_AUTO, GG_PROMOTE_NEVER and 1 to 64"},
    {spoil_block, "gg_form.scale_b.block is 64; it takes 16, 32, or 0 for no factors"},
    {spoil_sparse, "gg_form.sparse_b is 1; it takes 0 beside a sparse A"},
    {spoil_sparse_block,
     "gg_form.scale_b.block is 16; it takes 32, 64 (zeros count), or 0 for no factors"},
    {spoil_factor, "gg_form.scale_a.type is 5; it takes GG_DTYPE_ue8m0 and GG_DTYPE_ue4m3"},
    {spoil_c, "gg_form.c.type is 20"},
};

typedef struct chooser {
  gg_gemm *gemm;
  gg_form form;
  gg_problem problem;
  gg_gemm_choice choice;
  gg_status status;
} chooser;

static void *choose_once(void *argument) {
  chooser *c = argument;
  c->status = gg_gemm_choose(&c->choice, c->gemm, &c->form, &c->problem, NULL);
  return NULL;
}

START_TEST(threads_get_the_same_kernel) {
  enum { threads = 4 };
  gemm_rig on = gemm_rig_open(0);
  pthread_t running[threads];
  chooser choosers[threads];
  for (int i = 0; i < threads; i++) {
    choosers[i] = (chooser){
        .gemm = on.gemm, .choice = GG_GEMM_CHOICE_INIT, .problem = gemm_problem(64, 64, 64)};
    choosers[i].form = gemm_form(GG_DTYPE_bf16, GG_DTYPE_bf16, GG_DTYPE_f32);
    ck_assert_int_eq(pthread_create(&running[i], NULL, choose_once, &choosers[i]), 0);
  }
  for (int i = 0; i < threads; i++)
    pthread_join(running[i], NULL);
  for (int i = 0; i < threads; i++) {
    ck_assert_int_eq(choosers[i].status, GG_OK);
    ck_assert_ptr_eq(choosers[i].choice.module, choosers[0].choice.module);
  }
  gemm_rig_close(&on);
}
END_TEST

/* A context on a fake device of this architecture. */
static gg_context *fake_context(int arch, gg_error *err) {
  gg_compiler_options compiler = {.size = sizeof(gg_compiler_options),
                                  .cache = fixture_directory()};
  gg_context_options options = {.size = sizeof(gg_context_options), .compiler = &compiler};
  gg_driver driver = fake_table();
  gg_context *context;
  fake.arch = arch;
  ck_assert_msg(gg_context_open_on(&context, &driver, &options, err) == GG_OK, "%s", err->message);
  return context;
}

/* Products of several shapes on one of the devices: f16 ones, of which K are the sums. */
typedef struct device_thread {
  gg_context *context;
  gg_gemm *gemm;
  const char *arch; /* that its modules are compiled for */
  const char *wrong;
} device_thread;

static const char *multiply_ones(const device_thread *it, int64_t m, int64_t k) {
  enum { n = 40, most = 128, one = 0x3c00 };
  uint16_t ones[most * most];
  float d[most * n];
  gg_form form = gemm_form(GG_DTYPE_f16, GG_DTYPE_f32, GG_DTYPE_f32);
  gg_problem p = gemm_problem(m, n, k);
  gg_gemm_choice choice = GG_GEMM_CHOICE_INIT;
  uint64_t memory;
  const char *wrong = NULL;
  for (int i = 0; i < most * most; i++)
    ones[i] = one;
  if (gg_memory_alloc(&memory, it->context, sizeof ones + sizeof d, NULL)) return "memory";
  p.a = p.b = memory, p.d = memory + sizeof ones;
  if (gg_memory_write(it->context, memory, ones, sizeof ones, NULL)) wrong = "writing";
  if (!wrong && gg_gemm_choose(&choice, it->gemm, &form, &p, NULL)) wrong = "choosing";
  if (!wrong && strcmp(gg_module_facts_of(choice.module)->arch, it->arch) != 0)
    wrong = "the target";
  if (!wrong && gg_gemm_launch(it->gemm, &form, &p, NULL, NULL)) wrong = "launching";
  if (!wrong && gg_memory_read(it->context, d, p.d, (size_t)(m * n) * sizeof *d, NULL))
    wrong = "reading";
  bool computes = gg_context_device(it->context)->emulated;
  for (int64_t i = 0; i < m * n && computes && !wrong; i++)
    if (d[i] != (float)k) wrong = "the sums";
  gg_memory_free(it->context, memory);
  return wrong;
}

static void *multiply_on_device(void *argument) {
  device_thread *it = argument;
  for (int i = 0; i < 6 && !it->wrong; i++)
    it->wrong = multiply_ones(it, 8 + 40 * (i % 3), 64 + 32 * (i % 2));
  return NULL;
}

/* Two devices of a driver and the emulator's in one process, each with two contexts, and three
 * threads on each context. */
START_TEST(threads_on_devices_of_three_architectures) {
  enum { contexts = 6, each = 3, threads = contexts * each };
  static const char *const archs[] = {"sm_80", "sm_90a", "sm_89"};
  gg_error err = GG_ERROR_INIT;
  gemm_rig rigs[contexts];
  pthread_t running[threads];
  device_thread its[threads];
  fake_reset();
  fake.spills = ""; /* no kernel does */
  fake.argument_count = 0;
  for (int i = 0; i < contexts; i++) {
    if (i % 3 == 2) {
      rigs[i] = gemm_rig_open(i < 3 ? 89 : 0);
    } else {
      rigs[i] = (gemm_rig){.context = fake_context(i % 3 == 0 ? 80 : 90, &err)};
      rigs[i].gemm = gemm_open(rigs[i].context, &err);
    }
  }
  for (int i = 0; i < threads; i++) {
    const gemm_rig *rig = &rigs[i % contexts];
    its[i] = (device_thread){.context = rig->context, .gemm = rig->gemm, .arch = archs[i % 3]};
    ck_assert_int_eq(pthread_create(&running[i], NULL, multiply_on_device, &its[i]), 0);
  }
  for (int i = 0; i < threads; i++)
    pthread_join(running[i], NULL);
  for (int i = 0; i < threads; i++)
    ck_assert_msg(!its[i].wrong, "thread %d: %s", i, its[i].wrong);
  for (int i = contexts - 1; i >= 0; i--)
    gemm_rig_close(&rigs[i]);
  ck_assert_int_eq(fake_alive(), 0);
  ck_assert_int_eq(fake.orphans, 0);
}
END_TEST

/* What the epilogue reads lies as D does, but need not be as well aligned. */
START_TEST(extras_are_as_aligned_as_they_are) {
  static const struct {
    const char *epilogue;
    uint64_t address;
    int64_t ld;
    int align; /* of D, in bytes */
  } all[] = {
      {"[linear, residual]", 4096, 64, 16},
      {"[linear, residual]", 4096 + 4, 64, 4},
      {"[linear, residual]", 4096, 66, 8},
      {"[linear, {residual: {type: bf16}}]", 4096 + 2, 64, 4}, /* one element */
      {"[linear, {residual: {type: bf16}}]", 4096 + 8, 64, 16},
      {"[linear, {aux: {type: f32}}, relu]", 4096 + 8, 64, 8},
      {"[linear, bias]", 4096 + 4, 0, 16}, /* a vector is read by elements */
  };
  gemm_rig on = gemm_rig_open(0);
  gg_epilogues known = {NULL};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    gg_form form = gemm_form(GG_DTYPE_bf16, GG_DTYPE_bf16, GG_DTYPE_f32);
    form.d.type = GG_DTYPE_f32;
    gg_problem p = gemm_problem(64, 64, 64);
    gg_prepared prepared;
    form.epilogue = all[i].epilogue;
    p.extras[1] = (gg_extra){.address = all[i].address, .ld = all[i].ld};
    gg_form full;
    ck_assert_int_eq(gg_form_complete(&full, &known, &form, &p, &on.err), GG_OK);
    ck_assert_msg(full.d.align == all[i].align, "%zu: %d", i, full.d.align);
    gg_status st = gg_gemm_prepare(&prepared, on.gemm, &form, &p, &on.err);
    ck_assert_msg(st == GG_OK, "%zu: %s", i, on.err.message);
  }
  gg_epilogues_free(&known);
  gemm_rig_close(&on);
}
END_TEST

START_TEST(forms_are_checked) {
  gg_error err = GG_ERROR_INIT;
  for (size_t i = 0; i < sizeof wrong_forms / sizeof *wrong_forms; i++) {
    gg_form form = gemm_form(GG_DTYPE_bf16, GG_DTYPE_f32, GG_DTYPE_f32);
    wrong_forms[i].spoil(&form);
    gg_form_check(&form, &err);
    assert_error(&err, GG_E_GEMM_FIELD, wrong_forms[i].message);
  }
}
END_TEST

START_TEST(null_pointers_are_named) {
  gg_error err = GG_ERROR_INIT;
  gg_form form = gemm_form(GG_DTYPE_bf16, GG_DTYPE_f32, GG_DTYPE_f32);
  gg_problem p = gemm_problem(64, 64, 64);
  gg_gemm *gemm;
  gg_prepared prepared;
  gg_kernel *kernel;
  gg_spec_file *file;
  gg_gemm_launch(NULL, &form, &p, NULL, &err);
  assert_error(&err, GG_E_NULL_ARGUMENT, "gg_gemm_launch: `gemm` is null");
  gg_gemm_open(&gemm, NULL, NULL, &err);
  assert_error(&err, GG_E_NULL_ARGUMENT, "gg_gemm_open: `context` is null");
  gg_prepare(&prepared, NULL, &p, &err);
  assert_error(&err, GG_E_NULL_ARGUMENT, "gg_prepare: `module` is null");
  gg_launch_prepared(NULL, NULL, &err);
  assert_error(&err, GG_E_NULL_ARGUMENT, "gg_launch_prepared: `prepared` is null");
  gg_context_open(NULL, NULL, &err);
  assert_error(&err, GG_E_NULL_ARGUMENT, "gg_context_open: `out` is null");
  gg_kernel_generate(&kernel, NULL, &err);
  assert_error(&err, GG_E_NULL_ARGUMENT, "gg_kernel_generate: `spec` is null");
  gg_spec_file_load(&file, NULL, &err);
  assert_error(&err, GG_E_NULL_ARGUMENT, "gg_spec_file_load: `path` is null");
  gg_spec_file_parse(&file, "arch: [", 7, NULL, &err); /* a text without a name */
  ck_assert_str_eq(err.file, "<text>");
  assert_error(&err, GG_E_SPEC_SYNTAX, "");
  ck_assert_int_eq(gg_spec_file_count(NULL), 0);
  ck_assert_ptr_null(gg_spec_file_get(NULL, 0));
  gg_error_clear(NULL);
}
END_TEST

START_TEST(mistakes_are_named) {
  gemm_rig on = gemm_rig_open(0);
  gg_prepared prepared;
  gg_form form = gemm_form(GG_DTYPE_bf16, GG_DTYPE_bf16, GG_DTYPE_f32);
  gg_problem p = gemm_problem(-1, 64, 64);
  gg_gemm_prepare(&prepared, on.gemm, &form, &p, &on.err);
  assert_error(&on.err, GG_E_PROBLEM_EXTENT, "m = -1");
  p = gemm_problem(0, 64, 64);
  ck_assert_int_eq(gg_gemm_prepare(&prepared, on.gemm, &form, &p, &on.err), GG_OK);
  ck_assert_uint_eq(gg_prepared_facts(&prepared)->grid[0], 0);
  ck_assert_int_eq(gg_launch_prepared(&prepared, NULL, &on.err), GG_OK);
  p = gemm_problem(64, 64, 64);
  p.lda = 32;
  gg_gemm_prepare(&prepared, on.gemm, &form, &p, &on.err);
  assert_error(&on.err, GG_E_PROBLEM_LD, "lda = 32");
  p = gemm_problem(64, 64, 64);
  p.a = 4097;
  gg_gemm_prepare(&prepared, on.gemm, &form, &p, &on.err);
  assert_error(&on.err, GG_E_PROBLEM_ALIGN, "a = 4097");
  p = gemm_problem(64, 64, 64);
  form.accumulator = GG_DTYPE_s32;
  gg_gemm_prepare(&prepared, on.gemm, &form, &p, &on.err);
  assert_error(&on.err, GG_E_GEMM_FORM, "bf16,bf16,bf16,s32,kkn on sm_90");
  form.accumulator = GG_DTYPE_f32, form.a.type = (gg_dtype)9999;
  gg_gemm_prepare(&prepared, on.gemm, &form, &p, &on.err);
  assert_error(&on.err, GG_E_GEMM_FIELD, "gg_form.a.type is 9999");
  form.a.type = GG_DTYPE_bf16, form.epilogue = "[nonsense]";
  gg_gemm_prepare(&prepared, on.gemm, &form, &p, &on.err);
  assert_error(&on.err, GG_E_SPEC_CHOICE, "nonsense");
  form.epilogue = "[relu]\nproblem: {m: 5}"; /* an epilogue is one value, and nothing behind it */
  gg_gemm_prepare(&prepared, on.gemm, &form, &p, &on.err);
  assert_error(&on.err, GG_E_SPEC_SYNTAX, "");
  form.epilogue = "";
  gg_gemm_prepare(&prepared, on.gemm, &form, &p, &on.err);
  assert_error(&on.err, GG_E_SPEC_TYPE, "got nothing");
  gemm_rig_close(&on);
}
END_TEST

/* ---- What was tuned ------------------------------------------------------------------- */

static char warned[1024];

static void keep_warning(void *user, const char *message) {
  (void)user;
  snprintf(warned, sizeof warned, "%s", message);
}

/* For the form with that epilogue, or NULL. Without a text, a FIFO that never says anything. */
static void write_tuned(const char *directory, const gg_context *context, const char *epilogue,
                        const char *text) {
  gg_form form = gemm_form(GG_DTYPE_bf16, GG_DTYPE_bf16, GG_DTYPE_f32);
  form.a.align = form.b.align = form.d.align = 16;
  form.epilogue = epilogue;
  gg_str path = GG_STR_INIT, device = GG_STR_INIT;
  gg_str_printf(&device, "%s/", directory);
  gg_tuned_device(&device, gg_context_device(context)->name);
  mkdir(gg_str_text(&device), 0777);
  ck_assert_int_eq(gg_tuned_path(&path, directory, gg_context_device(context)->name, &form,
                                 (gg_tuned_extents){64, 64, 64, 1}, NULL),
                   GG_OK);
  if (text) {
    ck_assert(gg_file_replace(gg_str_text(&path), text, strlen(text), 0666, false));
  } else {
    unlink(gg_str_text(&path));
    ck_assert_int_eq(mkfifo(gg_str_text(&path), 0666), 0);
    ck_assert_int_ge(open(gg_str_text(&path), O_RDWR), 0);
  }
  gg_str_free(&device);
  gg_str_free(&path);
}

static const char tuned_text[] =
    "name: measured\narch: sm_90a\na: bf16\nb: bf16\nd: bf16\ntile: [64, 64, 64]\n";

static gg_context *context_that_warns(void) {
  gg_error err = GG_ERROR_INIT;
  gg_context *context;
  gg_context_options options = {
      .size = sizeof(gg_context_options),
      .provider = GG_PROVIDER_EMU,
      .compiler = &(gg_compiler_options){
          .size = sizeof(gg_compiler_options), .cache = fixture_directory(), .warn = keep_warning}};
  ck_assert_int_eq(gg_context_open(&context, &options, &err), GG_OK);
  return context;
}

/* Whether gg_gemm takes the tuned kernel, which is called "measured". */
static bool takes_tuned(gg_context *context, const char *directory, const char *epilogue,
                        int64_t m) {
  gg_error err = GG_ERROR_INIT;
  gg_gemm *gemm;
  gg_gemm_choice choice = GG_GEMM_CHOICE_INIT;
  gg_form form = gemm_form(GG_DTYPE_bf16, GG_DTYPE_bf16, GG_DTYPE_f32);
  gg_problem p = gemm_problem(m, 64, 64);
  form.epilogue = epilogue;
  warned[0] = '\0';
  ck_assert_int_eq(
      gg_gemm_open(
          &gemm, context,
          &(gg_gemm_options){.size = sizeof(gg_gemm_options), .tuned = directory, .measure = 2},
          &err),
      GG_OK);
  ck_assert_int_eq(gg_gemm_choose(&choice, gemm, &form, &p, &err), GG_OK);
  ck_assert_int_eq(strcmp(choice.kernel, "measured") == 0, choice.tuned);
  gg_gemm_choice part = GG_GEMM_CHOICE_INIT;
  ck_assert(choice.measuring == !choice.tuned); /* nothing is measured twice */
  p.multiprocessors = 8;                        /* it was measured on the whole device */
  ck_assert_int_eq(gg_gemm_choose(&part, gemm, &form, &p, &err), GG_OK);
  ck_assert(!part.tuned);
  gg_gemm_close(gemm);
  return choice.tuned;
}

START_TEST(tuned_goes_first) {
  static const struct {
    const char *text, *warning;
    int64_t m;
    bool tuned;
  } all[] = {
      {tuned_text, "", 64, true},
      {tuned_text, "", 40, true}, /* its bucket */
      {tuned_text, "", 72, false},
      {"arch: sm_90a\na: f16\nb: f16\nd: f16\n", "", 64, false}, /* not what its name says */
      {"arch: [", "is not used", 64, false},
      {NULL, "no regular file", 64, false},
  };
  char directory[512];
  snprintf(directory, sizeof directory, "%s", fixture_directory());
  gg_context *context = context_that_warns();
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    write_tuned(directory, context, NULL, all[i].text);
    ck_assert_int_eq(takes_tuned(context, directory, NULL, all[i].m), all[i].tuned);
    ck_assert_msg(strstr(warned, all[i].warning) != NULL, "%s", warned);
  }
  gg_context_close(context);
}
END_TEST

static const char tuned_relu[] = "name: measured\narch: sm_90a\na: bf16\nb: bf16\nd: bf16\n"
                                 "tile: [64, 64, 64]\nepilogue: [relu]\n";

/* What is tuned with an epilogue is for the same operations, however they are written, and what is
 * tuned without is for none: by the file's name, and where that lies by the kernel. */
START_TEST(tuned_knows_its_epilogue) {
  static const struct {
    const char *of, *text, *asked;
    bool tuned;
  } all[] = {
      {"[relu]", tuned_relu, "[relu]", true},        {"[relu]", tuned_relu, "- relu\n", true},
      {"[relu]", tuned_relu, "[relu, relu]", false}, {"[relu]", tuned_relu, "[silu]", false},
      {"[relu]", tuned_relu, NULL, false},           {"[relu]", tuned_text, "[relu]", false},
      {NULL, tuned_text, "[relu]", false},           {NULL, tuned_relu, NULL, false},
  };
  gg_context *context = context_that_warns();
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    char directory[512];
    snprintf(directory, sizeof directory, "%s/of_%zu", fixture_directory(), i);
    mkdir(directory, 0777);
    write_tuned(directory, context, all[i].of, all[i].text);
    ck_assert_msg(takes_tuned(context, directory, all[i].asked, 64) == all[i].tuned, "case %zu", i);
  }
  gg_context_close(context);
}
END_TEST

/* Sums of the tensor core are short, unless it multiplies f16 in place of 8-bit floats. */
static bool sums_in_full(const gg_plan *plan) {
  return plan->promote > 0 || plan->widens;
}

/* As every library's default: who asks for nothing gets full sums of 8-bit floats; and who does not
 * need them pays for no additions. */
START_TEST(sums_of_fp8_are_full_unless_asked) {
  static const struct {
    int promote;
    bool full;
  } sums[] = {{0, true}, {GG_PROMOTE_AUTO, true}, {2, true}, {GG_PROMOTE_NEVER, false}};
  gg_error err = GG_ERROR_INIT;
  gg_catalogue *catalogue;
  ck_assert_int_eq(gg_catalogue_open(&catalogue, &err), GG_OK);
  for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
    gg_form form = gemm_form(GG_DTYPE_e4m3, GG_DTYPE_bf16, GG_DTYPE_f32);
    form.a.align = form.b.align = form.d.align = 16;
    form.promote = sums[i].promote;
    gg_lineup *lineup;
    ck_assert_int_eq(gg_lineup_make(&lineup, catalogue, &form, 90, &err), GG_OK);
    ck_assert_uint_gt(lineup->count, 20);
    for (size_t j = 0; j < lineup->count; j++) {
      const gg_plan *plan = &lineup->list[j].plan;
      if (sums[i].full)
        ck_assert(sums_in_full(plan));
      else
        ck_assert_int_eq(plan->promote, 0);
    }
    gg_lineup_free(lineup);
  }
  gg_catalogue_close(catalogue);
}
END_TEST

int main(void) {
  fixture_begin();
  Suite *suite = suite_create("gemm");
  TCase *tcase = tcase_create("gemm");
  tcase_set_timeout(tcase, 120);
  tcase_add_test(tcase, seen_finds_all);
  tcase_add_test(tcase, seen_tells_forms_apart);
  tcase_add_test(tcase, seen_counts_workspace);
  tcase_add_test(tcase, sums_of_fp8_are_full_unless_asked);
  tcase_add_test(tcase, forms_are_checked);
  tcase_add_test(tcase, null_pointers_are_named);
  if (fixture_has_nvrtc()) {
    tcase_add_test(tcase, sparse_products_want_a_family);
    tcase_add_loop_test(tcase, devices_lack_kernels, 0, 5);
    tcase_add_test(tcase, spilling_kernels_give_way);
    tcase_add_test(tcase, threads_get_the_same_kernel);
    tcase_add_test(tcase, threads_on_devices_of_three_architectures);
    tcase_add_test(tcase, workspaces_decide);
    tcase_add_test(tcase, claims_want_a_workspace);
    tcase_add_test(tcase, mistakes_are_named);
    tcase_add_test(tcase, extras_are_as_aligned_as_they_are);
    tcase_add_test(tcase, tuned_goes_first);
    tcase_add_test(tcase, tuned_knows_its_epilogue);
  }
  suite_add_tcase(suite, tcase);
  int status = run_suite(suite);
  fixture_end();
  return status;
}
