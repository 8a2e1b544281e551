/* Devices in numbers: rates, latencies and counts that planning, distributing tiles and predicting
 * times go by. It is the one table of such numbers (devices.def), and stands beside that of
 * architectures, because gen/plan reads it as gen/choice does. */
#ifndef GG_ATOM_DEVICE_H
#define GG_ATOM_DEVICE_H

#include "gemmgen.h"

typedef struct gg_device_model {
  const char *name; /* "H100" */
  int arch;         /* 90 */
  int sm_count;
  int groups[8]; /* multiprocessors of the groups that a cluster does not reach beyond */
#define GG_COLUMN(name, unit, low, high, source, what) double name;
#include "atom/device_columns.def"
#undef GG_COLUMN
} gg_device_model;

/* The first row of that architecture, or of the newest before it, or else the first of all: what
 * kernels are planned for. */
const gg_device_model *gg_device_row(int arch);

/* The device that the driver calls `name` ("NVIDIA H200"): of that architecture the first row whose
 * name's words are all words of it, or else, or where `name` is NULL, gg_device_row's; with
 * `sm_count` multiprocessors, where that is not 0, and what grows with them. */
gg_device_model gg_device_model_of(const char *name, int arch, int sm_count);

/* The tensor core's operations a second on operands of that type, of one multiprocessor. Floats of
 * 6 and 4 bits are multiplied as those of 8 (tcgen05's kinds f8f6f4 and mxf8f6f4), but for e2m1
 * that stays `packed` (kinds mxf4 and mxf4nvf4), which is twice as fast. Of a `sparse` operand,
 * zeros counted, twice as many: the B200's data sheet gives rates with sparsity, of which dense
 * ones are half. Nobody has measured one for us. */
double gg_device_mma_rate(const gg_device_model *device, gg_dtype type, bool packed, bool sparse);

/* The columns by their names: GG_DEVICE_launch. */
typedef enum gg_device_column_id {
#define GG_COLUMN(name, unit, low, high, source, what) GG_DEVICE_##name,
#include "atom/device_columns.def"
#undef GG_COLUMN
  GG_DEVICE_COLUMNS, /* how many; of a gg_device_number: none */
} gg_device_column_id;

/* What a kernel has of a device, whichever that is: `times` its columns, of which there are up to
 * two. Without any it is `times` itself. */
typedef struct gg_device_number {
  double times;
  int32_t columns[2];
} gg_device_number;

gg_device_number gg_plain_number(double value);
gg_device_number gg_device_times(double times, gg_device_column_id column);

double gg_device_number_of(gg_device_number number, const gg_device_model *device);

/* A column, for those who fit or print them. */
typedef struct gg_device_column {
  const char *name, *unit, *what;
  bool fitted;      /* to products; */
  bool worked;      /* to products with epilogues */
  double low, high; /* where it is */
  size_t offset;    /* of the double in a gg_device_model */
} gg_device_column;

const gg_device_column *gg_device_columns(size_t *count);

#endif
