/* Callers that were compiled with an older or a newer version of a struct that begins with its
 * size. Each has a block of just its size, so that sanitizers see what is read or written beyond.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "context.h"
#include "fake_driver.h"
#include "fixture.h"
#include "gemmgen_emu.h"
#include "gemmgen_gemm.h"
#include "problem.h"
#include "suite.h"

enum { more = 16 /* bytes that a newer struct has */ };

static gg_error err = GG_ERROR_INIT;

/* `known`, of `known_size` bytes, as a caller has it to whom it has `size`; gg_free() it. */
static void *as_sized(const void *known, size_t known_size, size_t size) {
  char *out = gg_calloc(1, size);
  ck_assert_ptr_nonnull(out);
  memcpy(out, known, size < known_size ? size : known_size);
  memcpy(out, &size, sizeof size);
  return out;
}

#define AS_SIZED(value, size) as_sized(&(value), sizeof(value), (size))

typedef struct loaded {
  gg_context *context;
  gg_module *module;
} loaded;

static loaded load(const gg_kernel *kernel) {
  loaded out;
  gg_driver driver = fake_table();
  gg_context_options options = GG_CONTEXT_OPTIONS_INIT;
  gg_binary binary = {.format = GG_FORMAT_CUBIN, .arch = "sm_90", .data = "cubin", .size = 5};
  fake_reset();
  ck_assert_int_eq(gg_context_open_on(&out.context, &driver, &options, &err), GG_OK);
  ck_assert_int_eq(gg_module_load_binary(&out.module, out.context, kernel, &binary, &err), GG_OK);
  return out;
}

static void unload(loaded *it) {
  gg_module_free(it->module);
  gg_context_close(it->context);
}

/* ---- Problems ------------------------------------------------------------------------- */

/* A program from before there were workspaces, overlap and epilogues. */
START_TEST(an_older_problem_has_the_defaults) {
  gg_kernel kernel = fixture_kernel();
  kernel.family = "sm90";
  kernel.dependent = true;
  loaded it = load(&kernel);
  gg_problem known = fixture_problem(100, 64, 40, 3);
  gg_problem *older = AS_SIZED(known, offsetof(gg_problem, workspace));
  gg_prepared prepared;
  int64_t bytes = -1;
  ck_assert_int_eq(gg_prepare(&prepared, it.module, older, &err), GG_OK);
  ck_assert(gg_prepared_facts(&prepared)->overlap);
  ck_assert_int_eq(gg_launch_prepared(&prepared, NULL, &err), GG_OK);
  ck_assert_int_eq(gg_workspace_bytes(&bytes, it.module, older, &err), GG_OK);
  ck_assert_int_eq(bytes, 0);
  ck_assert_int_eq(gg_launch(it.module, older, NULL, &err), GG_OK);
  gg_free(older);
  unload(&it);
}
END_TEST

START_TEST(an_older_problem_is_packed) {
  gg_kernel kernel = fixture_kernel();
  gg_problem known = fixture_problem(100, 64, 40, 3);
  known.lda = known.ldd = 0;
  gg_problem *older = AS_SIZED(known, offsetof(gg_problem, alpha));
  ck_assert_int_eq(gg_problem_pack(older, &kernel, &err), GG_OK);
  ck_assert_uint_eq(older->size, offsetof(gg_problem, alpha));
  ck_assert_int_eq(older->lda, 40);
  ck_assert_int_eq(older->ldd, 64);
  gg_free(older);
}
END_TEST

START_TEST(a_newer_problem_is_taken_where_it_says_nothing_new) {
  gg_kernel kernel = fixture_kernel();
  loaded it = load(&kernel);
  gg_problem known = fixture_problem(100, 64, 40, 3);
  gg_problem *newer = AS_SIZED(known, sizeof known + more);
  char *beyond = (char *)newer + sizeof known;
  gg_prepared prepared;
  int64_t bytes;
  ck_assert_int_eq(gg_problem_pack(newer, &kernel, &err), GG_OK);
  ck_assert_uint_eq(newer->size, sizeof known + more);
  ck_assert_int_eq(gg_prepare(&prepared, it.module, newer, &err), GG_OK);
  beyond[9] = 1;
  gg_prepare(&prepared, it.module, newer, &err);
  assert_error(&err, GG_E_STRUCT_NEWER, "a gg_problem of 816 bytes is of a newer gemmgen");
  ck_assert_int_eq(gg_launch_prepared(&prepared, NULL, &err), GG_OK); /* nothing */
  gg_launch(it.module, newer, NULL, &err);
  assert_error(&err, GG_E_STRUCT_NEWER, "which knows 800 of them; and byte 809 is not 0");
  gg_workspace_bytes(&bytes, it.module, newer, &err);
  assert_error(&err, GG_E_STRUCT_NEWER, "byte 809");
  gg_problem_pack(newer, &kernel, &err);
  assert_error(&err, GG_E_STRUCT_NEWER, "byte 809");
  gg_free(newer);
  unload(&it);
}
END_TEST

/* No size, a part of a member, and what happened to lie there. */
START_TEST(what_is_no_size_is_refused) {
  static const size_t sizes[] = {0, 8, 12, 729, 1 << 20, SIZE_MAX, SIZE_MAX - 7};
  gg_kernel kernel = fixture_kernel();
  loaded it = load(&kernel);
  gg_prepared prepared;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    gg_problem problem = fixture_problem(100, 64, 40, 3);
    problem.size = sizes[i];
    gg_prepare(&prepared, it.module, &problem, &err);
    assert_error(&err, GG_E_STRUCT_SIZE, "begin it with GG_PROBLEM_INIT, which makes that 800");
  }
  unload(&it);
}
END_TEST

/* ---- Options -------------------------------------------------------------------------- */

START_TEST(options_of_other_sizes) {
  gg_compiler_options known = GG_COMPILER_OPTIONS_INIT;
  gg_context_options context_options = GG_CONTEXT_OPTIONS_INIT;
  known.cache = "";
  context_options.provider = GG_PROVIDER_EMU;
  gg_compiler *compiler = NULL;
  gg_context *context = NULL;
  gg_compiler_options *older = AS_SIZED(known, offsetof(gg_compiler_options, cache_bytes));
  ck_assert_int_eq(gg_compiler_open(&compiler, older, &err), GG_OK);
  ck_assert_ptr_null(gg_compiler_facts_of(compiler)->cache);
  gg_compiler_close(compiler);

  context_options.compiler = older;
  gg_context_options *newer = AS_SIZED(context_options, sizeof context_options + more);
  ck_assert_int_eq(gg_context_open(&context, newer, &err), GG_OK);
  ck_assert_ptr_null(gg_compiler_facts_of(gg_context_compiler(context))->cache);
  gg_context_close(context);
  ((char *)newer)[sizeof context_options] = 1;
  gg_context_open(&context, newer, &err);
  assert_error(&err, GG_E_STRUCT_NEWER, "gg_context_options");
  ck_assert_ptr_null(context);
  older->size = 0;
  gg_context_open(&context, &context_options, &err);
  assert_error(&err, GG_E_STRUCT_SIZE, "begin it with GG_COMPILER_OPTIONS_INIT");
  gg_free(newer);
  gg_free(older);
}
END_TEST

START_TEST(emulator_options_of_other_sizes) {
  gg_emu_options known = GG_EMU_OPTIONS_INIT;
  size_t size = offsetof(gg_emu_options, max_steps);
  gg_emu_options *older = AS_SIZED(known, size);
  ck_assert_int_eq(gg_emu_options_init(older), CUDA_SUCCESS);
  ck_assert_int_eq(older->arch, 90);
  ck_assert_uint_eq(older->size, size);
  ck_assert_int_eq(gg_emu_configure(older), CUDA_SUCCESS);
  gg_emu_options *newer = AS_SIZED(known, sizeof known + more);
  memset((char *)newer + sizeof known, 1, more);
  ck_assert_int_eq(gg_emu_configure(newer), CUDA_ERROR_INVALID_VALUE);
  ck_assert_msg(strstr(gg_emu_message(), "a newer gemmgen"), "%s", gg_emu_message());
  ck_assert_int_eq(gg_emu_options_init(newer), CUDA_SUCCESS);
  ck_assert_int_eq(((char *)newer)[sizeof known], 0);
  ck_assert_int_eq(gg_emu_configure(newer), CUDA_SUCCESS);
  known.size = 0;
  ck_assert_int_eq(gg_emu_options_init(&known), CUDA_ERROR_INVALID_VALUE);
  ck_assert_msg(strstr(gg_emu_message(), "GG_EMU_OPTIONS_INIT"), "%s", gg_emu_message());
  gg_free(older);
  gg_free(newer);
}
END_TEST

/* ---- One call ------------------------------------------------------------------------- */

/* With nothing to compute nothing is compiled. */
START_TEST(products_of_other_sizes) {
  gg_context_options options = GG_CONTEXT_OPTIONS_INIT;
  gg_gemm_options gemm_options = GG_GEMM_OPTIONS_INIT;
  gg_operand operand = {.type = GG_DTYPE_bf16, .major = GG_MAJOR_K}, d = operand;
  gg_form form = GG_FORM_INIT;
  gg_problem empty = fixture_problem(0, 64, 64, 1);
  gg_gemm_choice none = GG_GEMM_CHOICE_INIT;
  gg_context *context;
  gg_gemm *gemm;
  options.provider = GG_PROVIDER_EMU;
  gemm_options.tuned = "";
  d.major = GG_MAJOR_N;
  form.a = form.b = operand, form.d = d, form.accumulator = GG_DTYPE_f32;
  ck_assert_int_eq(gg_context_open(&context, &options, &err), GG_OK);
  gg_gemm_options *newer = AS_SIZED(gemm_options, sizeof gemm_options + more);
  ck_assert_int_eq(gg_gemm_open(&gemm, context, newer, &err), GG_OK);

  gg_form *older = AS_SIZED(form, offsetof(gg_form, promote));
  gg_gemm_choice *small = AS_SIZED(none, offsetof(gg_gemm_choice, seconds));
  gg_gemm_choice *large = AS_SIZED(none, sizeof none + more);
  ck_assert_int_eq(gg_gemm_choose(small, gemm, older, &empty, &err), GG_OK);
  ck_assert_uint_eq(small->size, offsetof(gg_gemm_choice, seconds));
  ck_assert_int_eq(gg_gemm_choose(large, gemm, older, &empty, &err), GG_OK);
  ck_assert_ptr_null(large->module);
  ck_assert_int_eq(gg_gemm_launch(gemm, older, &empty, NULL, &err), GG_OK);
  form.size = 0;
  gg_gemm_launch(gemm, &form, &empty, NULL, &err);
  assert_error(&err, GG_E_STRUCT_SIZE, "a gg_form has size 0: begin it with GG_FORM_INIT");
  none.size = 0;
  gg_gemm_choose(&none, gemm, older, &empty, &err);
  assert_error(&err, GG_E_STRUCT_SIZE, "GG_GEMM_CHOICE_INIT");
  gg_free(large);
  gg_free(small);
  gg_free(older);
  gg_free(newer);
  gg_gemm_close(gemm);
  gg_context_close(context);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("abi");
  TCase *tests = tcase_create("sizes");
  tcase_add_test(tests, an_older_problem_has_the_defaults);
  tcase_add_test(tests, an_older_problem_is_packed);
  tcase_add_test(tests, a_newer_problem_is_taken_where_it_says_nothing_new);
  tcase_add_test(tests, what_is_no_size_is_refused);
  tcase_add_test(tests, options_of_other_sizes);
  tcase_add_test(tests, emulator_options_of_other_sizes);
  tcase_add_test(tests, products_of_other_sizes);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
