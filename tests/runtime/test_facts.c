/* What a pack's checksum of a kernel sees: every byte of a gg_kernel that a launch reads. */
#include "facts.h"
#include "suite.h"

/* A kernel whose lists are full. */
static gg_param params[GG_PARAMS_MAX];

static gg_kernel full(void) {
  return (gg_kernel){.name = "name",
                     .family = "sm80",
                     .arch = "sm_80",
                     .fingerprint = "gemmgen_0",
                     .params = params,
                     .param_count = GG_PARAMS_MAX,
                     .operation_count = GG_OPERATIONS_MAX,
                     .map_count = GG_TENSOR_MAPS_MAX};
}

/* Pointers are followed, counts bound lists: their bytes cannot be just any. */
static bool is_pointer_or_count(size_t at) {
  static const size_t words[] = {offsetof(gg_kernel, name),
                                 offsetof(gg_kernel, family),
                                 offsetof(gg_kernel, arch),
                                 offsetof(gg_kernel, params),
                                 offsetof(gg_kernel, fingerprint),
                                 offsetof(gg_kernel, param_count),
                                 offsetof(gg_kernel, operation_count),
                                 offsetof(gg_kernel, map_count)};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (at >= words[i] && at < words[i] + sizeof(uint64_t)) return true;
  return false;
}

/* Of the text: a launch knows nothing of it. */
static bool is_of_text(size_t at) {
  static const size_t words[] = {offsetof(gg_kernel, note), offsetof(gg_kernel, source),
                                 offsetof(gg_kernel, source_length),
                                 offsetof(gg_kernel, expressions)};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (at >= words[i] && at < words[i] + sizeof(uint64_t)) return true;
  return false;
}

static bool is_seen(size_t at) {
  gg_kernel kernel = full();
  uint64_t before = gg_kernel_checksum(&kernel);
  ((unsigned char *)&kernel)[at] ^= 1;
  return gg_kernel_checksum(&kernel) != before;
}

/* Bytes that lie between members, and what is reserved in maps. A member that is new, and which
 * facts.c has no row for, makes these more. */
enum {
  operation_padding = 2 * GG_OPERATIONS_MAX, /* behind alpha and beta */
  map_padding = 3 * GG_TENSOR_MAPS_MAX,      /* behind unpacks */
  kernel_padding =
      4 + 3 + 4 + 7 + 7, /* in front of fixed_m, threads, smem_bytes, params, sparse_b */
};

START_TEST(every_byte) {
  size_t unseen = 0;
  for (size_t at = 0; at < offsetof(gg_kernel, reserved); at++)
    unseen += !is_pointer_or_count(at) && !is_of_text(at) && !is_seen(at);
  ck_assert_uint_eq(unseen, operation_padding + map_padding + kernel_padding);
}
END_TEST

START_TEST(lists) {
  gg_kernel kernel = full();
  uint64_t before = gg_kernel_checksum(&kernel);
  params[GG_PARAMS_MAX - 1].operation = 1;
  ck_assert_uint_ne(gg_kernel_checksum(&kernel), before);
  params[GG_PARAMS_MAX - 1].operation = 0;
  ck_assert_uint_eq(gg_kernel_checksum(&kernel), before);
  kernel.name = "other";
  ck_assert_uint_ne(gg_kernel_checksum(&kernel), before);
  kernel = full();
  kernel.param_count--;
  ck_assert_uint_ne(gg_kernel_checksum(&kernel), before);
}
END_TEST

START_TEST(bytes) {
  const char text[] = "a cubin";
  char changed[sizeof text];
  for (size_t at = 0; at < sizeof text; at++) {
    for (size_t i = 0; i < sizeof text; i++)
      changed[i] = (char)(text[i] ^ (i == at));
    ck_assert_uint_ne(gg_checksum(changed, sizeof text), gg_checksum(text, sizeof text));
  }
  ck_assert_uint_ne(gg_checksum(text, sizeof text - 1), gg_checksum(text, sizeof text));
}
END_TEST

int main(void) {
  Suite *suite = suite_create("facts");
  TCase *one = tcase_create("checksums");
  tcase_add_test(one, every_byte);
  tcase_add_test(one, lists);
  tcase_add_test(one, bytes);
  suite_add_tcase(suite, one);
  return run_suite(suite);
}
