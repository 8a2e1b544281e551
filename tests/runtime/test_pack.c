/* Packs on the fake driver: which image of a kernel a device gets, what gives way to what, what is
 * left out; failures and leaks. That what is packed computes is tests/pack's. */
#include <stdio.h>
#include <string.h>

#include "context.h"
#include "facts.h"
#include "fake_driver.h"
#include "fixture.h"
#include "suite.h"

static gg_error err = GG_ERROR_INIT;

enum { kernels_max = 3, images_max = 6 };

/* A pack of fixture kernels, with room for what a test puts there. */
typedef struct made_pack {
  gg_kernel kernels[kernels_max];
  gg_image images[kernels_max][images_max];
  gg_packed_kernel list[kernels_max];
  gg_pack pack;
} made_pack;

static gg_image image_of(const char *arch, gg_format format, const char *data) {
  return (gg_image){.format = format,
                    .arch = arch,
                    .data = data,
                    .size = strlen(data),
                    .checksum = gg_checksum(data, strlen(data))};
}

/* Images as a text: "sm_80 sm_90a ptx:sm_80 !sm_90": the driver refuses what has a ! before it. */
static size_t read_images(gg_image *out, char *text) {
  size_t count = 0;
  for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
    bool refused = *word == '!';
    word += refused;
    bool ptx = strncmp(word, "ptx:", 4) == 0;
    out[count++] = image_of(ptx ? word + 4 : word, ptx ? GG_FORMAT_PTX : GG_FORMAT_CUBIN,
                            refused ? "broken" : "image");
  }
  return count;
}

/* Adds a kernel; `text` is taken apart, and stays. */
static void add_kernel(made_pack *made, char *text) {
  size_t at = made->pack.kernel_count++;
  made->kernels[at] = fixture_kernel();
  made->list[at] = (gg_packed_kernel){.kernel = &made->kernels[at],
                                      .images = made->images[at],
                                      .image_count = read_images(made->images[at], text),
                                      .checksum = gg_kernel_checksum(&made->kernels[at])};
  made->pack.kernels = made->list;
}

static made_pack empty_pack(void) {
  return (made_pack){.pack = {.size = sizeof(gg_pack),
                              .format = GG_PACK_FORMAT,
                              .name = "made",
                              .version = "0.1.0",
                              .kernel_size = sizeof(gg_kernel)}};
}

static gg_context *open_context(int arch) {
  gg_context *context;
  fake.arch = arch;
  gg_driver driver = fake_table();
  ck_assert_int_eq(gg_context_open_device(&context, &driver, 0, &err), GG_OK);
  return context;
}

/* ---- Which image ------------------------------------------------------------------------ */

static const struct {
  const char *images;
  int device;
  const char *loaded; /* the architecture; NULL: there is none */
} rows[] = {
    {"sm_80 sm_90 sm_100", 90, "sm_90"}, /* its own */
    {"sm_90 sm_90a", 90, "sm_90a"},      /* which is made for it alone */
    {"sm_80 sm_86", 89, "sm_86"},        /* the newest before it */
    {"sm_86 sm_89", 80, NULL},           /* newer ones do not run */
    {"sm_80 sm_90a", 100, NULL},         /* nor those of another major version */
    {"sm_80 ptx:sm_80", 90, "sm_80"},    /* whose PTX does */
    {"sm_80 sm_90 ptx:sm_80 ptx:sm_90", 100, "sm_90"},
    {"sm_90 ptx:sm_100", 90, "sm_90"},
    {"sm_90a ptx:sm_90a", 100, NULL}, /* an own target's runs there alone */
    {"sm_100f", 103, "sm_100f"},      /* a family's on later ones of it */
    {"sm_100f ptx:sm_100f", 120, NULL},
    {"sm_100a sm_100f", 103, "sm_100f"},
    {"!sm_90 sm_80 ptx:sm_80", 90, "sm_80"}, /* what is refused gives way */
    {"!sm_89 sm_86 ptx:sm_89", 89, "sm_86"},
    {"!sm_89 !sm_86 ptx:sm_86", 89, "sm_86"},
    {"sm_999 sm_80 nonsense", 80, "sm_80"}, /* what nobody knows is passed over */
};

START_TEST(images) {
  char text[128];
  made_pack made = empty_pack();
  gg_packed *packed = NULL;
  fake_reset();
  snprintf(text, sizeof text, "%s", rows[_i].images);
  add_kernel(&made, text);
  gg_context *context = open_context(rows[_i].device);
  gg_status st = gg_pack_open(&packed, context, &made.pack, &err);
  if (rows[_i].loaded) {
    ck_assert_msg(st == GG_OK, "row %d: %s", _i, err.message);
    const gg_module_facts *facts = gg_module_facts_of(gg_packed_module(packed, 0));
    ck_assert_str_eq(facts->arch, rows[_i].loaded);
    gg_packed_close(packed);
  } else {
    assert_error(&err, GG_E_PACK_DEVICE, "the pack made has kernel ");
    ck_assert_ptr_null(packed);
  }
  gg_context_close(context);
  ck_assert_int_eq(fake_alive(), 0);
}
END_TEST

START_TEST(all_refused) {
  char text[] = "!sm_80 !sm_90 !ptx:sm_90";
  made_pack made = empty_pack();
  gg_packed *packed;
  fake_reset();
  add_kernel(&made, text);
  gg_context *context = open_context(90);
  ck_assert_int_eq(gg_pack_open(&packed, context, &made.pack, &err), GG_E_DRIVER);
  assert_error(&err, GG_E_DRIVER, "cuModuleLoadDataEx");
  gg_context_close(context);
  ck_assert_int_eq(fake_alive(), 0);
}
END_TEST

/* ---- What is left out ------------------------------------------------------------------- */

START_TEST(left_out) {
  char runs[] = "sm_90", other[] = "sm_100a", large[] = "sm_90";
  made_pack made = empty_pack();
  gg_packed *packed;
  fake_reset();
  fake.argument_count = fixture_kernel().param_count;
  add_kernel(&made, other);
  add_kernel(&made, runs);
  add_kernel(&made, large);
  made.kernels[2].smem_bytes = 1 << 20;
  made.list[2].checksum = gg_kernel_checksum(&made.kernels[2]);
  gg_context *context = open_context(90);
  ck_assert_int_eq(gg_pack_open(&packed, context, &made.pack, &err), GG_OK);
  gg_problem problem = fixture_problem(64, 64, 64, 1);
  ck_assert_ptr_null(gg_packed_module(packed, 0));
  ck_assert_ptr_null(gg_packed_module(packed, 2));
  ck_assert_ptr_null(gg_packed_module(packed, 3));
  ck_assert_int_eq(gg_packed_launch(packed, 0, &problem, NULL, &err), GG_E_PACK_DEVICE);
  assert_error(&err, GG_E_PACK_DEVICE, "for sm_100a; the device is sm_90");
  ck_assert_int_eq(gg_packed_launch(packed, 2, &problem, NULL, NULL), GG_E_DEVICE_SMEM);
  ck_assert_int_eq(gg_packed_launch(packed, 1, &problem, NULL, &err), GG_OK);
  ck_assert_int_eq(fake.launch_count, 1);
  ck_assert_int_eq(gg_packed_launch(packed, 3, &problem, NULL, &err), GG_E_NULL_ARGUMENT);
  gg_error_clear(&err);
  ck_assert_int_eq(gg_packed_launch(NULL, 0, &problem, NULL, &err), GG_E_NULL_ARGUMENT);
  gg_error_clear(&err);
  gg_packed_close(packed);
  gg_packed_close(NULL);
  gg_context_close(context);
  ck_assert_int_eq(fake_alive(), 0);
}
END_TEST

/* ---- Failures --------------------------------------------------------------------------- */

/* Where any of the driver's calls fails, nothing is left; but where it is entering the context, for
 * then nothing can be freed. */
START_TEST(failures) {
  static const char *const calls[] = {"cuModuleLoadDataEx", "cuModuleGetFunction",
                                      "cuFuncSetAttribute", "cuFuncGetAttribute",
                                      "cuOccupancyMaxActiveBlocksPerMultiprocessor"};
  for (int after = 0; after < 4; after++) {
    char first[] = "sm_90", second[] = "sm_90";
    made_pack made = empty_pack();
    gg_packed *packed = NULL;
    fake_reset();
    add_kernel(&made, first);
    add_kernel(&made, second);
    gg_context *context = open_context(90);
    fake.fail_call = calls[_i];
    fake.fail_after = after;
    fake.fail_result = CUDA_ERROR_OUT_OF_MEMORY;
    gg_status st = gg_pack_open(&packed, context, &made.pack, &err);
    ck_assert((st == GG_OK) == (packed != NULL) && st == err.code);
    fake.fail_call = NULL;
    gg_packed_close(packed);
    gg_context_close(context);
    ck_assert_int_eq(fake_alive(), 0);
    gg_error_clear(&err);
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("pack");
  TCase *one = tcase_create("packs");
  tcase_add_loop_test(one, images, 0, sizeof rows / sizeof *rows);
  tcase_add_test(one, all_refused);
  tcase_add_test(one, left_out);
  tcase_add_loop_test(one, failures, 0, 5);
  suite_add_tcase(suite, one);
  return run_suite(suite);
}
