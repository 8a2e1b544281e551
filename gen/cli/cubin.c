/* A cubin is an ELF file of 64 bits. An entry of its section .nv.info begins with a byte for its
 * form and one for its attribute. Two bytes follow, which are either its value or the length of the
 * value that comes behind them. The values of attributes FRAME_SIZE and MIN_STACK_SIZE are the
 * index of a symbol and a number of bytes (`cuobjdump -elf` shows them by these names). */
#include "cli/cubin.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

enum { of_size = 4 /* an entry whose value follows */, frame_size = 0x11, min_stack_size = 0x12 };

/* Copies the `length` bytes at `at`. False where the file does not have them. */
static bool read_at(void *out, const void *data, size_t size, uint64_t at, size_t length) {
  if (at > size || length > size - at) return false;
  memcpy(out, (const char *)data + at, length);
  return true;
}

static uint32_t most_of(const void *data, size_t size, uint64_t at, uint64_t length) {
  struct {
    uint8_t form, attribute;
    uint16_t value;
  } entry;
  uint32_t pair[2], most = 0;
  uint64_t end = length > size - at ? size : at + length;
  while (at < end && read_at(&entry, data, (size_t)end, at, sizeof entry)) {
    at += sizeof entry;
    bool bytes = entry.attribute == frame_size || entry.attribute == min_stack_size;
    if (entry.form != of_size) continue;
    if (bytes && read_at(pair, data, (size_t)end, at, sizeof pair) && pair[1] > most)
      most = pair[1];
    at += entry.value;
  }
  return most;
}

static bool is_info(const void *data, size_t size, const Elf64_Shdr *names, uint32_t name) {
  static const char wanted[] = ".nv.info"; /* the file's own; kernels' names go on */
  char found[sizeof wanted];
  return read_at(found, data, size, names->sh_offset + name, sizeof found) &&
         memcmp(found, wanted, sizeof wanted) == 0;
}

uint32_t cli_cubin_local_bytes(const void *data, size_t size) {
  Elf64_Ehdr header;
  Elf64_Shdr names, section;
  if (!read_at(&header, data, size, 0, sizeof header) ||
      memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
    return 0;
  uint64_t first = header.e_shoff;
  if (!read_at(&names, data, size, first + header.e_shstrndx * sizeof names, sizeof names))
    return 0;
  for (unsigned i = 0; i < header.e_shnum; i++) {
    if (!read_at(&section, data, size, first + i * sizeof section, sizeof section)) return 0;
    if (is_info(data, size, &names, section.sh_name) && section.sh_offset <= size)
      return most_of(data, size, section.sh_offset, section.sh_size);
  }
  return 0;
}
