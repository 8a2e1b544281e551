/* Numbers of devices: the rates, latencies and counts by which kernels are planned, tiles are
 * distributed and times are predicted. There is one table of them (devices.def). It stands beside
 * the table of architectures, because gen/plan needs it as well as gen/choice. */
#ifndef GG_ATOM_DEVICE_H
#define GG_ATOM_DEVICE_H

#include "gemmgen.h"

typedef struct gg_device_model {
  const char *name; /* "H100" */
  int arch;         /* 90 */
  int sm_count;
  int groups[8]; /* multiprocessors in each group that a cluster must stay within */
#define GG_COLUMN(name, unit, low, high, source, what) double name;
#include "atom/device_columns.def"
#undef GG_COLUMN
} gg_device_model;

/* The row that kernels for an architecture are planned with: the table's first row of that
 * architecture; else of the newest one before it; else the table's first row. */
const gg_device_model *gg_device_row(int arch);

/* The model of the device that the driver calls `name` ("NVIDIA H200"). It is the first row of that
 * architecture all of whose name's words occur in `name`; if there is none, or `name` is NULL,
 * gg_device_row's. If `sm_count` is not 0, it replaces the row's number of multiprocessors, and
 * numbers that grow with it are scaled. */
gg_device_model gg_device_model_of(const char *name, int arch, int sm_count);

/* Operations a second of one multiprocessor's tensor cores on operands of this type. Floats of 6
 * and 4 bits are multiplied like those of 8 (tcgen05's kinds f8f6f4 and mxf8f6f4), except e2m1 that
 * stays `packed` (kinds mxf4 and mxf4nvf4), which is twice as fast. With a `sparse` operand there
 * are twice as many operations, counting those with zeros: the B200's data sheet gives rates with
 * sparsity, and dense rates are half of them. Nobody has measured a sparse one for us. */
double gg_device_mma_rate(const gg_device_model *device, gg_dtype type, bool packed, bool sparse);

/* The columns of the table by their names, such as GG_DEVICE_launch. */
typedef enum gg_device_column_id {
#define GG_COLUMN(name, unit, low, high, source, what) GG_DEVICE_##name,
#include "atom/device_columns.def"
#undef GG_COLUMN
  GG_DEVICE_COLUMNS, /* how many there are; in a gg_device_number: no column */
} gg_device_column_id;

/* A number of a kernel that depends on the device: `times`, multiplied by up to two columns of the
 * device. Without columns it is `times` itself. */
typedef struct gg_device_number {
  double times;
  int32_t columns[2];
} gg_device_number;

gg_device_number gg_plain_number(double value);
gg_device_number gg_device_times(double times, gg_device_column_id column);

double gg_device_number_of(gg_device_number number, const gg_device_model *device);

/* A column, for programs that fit or print them. */
typedef struct gg_device_column {
  const char *name, *unit, *what;
  bool fitted;      /* fitted to measurements of products; */
  bool worked;      /* fitted to measurements of products with epilogues */
  double low, high; /* range in which it is fitted */
  size_t offset;    /* of the double in a gg_device_model */
} gg_device_column;

const gg_device_column *gg_device_columns(size_t *count);

#endif
