#include "forms_golden.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

uint64_t form_hash(const form *f, const form_data *data) {
  uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a, a word at a time */
  size_t count = form_result_count(f, data);
  for (size_t i = 0; i < count; i++) {
    hash = (hash ^ form_result(data, i)) * 0x100000001b3u;
    hash ^= hash >> 29;
  }
  return hash;
}

void form_golden_write(gg_str *out, const form *f, const form_data *sample, const form_data *all,
                       size_t words) {
  size_t count = form_result_count(f, sample);
  gg_str_printf(out, "%s\t%u\t%016" PRIx64 "\t%u\t%016" PRIx64 "\t", f->text, sample->threads,
                form_hash(f, sample), all->threads, form_hash(f, all));
  for (size_t i = 0; i < count && i < words; i++) {
    gg_str_printf(out, "%08" PRIx32, form_result(sample, i));
  }
  gg_str_putc(out, '\n');
}

static const char *line_of(const char *text, const char *name) {
  size_t length = strlen(name);
  while (text && *text) {
    if (!strncmp(text, name, length) && text[length] == '\t') return text + length + 1;
    text = strchr(text, '\n');
    if (text) text++;
  }
  return NULL;
}

static uint32_t word_at(const char *hex) {
  char digits[9] = {0};
  memcpy(digits, hex, 8);
  return (uint32_t)strtoul(digits, NULL, 16);
}

bool form_golden_find(form_golden *out, const char *text, const form *f) {
  *out = (form_golden){0};
  const char *line = line_of(text, f->text);
  int read = 0;
  if (!line || sscanf(line, "%u\t%" SCNx64 "\t%u\t%" SCNx64 "\t%n", &out->threads, &out->hash,
                      &out->all_threads, &out->all_hash, &read) != 4) {
    return false;
  }
  line += read;
  out->count = strcspn(line, "\n") / 8;
  out->words = gg_malloc(out->count * sizeof *out->words + 1);
  if (!out->words) return false;
  for (size_t i = 0; i < out->count; i++)
    out->words[i] = word_at(line + 8 * i);
  return true;
}

void form_golden_close(form_golden *golden) {
  gg_free(golden->words);
  *golden = (form_golden){0};
}
