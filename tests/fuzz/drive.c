/* Runs a fuzz target without libFuzzer: each file of the folders given, then ROUNDS damaged copies
 * of each, the same ones every time.
 *
 *     fuzz_NAME ROUNDS FOLDER... */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { most_bytes = 1 << 16 };

static uint64_t state;

/* xorshift64 */
static uint64_t next_random(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

/* What is likely to hurt a parser of small texts. */
static const char *const pieces[] = {
    "[",    "]",     "{",
    "}",    ":",     ": ",
    "- ",   "\n",    "\n  ",
    "&a ",  "*a",    "? ",
    "<<",   "!!int", "\"",
    "'",    "|",     "#",
    ",",    "\t",    "---\n",
    "%",    "-1",    "99999999999999999999",
    "_",    "auto",  "@",
    "\r",   "~",     "\\0",
    ">",    "...",   "\xEF\xBB\xBF",
    "\xFF", "sweep", "0x1f",
    ";",    "(",     ")",
    "%r1",  ".b32 ", "@p ",
    "/*",   "+-",    "{ .reg .b32 %r<3>;",
};

/* Deletes, repeats, overwrites or inserts at a random place; gives the new length. */
static size_t damage(uint8_t *data, size_t size) {
  const char *piece = pieces[next_random() % (sizeof pieces / sizeof *pieces)];
  size_t at = size ? next_random() % size : 0, length = strlen(piece), cut;
  switch (next_random() % 4) {
  case 0:
    cut = size - at < 8 ? size - at : next_random() % 8;
    memmove(data + at, data + at + cut, size - at - cut);
    return size - cut;
  case 1:
    if (size) data[at] = (uint8_t)next_random();
    return size;
  case 2:
    length = size - at < 64 ? size - at : 64;
    if (size + length > most_bytes) return size;
    memmove(data + at + length, data + at, size - at);
    return size + length;
  default:
    if (size + length > most_bytes) return size;
    memmove(data + at + length, data + at, size - at);
    memcpy(data + at, piece, length);
    return size + length;
  }
}

/* Each run gets memory of just its size, so that a sanitizer sees the first byte read past it. */
static void run(const uint8_t *data, size_t size) {
  uint8_t *copy = malloc(size ? size : 1);
  if (!copy) abort();
  memcpy(copy, data, size);
  LLVMFuzzerTestOneInput(copy, size);
  free(copy);
}

static void run_file(const char *path, int rounds) {
  static uint8_t data[most_bytes];
  char *text;
  size_t size;
  if (gg_file_read(&text, &size, path, most_bytes, NULL) != 0) return;
  if (size > most_bytes) size = most_bytes;
  state = 88172645463325252u; /* again for each file: folders have no order */
  run((const uint8_t *)text, size);
  for (int i = 0; i < rounds; i++) {
    size_t length = size;
    memcpy(data, text, size);
    for (uint64_t times = 1 + next_random() % 4; times > 0; times--)
      length = damage(data, length);
    run(data, length);
  }
  gg_free(text);
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  int rounds = atoi(argv[1]), files = 0;
  for (int i = 2; i < argc; i++) {
    DIR *folder = opendir(argv[i]);
    if (!folder) return 2;
    for (struct dirent *entry; (entry = readdir(folder)); files++) {
      char path[1024];
      snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
      run_file(path, rounds);
    }
    closedir(folder);
  }
  printf("%d files, %d damaged copies of each\n", files, rounds);
  return 0;
}
