/* What cubins say of their kernels' local memory, whole or not. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/cubin.h"
#include "fixture.h"
#include "suite.h"

static const char in_registers[] = "extern \"C\" __global__ void small(int *out) { *out = 1; }\n";

/* So large an array, which is indexed by what nobody knows, is in no registers. */
static const char in_memory[] =
    "extern \"C\" __global__ void large(int *out, int at, int count) {\n"
    "  volatile int all[2048];\n"
    "  for (int i = 0; i < count; i++) all[i] = out[i];\n"
    "  out[0] = all[at];\n"
    "}\n";

static gg_binary *compile(const char *name, const char *source, gg_format format) {
  gg_error err = GG_ERROR_INIT;
  gg_compiler *compiler;
  gg_binary *out;
  gg_compiler_options options = {.size = sizeof(gg_compiler_options), .cache = ""};
  gg_kernel kernel = {
      .name = name, .arch = "sm_90a", .source = source, .source_length = strlen(source)};
  ck_assert_int_eq(gg_compiler_open(&compiler, &options, &err), GG_OK);
  ck_assert_msg(gg_compile(&out, compiler, &kernel, NULL, format, &err) == GG_OK, "%s",
                err.message);
  gg_compiler_close(compiler);
  return out;
}

START_TEST(cubins_tell_local_memory) {
  gg_binary *small = compile("small", in_registers, GG_FORMAT_CUBIN);
  gg_binary *large = compile("large", in_memory, GG_FORMAT_CUBIN);
  gg_binary *ptx = compile("large", in_memory, GG_FORMAT_PTX);
  ck_assert_uint_eq(cli_cubin_local_bytes(small->data, small->size), 0);
  ck_assert_uint_eq(cli_cubin_local_bytes(large->data, large->size), 2048 * sizeof(int));
  ck_assert_uint_eq(cli_cubin_local_bytes(ptx->data, ptx->size), 0);
  gg_binary_free(small);
  gg_binary_free(large);
  gg_binary_free(ptx);
}
END_TEST

/* Nothing outside of it is read, whatever is in it. */
START_TEST(damaged_cubins_are_read_within) {
  gg_binary *large = compile("large", in_memory, GG_FORMAT_CUBIN);
  for (size_t size = 0; size < large->size; size++) {
    char *cut = gg_malloc(size ? size : 1);
    ck_assert_ptr_nonnull(cut);
    memcpy(cut, large->data, size);
    cli_cubin_local_bytes(cut, size);
    gg_free(cut);
  }
  char *bytes = gg_malloc(large->size);
  ck_assert_ptr_nonnull(bytes);
  memcpy(bytes, large->data, large->size);
  for (size_t at = 0; at < 8 * large->size; at++) {
    bytes[at / 8] ^= (char)(1 << at % 8);
    cli_cubin_local_bytes(bytes, large->size);
    bytes[at / 8] ^= (char)(1 << at % 8);
  }
  gg_free(bytes);
  gg_binary_free(large);
}
END_TEST

int main(void) {
  fixture_begin();
  Suite *suite = suite_create("cubin");
  TCase *tcase = tcase_create("cubin");
  tcase_set_timeout(tcase, 240);
  if (fixture_has_nvrtc()) {
    tcase_add_test(tcase, cubins_tell_local_memory);
    tcase_add_test(tcase, damaged_cubins_are_read_within);
  }
  suite_add_tcase(suite, tcase);
  int status = run_suite(suite);
  fixture_end();
  return status;
}
