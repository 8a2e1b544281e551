/* What the tables of the emulator's approximate functions are made from. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "approx.h"
#include "base/alloc.h"
#include "base/file.h"

enum { BINADE = 1 << 23, MANTISSAS = 16 };

/* Binades by the upper nine bits of an input. Others behave alike, which the hashes tell. */
typedef struct range {
  const char *opcode;
  unsigned first, last;
} range;

static const range ranges[] = {
    {"rcp.approx.ftz.f32", 127, 127},   {"rsqrt.approx.ftz.f32", 127, 128},
    {"sqrt.approx.ftz.f32", 127, 128},  {"lg2.approx.ftz.f32", 120, 134},
    {"ex2.approx.ftz.f32", 103, 134},   {"ex2.approx.ftz.f32", 256 + 103, 256 + 134},
    {"tanh.approx.f32", 106, 131},      {"sin.approx.ftz.f32", 103, 140},
    {"cos.approx.ftz.f32", 103, 140},   {"rcp.approx.ftz.f64", 127, 128},
    {"rsqrt.approx.ftz.f64", 126, 128},
};

static gg_status save(const char *folder, const char *opcode, const char *what, const void *data,
                      size_t bytes, gg_error *err) {
  gg_str path = GG_STR_INIT;
  gg_str_printf(&path, "%s/%s.%s", folder, opcode, what);
  bool written = gg_file_replace(gg_str_text(&path), data, bytes, 0644, false);
  gg_status st =
      written ? GG_OK : gg_fail(err, FILE_WRITE, NULL, gg_str_shown(&path), strerror(errno));
  gg_str_free(&path);
  return st;
}

typedef struct results {
  uint32_t first, *words;
} results;

static gg_status keep(void *self, const approx_form *form, uint32_t first, uint32_t count,
                      const uint32_t *words, gg_error *err) {
  results *r = self;
  (void)form, (void)err;
  memcpy(r->words + (first - r->first), words, count * sizeof *words);
  return GG_OK;
}

static size_t encode(uint8_t *out, const uint32_t *words, uint32_t count) {
  uint8_t *at = out;
  uint32_t before = 0;
  for (uint32_t i = 0; i < count; before = words[i++]) {
    int32_t difference = (int32_t)(words[i] - before);
    uint32_t rest = (uint32_t)difference << 1 ^ (uint32_t)(difference >> 31);
    for (; rest >= 128; rest >>= 7)
      *at++ = (uint8_t)(rest | 128);
    *at++ = (uint8_t)rest;
  }
  return (size_t)(at - out);
}

static gg_status measure_binade(const approx_device *device, const char *folder,
                                const approx_form *form, unsigned top, unsigned threads,
                                gg_error *err) {
  results r = {.first = (uint32_t)top << 23, .words = gg_malloc(BINADE * sizeof *r.words)};
  uint8_t *bytes = gg_malloc((size_t)BINADE * 5);
  char what[16];
  snprintf(what, sizeof what, "%03x.steps", top);
  gg_status st = r.words && bytes ? GG_OK : gg_fail(err, MEMORY, NULL, "");
  if (!st) st = approx_run(device, form, r.first, BINADE, threads, keep, &r, err);
  if (!st) st = save(folder, form->opcode, what, bytes, encode(bytes, r.words, BINADE), err);
  gg_free(r.words);
  gg_free(bytes);
  return st;
}

/* The first, second, last and some other significands of each sign and exponent. */
static uint32_t mantissa(unsigned index) {
  static const uint32_t borders[] = {0, 1, 0x3fffff, 0x400000, 0x7ffffe, 0x7fffff};
  return index < 6 ? borders[index] : index * 0x9e3779b1u >> 9;
}

typedef struct wide {
  approx_record record;
  uint32_t exponents[512 * MANTISSAS];
} wide;

static gg_status keep_wide(void *self, const approx_form *form, uint32_t first, uint32_t count,
                           const uint32_t *words, gg_error *err) {
  wide *w = self;
  for (unsigned i = 0; i < 512 * MANTISSAS; i++) {
    uint32_t at = (i / MANTISSAS << 23 | mantissa(i % MANTISSAS)) - first;
    if (at < count) w->exponents[i] = words[at];
  }
  return approx_record_chunk(&w->record, form, first, count, words, err);
}

static void add_golden(gg_str *out, const approx_record *record) {
  approx_golden golden;
  approx_golden_of(&golden, record);
  approx_golden_write(out, record->form, &golden);
}

static gg_status measure_wide(gg_str *golden, const approx_device *device, const char *folder,
                              const approx_form *form, unsigned threads, gg_error *err) {
  wide w;
  gg_status st = approx_record_open(&w.record, form, err);
  if (st) return st;
  st = approx_run(device, form, 0, UINT64_MAX, threads, keep_wide, &w, err);
  if (!st) {
    st = save(folder, form->opcode, "hashes", w.record.hashes,
              APPROX_BLOCK * sizeof *w.record.hashes, err);
  }
  if (!st) st = save(folder, form->opcode, "exponents", w.exponents, sizeof w.exponents, err);
  if (!st) add_golden(golden, &w.record);
  approx_record_close(&w.record);
  return st;
}

static gg_status measure_narrow(gg_str *golden, const approx_device *device, const char *folder,
                                const approx_form *form, gg_error *err) {
  approx_record record;
  uint32_t words[APPROX_BLOCK];
  results r = {.words = words};
  gg_status st = approx_record_open(&record, form, err);
  if (st) return st;
  st = approx_run(device, form, 0, UINT64_MAX, 1, keep, &r, err);
  if (!st) st = approx_record_chunk(&record, form, 0, APPROX_BLOCK, words, err);
  if (!st) st = save(folder, form->opcode, "words", words, sizeof words, err);
  if (!st) add_golden(golden, &record);
  approx_record_close(&record);
  return st;
}

static gg_status measure_form(gg_str *golden, const approx_device *device, const char *folder,
                              const approx_form *form, unsigned threads, gg_error *err) {
  if (approx_input_count(form) == APPROX_BLOCK)
    return measure_narrow(golden, device, folder, form, err);
  gg_status st = device ? measure_wide(golden, device, folder, form, threads, err) : GG_OK;
  for (unsigned i = 0; i < sizeof ranges / sizeof *ranges; i++) {
    if (strcmp(ranges[i].opcode, form->opcode)) continue;
    for (unsigned top = ranges[i].first; top <= ranges[i].last && !st; top++)
      st = measure_binade(device, folder, form, top, threads, err);
  }
  return st;
}

gg_status approx_measure(const approx_device *device, const char *folder, const char *only,
                         unsigned threads, gg_error *err) {
  gg_str golden = GG_STR_INIT;
  gg_status st = GG_OK;
  for (unsigned i = 0; i < approx_form_count && !st; i++) {
    const approx_form *form = &approx_forms[i];
    if (only && !strstr(form->opcode, only)) continue;
    st = measure_form(&golden, device, folder, form, threads, err);
    if (!st) printf("%s measured\n", form->opcode);
    fflush(stdout);
  }
  if (!st) st = save(folder, "golden", "tsv", gg_str_text(&golden), golden.length, err);
  gg_str_free(&golden);
  return st;
}
