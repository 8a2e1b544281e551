/* A pack's file is one block of memory, which is written at once and mapped.
 *
 *     header | kernels, by key | forms | places | names | terms, by place | the kernels' binaries
 *
 * Numbers are little-endian, as x86-64 and AArch64 have them. The index is all that is in front of
 * the terms. Its checksum is checked when the file is opened, that of a form's terms when the form
 * is asked for, that of a binary when it is looked up. So opening a large pack reads little of it,
 * and damage is noticed before anything is used. Offsets and counts of the index are also checked
 * against the file's size: the checksum finds damage, not malice, and no number may lead out of the
 * file.
 *
 * Up to the fingerprint the header is the same in every format, so that a file of another gemmgen
 * is recognised. */
#include "pack_file.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/paths.h"
#include "choice/form.h"
#include "fingerprint.h"

#define MAGIC UINT64_C(0x6b6361706d6d6567) /* "gemmpack" */

enum { format_now = 2, version_bytes = 32, binary_align = 64 };

typedef struct header {
  uint64_t magic;
  unsigned char checksum[GG_CACHE_DIGEST]; /* SHA-256 of the index behind it */
  uint32_t format, header_bytes;
  char version[version_bytes]; /* of gemmgen */
  char fingerprint[GG_FINGERPRINT_DIGITS];
  uint32_t device, nvrtc_major, nvrtc_minor, has_ptx;
  uint32_t binary_count, form_count, place_count, reserved;
  uint64_t name_bytes, index_bytes, file_bytes;
} header;

typedef struct kernel_row {
  gg_cache_key key;
  unsigned char checksum[GG_CACHE_DIGEST]; /* SHA-256 of the binary and a NUL */
  uint64_t offset, size;                   /* in the file */
} kernel_row;

typedef struct place_row {
  gg_catalogue_place place;
  uint32_t local_bytes;
} place_row;

typedef struct form_row {
  uint32_t name; /* where among the names */
  uint32_t align_a, align_b, align_c, align_d;
  uint32_t first_place, place_count;
  uint32_t reserved;
  unsigned char checksum[GG_CACHE_DIGEST]; /* SHA-256 of the terms of its places */
} form_row;

_Static_assert(sizeof(header) == 200 && sizeof(kernel_row) == 80 && sizeof(form_row) == 64 &&
                   sizeof(place_row) == 8,
               "files have these structs as they are");

static void digest(unsigned char out[GG_CACHE_DIGEST], const void *data, size_t size) {
  struct sha256_ctx hash;
  sha256_init(&hash);
  sha256_update(&hash, size, data);
  sha256_digest(&hash, GG_CACHE_DIGEST, out);
}

/* The digest of a binary and the NUL that follows it. */
static void digest_binary(unsigned char out[GG_CACHE_DIGEST], const void *data, size_t size) {
  struct sha256_ctx hash;
  sha256_init(&hash);
  sha256_update(&hash, size, data);
  sha256_update(&hash, 1, (const uint8_t *)"");
  sha256_digest(&hash, GG_CACHE_DIGEST, out);
}

gg_status gg_pack_form_name(gg_str *out, const gg_form *form, gg_error *err) {
  gg_form aligned = *form;
  aligned.a.align = gg_form_align_most(form, form->a.type);
  aligned.b.align = gg_form_align_most(form, form->b.type);
  aligned.c.align = gg_form_align_most(form, form->c.type);
  aligned.d.align = gg_form_align_most(form, form->d.type);
  return gg_form_full_name(out, &aligned, err);
}

/* ---- Making --------------------------------------------------------------------------- */

static int by_key(const void *left, const void *right) {
  const gg_packed_binary *a = left, *b = right;
  return memcmp(a->key.digest, b->key.digest, GG_CACHE_DIGEST);
}

/* Sorts binaries by key and keeps the first of those that are equal. */
static void order(gg_pack_contents *contents) {
  size_t kept = 0;
  gg_packed_binary *list = contents->binaries;
  if (contents->binary_count > 0) qsort(list, contents->binary_count, sizeof *list, by_key);
  for (size_t i = 0; i < contents->binary_count; i++)
    if (kept == 0 || by_key(&list[kept - 1], &list[i]) != 0) list[kept++] = list[i];
  contents->binary_count = kept;
}

static uint64_t aligned(uint64_t at) {
  return (at + binary_align - 1) / binary_align * binary_align;
}

static void put(gg_str *out, const void *data, size_t size) {
  gg_str_append(out, data, size);
}

static void pad(gg_str *out, uint64_t size) {
  while (!out->failed && out->length < size)
    gg_str_append(out, "", 1);
}

/* Where the terms of all places begin, and where they end and binaries begin. */
static uint64_t terms_begin(const header *h) {
  return aligned(h->index_bytes);
}

static uint64_t terms_end(const header *h) {
  return aligned(terms_begin(h) + h->place_count * sizeof(gg_terms));
}

/* The header without its checksum, which is known when all has been written. */
static header header_of(const gg_pack_contents *contents) {
  header h = {.magic = MAGIC,
              .format = format_now,
              .header_bytes = sizeof h,
              .version = GG_VERSION,
              .device = (uint32_t)contents->device,
              .nvrtc_major = (uint32_t)contents->nvrtc_major,
              .nvrtc_minor = (uint32_t)contents->nvrtc_minor,
              .has_ptx = contents->has_ptx,
              .binary_count = (uint32_t)contents->binary_count,
              .form_count = (uint32_t)contents->form_count};
  memcpy(h.fingerprint, gg_fingerprint, sizeof h.fingerprint);
  for (size_t i = 0; i < contents->form_count; i++) {
    h.place_count += (uint32_t)contents->forms[i].place_count;
    h.name_bytes += strlen(contents->forms[i].name) + 1;
  }
  h.index_bytes = sizeof h + h.binary_count * sizeof(kernel_row) + h.form_count * sizeof(form_row) +
                  h.place_count * sizeof(place_row) + h.name_bytes;
  h.file_bytes = terms_end(&h);
  for (size_t i = 0; i < contents->binary_count; i++)
    h.file_bytes = aligned(h.file_bytes + contents->binaries[i].size + 1);
  return h;
}

static void digest_terms(unsigned char out[GG_CACHE_DIGEST], const gg_packed_form *form) {
  struct sha256_ctx hash;
  sha256_init(&hash);
  for (size_t i = 0; i < form->place_count; i++)
    sha256_update(&hash, sizeof(gg_terms), (const uint8_t *)&form->places[i].terms);
  sha256_digest(&hash, GG_CACHE_DIGEST, out);
}

static void put_places(gg_str *out, const gg_packed_form *form) {
  for (size_t i = 0; i < form->place_count; i++)
    put(out, &(place_row){form->places[i].place, form->places[i].local_bytes}, sizeof(place_row));
}

static void put_forms(gg_str *out, const gg_pack_contents *contents) {
  form_row row = {0};
  for (size_t i = 0; i < contents->form_count; i++) {
    const gg_packed_form *form = &contents->forms[i];
    row.align_a = (uint32_t)form->align_a, row.align_b = (uint32_t)form->align_b;
    row.align_c = (uint32_t)form->align_c, row.align_d = (uint32_t)form->align_d;
    row.place_count = (uint32_t)form->place_count;
    digest_terms(row.checksum, form);
    put(out, &row, sizeof row);
    row.name += (uint32_t)strlen(form->name) + 1;
    row.first_place += row.place_count;
  }
  for (size_t i = 0; i < contents->form_count; i++)
    put_places(out, &contents->forms[i]);
  for (size_t i = 0; i < contents->form_count; i++)
    put(out, contents->forms[i].name, strlen(contents->forms[i].name) + 1);
}

static void put_terms(gg_str *out, const gg_pack_contents *contents) {
  for (size_t i = 0; i < contents->form_count; i++)
    for (size_t j = 0; j < contents->forms[i].place_count; j++)
      put(out, &contents->forms[i].places[j].terms, sizeof(gg_terms));
}

void gg_pack_file_build(gg_str *out, gg_pack_contents *contents) {
  order(contents);
  header h = header_of(contents);
  size_t begin = out->length;
  put(out, &h, sizeof h);
  uint64_t at = terms_end(&h);
  for (size_t i = 0; i < contents->binary_count; i++) {
    const gg_packed_binary *binary = &contents->binaries[i];
    kernel_row row = {.key = binary->key, .offset = at, .size = binary->size};
    digest_binary(row.checksum, binary->data, binary->size);
    put(out, &row, sizeof row);
    at = aligned(at + binary->size + 1);
  }
  put_forms(out, contents);
  pad(out, begin + terms_begin(&h));
  put_terms(out, contents);
  pad(out, begin + terms_end(&h));
  for (size_t i = 0; i < contents->binary_count; i++) {
    put(out, contents->binaries[i].data, contents->binaries[i].size);
    pad(out, begin + aligned(out->length - begin + 1)); /* with at least one NUL, as gg_binary */
  }
  if (out->failed) return;
  char *file = out->text + begin;
  size_t behind = offsetof(header, format);
  digest((unsigned char *)file + offsetof(header, checksum), file + behind, h.index_bytes - behind);
}

/* ---- Opening -------------------------------------------------------------------------- */

struct gg_pack_file {
  char *path;
  const unsigned char *bytes; /* mapped */
  size_t size;
  header head;
  const kernel_row *kernels;
  const form_row *forms;
  const place_row *places;
  const gg_terms *terms; /* of each place */
  const char *names;
};

void gg_pack_file_close(gg_pack_file *file) {
  if (!file) return;
  if (file->bytes) munmap((void *)file->bytes, file->size);
  gg_free(file->path);
  gg_free(file);
}

static gg_status refuse(const gg_pack_file *file, const char *why, gg_error *err) {
  return gg_fail(err, PACK_FILE, NULL, file->path, why);
}

static gg_status map(gg_pack_file *file, gg_error *err) {
  struct stat facts;
  gg_status st = GG_OK;
  int fd = open(file->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &facts) != 0) {
    st = refuse(file, strerror(errno), err);
  } else if (!S_ISREG(facts.st_mode)) {
    st = refuse(file, "it is no regular file", err);
  } else if (facts.st_size < (off_t)sizeof(header)) {
    st = refuse(file, "it is no pack of kernels, or cut short", err);
  } else {
    file->size = (size_t)facts.st_size;
    void *bytes = mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED) {
      st = refuse(file, strerror(errno), err);
    } else {
      file->bytes = bytes;
    }
  }
  if (fd >= 0) close(fd);
  return st;
}

static gg_status of_other_library(const gg_pack_file *file, gg_error *err) {
  return gg_fail(err, PACK_LIBRARY, NULL, file->path, (int)version_bytes - 1, file->head.version,
                 file->head.fingerprint, GG_VERSION, gg_fingerprint);
}

/* Checks that the file is whole, and that this library made it. */
static gg_status check(gg_pack_file *file, gg_error *err) {
  header *h = &file->head;
  memcpy(h, file->bytes, sizeof *h);
  if (h->magic != MAGIC) return refuse(file, "it is no pack of kernels", err);
  if (h->format != format_now) return of_other_library(file, err);
  if (h->file_bytes != file->size)
    return refuse(file, "it has not as many bytes as were written: it is cut short, or damaged",
                  err);
  unsigned char sum[GG_CACHE_DIGEST];
  size_t behind = offsetof(header, format);
  bool whole = h->index_bytes >= sizeof *h && h->index_bytes <= file->size;
  if (whole) digest(sum, file->bytes + behind, (size_t)h->index_bytes - behind);
  if (!whole || memcmp(sum, h->checksum, sizeof sum) != 0)
    return refuse(file, "it is damaged: its index is not what was written", err);
  if (memcmp(h->fingerprint, gg_fingerprint, sizeof h->fingerprint) != 0)
    return of_other_library(file, err);
  return GG_OK;
}

/* Finds the tables, and checks that nothing in them leads out of the file. Offsets cannot overflow,
 * because counts have 32 bits. */
static bool lay_out(gg_pack_file *file) {
  const header *h = &file->head;
  uint64_t kernels = sizeof *h, forms = kernels + h->binary_count * sizeof(kernel_row);
  uint64_t places = forms + h->form_count * sizeof(form_row);
  uint64_t names = places + h->place_count * sizeof(place_row);
  if (names > h->index_bytes || h->index_bytes - names != h->name_bytes) return false;
  if (terms_end(h) > file->size) return false;
  file->kernels = (const kernel_row *)(file->bytes + kernels);
  file->forms = (const form_row *)(file->bytes + forms);
  file->places = (const place_row *)(file->bytes + places);
  file->names = (const char *)file->bytes + names;
  file->terms = (const gg_terms *)(file->bytes + terms_begin(h));
  if (h->form_count > 0 && (h->name_bytes == 0 || file->names[h->name_bytes - 1])) return false;
  for (size_t i = 0; i < h->binary_count; i++) {
    const kernel_row *row = &file->kernels[i];
    if (row->offset >= file->size || row->size >= file->size - row->offset) return false;
  }
  for (size_t i = 0; i < h->form_count; i++) {
    const form_row *row = &file->forms[i];
    if (row->name >= h->name_bytes || row->first_place > h->place_count ||
        row->place_count > h->place_count - row->first_place)
      return false;
  }
  return true;
}

gg_status gg_pack_file_open(gg_pack_file **out, const char *path, gg_error *err) {
  *out = NULL;
  gg_str name = GG_STR_INIT;
  gg_str_puts(&name, path);
  gg_pack_file *file = gg_calloc(1, sizeof *file);
  if (file) file->path = gg_str_take(&name);
  gg_str_free(&name);
  gg_status st = file && file->path ? map(file, err) : gg_fail(err, MEMORY, NULL, "");
  if (!st) st = check(file, err);
  if (!st && !lay_out(file))
    st = refuse(file, "its index leads out of the file: `gemmgen pack` did not write it", err);
  if (st) {
    gg_pack_file_close(file);
    return st;
  }
  *out = file;
  return GG_OK;
}

/* Opens a pack; *out is NULL if it is for other devices. */
static gg_status open_for(gg_pack_file **out, gg_path path, int device, gg_error *err) {
  gg_str name = GG_STR_INIT;
  gg_str_append(&name, path.text, path.length);
  gg_status st = name.failed ? gg_fail(err, MEMORY, NULL, "")
                             : gg_pack_file_open(out, gg_str_text(&name), err);
  gg_str_free(&name);
  if (!st && (*out)->head.device != (uint32_t)device) {
    gg_pack_file_close(*out);
    *out = NULL;
  }
  return st;
}

gg_status gg_packs_open(gg_packs *out, const char *list, int device, gg_error *err) {
  *out = (gg_packs){0};
  out->list = gg_calloc(gg_count_paths(list) + 1, sizeof *out->list);
  if (!out->list) return gg_fail(err, MEMORY, NULL, "");
  gg_status st = GG_OK;
  gg_path path;
  while (!st && gg_next_path(&path, &list)) {
    st = open_for(&out->list[out->count], path, device, err);
    out->count += !st && out->list[out->count];
  }
  if (st) gg_packs_close(out);
  return st;
}

void gg_packs_close(gg_packs *packs) {
  for (size_t i = 0; i < packs->count; i++)
    gg_pack_file_close(packs->list[i]);
  gg_free(packs->list);
  *packs = (gg_packs){0};
}

void gg_packs_identity(gg_str *out, const gg_packs *packs) {
  for (size_t i = 0; i < packs->count; i++)
    for (int j = 0; j < GG_CACHE_DIGEST; j++)
      gg_str_printf(out, "%02x", packs->list[i]->head.checksum[j]);
}

const char *gg_pack_file_path(const gg_pack_file *file) {
  return file->path;
}

gg_pack_file_facts gg_pack_file_facts_of(const gg_pack_file *file) {
  const header *h = &file->head;
  return (gg_pack_file_facts){.device = (int)h->device,
                              .has_ptx = h->has_ptx,
                              .kernel_count = h->binary_count / (h->has_ptx ? 2 : 1),
                              .form_count = h->form_count,
                              .bytes = file->size};
}

const char *gg_pack_file_form(const gg_pack_file *file, size_t index) {
  return file->names + file->forms[index].name;
}

void gg_pack_file_nvrtc(int *major, int *minor, const gg_pack_file *file) {
  *major = (int)file->head.nvrtc_major;
  *minor = (int)file->head.nvrtc_minor;
}

/* ---- Finding -------------------------------------------------------------------------- */

static int by_row(const void *key, const void *row) {
  return memcmp(((const gg_cache_key *)key)->digest, ((const kernel_row *)row)->key.digest,
                GG_CACHE_DIGEST);
}

gg_packed_state gg_pack_file_find(const void **data, size_t *size, const gg_pack_file *file,
                                  const gg_cache_key *key) {
  const kernel_row *row = bsearch(key, file->kernels, file->head.binary_count, sizeof *row, by_row);
  if (!row) return GG_PACKED_NONE;
  unsigned char sum[GG_CACHE_DIGEST];
  digest(sum, file->bytes + row->offset, (size_t)row->size + 1);
  if (memcmp(sum, row->checksum, sizeof sum) != 0) return GG_PACKED_DAMAGED;
  *data = file->bytes + row->offset;
  *size = (size_t)row->size;
  return GG_PACKED_WHOLE;
}

static bool fits(const form_row *row, const gg_form *form) {
  return row->place_count > 0 && row->align_a <= (uint32_t)form->a.align &&
         row->align_b <= (uint32_t)form->b.align &&
         (!form->has_c || row->align_c <= (uint32_t)form->c.align) &&
         row->align_d <= (uint32_t)form->d.align;
}

static uint32_t total(const form_row *row) {
  return row->align_a + row->align_b + row->align_c + row->align_d;
}

/* Of the forms that fit, the one that needs the most alignment; NULL: there is none. */
static const form_row *find_form(const gg_packs *packs, const char *name, const gg_form *form) {
  const form_row *best = NULL;
  for (size_t i = 0; i < packs->count; i++) {
    const gg_pack_file *file = packs->list[i];
    for (size_t j = 0; j < file->head.form_count; j++) {
      const form_row *row = &file->forms[j];
      if (best && total(row) <= total(best)) continue;
      if (fits(row, form) && strcmp(file->names + row->name, name) == 0) best = row;
    }
  }
  return best;
}

gg_status gg_packs_serve(bool *serves, gg_form *out, const gg_packs *packs, const gg_form *form,
                         gg_error *err) {
  *serves = false;
  if (packs->count == 0) return GG_OK;
  gg_str name = GG_STR_INIT;
  gg_status st = gg_pack_form_name(&name, form, err);
  const form_row *row = st ? NULL : find_form(packs, gg_str_text(&name), form);
  gg_str_free(&name);
  if (!row) return st;
  *out = *form;
  out->a.align = (int)row->align_a, out->b.align = (int)row->align_b;
  out->d.align = (int)row->align_d;
  out->c.align = form->has_c ? (int)row->align_c : out->d.align;
  *serves = true;
  return GG_OK;
}

static bool is_of(const form_row *row, const gg_form *form) {
  return row->align_a == (uint32_t)form->a.align && row->align_b == (uint32_t)form->b.align &&
         (!form->has_c || row->align_c == (uint32_t)form->c.align) &&
         row->align_d == (uint32_t)form->d.align;
}

static int by_place(const void *left, const void *right) {
  const gg_packed_place *a = left, *b = right;
  return a->place.file != b->place.file ? a->place.file - b->place.file
                                        : a->place.spec - b->place.spec;
}

/* Sorts places in the catalogue's order, in which the model takes the first of equals, and leaves
 * each once. */
static size_t each_once(gg_packed_place *list, size_t count) {
  size_t kept = 0;
  if (count > 0) qsort(list, count, sizeof *list, by_place);
  for (size_t i = 0; i < count; i++)
    if (kept == 0 || by_place(&list[kept - 1], &list[i]) != 0) list[kept++] = list[i];
  return kept;
}

/* Appends the places of one form of one pack, after it has checked their terms. */
static gg_status add_places(gg_str *out, const gg_pack_file *file, const form_row *row,
                            gg_error *err) {
  unsigned char sum[GG_CACHE_DIGEST];
  const gg_terms *terms = file->terms + row->first_place;
  digest(sum, terms, row->place_count * sizeof *terms);
  if (memcmp(sum, row->checksum, sizeof sum) != 0)
    return refuse(file, "it is damaged: what it says of a form's kernels is not what was written",
                  err);
  for (size_t i = 0; i < row->place_count; i++) {
    const place_row *own = &file->places[row->first_place + i];
    put(out, &(gg_packed_place){own->place, own->local_bytes, terms[i]}, sizeof(gg_packed_place));
  }
  return GG_OK;
}

gg_status gg_packs_places(gg_packed_place **out, size_t *count, const gg_packs *packs,
                          const gg_form *form, gg_error *err) {
  gg_str name = GG_STR_INIT, places = GG_STR_INIT;
  *out = NULL;
  *count = 0;
  gg_status st = gg_pack_form_name(&name, form, err);
  for (size_t i = 0; i < packs->count && !st; i++) {
    const gg_pack_file *file = packs->list[i];
    for (size_t j = 0; j < file->head.form_count && !st; j++) {
      const form_row *row = &file->forms[j];
      if (is_of(row, form) && strcmp(file->names + row->name, gg_str_text(&name)) == 0)
        st = add_places(&places, file, row, err);
    }
  }
  gg_str_free(&name);
  size_t all = places.length / sizeof **out;
  if (!st) *out = (gg_packed_place *)gg_str_take(&places);
  if (!st && !*out) st = gg_fail(err, MEMORY, NULL, "");
  gg_str_free(&places);
  if (!st) *count = each_once(*out, all);
  return st;
}
