#include "atom/device.h"

#include <math.h>
#include <string.h>

#include "atom/dtype.h"

static const gg_device_model devices[] = {
#define GG_DEVICE(...) {__VA_ARGS__},
#include "atom/devices.def"
#undef GG_DEVICE
};

static const size_t device_count = sizeof devices / sizeof *devices;

enum { FITTED, WORKED, MEASURED, COUNTED };

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
  const gg_device_model *out = &devices[0];
  for (size_t i = 1; i < device_count; i++) {
    if (devices[i].arch <= arch && devices[i].arch > out->arch) out = &devices[i];
  }
  return out;
}

static const gg_device_model *row_of(const char *name, int arch) {
  for (size_t i = 0; i < device_count && name; i++) {
    if (devices[i].arch == arch && strstr(name, devices[i].name)) return &devices[i];
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

const gg_device_column *gg_device_columns(size_t *count) {
  *count = sizeof columns / sizeof *columns;
  return columns;
}
