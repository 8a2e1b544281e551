/* Launches every kernel that the device runs and prints a checksum of what each wrote: with PACKED
 * those of gemms.c, with libgemmgen-launch alone, else those of the specs that are named, generated
 * and compiled by libgemmgen. Both see the same problems, so that both print the same.
 *     launches [SPEC...]
 * With THREADS=N the pack is opened in two contexts, and N threads launch its kernels in both; what
 * they print must be what one does. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef PACKED
#include "gemms.h"
#else
#include <gemmgen/gemmgen_runtime.h>
#endif

enum { M = 150, N = 144, K = 256, threads_max = 16 };

static int bits_of(gg_dtype type) {
  static const int bits[] = {
#define GG_DTYPE(number, name, bits, ...) [number] = bits,
#include <gemmgen/atom/dtypes.def>
#undef GG_DTYPE
  };
  return bits[type];
}

/* The same numbers in every run. */
static uint32_t drawn(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

/* Elements around 1 with either sign, so that no sum is infinite: of floats of 16 bits a part of
 * the significand is drawn, of smaller ones all that cannot be NaN, of integers what is small. */
static void fill(unsigned char *bytes, size_t count, gg_dtype type, uint32_t seed) {
  uint32_t state = seed;
  int bits = bits_of(type);
  for (size_t i = 0; i < count; i++) {
    uint32_t x = drawn(&state);
    size_t at = bits == 64 ? i % 8 : bits == 32 ? i % 4 : bits == 16 ? i % 2 : 0;
    bytes[i] = (unsigned char)x;
    if (type == GG_DTYPE_ue8m0) bytes[i] = (unsigned char)(126 + x % 3);
    if (type == GG_DTYPE_ue4m3) bytes[i] = (unsigned char)(0x30 + x % 16);
    if (type == GG_DTYPE_e4m3 || type == GG_DTYPE_e5m2) bytes[i] = (unsigned char)(x & 0xb7);
    if (bits == 16 && at == 1) bytes[i] = (unsigned char)(0x3c | (x & 0x80));
    if (bits == 32 && type != GG_DTYPE_s32 && at == 3)
      bytes[i] = (unsigned char)(0x3f | (x & 0x80));
    if (bits == 64 && at == 7) bytes[i] = (unsigned char)(0x3f | (x & 0x80));
    if (type == GG_DTYPE_s32 && at > 0) bytes[i] = 0;
  }
}

static void fail(gg_error *err) {
  gg_str text = GG_STR_INIT;
  gg_error_print(&text, err, NULL);
  fputs(gg_str_text(&text), stderr);
  exit(EXIT_FAILURE);
}

static void check(gg_status st, gg_error *err) {
  if (st) fail(err);
}

/* ---- Memory ----------------------------------------------------------------------------- */

enum { buffers_max = 32 };

/* Device memory of one launch. */
typedef struct memory {
  gg_context *context;
  uint64_t addresses[buffers_max];
  size_t bytes[buffers_max], count;
} memory;

/* What it holds at first. */
typedef enum content {
  ZEROS,
  NUMBERS,
  FIRST_TWO /* metadata that says of every four elements: the first two */
} content;

static uint64_t place(memory *m, int64_t elements, gg_dtype type, content content) {
  gg_error err = GG_ERROR_INIT;
  size_t bytes = ((size_t)elements * (size_t)bits_of(type) + 7) / 8 + 256;
  unsigned char *host = calloc(1, bytes);
  if (!host || m->count == buffers_max) abort();
  if (content == NUMBERS) fill(host, bytes, type, (uint32_t)m->count + 1);
  if (content == FIRST_TWO) memset(host, 0x44, bytes);
  uint64_t *address = &m->addresses[m->count];
  check(gg_memory_alloc(address, m->context, bytes, &err), &err);
  check(gg_memory_write(m->context, *address, host, bytes, &err), &err);
  m->bytes[m->count++] = bytes;
  free(host);
  return *address;
}

static uint64_t add(uint64_t hash, const unsigned char *bytes, size_t count) {
  for (size_t i = 0; i < count; i++)
    hash = (hash ^ bytes[i]) * 1099511628211u;
  return hash;
}

/* Of all of it, and frees it. */
static uint64_t finish(memory *m) {
  gg_error err = GG_ERROR_INIT;
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < m->count; i++) {
    unsigned char *host = malloc(m->bytes[i]);
    if (!host) abort();
    check(gg_memory_read(m->context, host, m->addresses[i], m->bytes[i], &err), &err);
    hash = add(hash, host, m->bytes[i]);
    free(host);
    gg_memory_free(m->context, m->addresses[i]);
  }
  return hash;
}

/* ---- A launch --------------------------------------------------------------------------- */

static uint64_t place_scales(memory *m, gg_scaling scaling, int64_t rows, const gg_packer *packer,
                             struct CUstream_st *stream) {
  gg_error err = GG_ERROR_INIT;
  gg_packing packing = GG_PACKING_INIT;
  int64_t bytes;
  if (!scaling.block) return 0;
  check(gg_scales_bytes(&bytes, rows, K, scaling.block, &err), &err);
  packing.ld = K / scaling.block;
  packing.from = place(m, rows * packing.ld, scaling.type, NUMBERS);
  packing.to = place(m, bytes, GG_DTYPE_u8, ZEROS);
  packing.rows = rows;
  packing.k = K;
  packing.block = scaling.block;
  check(gg_packer_launch(packer, &packing, stream, &err), &err);
  return packing.to;
}

static void place_operands(gg_problem *p, memory *m, const gg_kernel *kernel) {
  p->a = place(m, p->batch_stride_a * p->batch, kernel->a.type, NUMBERS);
  p->b = place(m, p->batch_stride_b * p->batch, kernel->b.type, NUMBERS);
  p->c = place(m, p->batch_stride_c * p->batch, kernel->c.type, NUMBERS);
  p->d = place(m, p->batch_stride_d * p->batch, kernel->d.type, ZEROS);
  int64_t metadata = p->batch_stride_metadata * p->batch;
  if (kernel->sparse_a) p->metadata = place(m, metadata, GG_DTYPE_u8, FIRST_TWO);
  for (size_t i = 0; i < kernel->operation_count; i++) {
    const gg_operation *operation = &kernel->operations[i];
    bool kept = operation->kind == GG_OP_AMAX;
    if (operation->kind == GG_OP_LINEAR && operation->beta) p->beta = 0.5f;
    if (p->extras[i].batch_stride == 0) continue;
    int64_t elements = p->extras[i].batch_stride * p->batch;
    p->extras[i].address = place(m, elements, operation->operand.type, kept ? ZEROS : NUMBERS);
  }
}

static int64_t extent(int64_t fixed, int64_t usual) {
  return fixed == GG_FIXED_NONE ? usual : fixed;
}

/* `launch` is gg_launch or what stands for it. */
static uint64_t launch_once(gg_context *context, const gg_module *module, const gg_kernel *kernel,
                            const gg_packer *packer,
                            gg_status (*launch)(void *user, const gg_problem *problem,
                                                struct CUstream_st *stream, gg_error *err),
                            void *user) {
  gg_error err = GG_ERROR_INIT;
  gg_problem p = GG_PROBLEM_INIT;
  memory m = {.context = context};
  struct CUstream_st *stream;
  p.m = extent(kernel->fixed_m, M);
  p.n = extent(kernel->fixed_n, N);
  p.k = extent(kernel->fixed_k, K);
  p.batch = extent(kernel->fixed_batch, 2);
  if (kernel->scale_a.block) p.batch = 1;
  check(gg_stream_open(&stream, context, &err), &err);
  check(gg_problem_pack(&p, kernel, &err), &err);
  place_operands(&p, &m, kernel);
  p.scale_a = place_scales(&m, kernel->scale_a, p.m, packer, stream);
  p.scale_b = place_scales(&m, kernel->scale_b, p.n, packer, stream);
  check(gg_workspace_bytes(&p.workspace_bytes, module, &p, &err), &err);
  if (p.workspace_bytes) p.workspace = place(&m, p.workspace_bytes, GG_DTYPE_u8, ZEROS);
  check(launch(user, &p, stream, &err), &err);
  check(gg_synchronize(context, stream, &err), &err);
  gg_stream_close(context, stream);
  return finish(&m);
}

#ifdef PACKED
/* ---- What was packed -------------------------------------------------------------------- */

typedef struct packed_launch {
  gg_context *context;
  gemms gemms;
  uint64_t *results; /* one a kernel */
} packed_launch;

typedef struct numbered {
  const packed_launch *of;
  size_t index;
} numbered;

static gg_status launch_packed(void *user, const gg_problem *problem, struct CUstream_st *stream,
                               gg_error *err) {
  const numbered *n = user;
  return gg_packed_launch(n->of->gemms.packed, n->index, problem, stream, err);
}

static void *launch_all(void *user) {
  packed_launch *all = user;
  const gg_packer *packer = gg_packed_packer(all->gemms.packed);
  for (size_t i = 0; i < gemms_pack.kernel_count; i++) {
    const gg_module *module = gg_packed_module(all->gemms.packed, i);
    numbered one = {all, i};
    if (!module) continue;
    all->results[i] = launch_once(all->context, module, gemms_pack.kernels[i].kernel, packer,
                                  launch_packed, &one);
  }
  return NULL;
}

static packed_launch opened(void) {
  gg_error err = GG_ERROR_INIT;
  packed_launch out = {.results = calloc(gemms_pack.kernel_count, sizeof *out.results)};
  if (!out.results) abort();
  check(gg_context_open(&out.context, NULL, &err), &err);
  check(gemms_open(&out.gemms, out.context, &err), &err);
  return out;
}

static void print_results(const packed_launch *all) {
  gg_error err = GG_ERROR_INIT;
  for (size_t i = 0; i < gemms_pack.kernel_count; i++) {
    const char *name = gemms_pack.kernels[i].kernel->name;
    gg_problem problem = GG_PROBLEM_INIT;
    if (all->results[i]) {
      printf("%s %016llx\n", name, (unsigned long long)all->results[i]);
    } else if (gg_packed_launch(all->gemms.packed, i, &problem, NULL, &err)) {
      fprintf(stderr, "%s\n", err.message);
      gg_error_clear(&err);
    }
  }
}

static int compare_threads(int count) {
  packed_launch contexts[2] = {opened(), opened()}, all[threads_max];
  pthread_t threads[threads_max];
  size_t bytes = gemms_pack.kernel_count * sizeof(uint64_t);
  int wrong = 0;
  launch_all(&contexts[0]);
  for (int i = 0; i < count; i++) {
    all[i] = contexts[i % 2];
    all[i].results = calloc(1, bytes);
    if (!all[i].results || pthread_create(&threads[i], NULL, launch_all, &all[i])) abort();
  }
  for (int i = 0; i < count; i++) {
    pthread_join(threads[i], NULL);
    wrong += memcmp(all[i].results, contexts[0].results, bytes) != 0;
    free(all[i].results);
  }
  print_results(&contexts[0]);
  for (int i = 0; i < 2; i++) {
    gemms_close(&contexts[i].gemms);
    gg_context_close(contexts[i].context);
    free(contexts[i].results);
  }
  if (wrong) fprintf(stderr, "%d of %d threads have other results\n", wrong, count);
  return wrong > 0;
}

int main(void) {
  const char *threads = getenv("THREADS");
  int count = threads ? atoi(threads) : 0;
  if (count > 0 && count <= threads_max) return compare_threads(count);
  packed_launch all = opened();
  launch_all(&all);
  print_results(&all);
  gemms_close(&all.gemms);
  gg_context_close(all.context);
  free(all.results);
  return 0;
}

#else
/* ---- What is compiled now --------------------------------------------------------------- */

static gg_status launch_module(void *user, const gg_problem *problem, struct CUstream_st *stream,
                               gg_error *err) {
  return gg_launch(user, problem, stream, err);
}

/* Kernels that the device cannot run are passed over. */
static void launch_spec(gg_context *context, const gg_spec *spec, const gg_packer *packer) {
  gg_error err = GG_ERROR_INIT;
  gg_kernel *kernel;
  gg_module *module;
  check(gg_kernel_generate(&kernel, spec, &err), &err);
  gg_status st = gg_module_load(&module, context, kernel, &err);
  if (st && st != GG_E_DEVICE_ARCH && st != GG_E_DEVICE_SMEM) fail(&err);
  if (!st) {
    uint64_t result = launch_once(context, module, kernel, packer, launch_module, module);
    printf("%s %016llx\n", kernel->name, (unsigned long long)result);
    gg_module_free(module);
  }
  gg_error_clear(&err);
  gg_kernel_free(kernel);
}

int main(int argc, char **argv) {
  gg_error err = GG_ERROR_INIT;
  gg_context *context;
  gg_context_options options = GG_CONTEXT_OPTIONS_INIT;
  gg_packer *packer;
  options.provider = GG_PROVIDER_EMU;
  check(gg_context_open(&context, &options, &err), &err);
  check(gg_packer_open(&packer, context, &err), &err);
  for (int i = 1; i < argc; i++) {
    gg_spec_file *file;
    check(gg_spec_file_load(&file, argv[i], &err), &err);
    for (size_t j = 0; j < gg_spec_file_count(file); j++)
      launch_spec(context, gg_spec_file_get(file, j), packer);
    gg_spec_file_free(file);
  }
  gg_packer_close(packer);
  gg_context_close(context);
  return 0;
}
#endif
