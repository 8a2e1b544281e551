#include "emu/cudart/fatbin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef GG_HAVE_LZ4
#include <lz4.h>
#endif
#ifdef GG_HAVE_ZSTD
#include <zstd.h>
#endif

#define FAIL(result, ...) return snprintf(why, FATBIN_WHY, __VA_ARGS__), (result)

enum {
  wrapper_magic = 0x466243b1,
  kind_ptx = 1,
  kind_cubin = 2,
  flag_lz4 = 0x2000,
  flag_zstd = 0x8000,
  text_max = 1 << 30,
};
#define FATBIN_MAGIC 0xba55ed50u

/* Little-endian, as the hosts that CUDA has are. */
typedef struct image_wrapper {
  uint32_t magic, version;
  const void *data;
  void *other;
} image_wrapper;

typedef struct image_header {
  uint32_t magic;
  uint16_t version, header_bytes;
  uint64_t bytes; /* of the entries */
} image_header;

typedef struct image_entry {
  uint16_t kind, version;
  uint32_t header_bytes;
  uint64_t bytes;      /* of the code, with its padding */
  uint32_t compressed; /* bytes of it that are compressed code; 0 where it is plain */
  uint32_t options_at;
  uint16_t minor, major;
  uint32_t arch;
  uint32_t name_at, name_bytes;
  uint64_t flags;
  uint64_t reserved;
  uint64_t text_bytes; /* 0 where it is plain */
} image_entry;

static bool add_ptx(fatbin *out, const image_entry *entry, const unsigned char *code,
                    char why[FATBIN_WHY]) {
  fatbin_ptx ptx = {.arch = entry->arch, .code = code, .stored = entry->bytes};
  if (entry->flags & flag_lz4) ptx.coding = FATBIN_LZ4;
  if (entry->flags & flag_zstd) ptx.coding = FATBIN_ZSTD;
  ptx.bytes = ptx.stored;
  if (ptx.coding != FATBIN_PLAIN) {
    ptx.stored = entry->compressed;
    ptx.bytes = entry->text_bytes;
  }
  if (ptx.stored > entry->bytes) {
    FAIL(false, "the PTX for sm_%u has %zu compressed bytes in an entry of %llu", ptx.arch,
         ptx.stored, (unsigned long long)entry->bytes);
  }
  if (ptx.bytes > text_max || ptx.stored > text_max) {
    FAIL(false, "the PTX for sm_%u has %zu bytes; at most %d are read", ptx.arch, ptx.bytes,
         (int)text_max);
  }
  if (out->count == FATBIN_PTX_MAX) {
    FAIL(false, "it has PTX for more than %d architectures", (int)FATBIN_PTX_MAX);
  }
  size_t at = out->count++;
  for (; at > 0 && out->ptx[at - 1].arch < ptx.arch; at--)
    out->ptx[at] = out->ptx[at - 1];
  out->ptx[at] = ptx;
  return true;
}

static bool read_entries(fatbin *out, const unsigned char *at, size_t left, char why[FATBIN_WHY]) {
  image_entry entry;
  while (left > 0) {
    if (left < sizeof entry)
      FAIL(false, "%zu bytes are left for an entry's header of %zu", left, sizeof entry);
    memcpy(&entry, at, sizeof entry);
    if (entry.header_bytes < sizeof entry || entry.header_bytes > left ||
        entry.bytes > left - entry.header_bytes) {
      FAIL(false, "an entry of %u + %llu bytes does not fit the %zu that are left",
           entry.header_bytes, (unsigned long long)entry.bytes, left);
    }
    if (entry.kind == kind_cubin) out->cubins++;
    if (entry.kind == kind_ptx && !add_ptx(out, &entry, at + entry.header_bytes, why)) return false;
    size_t bytes = entry.header_bytes + (size_t)entry.bytes;
    at += bytes;
    left -= bytes;
  }
  return true;
}

bool fatbin_read(fatbin *out, const void *image, size_t size, char why[FATBIN_WHY]) {
  image_wrapper wrapper;
  image_header header;
  *out = (fatbin){0};
  if (!image || size < sizeof header) FAIL(false, "it has no header of %zu bytes", sizeof header);
  memcpy(&header, image, sizeof header);
  if (header.magic == wrapper_magic) {
    if (size < sizeof wrapper)
      FAIL(false, "it is a wrapper of less than %zu bytes", sizeof wrapper);
    memcpy(&wrapper, image, sizeof wrapper);
    if (!wrapper.data) FAIL(false, "it is a wrapper that points nowhere");
    image = wrapper.data;
    size = SIZE_MAX;
    memcpy(&header, image, sizeof header);
  }
  if (header.magic != FATBIN_MAGIC) {
    FAIL(false, "it begins with 0x%08x, and a fat binary with 0x%08x", header.magic, FATBIN_MAGIC);
  }
  if (header.version != 1) FAIL(false, "its version is %u; 1 is known", header.version);
  if (header.header_bytes < sizeof header || header.header_bytes > size ||
      header.bytes > size - header.header_bytes) {
    FAIL(false, "it has %u + %llu bytes by its header, and %zu are there", header.header_bytes,
         (unsigned long long)header.bytes, size);
  }
  return read_entries(out, (const unsigned char *)image + header.header_bytes, header.bytes, why);
}

/* Bytes that were written; -1: damaged, -2: this build cannot. */
static long long decompress(char *text, const fatbin_ptx *ptx) {
  switch (ptx->coding) {
  case FATBIN_PLAIN:
    memcpy(text, ptx->code, ptx->bytes);
    return (long long)ptx->bytes;
  case FATBIN_LZ4:
#ifdef GG_HAVE_LZ4
    return LZ4_decompress_safe((const char *)ptx->code, text, (int)ptx->stored, (int)ptx->bytes);
#else
    return -2;
#endif
  case FATBIN_ZSTD: {
#ifdef GG_HAVE_ZSTD
    size_t bytes = ZSTD_decompress(text, ptx->bytes, ptx->code, ptx->stored);
    return ZSTD_isError(bytes) ? -1 : (long long)bytes;
#else
    return -2;
#endif
  }
  }
  return -1;
}

char *fatbin_text(const fatbin_ptx *ptx, char why[FATBIN_WHY]) {
  const char *coding = ptx->coding == FATBIN_ZSTD ? "zstd" : "LZ4";
  char *text = malloc(ptx->bytes + 1);
  if (!text) FAIL(NULL, "memory is out for %zu bytes of PTX", ptx->bytes);
  long long bytes = decompress(text, ptx);
  if (bytes == (long long)ptx->bytes) {
    text[bytes] = '\0';
    return text;
  }
  free(text);
  if (bytes == -2) {
    FAIL(NULL,
         "its PTX is compressed by %s, and gemmgen was built without that library: compile "
         "with nvcc --compress-mode=none, or build gemmgen with it",
         coding);
  }
  FAIL(NULL, "the %s-compressed PTX for sm_%u is damaged", coding, ptx->arch);
}
