/* Packs of gg_gemm's kernels, choices that are remembered, and what does not wait for a compiler:
 * in one thread, in many, and in several processes. */
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "context.h"
#include "fake_driver.h"
#include "gemm_fixture.h"
#include "gemmgen_emu.h"
#include "jit.h"
#include "remembered.h"
#include "suite.h"

enum { device = 90 };

/* ---- Packs of kernels ------------------------------------------------------------------- */

static char warned[1024];

static void keep_warning(void *user, const char *message) {
  (void)user;
  snprintf(warned, sizeof warned, "%s", message);
}

/* On the emulator of sm_90; without NVRTC where `compiles` is false. */
static gg_context *open_context(const char *cache, bool compiles) {
  gg_error err = GG_ERROR_INIT;
  gg_context *context;
  gg_compiler_options compiler = {.size = sizeof(gg_compiler_options),
                                  .cache = cache,
                                  .nvrtc = compiles ? NULL : "/nowhere/libnvrtc.so",
                                  .warn = keep_warning};
  gg_context_options options = {
      .size = sizeof(gg_context_options), .provider = GG_PROVIDER_EMU, .compiler = &compiler};
  ck_assert_msg(gg_context_open(&context, &options, &err) == GG_OK, "%s", err.message);
  return context;
}

static gg_gemm *open_gemm(gg_context *context, const char *packs, gg_gemm_wait wait) {
  gg_error err = GG_ERROR_INIT;
  gg_gemm *gemm;
  gg_gemm_options options = {
      .size = sizeof(gg_gemm_options), .tuned = "", .packs = packs, .wait = wait};
  ck_assert_msg(gg_gemm_open(&gemm, context, &options, &err) == GG_OK, "%s", err.message);
  return gemm;
}

static gg_form bf16_form(void) {
  return gemm_form(GG_DTYPE_bf16, GG_DTYPE_bf16, GG_DTYPE_f32);
}

/* The name of the kernel that a product gets, or "" and the error. */
static const char *chosen(gg_gemm *gemm, gg_problem p, gg_error *err) {
  gg_gemm_choice choice = GG_GEMM_CHOICE_INIT;
  gg_form form = bf16_form();
  return gg_gemm_choose(&choice, gemm, &form, &p, err) ? "" : choice.kernel;
}

/* Writes a pack of what these products get of the catalogue, for operands aligned to `align`: for
 * the emulator, or a device, whose first `spilling` kernels compute in local memory. */
static void write_pack_for(const char *path, bool emulated, size_t spilling, int align,
                           const gg_extents *products, size_t count) {
  enum { most = 8 };
  gg_error err = GG_ERROR_INIT;
  gg_catalogue *catalogue;
  gg_lineup *lineup;
  gg_compiler *compiler;
  gg_form form = bf16_form();
  form.a.align = form.b.align = form.c.align = form.d.align = align;
  gg_device_model model = gg_device_model_of(NULL, device, 0);
  const gg_device_facts facts = {.arch = device, .emulated = emulated};
  gg_packed_place places[most];
  gg_packed_binary list[most];
  gg_kernel *kernels[most];
  gg_binary *compiled[most];
  ck_assert_int_eq(gg_catalogue_open(&catalogue, &err), GG_OK);
  ck_assert_int_eq(gg_lineup_make(&lineup, catalogue, &form, device, &err), GG_OK);
  ck_assert_int_eq(
      gg_compiler_open(&compiler,
                       &(gg_compiler_options){.size = sizeof(gg_compiler_options), .cache = ""},
                       &err),
      GG_OK);
  gg_ranked *ranked = gg_malloc(lineup->count * sizeof *ranked);
  for (size_t i = 0; i < count; i++) {
    gg_lineup_rank(ranked, lineup, products[i], &model, (gg_room){0, 0});
    const gg_candidate *best = &lineup->list[ranked[0].index];
    uint32_t local_bytes = i < spilling ? 8 : 0;
    places[i] = (gg_packed_place){best->place, local_bytes, gg_terms_of(&best->plan, model.arch)};
    ck_assert_int_eq(gg_kernel_generate(&kernels[i], &best->spec, &err), GG_OK);
    ck_assert_msg(gg_compile_for_device(&compiled[i], compiler, NULL, kernels[i], &facts, &err) ==
                      GG_OK,
                  "%s", err.message);
    list[i] = (gg_packed_binary){gg_compiled_key(compiler, kernels[i], compiled[i]),
                                 compiled[i]->data, compiled[i]->size};
  }
  gg_str text = GG_STR_INIT, name = GG_STR_INIT;
  ck_assert_int_eq(gg_pack_form_name(&name, &form, &err), GG_OK);
  gg_packed_form row = {gg_str_text(&name), align, align, 0, align, places, count};
  gg_pack_contents contents = {.device = device,
                               .nvrtc_major = compiler->nvrtc.major,
                               .nvrtc_minor = compiler->nvrtc.minor,
                               .forms = &row,
                               .form_count = 1,
                               .binaries = list,
                               .binary_count = count};
  gg_pack_file_build(&text, &contents);
  ck_assert(gg_file_write(path, text.text, text.length));
  for (size_t i = 0; i < count; i++) {
    gg_binary_free(compiled[i]);
    gg_kernel_free(kernels[i]);
  }
  gg_free(ranked);
  gg_str_free(&text);
  gg_str_free(&name);
  gg_compiler_close(compiler);
  gg_lineup_free(lineup);
  gg_catalogue_close(catalogue);
}

static void write_pack(const char *path, int align, const gg_extents *products, size_t count) {
  write_pack_for(path, true, 0, align, products, count);
}

static const gg_extents some[] = {{64, 64, 64, 1}, {512, 512, 512, 1}};

static const char *pack_of_some(const char *directory) {
  static char path[128];
  snprintf(path, sizeof path, "%s/some.pack", directory);
  write_pack(path, 16, some, 2);
  return path;
}

static gg_problem odd_problem(void) {
  gg_problem p = gemm_problem(64, 64, 64);
  p.lda = p.ldb = 65;
  return p;
}

/* With a pack and no compiler every product of its form is computed, by the fastest of what it
 * has: that of the catalogue where the pack has it. */
START_TEST(packs_do_without_a_compiler) {
  char directory[64], before[256], fallback[512];
  gg_error err = GG_ERROR_INIT;
  gg_prepared prepared;
  gg_form form = bf16_form();
  snprintf(directory, sizeof directory, "%s", fixture_directory());
  const char *path = pack_of_some(directory);
  gg_context *context = open_context("", true);
  gg_gemm *gemm = open_gemm(context, "", GG_GEMM_WAIT_BEST);
  snprintf(before, sizeof before, "%s", chosen(gemm, gemm_problem(64, 64, 64), &err));
  gg_gemm_close(gemm);
  gg_context_close(context);
  context = open_context("", false);
  gemm = open_gemm(context, path, GG_GEMM_WAIT_BEST);
  ck_assert_str_eq(chosen(gemm, gemm_problem(64, 64, 64), &err), before);
  gg_problem other = gemm_problem(1000, 776, 1232);
  ck_assert_int_eq(gg_gemm_prepare(&prepared, gemm, &form, &other, &err), GG_OK);
  ck_assert_str_eq(chosen(gemm, odd_problem(), &err), ""); /* of a form that it has not */
  assert_error(&err, GG_E_NO_NVRTC, "no NVRTC");
  gg_gemm_close(gemm);
  /* A second one has it, and one of none is passed over. */
  write_pack("odd.pack", 2, some, 1);
  snprintf(fallback, sizeof fallback, "%s::odd.pack", path);
  gemm = open_gemm(context, fallback, GG_GEMM_WAIT_BEST);
  ck_assert_str_ne(chosen(gemm, odd_problem(), &err), "");
  ck_assert_str_eq(chosen(gemm, gemm_problem(64, 64, 64), &err), before);
  gg_gemm_close(gemm);
  gg_context_close(context);
  unlink("odd.pack");
}
END_TEST

START_TEST(the_environment_names_packs) {
  char directory[64];
  gg_error err = GG_ERROR_INIT;
  gg_gemm *gemm;
  snprintf(directory, sizeof directory, "%s", fixture_directory());
  const char *path = pack_of_some(directory);
  gg_context *context = open_context("", false);
  setenv("GEMMGEN_PACKS", path, 1);
  gemm = open_gemm(context, NULL, GG_GEMM_WAIT_BEST);
  ck_assert_str_ne(chosen(gemm, gemm_problem(64, 64, 64), &err), "");
  gg_gemm_close(gemm);
  gemm = open_gemm(context, "", GG_GEMM_WAIT_BEST); /* the program's word goes first */
  ck_assert_str_eq(chosen(gemm, gemm_problem(64, 64, 64), &err), "");
  assert_error(&err, GG_E_NO_NVRTC, "");
  gg_gemm_close(gemm);
  setenv("GEMMGEN_PACKS", "/nowhere/none.pack", 1);
  gg_gemm_open(&gemm, context, NULL, &err);
  ck_assert_ptr_null(gemm);
  assert_error(&err, GG_E_PACK_FILE, "the pack /nowhere/none.pack cannot be used");
  gg_gemm_open(&gemm, context,
               &(gg_gemm_options){.size = sizeof(gg_gemm_options), .wait = (gg_gemm_wait)7}, &err);
  assert_error(&err, GG_E_GEMM_OPTION, "gg_gemm_options.wait is 7");
  unsetenv("GEMMGEN_PACKS");
  gg_context_close(context);
}
END_TEST

/* A binary that changed is compiled instead, with a warning; without a compiler it is an error. */
START_TEST(damaged_kernels_are_compiled) {
  char directory[64], *bytes;
  size_t size;
  gg_error err = GG_ERROR_INIT;
  snprintf(directory, sizeof directory, "%s", fixture_directory());
  const char *path = pack_of_some(directory);
  ck_assert_int_eq(gg_file_read(&bytes, &size, path, 1 << 28, &err), GG_OK);
  for (size_t at = size / 8; at < size; at += size / 8)
    bytes[at] ^= 1;
  ck_assert(gg_file_write(path, bytes, size));
  gg_free(bytes);
  for (int compiles = 0; compiles < 2; compiles++) {
    gg_context *context = open_context("", compiles);
    gg_gemm *gemm = open_gemm(context, path, GG_GEMM_WAIT_BEST);
    warned[0] = '\0';
    bool found = chosen(gemm, gemm_problem(64, 64, 64), &err)[0];
    ck_assert_int_eq(found, compiles);
    ck_assert_msg(strstr(warned, "is damaged: the binary of kernel") != NULL, "%s", warned);
    if (!found) assert_error(&err, GG_E_PACK_DAMAGED, "the binary of kernel");
    gg_gemm_close(gemm);
    gg_context_close(context);
  }
}
END_TEST

/* What a device without a compiler chooses of the pack, and how many kernels it has loaded then;
 * none computes in local memory but what the pack says. */
static const char *chosen_on_device(const char *pack, const char *spills, int *loaded) {
  static char name[FAKE_NAME_BYTES];
  gg_error err = GG_ERROR_INIT;
  gg_context *context;
  gg_driver driver = fake_table();
  gg_compiler_options compiler = {
      .size = sizeof(gg_compiler_options), .cache = "", .nvrtc = "/nowhere/libnvrtc.so"};
  gg_context_options options = {.size = sizeof(gg_context_options), .compiler = &compiler};
  fake_reset();
  fake.spills = spills;
  ck_assert_int_eq(gg_context_open_on(&context, &driver, &options, &err), GG_OK);
  gg_gemm *gemm = open_gemm(context, pack, GG_GEMM_WAIT_BEST);
  snprintf(name, sizeof name, "%s", chosen(gemm, gemm_problem(64, 64, 64), &err));
  ck_assert_msg(name[0], "%s", err.message);
  *loaded = fake.modules;
  gg_gemm_close(gemm);
  gg_context_close(context);
  return name;
}

/* A kernel that spills gives way to one that does not, as without packs; and where the pack says
 * so, it is not loaded to learn it. */
START_TEST(packs_know_what_spills) {
  char directory[64], path[128], fastest[FAKE_NAME_BYTES], next[FAKE_NAME_BYTES];
  int loaded;
  snprintf(directory, sizeof directory, "%s", fixture_directory());
  snprintf(path, sizeof path, "%s/device.pack", directory);
  write_pack_for(path, false, 0, 16, some, 2);
  snprintf(fastest, sizeof fastest, "%s", chosen_on_device(path, "none", &loaded));
  ck_assert_int_eq(loaded, 1);
  snprintf(next, sizeof next, "%s", chosen_on_device(path, fastest, &loaded));
  ck_assert_int_eq(loaded, 2);
  ck_assert_str_ne(next, fastest);
  write_pack_for(path, false, 1, 16, some, 2); /* the first is that of this product */
  ck_assert_str_eq(chosen_on_device(path, fastest, &loaded), next);
  ck_assert_int_eq(loaded, 1);
  write_pack_for(path, false, 2, 16, some, 2); /* both: the faster one serves */
  ck_assert_str_eq(chosen_on_device(path, NULL, &loaded), fastest);
  ck_assert_int_eq(loaded, 1);
}
END_TEST

/* Without a compiler, among what the pack has. */
START_TEST(packs_are_measured) {
  enum { side = 64, bytes = 2 * side * side };
  char directory[64];
  gg_error err = GG_ERROR_INIT;
  gg_gemm_choice choice = {.measuring = true};
  gg_form form = bf16_form();
  gg_problem p = gemm_problem(side, side, side);
  snprintf(directory, sizeof directory, "%s", fixture_directory());
  const char *path = pack_of_some(directory);
  gg_context *context = open_context(directory, false);
  gg_gemm *gemm;
  gg_gemm_options options = {
      .size = sizeof(gg_gemm_options), .tuned = "", .packs = path, .measure = 8};
  ck_assert_int_eq(gg_memory_alloc(&p.d, context, bytes, &err), GG_OK);
  ck_assert_int_eq(gg_memory_alloc(&p.a, context, bytes, &err), GG_OK);
  static const char zeros[bytes];
  ck_assert_int_eq(gg_memory_write(context, p.a, zeros, bytes, &err), GG_OK);
  p.b = p.a;
  ck_assert_int_eq(gg_gemm_open(&gemm, context, &options, &err), GG_OK);
  for (int i = 0; i < 3000 && choice.measuring; i++) {
    ck_assert_msg(gg_gemm_launch(gemm, &form, &p, NULL, &err) == GG_OK, "%s", err.message);
    choice = (gg_gemm_choice)GG_GEMM_CHOICE_INIT;
    ck_assert_int_eq(gg_gemm_choose(&choice, gemm, &form, &p, &err), GG_OK);
  }
  ck_assert(choice.measured);
  gg_gemm_close(gemm);
  choice = (gg_gemm_choice)GG_GEMM_CHOICE_INIT; /* it is remembered, for these packs */
  ck_assert_int_eq(gg_gemm_open(&gemm, context, &options, &err), GG_OK);
  ck_assert_int_eq(gg_gemm_choose(&choice, gemm, &form, &p, &err), GG_OK);
  ck_assert(choice.measured && !choice.measuring);
  gg_gemm_close(gemm);
  gg_memory_free(context, p.a);
  gg_memory_free(context, p.d);
  gg_context_close(context);
}
END_TEST

/* ---- What is remembered ----------------------------------------------------------------- */

/* Another process's choice: of a catalogue's kernel that the model would not take. */
static void remember_place(const gg_context *context, gg_catalogue_place place) {
  gg_error err = GG_ERROR_INIT;
  gg_roster_source source = {.arch = device};
  gg_remembered remembered;
  gg_form form = bf16_form();
  gg_problem p = gemm_problem(64, 64, 64);
  form.a.align = form.b.align = form.c.align = form.d.align = 16;
  ck_assert_int_eq(gg_remembered_open(&remembered, context, &source, &err), GG_OK);
  gg_remembered_add(&remembered, (gg_remembered_how){0}, &form, &p,
                    &(gg_remembered_choice){.place = place, .seconds = 1.5});
  gg_remembered_close(&remembered);
}

/* The only file of a cache's choices. */
static void choice_file(char *out, size_t size, const char *cache) {
  char folder[128];
  int count = 0;
  snprintf(folder, sizeof folder, "%s/choices", cache);
  DIR *opened = opendir(folder);
  ck_assert_ptr_nonnull(opened);
  for (struct dirent *row; (row = readdir(opened));) {
    if (row->d_name[0] == '.') continue;
    snprintf(out, size, "%s/%s", folder, row->d_name);
    count++;
  }
  closedir(opened);
  ck_assert_int_eq(count, 1);
}

static void choose_anew(char *name, size_t size, gg_context *context) {
  gg_error err = GG_ERROR_INIT;
  gg_gemm *gemm = open_gemm(context, "", GG_GEMM_WAIT_BEST);
  snprintf(name, size, "%s", chosen(gemm, gemm_problem(64, 64, 64), &err));
  ck_assert_msg(name[0], "%s", err.message);
  gg_gemm_close(gemm);
}

/* What is on the disk decides, so that nothing else was planned; what is damaged there does not. */
START_TEST(choices_are_remembered) {
  char cache[64], file[512], own[256], other[256], again[256], *bytes;
  size_t size;
  gg_error err = GG_ERROR_INIT;
  snprintf(cache, sizeof cache, "%s", fixture_directory());
  gg_context *context = open_context(cache, true);
  choose_anew(own, sizeof own, context);
  choice_file(file, sizeof file, cache);
  snprintf(other, sizeof other, "%s", own);
  for (uint16_t at = 0; at < 64 && strcmp(other, own) == 0; at++) {
    /* One that is not the model's, and is of the form: of the first two specs of each file. */
    remember_place(context, (gg_catalogue_place){at / 2, at % 2});
    choose_anew(other, sizeof other, context);
  }
  ck_assert_str_ne(other, own);
  ck_assert_int_eq(gg_file_read(&bytes, &size, file, 1 << 20, &err), GG_OK);
  for (size_t at = 0; at < size; at += 7) {
    bytes[at] ^= 1;
    ck_assert(gg_file_write(file, bytes, size));
    bytes[at] ^= 1;
    choose_anew(again, sizeof again, context);
    ck_assert_str_eq(again, own);
  }
  gg_free(bytes);
  remember_place(context, (gg_catalogue_place){999, 0}); /* no place of the catalogue */
  choose_anew(again, sizeof again, context);
  ck_assert_str_eq(again, own);
  gg_context_close(context);
}
END_TEST

/* The kernel of one product on so many multiprocessors. */
static const char *chosen_on(gg_gemm *gemm, int64_t multiprocessors) {
  gg_error err = GG_ERROR_INIT;
  gg_problem p = gemm_problem(4096, 2048, 512);
  p.multiprocessors = multiprocessors;
  const char *name = chosen(gemm, p, &err);
  ck_assert_msg(name[0], "%s", err.message);
  return name;
}

/* A launch that has a part of the device gets a kernel for that part, also where the product was
 * chosen for the whole device before: in this process, or in one that remembers it. */
START_TEST(choices_are_of_the_multiprocessors) {
  static const int64_t parts[] = {4, 16, 33, 66, 100};
  enum { part_count = sizeof parts / sizeof *parts };
  char cache[64], all[256], names[part_count][256];
  int others = 0;
  snprintf(cache, sizeof cache, "%s", fixture_directory());
  gg_context *context = open_context(cache, true);
  gg_gemm *gemm = open_gemm(context, "", GG_GEMM_WAIT_BEST);
  snprintf(all, sizeof all, "%s", chosen_on(gemm, 0));
  for (int i = 0; i < part_count; i++) {
    snprintf(names[i], sizeof names[i], "%s", chosen_on(gemm, parts[i]));
    others += strcmp(names[i], all) != 0;
  }
  ck_assert_int_gt(others, 0);
  ck_assert_str_eq(chosen_on(gemm, 0), all);
  ck_assert_str_eq(chosen_on(gemm, gg_context_device(context)->sm_count), all);
  ck_assert_str_eq(chosen_on(gemm, -1), all);
  gg_gemm_close(gemm);
  gemm = open_gemm(context, "", GG_GEMM_WAIT_BEST); /* by what is remembered, in another order */
  for (int i = part_count - 1; i >= 0; i--)
    ck_assert_str_eq(chosen_on(gemm, parts[i]), names[i]);
  ck_assert_str_eq(chosen_on(gemm, 0), all);
  gg_gemm_close(gemm);
  gg_context_close(context);
}
END_TEST

/* ---- What does not wait ----------------------------------------------------------------- */

static void wait_a_little(void) {
  nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
}

START_TEST(another_kernel_serves_meanwhile) {
  char cache[64], first[256], best[256], name[256];
  gg_error err = GG_ERROR_INIT;
  gg_problem large = gemm_problem(4096, 4096, 4096);
  gg_context *context = open_context("", true);
  gg_gemm *gemm = open_gemm(context, "", GG_GEMM_WAIT_BEST);
  snprintf(best, sizeof best, "%s", chosen(gemm, large, &err));
  gg_gemm_close(gemm);
  gg_context_close(context);
  snprintf(cache, sizeof cache, "%s", fixture_directory());
  context = open_context(cache, true);
  gemm = open_gemm(context, "", GG_GEMM_WAIT_LEAST);
  snprintf(first, sizeof first, "%s", chosen(gemm, gemm_problem(64, 64, 64), &err));
  ck_assert_str_ne(first, best);
  ck_assert_str_eq(chosen(gemm, large, &err), first); /* nothing else is compiled */
  for (int i = 0; i < 3000; i++) {
    snprintf(name, sizeof name, "%s", chosen(gemm, large, &err));
    if (strcmp(name, first) != 0) break;
    wait_a_little();
  }
  ck_assert_str_eq(name, best);
  chosen(gemm, gemm_problem(128, 8192, 8192), &err); /* closed while its best is compiled */
  gg_gemm_close(gemm);
  gemm =
      open_gemm(context, "", GG_GEMM_WAIT_LEAST); /* in the cache: there is nothing to wait for */
  ck_assert_str_eq(chosen(gemm, large, &err), best);
  gg_gemm_close(gemm);
  gg_context_close(context);
}
END_TEST

/* What a pack has serves until the catalogue's best is there; without a compiler it stays. */
START_TEST(packs_serve_meanwhile) {
  char directory[64], packed[256], name[256];
  gg_error err = GG_ERROR_INIT;
  gg_problem large = gemm_problem(4096, 4096, 4096);
  snprintf(directory, sizeof directory, "%s", fixture_directory());
  const char *path = pack_of_some(directory);
  gg_context *context = open_context("", false);
  gg_gemm *gemm = open_gemm(context, path, GG_GEMM_WAIT_LEAST);
  snprintf(packed, sizeof packed, "%s", chosen(gemm, large, &err));
  ck_assert_msg(packed[0], "%s", err.message);
  gg_gemm_close(gemm);
  gg_context_close(context);
  context = open_context("", true);
  gemm = open_gemm(context, path, GG_GEMM_WAIT_LEAST);
  ck_assert_str_eq(chosen(gemm, large, &err), packed);
  for (int i = 0; i < 3000; i++) {
    snprintf(name, sizeof name, "%s", chosen(gemm, large, &err));
    if (strcmp(name, packed) != 0) break;
    wait_a_little();
  }
  ck_assert_str_ne(name, packed);
  gg_gemm_close(gemm);
  gg_context_close(context);
}
END_TEST

/* ---- Many at a time --------------------------------------------------------------------- */

enum { thread_count = 100, product_count = 5 };

static gg_problem product_of(int index) {
  static const int64_t rows[product_count] = {64, 128, 512, 1000, 4096};
  return gemm_problem(rows[index % product_count], 512, 256);
}

typedef struct user {
  gg_gemm *gemm;
  int index;
  gg_status status;
  char kernels[product_count][128];
} user;

/* All products, each thread from another one on. */
static void *use(void *argument) {
  user *u = argument;
  for (int i = 0; i < product_count && !u->status; i++) {
    int index = (u->index + i) % product_count;
    gg_form form = bf16_form();
    gg_problem p = product_of(index);
    gg_prepared prepared;
    gg_gemm_choice choice = GG_GEMM_CHOICE_INIT;
    u->status = gg_gemm_prepare(&prepared, u->gemm, &form, &p, NULL);
    if (!u->status) u->status = gg_gemm_choose(&choice, u->gemm, &form, &p, NULL);
    if (!u->status) snprintf(u->kernels[index], sizeof u->kernels[index], "%s", choice.kernel);
  }
  return NULL;
}

/* On two contexts, of which one has the pack and waits for the best, and one waits for the least.
 */
static void use_by_threads(const char *cache, const char *pack) {
  static user users[thread_count];
  pthread_t threads[thread_count];
  gg_context *contexts[2];
  gg_gemm *gemms[2];
  for (int i = 0; i < 2; i++) {
    contexts[i] = open_context(cache, true);
    gemms[i] = open_gemm(contexts[i], i ? "" : pack, i ? GG_GEMM_WAIT_LEAST : GG_GEMM_WAIT_BEST);
  }
  for (int i = 0; i < thread_count; i++) {
    users[i] = (user){.gemm = gemms[i % 2], .index = i / 2};
    ck_assert_int_eq(pthread_create(&threads[i], NULL, use, &users[i]), 0);
  }
  for (int i = 0; i < thread_count; i++)
    pthread_join(threads[i], NULL);
  for (int i = 0; i < thread_count; i++) {
    ck_assert_int_eq(users[i].status, GG_OK);
    for (int j = 0; j < product_count && i % 2 == 0; j++)
      ck_assert_str_eq(users[i].kernels[j], users[0].kernels[j]);
  }
  for (int i = 0; i < 2; i++) {
    gg_gemm_close(gemms[i]);
    gg_context_close(contexts[i]);
  }
}

START_TEST(a_hundred_threads_use_one_cache) {
  char cache[64];
  snprintf(cache, sizeof cache, "%s", fixture_directory());
  use_by_threads(cache, pack_of_some(cache));
}
END_TEST

START_TEST(four_processes_use_one_cache) {
  enum { processes = 4 };
  char cache[64];
  pid_t children[processes];
  snprintf(cache, sizeof cache, "%s", fixture_directory());
  const char *pack = pack_of_some(cache);
  for (int i = 0; i < processes; i++) {
    children[i] = fork();
    if (children[i] == 0) {
      use_by_threads(cache, pack);
      _exit(0);
    }
  }
  for (int i = 0; i < processes; i++) {
    int status;
    ck_assert_int_eq(waitpid(children[i], &status, 0), children[i]);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
}
END_TEST

int main(void) {
  fixture_begin();
  Suite *suite = suite_create("packs");
  TCase *tcase = tcase_create("packs");
  tcase_set_timeout(tcase, 240);
  if (fixture_has_nvrtc()) {
    tcase_add_test(tcase, packs_do_without_a_compiler);
    tcase_add_test(tcase, the_environment_names_packs);
    tcase_add_test(tcase, damaged_kernels_are_compiled);
    tcase_add_test(tcase, packs_know_what_spills);
    tcase_add_test(tcase, packs_are_measured);
    tcase_add_test(tcase, choices_are_remembered);
    tcase_add_test(tcase, choices_are_of_the_multiprocessors);
    tcase_add_test(tcase, another_kernel_serves_meanwhile);
    tcase_add_test(tcase, packs_serve_meanwhile);
    tcase_add_test(tcase, a_hundred_threads_use_one_cache);
    tcase_add_test(tcase, four_processes_use_one_cache);
  }
  suite_add_tcase(suite, tcase);
  int status = run_suite(suite);
  fixture_end();
  return status;
}
