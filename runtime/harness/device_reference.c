/* The reference on the device: uploads the sample's indices, launches reference.cu, reads back. */
#include <stdio.h>

#include "atom/dtype.h"
#include "base/alloc.h"
#include "number.h"
#include "reference.h"
#include "texts.h"

struct gg_device_reference {
  gg_raw_kernel kernel;
};

/* As in reference.cu. */
typedef struct operand {
  uint64_t memory;
  int64_t outer, k, batch;
} operand;

bool gg_device_reference_knows(const gg_kernel *kernel) {
  return !kernel->scale_a.block && !kernel->sparse_a && !kernel->sparse_b && !kernel->pointers &&
         gg_dtype_info_of(kernel->a.type)->bits >= 8 && gg_dtype_info_of(kernel->b.type)->bits >= 8;
}

gg_status gg_device_reference_open(gg_device_reference **out, gg_context *context, gg_dtype a,
                                   gg_dtype b, gg_error *err) {
  *out = NULL;
  gg_device_reference *device = gg_malloc(sizeof *device);
  if (!device) return gg_fail(err, MEMORY, NULL, "");
  char defines[128];
  snprintf(defines, sizeof defines, "#define TYPE_A %s\n#define TYPE_B %s\n",
           gg_dtype_info_of(a)->name, gg_dtype_info_of(b)->name);
  gg_status st = gg_harness_open(&device->kernel, context, "reference", defines, "sm_80", err);
  if (st) {
    gg_free(device);
    return st;
  }
  *out = device;
  return GG_OK;
}

void gg_device_reference_close(gg_device_reference *reference) {
  if (!reference) return;
  gg_raw_close(&reference->kernel);
  gg_free(reference);
}

static operand operand_of(const gg_kernel *kernel, const gg_problem *problem, char which) {
  gg_view view = gg_problem_view(kernel, problem, which);
  bool k_major = view.operand->major == GG_MAJOR_K;
  return (operand){view.address, k_major ? view.ld : 1, k_major ? 1 : view.ld, view.batch_stride};
}

/* The sample on the device. */
typedef struct device_sample {
  uint64_t rows, cols, batches, sums, magnitudes;
} device_sample;

static gg_status upload(uint64_t *out, gg_context *context, const int64_t *indices, int64_t count,
                        gg_error *err) {
  size_t bytes = (size_t)count * sizeof *indices;
  gg_status st = gg_memory_alloc(out, context, bytes, err);
  return st ? st : gg_memory_write(context, *out, indices, bytes, err);
}

static gg_status upload_sample(device_sample *out, gg_context *context, const gg_sample *sample,
                               gg_error *err) {
  size_t bytes = (size_t)gg_sample_count(sample) * sizeof(double);
  gg_status st = upload(&out->rows, context, sample->rows, sample->row_count, err);
  if (!st) st = upload(&out->cols, context, sample->cols, sample->col_count, err);
  if (!st) st = upload(&out->batches, context, sample->batches, sample->batch_count, err);
  if (!st) st = gg_memory_alloc(&out->sums, context, bytes, err);
  if (!st) st = gg_memory_alloc(&out->magnitudes, context, bytes, err);
  return st;
}

static void free_sample(gg_context *context, device_sample *at) {
  gg_memory_free(context, at->rows);
  gg_memory_free(context, at->cols);
  gg_memory_free(context, at->batches);
  gg_memory_free(context, at->sums);
  gg_memory_free(context, at->magnitudes);
}

/* One launch takes as many batches as a grid's y has. */
static gg_status launch(gg_device_reference *device, operand a, operand b, int64_t k,
                        const gg_sample *sample, const device_sample *at, gg_error *err) {
  int64_t rows = sample->row_count, cols = sample->col_count;
  int64_t tiles = ((rows + 15) / 16) * ((cols + 15) / 16);
  for (int64_t first = 0; first < sample->batch_count; first += GG_GRID_Y_MAX) {
    int64_t left = sample->batch_count - first;
    uint64_t batches = at->batches + (uint64_t)first * sizeof(int64_t);
    uint64_t skipped = (uint64_t)(first * rows * cols) * sizeof(double);
    uint64_t sums = at->sums + skipped, magnitudes = at->magnitudes + skipped;
    void *arguments[] = {&a,    &b,       &k,    (void *)&at->rows, &rows, (void *)&at->cols,
                         &cols, &batches, &sums, &magnitudes};
    gg_status st = gg_raw_launch(&device->kernel, (unsigned)tiles,
                                 (unsigned)(left < GG_GRID_Y_MAX ? left : GG_GRID_Y_MAX), 256,
                                 arguments, NULL, err);
    if (st) return st;
  }
  return GG_OK;
}

gg_status gg_reference_on_device(gg_reference *out, gg_device_reference *device,
                                 const gg_kernel *kernel, const gg_problem *problem,
                                 const gg_sample *sample, gg_error *err) {
  gg_context *context = device->kernel.context;
  size_t bytes = (size_t)gg_sample_count(sample) * sizeof(double);
  *out = (gg_reference){.sum = gg_malloc(bytes), .magnitude = gg_malloc(bytes), .on_device = true};
  device_sample at = {0};
  gg_status st = out->sum && out->magnitude ? GG_OK : gg_fail(err, MEMORY, NULL, "");
  if (!st) st = upload_sample(&at, context, sample, err);
  if (!st) {
    st = launch(device, operand_of(kernel, problem, 'a'), operand_of(kernel, problem, 'b'),
                problem->k, sample, &at, err);
  }
  if (!st) st = gg_memory_read(context, out->sum, at.sums, bytes, err);
  if (!st) st = gg_memory_read(context, out->magnitude, at.magnitudes, bytes, err);
  free_sample(context, &at);
  if (st) gg_reference_free(out);
  return st;
}
