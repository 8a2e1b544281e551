/* libFuzzer's mutations for PTX: most of those of bytes end in errors of the parser. These move,
 * repeat and take out lines, and exchange words, so that most texts still load. One of eight is of
 * bytes all the same. */
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

typedef struct piece {
  size_t start, end;
} piece;

static uint64_t state;

/* xorshift64 */
static size_t below(size_t limit) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return limit ? state % limit : 0;
}

/* The line around a random place, with its end. */
static piece any_line(const uint8_t *data, size_t size) {
  size_t start = below(size), end = start;
  while (start > 0 && data[start - 1] != '\n')
    start--;
  while (end < size && data[end] != '\n')
    end++;
  return (piece){start, end < size ? end + 1 : end};
}

static bool in_word(int c) {
  return isalnum(c) || c == '_' || c == '%';
}

/* The word behind a random place: a name, a number, a modifier. */
static piece any_word(const uint8_t *data, size_t size) {
  size_t start = below(size);
  while (start < size && !in_word(data[start]))
    start++;
  while (start > 0 && start < size && in_word(data[start - 1]))
    start--;
  size_t end = start;
  while (end < size && in_word(data[end]))
    end++;
  return (piece){start, end};
}

/* Puts `length` bytes in the place of a piece. */
static size_t put(uint8_t *data, size_t size, size_t most, piece at, const char *text,
                  size_t length) {
  size_t rest = size - at.end, left = size - (at.end - at.start);
  if (length > most - left) return size;
  memmove(data + at.start + length, data + at.end, rest);
  memcpy(data + at.start, text, length);
  return left + length;
}

static size_t put_copy(uint8_t *data, size_t size, size_t most, piece at, piece from) {
  size_t length = from.end - from.start;
  char *copy = malloc(length + 1);
  if (!copy) return size;
  memcpy(copy, data + from.start, length);
  size = put(data, size, most, at, copy, length);
  free(copy);
  return size;
}

static const char *const words[] = {
    "f16",
    "tf32",
    "f8f6f4",
    "i8",
    "mxf8f6f4",
    "mxf4",
    "mxf4nvf4",
    "block_scale",
    "scale_vec::1X",
    "scale_vec::2X",
    "scale_vec::4X",
    "block16",
    "block32",
    "cta_group::1",
    "cta_group::2",
    "ashift",
    "collector::a::use",
    "collector::a::lastuse",
    "collector::a::discard",
    "collector::b1::fill",
    "ws",
    "sp",
    "warpx4",
    "warpx2::02_13",
    "32x32b",
    "16x64b",
    "16x128b",
    "16x256b",
    "16x32bx2",
    "x1",
    "x2",
    "x4",
    "x8",
    "x16",
    "x32",
    "x64",
    "x128",
    "pack::16b",
    "unpack::16b",
    "alloc",
    "dealloc",
    "shift",
    "down",
    "cp",
    "ld",
    "st",
    "mma",
    "commit",
    "multicast::cluster",
    "128x256b",
    "4x256b",
    "128x128b",
    "b6x16_p32",
    "b4x16_p64",
    "b8x16",
    "shared::cluster",
};

/* Another number: a near one, one bit of it changed, or an extreme. */
static size_t change_number(uint8_t *data, size_t size, size_t most, piece at) {
  static const uint64_t extremes[] = {0, 1, 31, 32, 512, 0x7fffffff, 0xffffffff, UINT64_MAX};
  char text[32] = "";
  size_t length = at.end - at.start;
  memcpy(text, data + at.start, length < sizeof text ? length : sizeof text - 1);
  uint64_t value = strtoull(text, NULL, 0);
  switch (below(4)) {
  case 0:
    value += 1 + below(16);
    break;
  case 1:
    value -= 1 + below(16);
    break;
  case 2:
    value ^= UINT64_C(1) << below(64);
    break;
  default:
    value = extremes[below(sizeof extremes / sizeof *extremes)];
  }
  length =
      (size_t)snprintf(text, sizeof text, below(2) ? "%llu" : "0x%llx", (unsigned long long)value);
  return put(data, size, most, at, text, length);
}

static size_t change_word(uint8_t *data, size_t size, size_t most) {
  piece at = any_word(data, size);
  if (at.start == at.end) return size;
  if (isdigit(data[at.start]) && below(4)) return change_number(data, size, most, at);
  if (below(2)) return put_copy(data, size, most, at, any_word(data, size));
  const char *word = words[below(sizeof words / sizeof *words)];
  return put(data, size, most, at, word, strlen(word));
}

static size_t change(uint8_t *data, size_t size, size_t most) {
  piece line = any_line(data, size);
  piece before = {line.start, line.start};
  switch (below(8)) {
  case 0:
    return put(data, size, most, line, "", 0);
  case 1:
    return put_copy(data, size, most, before, any_line(data, size));
  case 2:
    return put_copy(data, size, most, line, any_line(data, size));
  case 3:
    return put_copy(data, size, most, before, line);
  default:
    return change_word(data, size, most);
  }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
  state = seed * UINT64_C(2654435769) + 88172645463325252u;
  if (size == 0 || below(8) == 0) return LLVMFuzzerMutate(data, size, max_size);
  for (size_t times = 1 + below(3); times > 0; times--)
    if (size > 0) size = change(data, size, max_size);
  return size;
}
