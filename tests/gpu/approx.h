/* The approximate functions over all their inputs (approx.def). */
#ifndef GG_TESTS_GPU_APPROX_H
#define GG_TESTS_GPU_APPROX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "driver.h"

enum {
  APPROX_BLOCK = 1 << 16, /* inputs with a hash of their own */
  APPROX_CHUNK = 1 << 20, /* inputs that are computed at a time */
};

typedef enum approx_operand { APPROX_f32, APPROX_f16, APPROX_x2, APPROX_upper } approx_operand;

typedef struct approx_form {
  const char *opcode;
  approx_operand operand;
  uint32_t (*emulator)(uint32_t a);
} approx_form;

extern const approx_form approx_forms[];
extern const unsigned approx_form_count;

/* 2^32, or 2^16. */
uint64_t approx_input_count(const approx_form *form);
/* What the instruction is given for an input: the upper half of an x2 is another number. */
uint32_t approx_operand_of(const approx_form *form, uint32_t input);

/* A device that runs PTX; more threads than one may use it. */
typedef struct approx_device {
  gg_driver driver;
  CUdevice device;
  CUcontext context;
} approx_device;

gg_status approx_device_open(approx_device *out, gg_provider provider, gg_error *err);
void approx_device_close(approx_device *device);

/* Results of `count` consecutive inputs, `first` and both of them multiples of APPROX_BLOCK, or of
 * all inputs where there are no more. Called by several threads at a time. */
typedef gg_status approx_visit(void *self, const approx_form *form, uint32_t first, uint32_t count,
                               const uint32_t *results, gg_error *err);

/* Visits the results of the inputs from `first` on, computed by the device, or by the emulator's
 * functions where it is NULL, on `threads` threads. */
gg_status approx_run(const approx_device *device, const approx_form *form, uint64_t first,
                     uint64_t count, unsigned threads, approx_visit *visit, void *self,
                     gg_error *err);

/* ---- What is kept of a form's results (approx_golden.c) ------------------------------- */

enum { APPROX_SAMPLES = 640, APPROX_PARTS = 256 };

typedef struct approx_record {
  const approx_form *form;
  uint64_t *hashes; /* of each block */
  uint32_t samples[APPROX_SAMPLES];
} approx_record;

/* Opened empty; approx_record_chunk is an approx_visit that fills it. */
gg_status approx_record_open(approx_record *out, const approx_form *form, gg_error *err);
void approx_record_close(approx_record *record);
approx_visit approx_record_chunk;

uint32_t approx_sample_input(const approx_form *form, unsigned index);

/* A line of golden data: the opcode, hashes of up to APPROX_PARTS parts, the samples' results. */
typedef struct approx_golden {
  unsigned parts;
  uint64_t hashes[APPROX_PARTS];
  uint32_t samples[APPROX_SAMPLES];
} approx_golden;

void approx_golden_of(approx_golden *out, const approx_record *record);
void approx_golden_write(gg_str *out, const approx_form *form, const approx_golden *golden);
/* False where `text` has no line of the form. */
bool approx_golden_find(approx_golden *out, const char *text, const approx_form *form);

/* ---- What tables are made from (approx_measure.c) ------------------------------------- */

/* Writes into a folder, a form: OPCODE.hashes, of every block; OPCODE.exponents, the results of
 * some inputs of each sign and exponent; for the binades that matter OPCODE.TOP.steps, the
 * differences of neighbouring results as zigzag LEB128, TOP being the upper nine bits of the input;
 * of inputs of 16 bits all results, OPCODE.words. Then golden.tsv. Numbers are little-endian.
 * Without a device, the emulator's functions are measured, of 32 bits in binades alone. */
gg_status approx_measure(const approx_device *device, const char *folder, const char *only,
                         unsigned threads, gg_error *err);

#endif
