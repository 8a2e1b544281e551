/* Fat binaries, whole and damaged. */
#include <stdlib.h>
#include <string.h>

#include "emu/cudart/fatbin.h"
#include "suite.h"

enum { header_bytes = 16, entry_bytes = 64, image_max = 1024 };

typedef struct image {
  unsigned char bytes[image_max];
  size_t size;
} image;

static void put(unsigned char *to, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; i++)
    to[i] = (unsigned char)(value >> 8 * i);
}

static void begin(image *out) {
  *out = (image){.size = header_bytes};
  put(out->bytes, 0xba55ed50, 4);
  put(out->bytes + 4, 1, 2);
  put(out->bytes + 6, header_bytes, 2);
}

/* An entry of `kind` (1 PTX, 2 cubin); its code is padded to 8 bytes. */
static void add(image *out, int kind, unsigned arch, unsigned flags, const void *code,
                size_t stored, size_t bytes) {
  unsigned char *entry = out->bytes + out->size;
  size_t padded = (stored + 7) / 8 * 8;
  put(entry, (uint64_t)kind, 2);
  put(entry + 2, 0x101, 2);
  put(entry + 4, entry_bytes, 4);
  put(entry + 8, padded, 8);
  put(entry + 16, flags ? stored : 0, 4);
  put(entry + 28, arch, 4);
  put(entry + 40, flags, 8);
  put(entry + 56, flags ? bytes : 0, 8);
  memcpy(entry + entry_bytes, code, stored);
  out->size += entry_bytes + padded;
  put(out->bytes + 8, out->size - header_bytes, 8);
}

static const char text[] = ".version 8.0\n.target sm_80\n";

START_TEST(the_newest_comes_first) {
  image made;
  fatbin fat;
  char why[FATBIN_WHY];
  begin(&made);
  add(&made, 1, 80, 0, text, sizeof text, 0);
  add(&made, 2, 90, 0, "cubin", 5, 0);
  add(&made, 1, 90, 0, text, sizeof text, 0);
  ck_assert(fatbin_read(&fat, made.bytes, made.size, why));
  ck_assert_uint_eq(fat.count, 2);
  ck_assert_uint_eq(fat.cubins, 1);
  ck_assert_uint_eq(fat.ptx[0].arch, 90);
  ck_assert_uint_eq(fat.ptx[1].arch, 80);
  char *got = fatbin_text(&fat.ptx[1], why);
  ck_assert_ptr_nonnull(got);
  ck_assert_str_eq(got, text);
  free(got);
}
END_TEST

START_TEST(what_is_no_fat_binary) {
  image made;
  fatbin fat;
  char why[FATBIN_WHY];
  begin(&made);
  put(made.bytes, 0x12345678, 4);
  ck_assert(!fatbin_read(&fat, made.bytes, made.size, why));
  ck_assert_str_eq(why, "it begins with 0x12345678, and a fat binary with 0xba55ed50");
  ck_assert(!fatbin_read(&fat, NULL, SIZE_MAX, why));
}
END_TEST

START_TEST(compressed_code_that_is_none) {
  static const unsigned flags[] = {0x2000, 0x8000};
  for (int i = 0; i < 2; i++) {
    image made;
    fatbin fat;
    char why[FATBIN_WHY];
    begin(&made);
    add(&made, 1, 90, flags[i], "\xff\xff\xff\xff\xff\xff\xff\xff", 8, 100);
    ck_assert(fatbin_read(&fat, made.bytes, made.size, why));
    ck_assert_ptr_null(fatbin_text(&fat.ptx[0], why));
    ck_assert_ptr_nonnull(strstr(why, "PTX"));
  }
}
END_TEST

/* Truncated anywhere, with its header's size as it was or as it is; the memory behind is not ours.
 */
START_TEST(truncated) {
  image made;
  begin(&made);
  add(&made, 1, 80, 0, text, sizeof text, 0);
  add(&made, 1, 90, 0x2000, "\x10z", 2, 1);
  for (size_t size = 0; size < made.size; size++) {
    fatbin fat;
    char why[FATBIN_WHY] = "";
    unsigned char *part = malloc(size + 1);
    memcpy(part, made.bytes, size);
    ck_assert(!fatbin_read(&fat, part, size, why));
    ck_assert_str_ne(why, "");
    if (size >= header_bytes) {
      put(part + 8, size - header_bytes, 8);
      fatbin_read(&fat, part, size, why);
    }
    free(part);
  }
}
END_TEST

/* Random bytes changed: whatever is read, no byte outside is. */
START_TEST(damaged) {
  image made;
  uint64_t state = 1;
  begin(&made);
  add(&made, 1, 80, 0, text, sizeof text, 0);
  add(&made, 1, 90, 0x2000, "\x10z", 2, 1);
  add(&made, 1, 90, 0x8000, "\x28\xb5\x2f\xfd\x20\x00\x01\x00\x00", 9, 0);
  for (int round = 0; round < 100000; round++) {
    fatbin fat;
    char why[FATBIN_WHY];
    unsigned char *copy = malloc(made.size);
    memcpy(copy, made.bytes, made.size);
    for (int i = 0; i < 1 + round % 4; i++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      copy[4 + (state >> 33) % (made.size - 4)] = (unsigned char)(state >> 24);
    }
    if (fatbin_read(&fat, copy, made.size, why)) {
      for (size_t i = 0; i < fat.count; i++)
        if (fat.ptx[i].bytes < 1 << 20) free(fatbin_text(&fat.ptx[i], why));
    }
    free(copy);
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("fatbin");
  TCase *all = tcase_create("entries");
  tcase_set_timeout(all, 60);
  tcase_add_test(all, the_newest_comes_first);
  tcase_add_test(all, what_is_no_fat_binary);
  tcase_add_test(all, compressed_code_that_is_none);
  tcase_add_test(all, truncated);
  tcase_add_test(all, damaged);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
