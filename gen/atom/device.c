#include "atom/device.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "atom/dtype.h"

static const gg_device_model devices[] = {
#define GG_DEVICE(...) {__VA_ARGS__},
#include "atom/devices.def"
#undef GG_DEVICE
};

static const size_t device_count = sizeof devices / sizeof *devices;

enum { FITTED, WORKED, MEASURED, COUNTED, RECKONED };

static const gg_device_column columns[] = {
#define GG_COLUMN(name, unit, low, high, source, what)                                             \
  {#name,                                                                                          \
   unit,                                                                                           \
   what,                                                                                           \
   (source) == FITTED,                                                                             \
   (source) == WORKED,                                                                             \
   low,                                                                                            \
   high,                                                                                           \
   offsetof(gg_device_model, name)},
#include "atom/device_columns.def"
#undef GG_COLUMN
};

const gg_device_model *gg_device_row(int arch) {
  const gg_device_model *out = NULL;
  for (size_t i = 0; i < device_count; i++) {
    if (devices[i].arch <= arch && (!out || devices[i].arch > out->arch)) out = &devices[i];
  }
  return out ? out : &devices[0];
}

/* The length of the word at `text`. Words are letters and digits; everything else separates them.
 */
static size_t word_length(const char *text) {
  size_t length = 0;
  while (isalnum((unsigned char)text[length]))
    length++;
  return length;
}

/* The first word at `text` or behind it; NULL: there is none. */
static const char *word_of(const char *text) {
  while (*text && word_length(text) == 0)
    text++;
  return *text ? text : NULL;
}

static bool has_word(const char *text, const char *word, size_t length) {
  for (; (text = word_of(text)); text += word_length(text)) {
    if (word_length(text) == length && memcmp(text, word, length) == 0) return true;
  }
  return false;
}

/* Whether all of `words` are in the text. They must be whole words, since an L40S is no L4 and an
 * A100 no A10. */
static bool has_words(const char *text, const char *words) {
  for (; (words = word_of(words)); words += word_length(words)) {
    if (!has_word(text, words, word_length(words))) return false;
  }
  return true;
}

static const gg_device_model *row_of(const char *name, int arch) {
  for (size_t i = 0; i < device_count && name; i++) {
    if (devices[i].arch == arch && has_words(name, devices[i].name)) return &devices[i];
  }
  return gg_device_row(arch);
}

gg_device_model gg_device_model_of(const char *name, int arch, int sm_count) {
  gg_device_model out = *row_of(name, arch);
  if (sm_count > 0) {
    double scale = (double)sm_count / out.sm_count;
    out.sm_count = sm_count;
    for (size_t i = 0; i < sizeof out.groups / sizeof *out.groups; i++)
      out.groups[i] = (int)(scale * out.groups[i]);
    out.dram_rate *= scale;
    out.l2_bytes *= scale;
    out.l2_rate *= scale;
    out.l2_store_rate *= scale;
  }
  return out;
}

double gg_device_mma_rate(const gg_device_model *device, gg_dtype type, bool packed, bool sparse) {
  const gg_dtype_info *info = gg_dtype_info_of(type);
  if (sparse) return 2 * gg_device_mma_rate(device, type, packed, false);
  if (packed) return 2 * device->mma_rate_fp8;
  if (info->bits <= 8) return info->kind == 'f' ? device->mma_rate_fp8 : device->mma_rate_int8;
  if (info->bits == 64) return device->mma_rate_64;
  return info->bits == 16 ? device->mma_rate_16 : device->mma_rate_32;
}

gg_device_number gg_plain_number(double value) {
  return gg_device_times(value, GG_DEVICE_COLUMNS);
}

gg_device_number gg_device_times(double times, gg_device_column_id column) {
  return (gg_device_number){times, {(int32_t)column, GG_DEVICE_COLUMNS}};
}

double gg_device_number_of(gg_device_number number, const gg_device_model *device) {
  double out = number.times;
  for (size_t i = 0; i < sizeof number.columns / sizeof *number.columns; i++) {
    int32_t column = number.columns[i];
    if (column >= 0 && column < GG_DEVICE_COLUMNS)
      out *= *(const double *)((const char *)device + columns[column].offset);
  }
  return out;
}

const gg_device_column *gg_device_columns(size_t *count) {
  *count = sizeof columns / sizeof *columns;
  return columns;
}
