/* Packs and remembered choices as files: what is written is read, what is damaged, cut short or
 * another library's is told, and writers that are killed leave whole files. */
#include <dirent.h>
#include <nettle/sha2.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "gemm_fixture.h"
#include "pack_file.h"
#include "suite.h"

/* ---- A pack without a compiler ---------------------------------------------------------- */

enum { binary_count = 3, device = 90 };

static const char *const binaries[binary_count] = {"the first binary", "another one", "a third"};

static gg_cache_key key_of(const char *text) {
  return gg_cache_key_of(&text, 1);
}

/* Two forms and three binaries, known by their own texts. */
static void build_made_up(gg_str *out, int arch) {
  static const gg_packed_place places[] = {{.place = {10, 3}, .terms.threads = 384},
                                           {.place = {10, 4}, .terms.threads = 256},
                                           {.place = {11, 0}, .terms.threads = 128}};
  const gg_packed_form forms[] = {
      {"bf16,bf16,bf16,f32,kkn", 16, 16, 0, 16, places, 2},
      {"bf16,bf16,bf16,f32,kkn", 2, 2, 0, 2, places + 1, 2},
  };
  gg_packed_binary list[binary_count];
  for (int i = 0; i < binary_count; i++)
    list[i] = (gg_packed_binary){key_of(binaries[i]), binaries[i], strlen(binaries[i])};
  gg_pack_contents contents = {.device = arch,
                               .nvrtc_major = 13,
                               .forms = forms,
                               .form_count = 2,
                               .binaries = list,
                               .binary_count = binary_count};
  gg_pack_file_build(out, &contents);
  ck_assert(!out->failed);
}

static const char *write_file(const char *bytes, size_t size) {
  static char path[128];
  snprintf(path, sizeof path, "%s/a.pack", fixture_directory());
  ck_assert(gg_file_write(path, bytes, size));
  return path;
}

/* A form that the made up pack has, with these alignments. */
static gg_form form_of(int align) {
  gg_form form = gemm_form(GG_DTYPE_bf16, GG_DTYPE_bf16, GG_DTYPE_f32);
  form.a.align = form.b.align = form.c.align = form.d.align = align;
  return form;
}

/* Of how many of the two forms the terms are as they were written; of others an error says so. */
static int whole_forms(const gg_packs *packs) {
  int whole = 0;
  for (int align = 2; align <= 16; align += 14) {
    gg_form form = form_of(align);
    gg_packed_place *places;
    size_t count;
    gg_error err = GG_ERROR_INIT;
    if (gg_packs_places(&places, &count, packs, &form, &err)) {
      assert_error(&err, GG_E_PACK_FILE,
                   "what it says of a form's kernels is not what was written");
      continue;
    }
    ck_assert_uint_eq(count, 2);
    ck_assert_int_eq(places[0].terms.threads + places[1].terms.threads, align == 16 ? 640 : 384);
    gg_free(places);
    whole++;
  }
  return whole;
}

/* Opens the bytes as a pack; gives the status, and of what is open how many binaries and how many
 * forms' terms are whole. */
static gg_status open_bytes(const char *bytes, size_t size, int *whole, int *forms, gg_error *err) {
  gg_packs packs;
  gg_status st = gg_packs_open(&packs, write_file(bytes, size), device, err);
  *whole = 0;
  *forms = st ? 0 : whole_forms(&packs);
  for (int i = 0; i < binary_count && !st; i++) {
    gg_cache_key key = key_of(binaries[i]);
    const void *data;
    size_t length;
    ck_assert_uint_eq(packs.count, 1);
    if (gg_pack_file_find(&data, &length, packs.list[0], &key) != GG_PACKED_WHOLE) continue;
    ck_assert_uint_eq(length, strlen(binaries[i]));
    ck_assert_str_eq(data, binaries[i]); /* a NUL follows */
    ++*whole;
  }
  if (!st) gg_packs_close(&packs);
  return st;
}

START_TEST(packs_have_what_was_packed) {
  gg_str text = GG_STR_INIT;
  gg_error err = GG_ERROR_INIT;
  gg_packs packs;
  int whole, forms;
  build_made_up(&text, device);
  ck_assert_int_eq(open_bytes(text.text, text.length, &whole, &forms, &err), GG_OK);
  ck_assert_int_eq(whole, binary_count);
  ck_assert_int_eq(forms, 2);
  ck_assert_int_eq(gg_packs_open(&packs, write_file(text.text, text.length), device, &err), GG_OK);
  const void *data;
  size_t size;
  gg_cache_key key = key_of("nothing");
  ck_assert_int_eq(gg_pack_file_find(&data, &size, packs.list[0], &key), GG_PACKED_NONE);
  gg_packs_close(&packs);
  gg_str_free(&text);
}
END_TEST

/* Which form a product of these alignments gets its kernels from; 0: from none. */
START_TEST(packs_serve_what_is_as_aligned) {
  static const struct {
    int a, b, d, served;
  } all[] = {{16, 16, 16, 16}, {16, 16, 8, 2}, {4, 8, 16, 2}, {2, 2, 2, 2}, {1, 16, 16, 0}};
  gg_str text = GG_STR_INIT;
  gg_error err = GG_ERROR_INIT;
  gg_packs packs;
  build_made_up(&text, device);
  ck_assert_int_eq(gg_packs_open(&packs, write_file(text.text, text.length), device, &err), GG_OK);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    gg_form form = form_of(all[i].d), served;
    form.a.align = all[i].a, form.b.align = all[i].b;
    bool serves;
    ck_assert_int_eq(gg_packs_serve(&serves, &served, &packs, &form, &err), GG_OK);
    ck_assert_int_eq(serves, all[i].served > 0);
    if (!serves) continue;
    ck_assert_int_eq(served.a.align, all[i].served);
    gg_packed_place *places;
    size_t count;
    ck_assert_int_eq(gg_packs_places(&places, &count, &packs, &served, &err), GG_OK);
    ck_assert_uint_eq(count, 2);
    ck_assert_uint_eq(places[0].place.spec, all[i].served == 16 ? 3 : 4);
    ck_assert_int_eq(places[0].terms.threads, all[i].served == 16 ? 384 : 256);
    gg_free(places);
    form.has_c = true; /* which none of them has */
    ck_assert_int_eq(gg_packs_serve(&serves, &served, &packs, &form, &err), GG_OK);
    ck_assert(!serves);
  }
  gg_packs_close(&packs);
  gg_str_free(&text);
}
END_TEST

/* What a byte is of, as a flip of it tells. */
enum { OF_INDEX, OF_TERMS, OF_BINARY, OF_PADDING, part_count };

/* Flips the byte: the pack is refused, or the one form or binary that it is of is not taken. */
static int part_of(gg_str *text, size_t at) {
  gg_error err = GG_ERROR_INIT;
  int whole, forms;
  text->text[at] ^= 0x10;
  gg_status st = open_bytes(text->text, text->length, &whole, &forms, &err);
  text->text[at] ^= 0x10;
  gg_error_clear(&err);
  ck_assert_msg(st == GG_OK || st == GG_E_PACK_FILE || st == GG_E_PACK_LIBRARY, "byte %zu", at);
  if (st) return OF_INDEX;
  ck_assert_msg((whole == binary_count) + (forms == 2) > 0, "byte %zu", at);
  ck_assert_int_ge(whole, binary_count - 1);
  ck_assert_int_ge(forms, 1);
  return forms < 2 ? OF_TERMS : whole < binary_count ? OF_BINARY : OF_PADDING;
}

/* Every byte of the made up pack, but of the terms, which are most of it, each `step`th. */
START_TEST(no_flipped_byte_goes_unseen) {
  enum { step = 29, index_bytes = 200 + 3 * 80 + 2 * 64 + 4 * 8 + 2 * 23, line = 64 };
  gg_str text = GG_STR_INIT;
  size_t parts[part_count] = {0}, all = 0;
  build_made_up(&text, device);
  size_t begin = (index_bytes + line - 1) / line * line, end = begin + 4 * sizeof(gg_terms);
  for (size_t at = 0; at < text.length; at += at >= begin && at + step < end ? step : 1)
    parts[part_of(&text, at)]++;
  for (int i = 0; i < binary_count; i++)
    all += strlen(binaries[i]) + 1;
  ck_assert_uint_eq(parts[OF_INDEX], index_bytes);
  ck_assert_uint_ge(parts[OF_TERMS], 4 * sizeof(gg_terms) / step);
  ck_assert_uint_eq(parts[OF_BINARY], all);
  gg_str_free(&text);
}
END_TEST

START_TEST(cut_packs_are_refused) {
  gg_str text = GG_STR_INIT;
  gg_error err = GG_ERROR_INIT;
  int whole, forms;
  build_made_up(&text, device);
  for (size_t size = 0; size < text.length; size += size < 900 ? 1 : 13) {
    ck_assert_int_eq(open_bytes(text.text, size, &whole, &forms, &err), GG_E_PACK_FILE);
    assert_error(&err, GG_E_PACK_FILE, "cut short");
  }
  gg_str_putc(&text, '\0');
  open_bytes(text.text, text.length, &whole, &forms, &err);
  assert_error(&err, GG_E_PACK_FILE, "not as many bytes as were written");
  gg_str_free(&text);
}
END_TEST

/* Where numbers stand in a header. */
enum { checksum_at = 8, format_at = 40, fingerprint_at = 80, index_bytes_at = 184 };
enum { first_offset_at = 200 + 64 /* of the first kernel's binary */ };

/* As somebody does who changes an index and knows how. */
static void sign(gg_str *text) {
  uint64_t index;
  struct sha256_ctx hash;
  memcpy(&index, text->text + index_bytes_at, sizeof index);
  sha256_init(&hash);
  sha256_update(&hash, (size_t)index - format_at, (const uint8_t *)text->text + format_at);
  sha256_digest(&hash, GG_CACHE_DIGEST, (uint8_t *)text->text + checksum_at);
}

/* Of another library, whose file is whole; and of nobody's, which leads elsewhere. */
START_TEST(packs_of_others_are_told) {
  gg_str text = GG_STR_INIT;
  gg_error err = GG_ERROR_INIT;
  gg_packs packs;
  int whole, forms;
  build_made_up(&text, device);
  text.text[format_at]++;
  open_bytes(text.text, text.length, &whole, &forms, &err);
  assert_error(&err, GG_E_PACK_LIBRARY, "made by gemmgen ");
  text.text[format_at]--;
  text.text[fingerprint_at] ^= 1; /* and so the checksum is wrong: it is damaged */
  open_bytes(text.text, text.length, &whole, &forms, &err);
  assert_error(&err, GG_E_PACK_FILE, "its index is not what was written");
  sign(&text);
  open_bytes(text.text, text.length, &whole, &forms, &err);
  assert_error(&err, GG_E_PACK_LIBRARY, "is of another library: it was made by gemmgen ");
  text.text[fingerprint_at] ^= 1;
  text.text[first_offset_at + 4] = 1; /* 4 GiB on */
  sign(&text);
  open_bytes(text.text, text.length, &whole, &forms, &err);
  assert_error(&err, GG_E_PACK_FILE, "its index leads out of the file");
  text.length = 0;
  build_made_up(&text, 100);
  ck_assert_int_eq(gg_packs_open(&packs, write_file(text.text, text.length), device, &err), GG_OK);
  ck_assert_uint_eq(packs.count, 0); /* for other devices: left out */
  gg_packs_close(&packs);
  gg_str_free(&text);
}
END_TEST

START_TEST(what_is_no_pack_is_told) {
  gg_error err = GG_ERROR_INIT;
  gg_packs packs;
  char path[128];
  int whole, forms;
  char zeros[1000] = {0};
  open_bytes(zeros, sizeof zeros, &whole, &forms, &err);
  assert_error(&err, GG_E_PACK_FILE, "it is no pack of kernels");
  snprintf(path, sizeof path, "%s", fixture_directory());
  gg_packs_open(&packs, path, device, &err);
  assert_error(&err, GG_E_PACK_FILE, "it is no regular file");
  snprintf(path, sizeof path, "%s/none", fixture_directory());
  gg_packs_open(&packs, path, device, &err);
  assert_error(&err, GG_E_PACK_FILE, "No such file");
  ck_assert_int_eq(mkfifo(path, 0600), 0);
  gg_packs_open(&packs, path, device, &err); /* which nobody writes: it does not wait */
  assert_error(&err, GG_E_PACK_FILE, "it is no regular file");
  ck_assert_int_eq(gg_packs_open(&packs, "::", device, &err), GG_OK);
  ck_assert_uint_eq(packs.count, 0);
  gg_packs_close(&packs);
}
END_TEST

/* However many products there are. */
START_TEST(choices_have_bounded_room) {
  enum { products = 8000, files_most = 4096 };
  gg_error err = GG_ERROR_INIT;
  gg_cache cache;
  char text[16], folder[128];
  int files = 0, kept = 0;
  ck_assert_int_eq(gg_cache_open(&cache, fixture_directory(), 0, &err), GG_OK);
  for (int i = 0; i < products; i++) {
    gg_str value = GG_STR_INIT;
    snprintf(text, sizeof text, "%d", i);
    gg_cache_key key = key_of(text);
    gg_str_puts(&value, text);
    gg_cache_remember(&cache, &key, &value);
    gg_str_free(&value);
  }
  snprintf(folder, sizeof folder, "%s/choices", cache.directory);
  DIR *opened = opendir(folder);
  while (readdir(opened))
    files++;
  closedir(opened);
  for (int i = 0; i < products; i++) {
    gg_str value = GG_STR_INIT;
    snprintf(text, sizeof text, "%d", i);
    gg_cache_key key = key_of(text);
    bool found = gg_cache_recall(&value, &cache, &key);
    if (found) ck_assert_str_eq(gg_str_text(&value), text); /* never another's */
    kept += found;
    gg_str_free(&value);
  }
  ck_assert_int_le(files, files_most + 2);
  ck_assert_int_eq(kept, files - 2);
  gg_cache_clear(&cache);
  ck_assert_int_eq(access(folder, F_OK), 0);
  gg_cache_key key = key_of("7999");
  gg_str value = GG_STR_INIT;
  ck_assert(!gg_cache_recall(&value, &cache, &key));
  gg_cache_close(&cache);
}
END_TEST

/* ---- Killed ----------------------------------------------------------------------------- */

enum { large_binary = 1 << 18 };

/* Writes, without end, one entry, one choice and one pack, each all of one letter or another. */
static void write_endlessly(const char *directory) {
  gg_error err = GG_ERROR_INIT;
  gg_cache cache;
  char path[128];
  gg_cache_open(&cache, directory, 0, &err);
  snprintf(path, sizeof path, "%s/killed.pack", directory);
  for (unsigned i = 0;; i++) {
    gg_str binary = GG_STR_INIT, log = GG_STR_INIT, why = GG_STR_INIT, pack = GG_STR_INIT;
    gg_cache_key key = key_of("killed");
    for (int j = 0; j < large_binary; j++)
      gg_str_putc(&binary, (char)('a' + i % 2));
    gg_cache_put(&cache, &key, &binary, &log, &why);
    gg_cache_remember(&cache, &key, &binary);
    gg_packed_binary packed = {key, binary.text, binary.length};
    gg_pack_contents contents = {.device = device, .binaries = &packed, .binary_count = 1};
    gg_pack_file_build(&pack, &contents);
    gg_file_write(path, pack.text, pack.length);
    gg_str_free(&binary);
    gg_str_free(&pack);
    gg_str_free(&why);
  }
}

static bool is_one_letter(const char *text, size_t length) {
  return length == large_binary && (text[0] == 'a' || text[0] == 'b') &&
         memcmp(text, text + 1, length - 1) == 0;
}

/* How many of the three there are; each is whole. */
static int read_whole(const char *directory) {
  gg_error err = GG_ERROR_INIT;
  gg_cache cache;
  gg_packs packs;
  char path[128];
  int found = 0;
  gg_str binary = GG_STR_INIT, log = GG_STR_INIT, why = GG_STR_INIT, choice = GG_STR_INIT;
  gg_cache_key key = key_of("killed");
  ck_assert_int_eq(gg_cache_open(&cache, directory, 0, &err), GG_OK);
  if (gg_cache_get(&binary, &log, &cache, &key, &why)) {
    ck_assert(is_one_letter(binary.text, binary.length));
    found++;
  }
  if (gg_cache_recall(&choice, &cache, &key)) {
    ck_assert(is_one_letter(choice.text, choice.length));
    found++;
  }
  snprintf(path, sizeof path, "%s/killed.pack", directory);
  if (access(path, F_OK) == 0) {
    const void *data;
    size_t size;
    ck_assert_msg(gg_packs_open(&packs, path, device, &err) == GG_OK, "%s", err.message);
    ck_assert_int_eq(gg_pack_file_find(&data, &size, packs.list[0], &key), GG_PACKED_WHOLE);
    ck_assert(is_one_letter(data, size));
    gg_packs_close(&packs);
    found++;
  }
  gg_str_free(&binary);
  gg_str_free(&choice);
  gg_str_free(&log);
  gg_str_free(&why);
  gg_cache_close(&cache);
  return found;
}

/* Readers see whole files alone, whenever a writer is killed; what it left does not stand in the
 * way of the next one. */
START_TEST(killed_writers_leave_whole_files) {
  enum { kills = 12 };
  char directory[64];
  snprintf(directory, sizeof directory, "%s", fixture_directory());
  for (int i = 0; i < kills; i++) {
    pid_t child = fork();
    if (child == 0) write_endlessly(directory);
    for (int j = 0; j < 3; j++) {
      read_whole(directory);
      nanosleep(&(struct timespec){.tv_nsec = 1000000 + i * 700003L % 9000000}, NULL);
    }
    ck_assert_int_eq(kill(child, SIGKILL), 0);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    read_whole(directory);
  }
  pid_t last = fork();
  if (last == 0) write_endlessly(directory);
  for (int i = 0; i < 1000 && read_whole(directory) < 3; i++)
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
  ck_assert_int_eq(kill(last, SIGKILL), 0);
  ck_assert_int_eq(waitpid(last, NULL, 0), last);
  ck_assert_int_eq(read_whole(directory), 3);
}
END_TEST

int main(void) {
  fixture_begin();
  Suite *suite = suite_create("pack files");
  TCase *tcase = tcase_create("pack files");
  tcase_set_timeout(tcase, 240);
  tcase_add_test(tcase, packs_have_what_was_packed);
  tcase_add_test(tcase, packs_serve_what_is_as_aligned);
  tcase_add_test(tcase, no_flipped_byte_goes_unseen);
  tcase_add_test(tcase, cut_packs_are_refused);
  tcase_add_test(tcase, packs_of_others_are_told);
  tcase_add_test(tcase, what_is_no_pack_is_told);
  tcase_add_test(tcase, choices_have_bounded_room);
  tcase_add_test(tcase, killed_writers_leave_whole_files);
  suite_add_tcase(suite, tcase);
  int status = run_suite(suite);
  fixture_end();
  return status;
}
