#include "atom/dtype.h"

#include <string.h>

static const gg_dtype_info table[] = {
#define GG_DTYPE(number, name, bits, cute, ptx, kind) [number] = {#name, bits, cute, ptx, kind},
#include "atom/dtypes.def"
#undef GG_DTYPE
};

const gg_dtype_info *gg_dtype_info_of(gg_dtype type) {
  return &table[type];
}

int64_t gg_bytes_of(int64_t count, int bits) {
  int64_t all = count * bits;
  return all / 8 + (all % 8 != 0);
}

int64_t gg_dtype_bytes(gg_dtype type, int64_t elements) {
  return gg_bytes_of(elements, table[type].bits);
}

int64_t gg_dtype_unit(gg_dtype type, int64_t bytes) {
  int64_t unit = 1;
  while (unit * table[type].bits % (bytes * 8) != 0)
    unit *= 2;
  return unit;
}

bool gg_dtype_find(gg_dtype *out, const char *name) {
  for (int type = 0; type < GG_DTYPE_COUNT; type++) {
    if (strcmp(table[type].name, name) == 0) {
      *out = (gg_dtype)type;
      return true;
    }
  }
  return false;
}

bool gg_dtype_is_float(gg_dtype type) {
  return table[type].kind == 'f';
}

bool gg_dtype_is_fp8(gg_dtype type) {
  return type == GG_DTYPE_e4m3 || type == GG_DTYPE_e5m2;
}
