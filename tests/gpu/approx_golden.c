/* Hashes and samples of a form's results. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "approx.h"
#include "base/alloc.h"

/* ---- Samples -------------------------------------------------------------------------- */

static uint64_t mixed(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

/* Every sign and exponent in turn, then those near 1; significands at the borders of binades and of
 * tables' intervals, or anywhere. */
uint32_t approx_sample_input(const approx_form *form, unsigned index) {
  static const uint32_t borders[] = {0, 1, 0x3fffff, 0x400000, 0x7fffff};
  uint64_t r = mixed(index + 1);
  if (approx_input_count(form) == APPROX_BLOCK) return (uint32_t)(r & 0xffff);
  uint32_t top = index < 256 ? index * 2 + (r & 1) : (uint32_t)((r & 0x100) + 114 + (r >> 9) % 20);
  uint32_t interval = (uint32_t)(r >> 20 & 0x7f) << 16;
  uint32_t low = r >> 32 & 1   ? (uint32_t)(r >> 40)
                 : r >> 33 & 1 ? borders[(r >> 40) % 5]
                               : interval - (r >> 34 & 1);
  return top << 23 | (low & 0x7fffff);
}

/* ---- Records -------------------------------------------------------------------------- */

static void add_to_hash(uint64_t *hash, uint64_t word) { /* FNV-1a, a word at a time */
  *hash = (*hash ^ word) * 0x100000001b3u;
  *hash ^= *hash >> 29;
}

static const uint64_t hash_of_nothing = 0xcbf29ce484222325u;

gg_status approx_record_chunk(void *self, const approx_form *form, uint32_t first, uint32_t count,
                              const uint32_t *results, gg_error *err) {
  approx_record *record = self;
  (void)err;
  for (uint32_t block = 0; block < count / APPROX_BLOCK; block++) {
    uint64_t hash = hash_of_nothing;
    for (uint32_t i = 0; i < APPROX_BLOCK; i++)
      add_to_hash(&hash, results[block * APPROX_BLOCK + i]);
    record->hashes[first / APPROX_BLOCK + block] = hash;
  }
  for (unsigned i = 0; i < APPROX_SAMPLES; i++) {
    uint32_t at = approx_sample_input(form, i) - first;
    if (at < count) record->samples[i] = results[at];
  }
  return GG_OK;
}

gg_status approx_record_open(approx_record *out, const approx_form *form, gg_error *err) {
  *out = (approx_record){.form = form};
  out->hashes = gg_malloc((size_t)(approx_input_count(form) / APPROX_BLOCK) * sizeof *out->hashes);
  return out->hashes ? GG_OK : gg_fail(err, MEMORY, NULL, "");
}

void approx_record_close(approx_record *record) {
  gg_free(record->hashes);
  *record = (approx_record){0};
}

/* ---- Golden data ---------------------------------------------------------------------- */

void approx_golden_of(approx_golden *out, const approx_record *record) {
  uint64_t blocks = approx_input_count(record->form) / APPROX_BLOCK;
  *out = (approx_golden){.parts = blocks < APPROX_PARTS ? 1 : APPROX_PARTS};
  for (unsigned part = 0; part < out->parts; part++) {
    out->hashes[part] = hash_of_nothing;
    for (uint64_t i = 0; i < blocks / out->parts; i++)
      add_to_hash(&out->hashes[part], record->hashes[part * (blocks / out->parts) + i]);
  }
  memcpy(out->samples, record->samples, sizeof out->samples);
}

void approx_golden_write(gg_str *out, const approx_form *form, const approx_golden *golden) {
  gg_str_printf(out, "%s\t", form->opcode);
  for (unsigned i = 0; i < golden->parts; i++)
    gg_str_printf(out, "%016" PRIx64, golden->hashes[i]);
  gg_str_putc(out, '\t');
  for (unsigned i = 0; i < APPROX_SAMPLES; i++)
    gg_str_printf(out, "%08" PRIx32, golden->samples[i]);
  gg_str_putc(out, '\n');
}

static const char *line_of(const char *text, const char *name) {
  size_t length = strlen(name);
  while (*text) {
    if (!strncmp(text, name, length) && text[length] == '\t') return text + length + 1;
    text += strcspn(text, "\n");
    text += *text == '\n';
  }
  return NULL;
}

static uint64_t digits_at(const char *text, size_t count) {
  char digits[17] = {0};
  memcpy(digits, text, count);
  return strtoull(digits, NULL, 16);
}

bool approx_golden_find(approx_golden *out, const char *text, const approx_form *form) {
  const char *line = line_of(text, form->opcode);
  *out = (approx_golden){0};
  if (!line) return false;
  size_t digits = strcspn(line, "\t");
  out->parts = (unsigned)(digits / 16);
  if (out->parts > APPROX_PARTS || strcspn(line + digits, "\n") != 1 + 8 * APPROX_SAMPLES)
    return false;
  for (unsigned i = 0; i < out->parts; i++)
    out->hashes[i] = digits_at(line + (size_t)i * 16, 16);
  for (unsigned i = 0; i < APPROX_SAMPLES; i++)
    out->samples[i] = (uint32_t)digits_at(line + digits + 1 + (size_t)i * 8, 8);
  return true;
}
