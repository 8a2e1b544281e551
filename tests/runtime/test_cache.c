/* The disk cache: damage, limits, rights, races. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cache.h"
#include "fixture.h"
#include "suite.h"

static gg_error err = GG_ERROR_INIT;

static gg_cache open_cache(const char *directory, int64_t limit) {
  gg_cache cache;
  ck_assert_int_eq(gg_cache_open(&cache, directory, limit, &err), GG_OK);
  return cache;
}

static gg_cache_key key_of(const char *text) {
  return gg_cache_key_of(&text, 1);
}

static bool put(const gg_cache *cache, const char *name, const char *binary, const char *log) {
  gg_str b = GG_STR_INIT, l = GG_STR_INIT, why = GG_STR_INIT;
  gg_str_puts(&b, binary);
  gg_str_puts(&l, log);
  gg_cache_key key = key_of(name);
  bool ok = gg_cache_put(cache, &key, &b, &l, &why);
  gg_str_free(&b);
  gg_str_free(&l);
  gg_str_free(&why);
  return ok;
}

/* Whether the entry is there; then it must be `binary`. */
static bool has(const gg_cache *cache, const char *name, const char *binary) {
  gg_str b = GG_STR_INIT, l = GG_STR_INIT, why = GG_STR_INIT;
  gg_cache_key key = key_of(name);
  bool found = gg_cache_get(&b, &l, cache, &key, &why);
  gg_str_free(&why);
  if (found) ck_assert_str_eq(gg_str_text(&b), binary);
  gg_str_free(&b);
  gg_str_free(&l);
  return found;
}

/* Long enough for the next access to have a later time. */
static void pause_a_little(void) {
  nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
}

/* The path of the only file in the directory. */
static void only_file(char *out, size_t size, const char *directory) {
  DIR *dir = opendir(directory);
  int count = 0;
  for (struct dirent *row; (row = readdir(dir));) {
    if (row->d_name[0] == '.') continue;
    snprintf(out, size, "%s/%s", directory, row->d_name);
    count++;
  }
  closedir(dir);
  ck_assert_int_eq(count, 1);
}

START_TEST(keys_tell_lists_apart) {
  const char *one[] = {"ab", "c"}, *other[] = {"a", "bc"}, *joined[] = {"abc"};
  gg_cache_key a = gg_cache_key_of(one, 2), b = gg_cache_key_of(other, 2);
  gg_cache_key c = gg_cache_key_of(joined, 1), again = gg_cache_key_of(one, 2);
  ck_assert_mem_ne(a.digest, b.digest, GG_CACHE_DIGEST);
  ck_assert_mem_ne(a.digest, c.digest, GG_CACHE_DIGEST);
  ck_assert_mem_eq(a.digest, again.digest, GG_CACHE_DIGEST);
}
END_TEST

START_TEST(keeps_binary_and_log) {
  gg_str path = GG_STR_INIT;
  gg_str_printf(&path, "%s/deep/er", fixture_directory());
  gg_cache cache = open_cache(gg_str_text(&path), 0);
  ck_assert(!has(&cache, "k", ""));
  ck_assert(put(&cache, "k", "binary", "warning"));
  gg_str b = GG_STR_INIT, l = GG_STR_INIT;
  gg_cache_key key = key_of("k");
  ck_assert(gg_cache_get(&b, &l, &cache, &key, NULL));
  ck_assert_str_eq(gg_str_text(&b), "binary");
  ck_assert_str_eq(gg_str_text(&l), "warning");
  ck_assert_int_eq(gg_cache_usage_of(&cache).entries, 1);
  ck_assert_int_eq(gg_cache_clear(&cache).entries, 1);
  ck_assert_int_eq(gg_cache_usage_of(&cache).entries, 0);
  gg_str_free(&b);
  gg_str_free(&l);
  gg_str_free(&path);
  gg_cache_close(&cache);
}
END_TEST

START_TEST(damage_is_a_miss_and_is_repaired) {
  const char *directory = fixture_directory();
  char file[512];
  gg_cache cache = open_cache(directory, 0);
  ck_assert(put(&cache, "k", "binary", "log"));
  only_file(file, sizeof file, directory);
  struct stat facts;
  ck_assert_int_eq(stat(file, &facts), 0);
  for (off_t at = 0; at < facts.st_size; at++) { /* any byte flipped */
    int fd = open(file, O_RDWR);
    char byte;
    ck_assert_int_eq(pread(fd, &byte, 1, at), 1);
    byte ^= 1;
    ck_assert_int_eq(pwrite(fd, &byte, 1, at), 1);
    close(fd);
    ck_assert_msg(!has(&cache, "k", "binary"), "byte %d", (int)at);
    ck_assert(put(&cache, "k", "binary", "log"));
    ck_assert(has(&cache, "k", "binary"));
  }
  for (off_t size = 0; size < facts.st_size; size += 3) { /* any length cut */
    ck_assert_int_eq(truncate(file, size), 0);
    ck_assert(!has(&cache, "k", "binary"));
    ck_assert(put(&cache, "k", "binary", "log"));
  }
  gg_cache_close(&cache);
}
END_TEST

START_TEST(an_entry_under_another_name_is_a_miss) {
  const char *directory = fixture_directory();
  char file[512];
  gg_cache cache = open_cache(directory, 0);
  ck_assert(put(&cache, "one", "1", ""));
  only_file(file, sizeof file, directory);
  gg_str other = GG_STR_INIT;
  gg_cache_key key = key_of("two");
  gg_str_printf(&other, "%s/", directory);
  for (int i = 0; i < GG_CACHE_DIGEST; i++)
    gg_str_printf(&other, "%02x", key.digest[i]);
  gg_str_puts(&other, ".kernel");
  ck_assert_int_eq(rename(file, gg_str_text(&other)), 0);
  ck_assert(!has(&cache, "two", "1"));
  gg_str_free(&other);
  gg_cache_close(&cache);
}
END_TEST

/* What others can have written is neither used nor trusted, and the reason is given. */
static void check_distrusted(const gg_cache *cache, const char *file) {
  gg_str b = GG_STR_INIT, l = GG_STR_INIT, why = GG_STR_INIT;
  gg_cache_key key = key_of("k");
  ck_assert(!gg_cache_get(&b, &l, cache, &key, &why));
  ck_assert_ptr_nonnull(strstr(gg_str_text(&why), file));
  gg_str_free(&why);
}

START_TEST(entries_that_others_may_write_are_a_miss) {
  const char *directory = fixture_directory();
  char file[512];
  gg_cache cache = open_cache(directory, 0);
  ck_assert(put(&cache, "k", "binary", "log"));
  only_file(file, sizeof file, directory);
  ck_assert_int_eq(chmod(file, 0620), 0);
  check_distrusted(&cache, file);
  ck_assert_int_eq(chmod(file, 0602), 0);
  check_distrusted(&cache, file);
  ck_assert_int_eq(chmod(file, 0644), 0);
  ck_assert(has(&cache, "k", "binary"));
  if (geteuid() == 0) {
    ck_assert_int_eq(chown(file, 65534, (gid_t)-1), 0);
    check_distrusted(&cache, file);
    ck_assert_int_eq(gg_cache_usage_of(&cache).distrusted, 1);
  }
  ck_assert(put(&cache, "k", "again", ""));
  ck_assert(has(&cache, "k", "again"));
  ck_assert_int_eq(gg_cache_usage_of(&cache).distrusted, 0);
  gg_cache_close(&cache);
}
END_TEST

START_TEST(a_fifo_is_a_miss) {
  const char *directory = fixture_directory();
  char file[512];
  gg_cache cache = open_cache(directory, 0);
  ck_assert(put(&cache, "k", "binary", ""));
  only_file(file, sizeof file, directory);
  ck_assert_int_eq(unlink(file), 0);
  ck_assert_int_eq(mkfifo(file, 0600), 0);
  ck_assert(!has(&cache, "k", "binary"));
  ck_assert(put(&cache, "k", "binary", ""));
  ck_assert(has(&cache, "k", "binary"));
  gg_cache_close(&cache);
}
END_TEST

START_TEST(an_unwritable_directory_says_why) {
  gg_cache cache = open_cache("/proc/gemmgen", 0);
  gg_str b = GG_STR_INIT, why = GG_STR_INIT;
  gg_cache_key key = key_of("k");
  ck_assert(!gg_cache_put(&cache, &key, &b, &b, &why));
  ck_assert_ptr_nonnull(strstr(gg_str_text(&why), "/proc/gemmgen: "));
  gg_str_free(&why);
  gg_cache_close(&cache);
}
END_TEST

START_TEST(an_empty_name_is_no_cache) {
  gg_cache cache = open_cache("", 0);
  ck_assert_ptr_null(cache.directory);
  ck_assert(put(&cache, "k", "b", ""));
  ck_assert(!has(&cache, "k", "b"));
  gg_cache_close(&cache);
}
END_TEST

START_TEST(the_least_recently_used_go_first) {
  const char *directory = fixture_directory();
  gg_cache cache = open_cache(directory, 3 * 100);
  ck_assert(put(&cache, "a", "1", "")); /* 89 bytes each */
  ck_assert(put(&cache, "b", "2", ""));
  ck_assert(put(&cache, "c", "3", ""));
  pause_a_little();
  ck_assert(has(&cache, "a", "1"));
  pause_a_little();
  ck_assert(put(&cache, "d", "4", ""));
  ck_assert(has(&cache, "a", "1"));
  ck_assert(has(&cache, "d", "4"));
  ck_assert_int_eq(gg_cache_usage_of(&cache).entries, 3);
  gg_cache_close(&cache);
}
END_TEST

START_TEST(lost_temporaries_are_removed_and_strangers_left) {
  const char *directory = fixture_directory();
  gg_cache cache = open_cache(directory, 0);
  ck_assert(put(&cache, "a", "1", ""));
  char file[512], lost[600], stranger[600];
  only_file(file, sizeof file, directory);
  snprintf(lost, sizeof lost, "%s.abcdef", file);
  snprintf(stranger, sizeof stranger, "%s/notes.txt", directory);
  close(open(lost, O_CREAT | O_WRONLY, 0600));
  close(open(stranger, O_CREAT | O_WRONLY, 0600));
  struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
  ck_assert_int_eq(utimensat(AT_FDCWD, lost, old, 0), 0);
  gg_cache_clear(&cache);
  ck_assert_int_ne(access(lost, F_OK), 0);
  ck_assert_int_ne(access(file, F_OK), 0);
  ck_assert_int_eq(access(stranger, F_OK), 0);
  gg_cache_close(&cache);
}
END_TEST

START_TEST(the_environment_chooses) {
  unsetenv("GEMMGEN_CACHE");
  setenv("XDG_CACHE_HOME", "/x", 1);
  setenv("HOME", "/h", 1);
  gg_cache cache = open_cache(NULL, 0);
  ck_assert_str_eq(cache.directory, "/x/gemmgen");
  gg_cache_close(&cache);
  setenv("XDG_CACHE_HOME", "relative", 1);
  cache = open_cache(NULL, 0);
  ck_assert_str_eq(cache.directory, "/h/.cache/gemmgen");
  gg_cache_close(&cache);
  setenv("GEMMGEN_CACHE", "/g", 1);
  cache = open_cache(NULL, 0);
  ck_assert_str_eq(cache.directory, "/g");
  gg_cache_close(&cache);
  setenv("GEMMGEN_CACHE", "", 1);
  cache = open_cache(NULL, 0);
  ck_assert_ptr_null(cache.directory);
  gg_cache_close(&cache);
}
END_TEST

/* Of a list the last is written; the others are read first, and stay as they are. */
START_TEST(a_list_is_read_and_its_last_written) {
  char first[64], second[64], own[64], list[256];
  snprintf(first, sizeof first, "%s", fixture_directory());
  snprintf(second, sizeof second, "%s", fixture_directory());
  snprintf(own, sizeof own, "%s", fixture_directory());
  gg_cache of_first = open_cache(first, 0), of_second = open_cache(second, 0);
  ck_assert(put(&of_first, "a", "first", "") && put(&of_second, "a", "second", ""));
  ck_assert(put(&of_second, "b", "second", ""));
  snprintf(list, sizeof list, ":%s::%s:%s", first, second, own);
  setenv("GEMMGEN_CACHE", list, 1);
  gg_cache cache = open_cache(NULL, 0);
  ck_assert_str_eq(cache.directory, own);
  ck_assert(has(&cache, "a", "first") && has(&cache, "b", "second"));
  ck_assert(!has(&cache, "c", ""));
  ck_assert(put(&cache, "c", "own", "") && has(&cache, "c", "own"));
  ck_assert(!has(&of_first, "c", "") && !has(&of_second, "c", ""));
  gg_cache_clear(&cache);
  ck_assert(!has(&cache, "c", "") && has(&cache, "a", "first"));
  gg_cache_close(&cache);
  snprintf(list, sizeof list, "%s:", first); /* nothing is written */
  setenv("GEMMGEN_CACHE", list, 1);
  cache = open_cache(NULL, 0);
  ck_assert_ptr_null(cache.directory);
  ck_assert(has(&cache, "a", "first"));
  ck_assert(put(&cache, "d", "nowhere", "") && !has(&cache, "d", ""));
  gg_cache_close(&cache);
  gg_cache_close(&of_first);
  gg_cache_close(&of_second);
}
END_TEST

/* Two processes write and read one entry, over and over: each read is whole or a miss. */
START_TEST(two_processes_race) {
  const char *directory = fixture_directory();
  gg_cache cache = open_cache(directory, 0);
  char *large = malloc(200001);
  memset(large, 'x', 200000);
  large[200000] = '\0';
  pid_t child = fork();
  for (int i = 0; i < 100; i++) {
    ck_assert(put(&cache, "k", large, ""));
    ck_assert(has(&cache, "k", large));
  }
  if (child == 0) _exit(0);
  int status;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_int_eq(status, 0);
  ck_assert_int_eq(gg_cache_usage_of(&cache).entries, 1);
  char file[512];
  only_file(file, sizeof file, directory);
  free(large);
  gg_cache_close(&cache);
}
END_TEST

START_TEST(memory_may_run_out_anywhere) {
  const char *directory = fixture_directory();
  gg_cache cache = open_cache(directory, 0);
  ck_assert(put(&cache, "k", "binary", "log"));
  for (long allowed = 0; allowed < 30; allowed++) {
    gg_str b = GG_STR_INIT, l = GG_STR_INIT, why = GG_STR_INIT;
    gg_cache_key key = key_of("k");
    gg_alloc_fail_after(allowed);
    gg_cache_get(&b, &l, &cache, &key, &why);
    gg_cache_put(&cache, &key, &b, &l, &why);
    gg_alloc_fail_after(-1);
    gg_str_free(&b);
    gg_str_free(&l);
    gg_str_free(&why);
  }
  gg_cache_close(&cache);
}
END_TEST

int main(void) {
  fixture_begin();
  Suite *suite = suite_create("cache");
  TCase *tests = tcase_create("cache");
  tcase_add_test(tests, keys_tell_lists_apart);
  tcase_add_test(tests, keeps_binary_and_log);
  tcase_add_test(tests, damage_is_a_miss_and_is_repaired);
  tcase_add_test(tests, an_entry_under_another_name_is_a_miss);
  tcase_add_test(tests, entries_that_others_may_write_are_a_miss);
  tcase_add_test(tests, a_fifo_is_a_miss);
  tcase_add_test(tests, an_unwritable_directory_says_why);
  tcase_add_test(tests, an_empty_name_is_no_cache);
  tcase_add_test(tests, the_least_recently_used_go_first);
  tcase_add_test(tests, lost_temporaries_are_removed_and_strangers_left);
  tcase_add_test(tests, the_environment_chooses);
  tcase_add_test(tests, a_list_is_read_and_its_last_written);
  tcase_add_test(tests, two_processes_race);
  tcase_add_test(tests, memory_may_run_out_anywhere);
  tcase_set_timeout(tests, 120);
  suite_add_tcase(suite, tests);
  int status = run_suite(suite);
  fixture_end();
  return status;
}
