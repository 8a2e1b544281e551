/* Targets (pure), and real compiles with the toolkit's NVRTC. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "context.h"
#include "fake_driver.h"
#include "fixture.h"
#include "jit.h"
#include "suite.h"

static gg_error err = GG_ERROR_INIT;

/* ---- Targets -------------------------------------------------------------------------- */

static const gg_nvrtc thirteen = {
    .major = 13,
    .supported = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121},
    .supported_count = 12};

/* kernel, device, wanted name and format; NULL with the error's code instead. */
static const struct {
  const char *kernel;
  int device;
  const char *arch;
  gg_format format;
  gg_status code;
} targets[] = {
    {"sm_80", 80, "sm_80", GG_FORMAT_CUBIN, GG_OK},
    {"sm_80", 90, "sm_90", GG_FORMAT_CUBIN, GG_OK},
    {"sm_80", 75, NULL, GG_FORMAT_CUBIN, GG_E_DEVICE_ARCH},
    {"sm_90a", 90, "sm_90a", GG_FORMAT_CUBIN, GG_OK},
    {"sm_90a", 100, NULL, GG_FORMAT_CUBIN, GG_E_DEVICE_ARCH},
    {"sm_90a", 89, NULL, GG_FORMAT_CUBIN, GG_E_DEVICE_ARCH},
    {"sm_100f", 100, "sm_100f", GG_FORMAT_CUBIN, GG_OK},
    {"sm_100f", 103, "sm_103f", GG_FORMAT_CUBIN, GG_OK},
    {"sm_103f", 100, NULL, GG_FORMAT_CUBIN, GG_E_DEVICE_ARCH},
    {"sm_100f", 101, NULL, GG_FORMAT_CUBIN, GG_E_DEVICE_ARCH},
    {"sm_100f", 110, NULL, GG_FORMAT_CUBIN, GG_E_DEVICE_ARCH},
    {"sm_100f", 120, NULL, GG_FORMAT_CUBIN, GG_E_DEVICE_ARCH},
    {"sm_120f", 121, "sm_121f", GG_FORMAT_CUBIN, GG_OK},
    {"sm_80", 125, "sm_121", GG_FORMAT_CUBIN, GG_OK}, /* unknown, of a known major */
    {"sm_80", 130, "sm_121", GG_FORMAT_PTX, GG_OK},   /* unknown major: the driver compiles */
    {"sm_banana", 90, NULL, GG_FORMAT_CUBIN, GG_E_ARCH_NAME},
};

START_TEST(target) {
  gg_arch arch;
  gg_format format;
  char name[GG_ARCH_NAME_MAX];
  gg_status st = gg_jit_target(&arch, &format, "tiny", targets[_i].kernel, targets[_i].device,
                               &thirteen, &err);
  ck_assert_int_eq(st, targets[_i].code);
  gg_error_clear(&err);
  if (st) return;
  ck_assert_str_eq(gg_arch_name(name, arch), targets[_i].arch);
  ck_assert_int_eq(format, targets[_i].format);
}
END_TEST

START_TEST(both_sides_are_named) {
  gg_arch arch;
  gg_format format;
  gg_jit_target(&arch, &format, "tiny", "sm_90a", 80, &thirteen, &err);
  assert_error(&err, GG_E_DEVICE_ARCH, "kernel tiny needs sm_90a, the device is sm_80");
  gg_nvrtc old = {.major = 11, .minor = 0, .supported = {52, 70, 80}, .supported_count = 3};
  gg_jit_target(&arch, &format, "tiny", "sm_90a", 90, &old, &err);
  assert_error(&err, GG_E_COMPILER_ARCH, "NVRTC 11.0 compiles for sm_52 to sm_80");
}
END_TEST

/* ---- With NVRTC ----------------------------------------------------------------------- */

static int warnings;
static char last_warning[256];

static void count_warning(void *user, const char *message) {
  (void)user;
  warnings++;
  snprintf(last_warning, sizeof last_warning, "%s", message);
}

static gg_compiler *open_compiler(const char *cache) {
  gg_compiler_options options = {
      .size = sizeof(gg_compiler_options), .cache = cache, .warn = count_warning};
  gg_compiler *compiler;
  ck_assert_int_eq(gg_compiler_open(&compiler, &options, &err), GG_OK);
  return compiler;
}

START_TEST(compiles_and_caches) {
  gg_compiler *compiler = open_compiler(fixture_directory());
  gg_kernel kernel = fixture_kernel();
  gg_binary *first, *second, *other;
  ck_assert_int_eq(gg_compile(&first, compiler, &kernel, "sm_90", GG_FORMAT_CUBIN, &err), GG_OK);
  ck_assert(!first->cached);
  ck_assert_mem_eq(first->data, "\177ELF", 4);
  ck_assert_str_eq(first->arch, "sm_90");
  ck_assert_str_eq(first->options, "--gpu-architecture=sm_90 --std=c++17");
  ck_assert_str_eq(first->log, "");
  ck_assert_int_eq(gg_compile(&second, compiler, &kernel, "sm_90", GG_FORMAT_CUBIN, &err), GG_OK);
  ck_assert(second->cached);
  ck_assert_uint_eq(first->size, second->size);
  ck_assert_mem_eq(first->data, second->data, first->size);
  ck_assert_int_eq(gg_compile(&other, compiler, &kernel, "sm_80", GG_FORMAT_CUBIN, &err), GG_OK);
  ck_assert(!other->cached);
  gg_binary_free(first);
  gg_binary_free(second);
  gg_binary_free(other);
  gg_compiler_close(compiler);
}
END_TEST

START_TEST(ptx_is_text) {
  gg_compiler *compiler = open_compiler("");
  gg_kernel kernel = fixture_kernel();
  gg_binary *binary;
  ck_assert_int_eq(gg_compile(&binary, compiler, &kernel, NULL, GG_FORMAT_PTX, &err), GG_OK);
  ck_assert_ptr_nonnull(strstr(binary->data, ".target sm_80"));
  ck_assert_uint_eq(strlen(binary->data), binary->size);
  gg_binary_free(binary);
  gg_compiler_close(compiler);
}
END_TEST

START_TEST(a_bad_text_gives_the_log) {
  gg_compiler *compiler = open_compiler("");
  gg_kernel kernel = fixture_kernel();
  kernel.source = "extern \"C\" __global__ void tiny() { nonsense; }\n";
  gg_binary *binary;
  ck_assert_int_eq(gg_compile(&binary, compiler, &kernel, NULL, GG_FORMAT_CUBIN, &err),
                   GG_E_COMPILE);
  ck_assert_ptr_null(binary);
  ck_assert_ptr_nonnull(strstr(err.log, "tiny.cu(1): error"));
  assert_error(&err, GG_E_COMPILE, "does not compile tiny.cu for sm_80");
  gg_compiler_close(compiler);
}
END_TEST

START_TEST(warnings_are_kept_and_cached) {
  gg_compiler *compiler = open_compiler(fixture_directory());
  gg_kernel kernel = fixture_kernel();
  kernel.source = "extern \"C\" __global__ void tiny(int *p) { int unused = 1; *p = 2; }\n";
  for (int i = 0; i < 2; i++) {
    gg_binary *binary;
    ck_assert_int_eq(gg_compile(&binary, compiler, &kernel, NULL, GG_FORMAT_CUBIN, &err), GG_OK);
    ck_assert_int_eq(binary->cached, i);
    ck_assert_ptr_nonnull(strstr(binary->log, "unused"));
    gg_binary_free(binary);
  }
  gg_compiler_close(compiler);
}
END_TEST

START_TEST(an_unwritable_cache_warns_once) {
  gg_compiler *compiler = open_compiler("/proc/gemmgen");
  gg_kernel kernel = fixture_kernel();
  warnings = 0;
  for (int i = 0; i < 2; i++) {
    gg_binary *binary;
    ck_assert_int_eq(gg_compile(&binary, compiler, &kernel, NULL, GG_FORMAT_PTX, &err), GG_OK);
    gg_binary_free(binary);
  }
  ck_assert_int_eq(warnings, 1);
  ck_assert_ptr_nonnull(strstr(last_warning, "/proc/gemmgen"));
  gg_compiler_close(compiler);
}
END_TEST

START_TEST(memory_may_run_out_anywhere) {
  gg_kernel kernel = fixture_kernel();
  const char *directory = fixture_directory();
  for (long allowed = 0;; allowed++) {
    gg_compiler_options options = {.size = sizeof(gg_compiler_options), .cache = directory};
    gg_compiler *compiler;
    gg_binary *binary = NULL;
    gg_alloc_fail_after(allowed);
    gg_status st = gg_compiler_open(&compiler, &options, &err);
    if (!st) st = gg_compile(&binary, compiler, &kernel, NULL, GG_FORMAT_CUBIN, &err);
    gg_alloc_fail_after(-1);
    gg_binary_free(binary);
    gg_compiler_close(compiler);
    if (st == GG_OK) break;
    ck_assert_ptr_null(binary);
    /* A search for NVRTC that runs out of memory finds none. */
    ck_assert(st == GG_E_MEMORY || st == GG_E_NO_NVRTC);
    gg_error_clear(&err);
    ck_assert_int_lt(allowed, 1000);
  }
}
END_TEST

/* A file of the name DIRECTORY/tiny.SUFFIX. */
static void put_text(const char *directory, const char *suffix, const char *text) {
  char path[512];
  snprintf(path, sizeof path, "%s/tiny.%s", directory, suffix);
  ck_assert(gg_file_write(path, text, strlen(text)));
}

/* Without a driver, so for a GPU of sm_90. */
static gg_status compile_for_90(gg_binary **out, gg_compiler *compiler) {
  gg_kernel kernel = fixture_kernel();
  return gg_compile_for_device(out, compiler, NULL, &kernel, &(gg_device_facts){.arch = 90}, &err);
}

START_TEST(edited_texts_are_compiled) {
  char edits[256];
  snprintf(edits, sizeof edits, "%s", fixture_directory());
  setenv("GEMMGEN_OVERRIDE_DIR", edits, 1);
  gg_compiler *compiler = open_compiler(fixture_directory());
  gg_binary *generated, *edited, *again, *ptx;
  ck_assert_int_eq(compile_for_90(&generated, compiler), GG_OK);
  put_text(edits, "cu", "extern \"C\" __global__ void tiny(int *out) { *out = 2; }\n");
  ck_assert_int_eq(compile_for_90(&edited, compiler), GG_OK);
  ck_assert(!edited->cached);
  ck_assert(edited->size != generated->size ||
            memcmp(edited->data, generated->data, edited->size) != 0);
  ck_assert_int_eq(compile_for_90(&again, compiler), GG_OK);
  ck_assert(again->cached);
  ck_assert_int_eq(warnings, 1);
  ck_assert_ptr_nonnull(strstr(last_warning, "tiny.cu is used in place of the kernel tiny"));
  put_text(edits, "ptx", "// any\n");
  gg_binary_free(again);
  ck_assert_int_eq(compile_for_90(&again, compiler), GG_OK);
  ck_assert_int_eq(again->format, GG_FORMAT_CUBIN); /* CUDA C++ goes first */
  char path[512];
  snprintf(path, sizeof path, "%s/tiny.cu", edits);
  ck_assert_int_eq(remove(path), 0);
  ck_assert_int_eq(compile_for_90(&ptx, compiler), GG_OK);
  ck_assert_int_eq(ptx->format, GG_FORMAT_PTX);
  ck_assert_str_eq(ptx->data, "// any\n");
  ck_assert_int_eq(warnings, 2);
  gg_kernel kernel = fixture_kernel();
  gg_binary *none;
  ck_assert_int_eq(gg_compile(&none, compiler, &kernel, NULL, GG_FORMAT_CUBIN, &err), GG_E_EDIT);
  ck_assert_ptr_null(none);
  assert_error(&err, GG_E_EDIT, "no cubin is made of PTX here");
  gg_binary_free(generated);
  gg_binary_free(edited);
  gg_binary_free(again);
  gg_binary_free(ptx);
  gg_compiler_close(compiler);
}
END_TEST

START_TEST(memory_may_run_out_on_edited_texts) {
  char directory[256];
  snprintf(directory, sizeof directory, "%s", fixture_directory());
  put_text(directory, "cu", fixture_kernel().source);
  setenv("GEMMGEN_OVERRIDE_DIR", directory, 1);
  setenv("GEMMGEN_DUMP_DIR", directory, 1);
  setenv("GEMMGEN_KEEP", "1", 1);
  gg_compiler *compiler = open_compiler("");
  for (long allowed = 0;; allowed++) {
    gg_binary *binary = NULL;
    gg_alloc_fail_after(allowed);
    gg_status st = compile_for_90(&binary, compiler);
    gg_alloc_fail_after(-1);
    gg_binary_free(binary);
    if (st == GG_OK) break;
    ck_assert_int_eq(st, GG_E_MEMORY);
    gg_error_clear(&err);
    ck_assert_int_lt(allowed, 1000);
  }
  gg_compiler_close(compiler);
}
END_TEST

START_TEST(a_target_that_cannot_have_the_kernel) {
  gg_compiler *compiler = open_compiler("");
  gg_kernel kernel = fixture_kernel();
  gg_binary *binary;
  kernel.arch = "sm_90a";
  gg_compile(&binary, compiler, &kernel, "sm_100", GG_FORMAT_CUBIN, &err);
  assert_error(&err, GG_E_COMPILE_ARCH, "needs sm_90a, so it cannot be compiled for sm_100");
  gg_compile(&binary, compiler, &kernel, "sm_90", GG_FORMAT_PTX, &err);
  assert_error(&err, GG_E_COMPILE_ARCH, "needs sm_90a, so it cannot be compiled for sm_90");
  kernel.arch = "sm_86";
  gg_compile(&binary, compiler, &kernel, "sm_80", GG_FORMAT_PTX, &err);
  assert_error(&err, GG_E_COMPILE_ARCH, "needs sm_86, so it cannot be compiled for sm_80");
  gg_compiler_close(compiler);
}
END_TEST

START_TEST(a_module_is_compiled_for_the_device_found) {
  fake_reset();
  gg_driver driver = fake_table();
  gg_context_options options = {
      .size = sizeof(gg_context_options),
      .compiler = &(gg_compiler_options){.size = sizeof(gg_compiler_options), .cache = ""}};
  gg_context *context;
  ck_assert_int_eq(gg_context_open_on(&context, &driver, &options, &err), GG_OK);
  gg_kernel kernel = fixture_kernel();
  gg_module *module;
  ck_assert_int_eq(gg_module_load(&module, context, &kernel, &err), GG_OK);
  ck_assert_str_eq(gg_module_facts_of(module)->arch, "sm_90");
  gg_module_free(module);
  kernel.arch = "sm_100a";
  ck_assert_int_eq(gg_module_load(&module, context, &kernel, &err), GG_E_DEVICE_ARCH);
  ck_assert_ptr_null(module);
  gg_error_clear(&err);
  gg_context_close(context);
  ck_assert_int_eq(fake_alive(), 0);
}
END_TEST

/* ---- Without NVRTC -------------------------------------------------------------------- */

static gg_kernel *generate(const char *text) {
  gg_spec_file *file;
  gg_kernel *kernel;
  ck_assert_int_eq(gg_spec_file_parse(&file, text, strlen(text), "test.yaml", &err), GG_OK);
  ck_assert_int_eq(gg_kernel_generate(&kernel, gg_spec_file_get(file, 0), &err), GG_OK);
  gg_spec_file_free(file);
  return kernel;
}

#define HEAD "name: tiny\narch: sm_80\na: f16\ntile: [64, 64, 32]\n"
#define TINY HEAD "b: {type: f16, major: n}\nd: f16\n"

/* Parameters go by position, so that another kernel's binary must not pass for this one's, whatever
 * it is called. */
START_TEST(a_binary_is_of_one_kernel) {
  static const char *const others[] = {
      HEAD "b: {type: f16, major: k}\nd: f16\n",
      TINY "c: f32\n",
      TINY "stages: 2\n",
  };
  gg_kernel *own = generate(TINY), *other = generate(others[_i]);
  gg_context_options options = {
      .size = sizeof(gg_context_options),
      .provider = GG_PROVIDER_EMU,
      .compiler = &(gg_compiler_options){.size = sizeof(gg_compiler_options), .cache = ""}};
  gg_context *context;
  gg_binary *binary;
  gg_module *module;
  ck_assert_str_ne(own->fingerprint, other->fingerprint);
  ck_assert_int_eq(gg_context_open(&context, &options, &err), GG_OK);
  gg_compiler *compiler = gg_context_compiler(context);
  ck_assert_int_eq(gg_compile(&binary, compiler, other, NULL, GG_FORMAT_PTX, &err), GG_OK);
  ck_assert_int_eq(gg_module_load_binary(&module, context, own, binary, &err), GG_E_MODULE_KERNEL);
  ck_assert_ptr_null(module);
  assert_error(&err, GG_E_MODULE_KERNEL, "an entry tiny, but was not made from this kernel's text");
  ck_assert_int_eq(gg_module_load_binary(&module, context, other, binary, &err), GG_OK);
  gg_module_free(module);
  gg_binary_free(binary);
  gg_context_close(context);
  gg_kernel_free(own);
  gg_kernel_free(other);
}
END_TEST

/* As long as it says, and no byte more: a sanitizer sees who reads on. */
START_TEST(ptx_needs_no_nul) {
  gg_kernel *kernel = generate(TINY);
  gg_context_options options = {
      .size = sizeof(gg_context_options),
      .provider = GG_PROVIDER_EMU,
      .compiler = &(gg_compiler_options){.size = sizeof(gg_compiler_options), .cache = ""}};
  gg_context *context;
  gg_binary *binary;
  gg_module *module;
  ck_assert_int_eq(gg_context_open(&context, &options, &err), GG_OK);
  gg_compiler *compiler = gg_context_compiler(context);
  ck_assert_int_eq(gg_compile(&binary, compiler, kernel, NULL, GG_FORMAT_PTX, &err), GG_OK);
  gg_binary bare = *binary;
  char *text = malloc(binary->size + 4);
  memcpy(text, binary->data, binary->size);
  memcpy(text + binary->size, "junk", 4);
  bare.data = text;
  ck_assert_int_eq(gg_module_load_binary(&module, context, kernel, &bare, &err), GG_OK);
  gg_module_free(module);
  free(text);
  gg_binary_free(binary);
  gg_context_close(context);
  gg_kernel_free(kernel);
}
END_TEST

START_TEST(a_missing_nvrtc_is_an_error_of_the_compile) {
  gg_compiler_options options = {
      .size = sizeof(gg_compiler_options), .nvrtc = "/nowhere/libnvrtc.so", .cache = ""};
  gg_compiler *compiler;
  gg_binary *binary;
  gg_kernel kernel = fixture_kernel();
  ck_assert_int_eq(gg_compiler_open(&compiler, &options, &err), GG_OK);
  ck_assert_int_eq(gg_compiler_facts_of(compiler)->nvrtc_version, 0);
  ck_assert_int_eq(gg_compile(&binary, compiler, &kernel, NULL, GG_FORMAT_PTX, &err),
                   GG_E_NO_NVRTC);
  assert_error(&err, GG_E_NO_NVRTC, "/nowhere/libnvrtc.so");
  gg_compile(&binary, compiler, &kernel, NULL, GG_FORMAT_PTX, &err);
  assert_error(&err, GG_E_NO_NVRTC, "install the CUDA Toolkit 12.8 or newer");
  gg_compiler_close(compiler);
}
END_TEST

static gg_kernel *kernel_of_template(const char *text, gg_status expected) {
  gg_kernel *kernel = NULL;
  gg_spec_file *file;
  ck_assert_int_eq(gg_spec_file_parse(&file, text, strlen(text), "ptx.yaml", &err), GG_OK);
  ck_assert_int_eq(gg_kernel_generate_ptx(&kernel, gg_spec_file_get(file, 0), &err), expected);
  gg_spec_file_free(file);
  return kernel;
}

START_TEST(ptx_of_a_template_needs_no_nvrtc) {
  gg_compiler_options options = {
      .size = sizeof(gg_compiler_options), .nvrtc = "/nowhere/libnvrtc.so", .cache = ""};
  gg_compiler *compiler;
  gg_binary *binary;
  gg_kernel *kernel = kernel_of_template("arch: sm_90a\na: bf16\nb: bf16\nd: bf16\n", GG_OK);
  ck_assert_uint_eq(kernel->ptx, 1);
  ck_assert_int_eq(gg_compiler_open(&compiler, &options, &err), GG_OK);
  ck_assert_int_eq(gg_compile(&binary, compiler, kernel, NULL, GG_FORMAT_PTX, &err), GG_OK);
  ck_assert_str_eq(binary->data, kernel->source);
  ck_assert_str_eq(binary->arch, "sm_90a");
  gg_binary_free(binary);
  ck_assert_int_eq(gg_compile(&binary, compiler, kernel, NULL, GG_FORMAT_CUBIN, &err),
                   GG_E_COMPILE_PTX);
  assert_error(&err, GG_E_COMPILE_PTX, "is PTX for sm_90a");
  ck_assert_int_eq(gg_compile(&binary, compiler, kernel, "sm_100a", GG_FORMAT_PTX, &err),
                   GG_E_COMPILE_PTX);
  gg_error_clear(&err);
  gg_device_facts other = {.arch = 100}, same = {.arch = 90};
  ck_assert_int_eq(gg_compile_for_device(&binary, compiler, NULL, kernel, &same, &err), GG_OK);
  gg_binary_free(binary);
  gg_compile_for_device(&binary, compiler, NULL, kernel, &other, &err);
  assert_error(&err, GG_E_DEVICE_ARCH, "needs sm_90a, the device is sm_100");
  gg_compiler_close(compiler);
  gg_kernel_free(kernel);
}
END_TEST

START_TEST(what_has_no_template_says_so) {
  kernel_of_template("arch: sm_90a\na: bf16\nb: bf16\nd: bf16\nraster: hilbert\n", GG_E_EMIT_PTX);
  assert_error(&err, GG_E_EMIT_PTX, "family sm90 has none with tiles along a Hilbert curve");
}
END_TEST

START_TEST(a_stranger_is_not_nvrtc) {
  gg_compiler_options options = {
      .size = sizeof(gg_compiler_options), .nvrtc = "libm.so.6", .cache = ""};
  gg_compiler *compiler;
  gg_binary *binary;
  gg_kernel kernel = fixture_kernel();
  ck_assert_int_eq(gg_compiler_open(&compiler, &options, &err), GG_OK);
  gg_compile(&binary, compiler, &kernel, NULL, GG_FORMAT_PTX, &err);
  assert_error(&err, GG_E_NO_NVRTC, "libm.so.6 has no nvrtcGetErrorString");
  gg_compiler_close(compiler);
}
END_TEST

/* An NVRTC that is out of order. */
static nvrtcResult refuse_create(nvrtcProgram *program, const char *source, const char *name,
                                 int headers, const char *const *sources,
                                 const char *const *names) {
  (void)program, (void)source, (void)name, (void)headers, (void)sources, (void)names;
  return 1;
}

static const char *name_of_error(nvrtcResult result) {
  return result == 1 ? "NVRTC_ERROR_OUT_OF_MEMORY" : "?";
}

START_TEST(nvrtcs_own_failure_is_named) {
  gg_nvrtc nvrtc = {.create = refuse_create, .get_error_string = name_of_error};
  gg_str binary = GG_STR_INIT, log = GG_STR_INIT;
  gg_nvrtc_compile(&binary, &log, &nvrtc, "", "tiny.cu", "sm_80", GG_FORMAT_PTX, NULL, 0, &err);
  assert_error(&err, GG_E_NVRTC, "nvrtcCreateProgram failed: NVRTC_ERROR_OUT_OF_MEMORY");
}
END_TEST

int main(void) {
  fixture_begin();
  Suite *suite = suite_create("jit");
  TCase *pure = tcase_create("pure"), *real = tcase_create("NVRTC");
  tcase_add_loop_test(pure, target, 0, sizeof targets / sizeof *targets);
  tcase_add_test(pure, both_sides_are_named);
  tcase_add_test(pure, a_missing_nvrtc_is_an_error_of_the_compile);
  tcase_add_test(pure, ptx_of_a_template_needs_no_nvrtc);
  tcase_add_test(pure, what_has_no_template_says_so);
  tcase_add_test(pure, a_stranger_is_not_nvrtc);
  tcase_add_test(pure, nvrtcs_own_failure_is_named);
  suite_add_tcase(suite, pure);
  tcase_add_test(real, compiles_and_caches);
  tcase_add_test(real, ptx_is_text);
  tcase_add_test(real, a_bad_text_gives_the_log);
  tcase_add_test(real, warnings_are_kept_and_cached);
  tcase_add_test(real, an_unwritable_cache_warns_once);
  tcase_add_test(real, memory_may_run_out_anywhere);
  tcase_add_test(real, edited_texts_are_compiled);
  tcase_add_test(real, memory_may_run_out_on_edited_texts);
  tcase_add_test(real, a_target_that_cannot_have_the_kernel);
  tcase_add_test(real, a_module_is_compiled_for_the_device_found);
  tcase_add_loop_test(real, a_binary_is_of_one_kernel, 0, 3);
  tcase_add_test(real, ptx_needs_no_nul);
  tcase_set_timeout(real, 300);
  if (fixture_has_nvrtc()) suite_add_tcase(suite, real);
  int status = run_suite(suite);
  fixture_end();
  return status;
}
