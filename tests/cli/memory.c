/* The program where memory runs out: each command is run with every allocation failing, with all
 * but the first, the first two, and so on. Whatever the number, it ends well with the whole output
 * or badly with a message; it never ends well with less.
 *
 *     memory SPEC */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cli/cli.h"

int gemmgen_main(int argc, char **argv); /* main.c's, by another name */

enum { words_max = 12, most_runs = 150 };

static const char input[] = "(4,8):(8,1)\ncomposition((6,2):(8,2), (4,3):(3,1))\n";

static const char *const commands[][words_max] = {
    {"gen", "SPEC"},
    {"gen", "--emit", "plan", "SPEC"},
    {"gen", "--emit", "ptx", "--annotate", "SPEC"},
    {"pack", "SPEC", "-o", "PREFIX"}, /* with NVRTC's results from the cache, after the first */
    {"check", "SPEC"},
    {"explain", "SPEC"},
    {"explain", "--json", "SPEC"},
    {"explain", "--problem", "64 64 64"},
    {"explain", "--problem", "64 64 64", "--types", "e4m3,e4m3,bf16", "--json"},
    {"layout", "composition((6,2):(8,2), (4,3):(3,1))"},
    {"layout", "--cute", "Sw<3,4,3> o 0 o (8,64):(64,1)"},
    {"layout", "--table", "(4,8):(8,1)"},
    {"layout", "--svg", "-", "(4,8):(8,1)"},
    {"layout", "--svg", "-", "--bits", "16", "Sw<3,3,3> o 0 o (8,64):(64,1)"},
    {"layout", "--list"},
    {"layout", "-"},
    {"atoms"},
    {"atoms", "--json", "wgmma"},
    {"atoms", "--wrapper", "m16n8k16"},
    {"spec"},
    {"spec", "tile"},
    {"spec", "epilogue"},
    {"spec", "--markdown"},
    {"spec", "--schema"},
    {"spec", "--errors"},
    {"help", "gen"},
    {"frobnicate"},
};

static int failures;

/* Where files are written, and kept by the cache. */
static char folder[] = "/tmp/gemmgen-memory-XXXXXX", prefix[sizeof folder + 16];

/* What a run left: its exit status, -1 for a signal; its two outputs; how many of the allocations
 * it was allowed it did not use. */
typedef struct result {
  int status;
  char *out, *err;
  size_t out_length, err_length;
  long left;
} result;

static char *read_back(int fd, size_t *length) {
  off_t size = lseek(fd, 0, SEEK_END);
  char *text = malloc((size_t)size + 1);
  *length = (size_t)pread(fd, text, (size_t)size, 0);
  text[*length] = '\0';
  close(fd);
  return text;
}

static int temporary(void) {
  char name[] = "/tmp/gemmgen-memory-XXXXXX";
  int fd = mkstemp(name);
  unlink(name);
  return fd;
}

static result run(const char *const *words, const char *spec, long allowed) {
  char name[] = "gemmgen", *arguments[words_max + 2] = {name};
  int count = 1, out = temporary(), err = temporary(), in = temporary(), counter = temporary();
  int status;
  for (; words[count - 1]; count++) {
    const char *word = words[count - 1];
    arguments[count] = (char *)(strcmp(word, "SPEC") == 0     ? spec
                                : strcmp(word, "PREFIX") == 0 ? prefix
                                                              : word);
  }
  if (write(in, input, sizeof input - 1) < 0) exit(2);
  lseek(in, 0, SEEK_SET);
  pid_t child = fork();
  if (child == 0) {
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    gg_alloc_fail_after(allowed);
    int code = gemmgen_main(count, arguments);
    long left = gg_alloc_left();
    exit(write(counter, &left, sizeof left) == sizeof left ? code : 99); /* LeakSanitizer looks */
  }
  waitpid(child, &status, 0);
  close(in);
  result r = {.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1};
  if (pread(counter, &r.left, sizeof r.left, 0) < 0) exit(2);
  close(counter);
  r.out = read_back(out, &r.out_length);
  r.err = read_back(err, &r.err_length);
  return r;
}

static void release(result *r) {
  free(r->out);
  free(r->err);
}

static void fail(const char *const *words, long allowed, const char *why) {
  failures++;
  fprintf(stderr, "FAILED:");
  for (; *words; words++)
    fprintf(stderr, " %s", *words);
  fprintf(stderr, ", %ld allocations: %s\n", allowed, why);
}

static void check(const char *const *words, const result *good, const result *r, long allowed) {
  bool same = r->out_length == good->out_length && !memcmp(r->out, good->out, good->out_length);
  if (r->status < 0 || r->status > CLI_NO_DEVICE) {
    fail(words, allowed, r->status < 0 ? "killed by a signal" : "a leak, or another accident");
    fputs(r->err, stderr);
  } else if (r->status == good->status && good->status == 0 && !same) {
    fail(words, allowed, "another output, and exit status 0");
  } else if (r->status != 0 && r->err_length == 0 && !strstr(r->out, "error: ")) {
    fail(words, allowed, "no message");
  }
}

/* The first few numbers of allocations, then fewer and fewer: later failures are more alike. */
static void run_out(const char *const *words, const char *spec) {
  result good = run(words, spec, LONG_MAX / 2);
  long used = LONG_MAX / 2 - good.left, step = 1;
  for (long allowed = 0; allowed <= used; allowed += step) {
    result r = run(words, spec, allowed);
    check(words, &good, &r, allowed);
    release(&r);
    if (allowed >= most_runs / 2) step = 1 + used / (most_runs / 2);
  }
  printf("%s %s: %ld allocations\n", words[0], words[1] ? words[1] : "", used);
  release(&good);
}

static void empty_folder(void) {
  DIR *list = opendir(folder);
  for (struct dirent *entry; list && (entry = readdir(list));)
    unlinkat(dirfd(list), entry->d_name, 0);
  if (list) closedir(list);
  rmdir(folder);
}

int main(int argc, char **argv) {
  if (argc != 2 || !mkdtemp(folder)) return 2;
  snprintf(prefix, sizeof prefix, "%s/gemms", folder);
  setenv("GEMMGEN_CACHE", folder, 1);
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    run_out(commands[i], argv[1]);
  empty_folder();
  return failures ? 1 : 0;
}
