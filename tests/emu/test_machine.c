/* Kernels that say themselves what they must do: every .ptx file of tests/emu/machine, whose lines
 * that start with `//!` are
 *
 *     grid X Y Z, block X Y Z, cluster X Y Z, smem BYTES    the launch; 1 CTA of 32 threads else
 *     cooperative           the launch is cooperative
 *     words N               the output, whose address is the only parameter: N zeroed words
 *     unwritten             the output is not zeroed
 *     arch N                of the device; 90 else
 *     steps N               emu_options.max_steps
 *     hazards LIST          severities of classes of faults
 *     out AT COUNT A STEP   out[AT + i] == A + STEP * i for i < COUNT
 *     print TEXT            what is printed, with \n
 *     error NAME LINE TEXT  the launch or the loading fails with this code, line and message
 *     warning COUNT TEXT    what it is warned of, so many times; of nothing else
 *     counter NAME N        of the counters, by its name in JSON
 *
 * Each runs on one thread and on two, and with four seeds of random order, or as many as EMU_SEEDS
 * says. */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "emu/emu.h"
#include "emu/report.h"
#include "suite.h"

enum {
  words_most = 4096,
  files_most = 1024,
  usual_seeds = 4,
  warnings_most = 4,
  counters_most = 8
};

typedef struct kernel_case {
  const char *name;
  char *text;
  size_t length;
  emu_launch_config config;
  uint32_t words, expected[words_most];
  bool known[words_most]; /* expected is said */
  bool unwritten;
  emu_options options;
  const char *print;
  char error[64], message[1024];
  int line;
  const char *warnings[warnings_most]; /* "COUNT TEXT" */
  int warning_count;
  const char *counters[counters_most]; /* "NAME N" */
  int counter_count;
} kernel_case;

static char *folder_files[files_most];
static int file_count;

static void read_three(unsigned out[3], const char *text) {
  ck_assert_int_eq(sscanf(text, "%u %u %u", &out[0], &out[1], &out[2]), 3);
}

static void read_out(kernel_case *c, const char *text) {
  uint32_t at, count, a, step;
  ck_assert_int_eq(sscanf(text, "%" SCNu32 " %" SCNu32 " %" SCNi32 " %" SCNi32, &at, &count,
                          (int32_t *)&a, (int32_t *)&step),
                   4);
  ck_assert_uint_le(at + count, c->words);
  for (uint32_t i = 0; i < count; i++) {
    c->expected[at + i] = a + step * i;
    c->known[at + i] = true;
  }
}

/* One line behind `//! `, without its end. */
static void read_line(kernel_case *c, const char *line) {
  int at = 0;
  char word[16];
  ck_assert_int_eq(sscanf(line, "%15s %n", word, &at), 1);
  const char *rest = line + at;
  if (!strcmp(word, "grid")) {
    read_three(c->config.grid, rest);
  } else if (!strcmp(word, "block")) {
    read_three(c->config.block, rest);
  } else if (!strcmp(word, "cluster")) {
    read_three(c->config.cluster, rest);
  } else if (!strcmp(word, "out")) {
    read_out(c, rest);
  } else if (!strcmp(word, "smem")) {
    c->config.smem_bytes = strtoull(rest, NULL, 10);
  } else if (!strcmp(word, "cooperative")) {
    c->config.cooperative = true;
  } else if (!strcmp(word, "words")) {
    c->words = (uint32_t)strtoul(rest, NULL, 10);
    ck_assert_uint_le(c->words, words_most);
  } else if (!strcmp(word, "unwritten")) {
    c->unwritten = true;
  } else if (!strcmp(word, "arch")) {
    c->options.arch = atoi(rest);
  } else if (!strcmp(word, "steps")) {
    c->options.max_steps = strtoll(rest, NULL, 10);
  } else if (!strcmp(word, "hazards")) {
    char why[256] = "";
    ck_assert_msg(emu_severities_read(&c->options.severities, rest, why, sizeof why), "%s", why);
  } else if (!strcmp(word, "warning")) {
    ck_assert_int_lt(c->warning_count, warnings_most);
    c->warnings[c->warning_count++] = rest;
  } else if (!strcmp(word, "counter")) {
    ck_assert_int_lt(c->counter_count, counters_most);
    c->counters[c->counter_count++] = rest;
  } else if (!strcmp(word, "print")) {
    c->print = rest;
  } else if (!strcmp(word, "error")) {
    ck_assert_int_eq(sscanf(rest, "%63s %d %n", c->error, &c->line, &at), 2);
    snprintf(c->message, sizeof(c->message), "%s", rest + at);
  } else {
    ck_abort_msg("%s: '%s'?", c->name, word);
  }
}

static void read_case(kernel_case *c, const char *path, char *lines) {
  gg_error err = GG_ERROR_INIT;
  *c = (kernel_case){.name = path, .words = 64};
  for (int i = 0; i < 3; i++) {
    c->config.grid[i] = c->config.block[i] = 1;
  }
  c->config.block[0] = 32;
  ck_assert_msg(!gg_file_read(&c->text, &c->length, path, 1 << 16, &err), "%s", err.message);
  memcpy(lines, c->text, c->length + 1);
  char *save = NULL;
  for (char *line = strtok_r(lines, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
    if (!strncmp(line, "//! ", 4)) read_line(c, line + 4);
  }
}

/* ---- Running ---------------------------------------------------------------------------- */

static void keep_print(void *user, const char *text, size_t length) {
  gg_str_append(user, text, length);
}

static void check_error(const kernel_case *c, const gg_error *err) {
  const gg_error_info *info = gg_error_info_of(err->code);
  ck_assert_msg(!strcmp(c->error, info->name) && c->line == err->line &&
                    !strcmp(c->message, err->message),
                "%s:\n  line %d %s: %s\nexpected\n  line %d %s: %s", c->name, err->line, info->name,
                err->message, c->line, c->error, c->message);
}

static void check_words(const kernel_case *c, const uint32_t *words) {
  for (uint32_t i = 0; i < c->words; i++) {
    ck_assert_msg(!c->known[i] || words[i] == c->expected[i],
                  "%s: out[%" PRIu32 "] = %" PRId32 ", expected %" PRId32, c->name, i,
                  (int32_t)words[i], (int32_t)c->expected[i]);
  }
}

static void check_print(const kernel_case *c, const gg_str *printed) {
  gg_str expected = GG_STR_INIT;
  for (const char *at = c->print ? c->print : ""; *at; at++) {
    bool newline = at[0] == '\\' && at[1] == 'n';
    gg_str_putc(&expected, newline ? '\n' : *at);
    at += newline;
  }
  ck_assert_str_eq(gg_str_text(printed), gg_str_text(&expected));
  gg_str_free(&expected);
}

static bool is_expected(const kernel_case *c, const emu_warning *warning) {
  gg_str text = GG_STR_INIT;
  bool expected = false;
  gg_str_printf(&text, "%" PRIu64 " %s", warning->count, warning->text);
  for (int i = 0; i < c->warning_count; i++)
    expected |= !strcmp(gg_str_text(&text), c->warnings[i]);
  gg_str_free(&text);
  return expected;
}

static void check_warnings(const kernel_case *c, const emu_warnings *warnings) {
  int count = 0;
  for (const emu_warning *w = warnings->first; w; w = w->next, count++)
    ck_assert_msg(is_expected(c, w), "%s: warning %" PRIu64 " %s", c->name, w->count, w->text);
  ck_assert_msg(count == c->warning_count, "%s: %d warnings, expected %d", c->name, count,
                c->warning_count);
}

static void check_counters(const kernel_case *c, const emu_counters *counters) {
  gg_str json = GG_STR_INIT;
  emu_counters_json(&json, counters);
  for (int i = 0; i < c->counter_count; i++) {
    char name[64], expected[96];
    uint64_t value;
    ck_assert_int_eq(sscanf(c->counters[i], "%63s %" SCNu64, name, &value), 2);
    snprintf(expected, sizeof expected, "\"%s\": %" PRIu64 ",", name, value);
    ck_assert_msg(strstr(gg_str_text(&json), expected), "%s: no %s in %s", c->name, expected,
                  gg_str_text(&json));
  }
  gg_str_free(&json);
}

static void run_case(const kernel_case *c, emu_options options) {
  gg_error err = GG_ERROR_INIT;
  gg_str printed = GG_STR_INIT;
  emu_device *device;
  emu_module *module;
  uint64_t out = 0;
  static uint32_t words[words_most];
  emu_launch_config config = c->config;
  emu_counters counters = EMU_COUNTERS_INIT;
  config.counters = &counters;
  options.print = keep_print;
  options.print_user = &printed;
  ck_assert(!emu_device_open(&device, &options, &err));
  gg_status st = emu_module_load(&module, device, "k.ptx", c->text, c->length, &err);
  ck_assert(!emu_memory_alloc(&out, device, c->words * 4, 0, NULL));
  if (!c->unwritten) ck_assert(!emu_memory_fill(device, out, 0, c->words * 4, NULL));
  config.params = &out;
  if (!st) {
    const emu_kernel *kernel = emu_module_kernel(module, "k");
    ck_assert_ptr_nonnull(kernel);
    st = emu_launch(device, kernel, &config, &err);
  }
  check_warnings(c, &counters.warnings);
  if (!c->error[0]) check_counters(c, &counters);
  emu_counters_close(&counters);
  if (c->error[0]) {
    ck_assert_msg(st, "%s: no error; expected %s", c->name, c->message);
    check_error(c, &err);
  } else {
    ck_assert_msg(!st, "%s: line %d: %s", c->name, err.line, err.message);
    ck_assert(!emu_memory_read(device, words, out, c->words * 4, NULL));
    check_words(c, words);
    check_print(c, &printed);
  }
  emu_device_close(device);
  gg_str_free(&printed);
  gg_error_clear(&err);
}

START_TEST(test_kernel) {
  static char lines[(1 << 16) + 1];
  static kernel_case c;
  const char *wanted = getenv("EMU_SEEDS");
  uint64_t seeds = wanted ? strtoull(wanted, NULL, 10) : usual_seeds;
  read_case(&c, folder_files[_i], lines);
  for (int threads = 1; threads <= 2; threads++) {
    emu_options options = c.options;
    options.threads = threads;
    run_case(&c, options);
    options.random = true;
    for (options.seed = 1; !c.error[0] && options.seed <= seeds; options.seed++) {
      run_case(&c, options);
    }
  }
  gg_free(c.text);
}
END_TEST

/* Loads and launches with the n-th allocation failing, for each n until nothing fails. */
START_TEST(test_memory) {
  static char lines[(1 << 16) + 1];
  static kernel_case c;
  read_case(&c, folder_files[_i], lines);
  gg_status st = GG_E_MEMORY;
  for (long allowed = 0; !c.error[0] && st; allowed++) {
    gg_error err = GG_ERROR_INIT;
    emu_options options = c.options;
    emu_device *device = NULL;
    emu_module *module;
    uint64_t out = 0;
    gg_str printed = GG_STR_INIT;
    options.threads = 1;
    options.print = keep_print;
    options.print_user = &printed;
    emu_launch_config config = c.config;
    config.params = &out;
    gg_alloc_fail_after(allowed);
    st = emu_device_open(&device, &options, &err);
    if (!st) st = emu_memory_alloc(&out, device, c.words * 4, 0, &err);
    if (!st) st = emu_memory_fill(device, out, 0, c.words * 4, &err);
    if (!st) st = emu_module_load(&module, device, "k.ptx", c.text, c.length, &err);
    if (!st) st = emu_launch(device, emu_module_kernel(module, "k"), &config, &err);
    gg_alloc_fail_after(-1);
    ck_assert_msg(!st || st == GG_E_MEMORY || st == GG_E_EMU_TRAP, "%s: %s", c.name, err.message);
    emu_device_close(device);
    gg_str_free(&printed);
    gg_error_clear(&err);
  }
  gg_free(c.text);
}
END_TEST

/* A large variable costs nothing until it is used; more than there is, an error with the sizes. */
START_TEST(test_room) {
  static const char large[] = ".version 9.0\n.target sm_80\n.address_size 64\n"
                              ".global .b8 x[1073741824];\n";
  static const char too_large[] = ".version 9.0\n.target sm_80\n.address_size 64\n"
                                  ".global .b8 x[1152921504606846976];\n";
  gg_error err = GG_ERROR_INIT;
  emu_device *device;
  emu_module *module;
  uint64_t address, used, bytes;
  ck_assert(!emu_device_open(&device, NULL, &err));
  ck_assert(!emu_module_load(&module, device, "k.ptx", large, sizeof large - 1, &err));
  ck_assert(emu_module_variable(&address, &bytes, module, "x"));
  emu_memory_capacity(device, &used);
  ck_assert_uint_eq(used, UINT64_C(1) << 30);
  emu_module_unload(device, module);
  uint64_t capacity = emu_memory_capacity(device, &used);
  ck_assert_uint_eq(used, 0);
  ck_assert_int_eq(emu_memory_alloc(&address, device, capacity + 1, 0, &err), GG_E_MEMORY);
  ck_assert_ptr_nonnull(strstr(err.message, "B asked for"));
  gg_error_clear(&err);
  ck_assert_int_eq(emu_module_load(&module, device, "k.ptx", too_large, sizeof too_large - 1, &err),
                   GG_E_MEMORY);
  gg_error_clear(&err);
  ck_assert_int_eq(emu_memory_fill(device, capacity, 0, 4, &err), GG_E_EMU_ADDRESS);
  gg_error_clear(&err);
  emu_device_close(device);
}
END_TEST

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list_files(const char *folder) {
  DIR *dir = opendir(folder);
  if (!dir) return;
  for (struct dirent *entry; (entry = readdir(dir));) {
    size_t length = strlen(entry->d_name);
    if (length < 4 || strcmp(entry->d_name + length - 4, ".ptx")) continue;
    if (file_count == files_most) {
      fprintf(stderr, "%s: more than %d kernels: raise files_most\n", folder, files_most);
      exit(EXIT_FAILURE);
    }
    gg_str path = GG_STR_INIT;
    gg_str_printf(&path, "%s/%s", folder, entry->d_name);
    folder_files[file_count++] = gg_str_take(&path);
  }
  closedir(dir);
  qsort(folder_files, (size_t)file_count, sizeof(*folder_files), by_name);
}

int main(int argc, char **argv) {
  const char *folder = getenv("EMU_MACHINE");
  if (argc > 1) {
    for (; file_count + 1 < argc && file_count < files_most; file_count++) {
      folder_files[file_count] = strdup(argv[file_count + 1]);
    }
  } else if (folder) {
    list_files(folder);
  }
  if (!file_count) return EXIT_FAILURE;
  Suite *suite = suite_create("emu machine");
  TCase *tests = tcase_create("kernels");
  tcase_set_timeout(tests, 60);
  tcase_add_loop_test(tests, test_kernel, 0, file_count);
  tcase_add_loop_test(tests, test_memory, 0, file_count);
  tcase_add_test(tests, test_room);
  suite_add_tcase(suite, tests);
  int status = run_suite(suite);
  for (int i = 0; i < file_count; i++) {
    gg_free(folder_files[i]);
  }
  return status;
}
