/* Results of the approximate functions, from a device or from the emulator's functions. */
#include <pthread.h>
#include <string.h>

#include "approx.h"
#include "base/alloc.h"
#include "base/str.h"
#include "emu/number/approx.h"
#include "emu/number/float.h"

/* ---- Forms ---------------------------------------------------------------------------- */

#define APPROX_PAIR(f) (f((uint16_t)a) | (uint32_t)f((uint16_t)(a >> 16)) << 16)

#define FORM(name, operand, opcode, value)                                                         \
  static uint32_t name(uint32_t a) {                                                               \
    return value;                                                                                  \
  }
#include "approx.def"
#undef FORM

#define FORM(name, operand, opcode, value) {opcode, APPROX_##operand, name},
const approx_form approx_forms[] = {
#include "approx.def"
};
#undef FORM

const unsigned approx_form_count = sizeof approx_forms / sizeof *approx_forms;

uint64_t approx_input_count(const approx_form *form) {
  bool narrow = form->operand == APPROX_f16 || form->operand == APPROX_x2;
  return (uint64_t)1 << (narrow ? 16 : 32);
}

/* An odd factor: the upper halves are all numbers too. */
enum { UPPER_FACTOR = 0x9e35, UPPER_OFFSET = 0x3c01 };

uint32_t approx_operand_of(const approx_form *form, uint32_t input) {
  if (form->operand != APPROX_x2) return input;
  return input | (input * UPPER_FACTOR + UPPER_OFFSET) << 16;
}

/* ---- Kernels -------------------------------------------------------------------------- */

enum { CTA = 256 };

/* %a is the operand, %r the result, both of 32 bits. */
static const char *instruction_of(const approx_form *form) {
  switch (form->operand) {
  case APPROX_f16:
    return "  cvt.u16.u32 %h, %a;\n  {} %h, %h;\n  cvt.u32.u16 %r, %h;\n";
  case APPROX_upper:
    return "  mov.b64 %d, {%zero, %a};\n  {} %d, %d;\n  mov.b64 {%zero, %r}, %d;\n";
  default:
    return "  {} %r, %a;\n";
  }
}

static void kernel_text(gg_str *out, const approx_form *form) {
  const char *text = instruction_of(form), *hole = strstr(text, "{} ");
  gg_str_puts(out, ".version 9.0\n.target sm_90a\n.address_size 64\n\n"
                   ".visible .entry approx(.param .u64 results, .param .u32 first) {\n"
                   "  .reg .b16 %h;\n  .reg .b32 %a, %r, %i, %n, %t, %zero;\n"
                   "  .reg .b64 %d, %to;\n  mov.b32 %zero, 0;\n"
                   "  mov.u32 %i, %ctaid.x;\n  mov.u32 %n, %ntid.x;\n  mov.u32 %t, %tid.x;\n"
                   "  mad.lo.u32 %i, %i, %n, %t;\n  ld.param.u32 %a, [first];\n"
                   "  add.u32 %a, %a, %i;\n");
  if (form->operand == APPROX_x2) {
    gg_str_printf(out, "  mad.lo.u32 %%t, %%a, %d, %d;\n  shl.b32 %%t, %%t, 16;\n", UPPER_FACTOR,
                  UPPER_OFFSET);
    gg_str_puts(out, "  or.b32 %a, %a, %t;\n");
  }
  gg_str_append(out, text, (size_t)(hole - text));
  gg_str_puts(out, form->opcode);
  gg_str_puts(out, hole + 2);
  gg_str_puts(out, "  ld.param.u64 %to, [results];\n  mul.wide.u32 %d, %i, 4;\n"
                   "  add.u64 %to, %to, %d;\n  st.global.b32 [%to], %r;\n  ret;\n}\n");
}

/* ---- The device ----------------------------------------------------------------------- */

gg_status approx_device_open(approx_device *out, gg_provider provider, gg_error *err) {
  int count = 0;
  *out = (approx_device){0};
  gg_status st = gg_driver_open(&out->driver, provider, err);
  if (st) return st;
  if (out->driver.cuInit(0) || out->driver.cuDeviceGetCount(&count) || !count)
    st = gg_fail(err, NO_DEVICE, NULL, 0, count);
  if (!st) st = GG_CUDA(&out->driver, err, cuDeviceGet, &out->device, 0);
  if (!st) st = GG_CUDA(&out->driver, err, cuDevicePrimaryCtxRetain, &out->context, out->device);
  if (st) gg_driver_close(&out->driver);
  return st;
}

void approx_device_close(approx_device *device) {
  device->driver.cuDevicePrimaryCtxRelease(device->device);
  gg_driver_close(&device->driver);
}

/* ---- Work ----------------------------------------------------------------------------- */

typedef struct job {
  const approx_device *device; /* NULL: the emulator's functions */
  const approx_form *form;
  CUfunction function;
  approx_visit *visit;
  void *self;
  pthread_mutex_t lock; /* of what follows */
  uint64_t next, end;
  gg_status st; /* of the first thread that failed */
  gg_error *err;
} job;

static bool take_chunk(job *j, uint32_t *first, uint32_t *count) {
  pthread_mutex_lock(&j->lock);
  uint64_t left = j->st ? 0 : j->end - j->next;
  *first = (uint32_t)j->next;
  *count = left < APPROX_CHUNK ? (uint32_t)left : APPROX_CHUNK;
  j->next += *count;
  pthread_mutex_unlock(&j->lock);
  return *count > 0;
}

static void report(job *j, gg_status st, gg_error *err) {
  pthread_mutex_lock(&j->lock);
  if (!j->st) {
    j->st = st;
    *j->err = *err;
    *err = (gg_error)GG_ERROR_INIT;
  }
  pthread_mutex_unlock(&j->lock);
  gg_error_clear(err);
}

static void compute(const approx_form *form, uint32_t first, uint32_t count, uint32_t *results) {
  for (uint32_t i = 0; i < count; i++)
    results[i] = form->emulator(approx_operand_of(form, first + i));
}

static gg_status launch(const job *j, CUstream stream, CUdeviceptr at, uint32_t first,
                        uint32_t count, uint32_t *results, gg_error *err) {
  const gg_driver *d = &j->device->driver;
  void *arguments[] = {&at, &first};
  gg_status st = GG_CUDA(d, err, cuLaunchKernel, j->function, count / CTA, 1, 1, CTA, 1, 1, 0,
                         stream, arguments, NULL);
  if (!st) st = GG_CUDA(d, err, cuStreamSynchronize, stream);
  return st ? st : GG_CUDA(d, err, cuMemcpyDtoH, results, at, count * sizeof *results);
}

static gg_status work_through(job *j, CUstream stream, CUdeviceptr at, gg_error *err) {
  uint32_t *results = gg_malloc(APPROX_CHUNK * sizeof *results), first, count;
  gg_status st = results ? GG_OK : gg_fail(err, MEMORY, NULL, "");
  while (!st && take_chunk(j, &first, &count)) {
    if (j->device)
      st = launch(j, stream, at, first, count, results, err);
    else
      compute(j->form, first, count, results);
    if (!st) st = j->visit(j->self, j->form, first, count, results, err);
  }
  gg_free(results);
  return st;
}

static gg_status work_on_device(job *j, gg_error *err) {
  const gg_driver *d = &j->device->driver;
  CUstream stream = NULL;
  CUdeviceptr at = 0;
  CUcontext context;
  gg_status st = GG_CUDA(d, err, cuCtxPushCurrent, j->device->context);
  if (st) return st;
  st = GG_CUDA(d, err, cuStreamCreate, &stream, 1 /* none waits for another */);
  if (!st) st = GG_CUDA(d, err, cuMemAlloc, &at, APPROX_CHUNK * sizeof(uint32_t));
  if (!st) st = work_through(j, stream, at, err);
  if (at) d->cuMemFree(at);
  if (stream) d->cuStreamDestroy(stream);
  d->cuCtxPopCurrent(&context);
  return st;
}

static void *work(void *argument) {
  job *j = argument;
  gg_error err = GG_ERROR_INIT;
  gg_status st = j->device ? work_on_device(j, &err) : work_through(j, NULL, 0, &err);
  if (st) report(j, st, &err);
  return NULL;
}

static gg_status run_threads(job *j, unsigned threads) {
  pthread_t ids[64];
  unsigned started = 0;
  threads = threads > 64 ? 64 : threads;
  while (started + 1 < threads && !pthread_create(&ids[started], NULL, work, j))
    started++;
  work(j);
  for (unsigned i = 0; i < started; i++)
    pthread_join(ids[i], NULL);
  return j->st;
}

static gg_status run_kernel(job *j, unsigned threads) {
  const gg_driver *d = &j->device->driver;
  gg_str text = GG_STR_INIT;
  CUmodule module;
  CUcontext context;
  gg_status st = GG_CUDA(d, j->err, cuCtxPushCurrent, j->device->context);
  if (st) return st;
  kernel_text(&text, j->form);
  st = text.failed
           ? gg_fail(j->err, MEMORY, NULL, "")
           : GG_CUDA(d, j->err, cuModuleLoadDataEx, &module, gg_str_text(&text), 0, NULL, NULL);
  if (!st) {
    st = GG_CUDA(d, j->err, cuModuleGetFunction, &j->function, module, "approx");
    if (!st) st = run_threads(j, threads);
    d->cuModuleUnload(module);
  }
  d->cuCtxPopCurrent(&context);
  gg_str_free(&text);
  return st;
}

gg_status approx_run(const approx_device *device, const approx_form *form, uint64_t first,
                     uint64_t count, unsigned threads, approx_visit *visit, void *self,
                     gg_error *err) {
  uint64_t all = approx_input_count(form);
  if (first >= all) return GG_OK;
  job j = {.device = device,
           .form = form,
           .visit = visit,
           .self = self,
           .next = first,
           .end = count > all - first ? all : first + count,
           .err = err};
  pthread_mutex_init(&j.lock, NULL);
  gg_status st = device ? run_kernel(&j, threads) : run_threads(&j, threads);
  pthread_mutex_destroy(&j.lock);
  return st;
}
