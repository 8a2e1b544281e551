/* Holds the emulator's tcgen05.mma to a device's, bit by bit.
 *
 *     tcgen05_check               on the first GPU and in the emulator; 77 where no GPU has tcgen05
 *     tcgen05_check --emu [ARCH]  in the emulator alone, in two orders: what can be tried without
 *     tcgen05_check --ptx DIR     writes the kernels, for ptxas
 *
 * Every kind, with every pair of types that it takes, both accumulators, both signs of A and B,
 * narrow and wide MMAs, plain operands and such with some words of any bits, among them infinities
 * and NaN. Copies in, tensor memory and its loads are those of tests/bench/tcgen05_text.c. Pairs of
 * CTAs are not here: `gemmgen run --device both` compares kernels of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../bench/tcgen05_text.h"
#include "base/alloc.h"
#include "base/file.h"
#include "driver.h"
#include "gemmgen_emu.h"

enum { SKIPPED = 77, tiles = 2, rare = 256 };

/* A form: a kind with bits of its descriptor, and what operands are made of. */
typedef struct form {
  tcgen05_kind kind;
  int n;
  bool any; /* bits in some of the operands' words */
} form;

typedef struct form_list {
  form *list;
  size_t count, room;
} form_list;

/* Where forms run. */
typedef struct machine {
  gg_driver driver;
  CUdevice device;
  int arch;
} machine;

/* ---- Forms ------------------------------------------------------------------------------ */

static const int floats8[] = {0, 1, 3, 4, 5}; /* e4m3, e5m2, e2m3, e3m2, e2m1 */

static bool add(form_list *all, const tcgen05_kind *kind, uint32_t bits, uint32_t mask) {
  static const int columns[] = {16, 48, 128, 256};
  for (size_t i = kind->factors ? 2 : 0; i < sizeof columns / sizeof *columns; i++) {
    for (int any = 0; any < 2; any++) {
      if (all->count == all->room) {
        all->room = all->room ? 2 * all->room : 256;
        form *more = gg_realloc(all->list, all->room * sizeof *more);
        if (!more) return false;
        all->list = more;
      }
      form *f = &all->list[all->count++];
      *f = (form){.kind = *kind, .n = columns[i], .any = any};
      f->kind.descriptor = (kind->descriptor & ~mask) | bits;
    }
  }
  return true;
}

/* Bits of the instruction's descriptor: types of A and B from 7 and 10 on, signs at 13 and 14, an
 * accumulator of f32 at 4. (PTX ISA, "Instruction descriptor".) */
static bool add_kind(form_list *all, const tcgen05_kind *kind) {
  const uint32_t types = 0x3fu << 7, single = 1u << 4;
  bool narrow = strstr(kind->kind, "f8f6f4") != NULL, scaled = kind->factors > 0;
  bool good = true;
  if (narrow && strstr(kind->name, "e4m3")) { /* the others of the table are among these */
    for (int i = 0; i < 25; i++) {
      uint32_t pair = (uint32_t)floats8[i / 5] << 7 | (uint32_t)floats8[i % 5] << 10;
      good = good && add(all, kind, pair, types);
      if (!scaled) good = good && add(all, kind, pair, types | single);
    }
  } else if (strcmp(kind->kind, "i8") == 0) {
    for (uint32_t i = 0; i < 4; i++)
      good = good && add(all, kind, (i / 2) << 7 | (i % 2) << 10, types);
  } else if (!narrow) {
    for (uint32_t signs = 0; signs < 4; signs++)
      good = good && add(all, kind, signs << 13, 0);
  }
  return good;
}

/* ---- Operands --------------------------------------------------------------------------- */

static uint32_t random_word(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*state >> 32);
}

/* Tiles of A, then of B: rows of 128 bytes, and behind them their factors, some powers of two about
 * the kind's. */
static void fill(uint8_t *at, const form *f, uint64_t seed) {
  const tcgen05_kind *kind = &f->kind;
  uint64_t state = seed;
  for (int tile = 0; tile < 2 * tiles; tile++) {
    int rows = tile < tiles ? TCGEN05_TILE_M : f->n;
    for (int i = 0; i < rows * 128; i += 4) {
      bool any = f->any && random_word(&state) % rare == 0;
      uint32_t word = random_word(&state);
      if (!any) word = (word & kind->varying) | kind->fixed;
      memcpy(at + i, &word, sizeof word);
    }
    at += rows * 128;
    for (int i = 0; i < rows / 128 * 512 * kind->factors; i++)
      *at++ = (uint8_t)(kind->factor + (f->any ? random_word(&state) % 8 : 0));
  }
}

/* ---- Running ---------------------------------------------------------------------------- */

static gg_status open_machine(machine *out, gg_provider provider, gg_error *err) {
  CUcontext context;
  int count = 0, major = 0, minor = 0;
  gg_status st = gg_driver_open(&out->driver, provider, err);
  if (st) return st;
  const gg_driver *d = &out->driver;
  if (d->cuInit(0) || d->cuDeviceGetCount(&count) || count == 0)
    return gg_fail(err, NO_DEVICE, NULL, 0, count);
  st = GG_CUDA(d, err, cuDeviceGet, &out->device, 0);
  if (!st) st = GG_CUDA(d, err, cuDevicePrimaryCtxRetain, &context, out->device);
  if (!st) st = GG_CUDA(d, err, cuCtxPushCurrent, context);
  if (!st)
    st = GG_CUDA(d, err, cuDeviceGetAttribute, &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                 out->device);
  if (!st)
    st = GG_CUDA(d, err, cuDeviceGetAttribute, &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                 out->device);
  out->arch = 10 * major + minor;
  return st;
}

static void close_machine(machine *m) {
  m->driver.cuDevicePrimaryCtxRelease(m->device);
  gg_driver_close(&m->driver);
}

static gg_status run_text(uint8_t *out, const machine *m, const tcgen05_product *p, const char *ptx,
                          const uint8_t *in, gg_error *err) {
  const gg_driver *d = &m->driver;
  CUmodule module;
  CUfunction function;
  CUdeviceptr at[2] = {0};
  size_t out_bytes = (size_t)tcgen05_out_bytes(p), in_bytes = (size_t)tcgen05_in_bytes(p);
  int smem = tcgen05_smem_bytes(p);
  void *arguments[] = {&at[0], &at[1]};
  gg_status st = GG_CUDA(d, err, cuModuleLoadDataEx, &module, ptx, 0, NULL, NULL);
  if (st) return st;
  st = GG_CUDA(d, err, cuModuleGetFunction, &function, module, "k");
  if (!st)
    st = GG_CUDA(d, err, cuFuncSetAttribute, function,
                 CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, smem);
  if (!st) st = GG_CUDA(d, err, cuMemAlloc, &at[0], out_bytes);
  if (!st) st = GG_CUDA(d, err, cuMemAlloc, &at[1], in_bytes);
  if (!st) st = GG_CUDA(d, err, cuMemcpyHtoD, at[1], in, in_bytes);
  if (!st)
    st = GG_CUDA(d, err, cuLaunchKernel, function, 1, 1, 1, TCGEN05_THREADS, 1, 1, (unsigned)smem,
                 NULL, arguments, NULL);
  if (!st) st = GG_CUDA(d, err, cuStreamSynchronize, NULL);
  if (!st) st = GG_CUDA(d, err, cuMemcpyDtoH, out, at[0], out_bytes);
  for (int i = 0; i < 2; i++) {
    if (at[i]) d->cuMemFree(at[i]);
  }
  d->cuModuleUnload(module);
  return st;
}

static tcgen05_product product_of(const form *f) {
  return (tcgen05_product){.kind = &f->kind, .n = f->n, .steps = tiles, .ctas = 1, .repeat = 1};
}

/* The text for the machine's own target. */
static gg_status run_form(uint8_t *out, const machine *m, const form *f, gg_error *err) {
  const tcgen05_product p = product_of(f);
  gg_str text = GG_STR_INIT;
  uint8_t *in = gg_malloc((size_t)tcgen05_in_bytes(&p));
  tcgen05_write(&text, &p);
  gg_status st = !in || text.failed ? gg_fail(err, MEMORY, NULL, "") : GG_OK;
  if (!st) {
    char *target = strstr(text.text, "sm_100a"), number[8];
    snprintf(number, sizeof number, "%d", m->arch);
    memcpy(target + strlen("sm_"), number, 3);
    fill(in, f, 1);
    st = run_text(out, m, &p, gg_str_text(&text), in, err);
  }
  gg_free(in);
  gg_str_free(&text);
  return st;
}

/* ---- Comparing -------------------------------------------------------------------------- */

static void name_form(char out[96], const form *f) {
  snprintf(out, 96, "m128n%d %s, descriptor 0x%08x, %s", f->n, f->kind.kind,
           (unsigned)f->kind.descriptor, f->any ? "some of any bits" : "plain operands");
}

/* Words that differ; the first is told. */
static size_t compare(const form *f, const uint8_t *one, const uint8_t *other, size_t bytes) {
  size_t differ = 0;
  char name[96];
  for (size_t i = 0; i < bytes; i += 4) {
    uint32_t x, y;
    memcpy(&x, one + i, 4), memcpy(&y, other + i, 4);
    if (x == y) continue;
    name_form(name, f);
    if (differ++ == 0)
      printf("DIFFERS %s: word %zu is %08x, in the emulator %08x\n", name, i / 4, x, y);
  }
  return differ;
}

/* What a machine gives for each form; NULL where it does not take it, which is told. */
static size_t run_all(uint8_t **results, const machine *m, const form_list *all) {
  size_t failed = 0;
  for (size_t i = 0; i < all->count; i++) {
    gg_error err = GG_ERROR_INIT;
    const tcgen05_product p = product_of(&all->list[i]);
    bool bytes = strcmp(all->list[i].kind.kind, "i8") == 0;
    char name[96];
    results[i] = NULL;
    if (bytes && m->arch == 103) continue; /* which has no such kind */
    results[i] = gg_malloc((size_t)tcgen05_out_bytes(&p));
    if (results[i] && run_form(results[i], m, &all->list[i], &err) == GG_OK) continue;
    name_form(name, &all->list[i]);
    printf("FAILED %s: %s\n", name, err.message);
    gg_error_clear(&err);
    gg_free(results[i]);
    results[i] = NULL;
    failed++;
  }
  return failed;
}

/* The emulator's device: of the architecture, in order, or at random. */
static gg_status open_emulator(machine *out, int arch, bool random, gg_error *err) {
  gg_emu_options options = GG_EMU_OPTIONS_INIT;
  gg_emu_options_init(&options);
  options.arch = arch;
  options.random = random;
  options.seed = 1;
  gg_emu_configure(&options);
  return open_machine(out, GG_PROVIDER_EMU, err);
}

/* What both machines give goes to `one` and `two`, a result for each form that was run. */
static int compare_machines(uint8_t **one, uint8_t **two, const form_list *all, int emulated) {
  gg_error err = GG_ERROR_INIT;
  machine first = {.arch = 0}, second;
  gg_status st = emulated ? open_emulator(&first, emulated, true, &err)
                          : open_machine(&first, GG_PROVIDER_CUDA, &err);
  if (st || first.arch / 10 < 10 || first.arch > 110) {
    printf("skipped: %s\n", st ? err.message : "the device has no tcgen05");
    if (!st) close_machine(&first);
    return SKIPPED;
  }
  size_t failed = run_all(one, &first, all), differ = 0, words = 0, compared = 0;
  close_machine(&first);
  if (open_emulator(&second, first.arch, false, &err)) {
    printf("the emulator does not start: %s\n", err.message);
    return EXIT_FAILURE;
  }
  failed += run_all(two, &second, all);
  close_machine(&second);
  for (size_t i = 0; i < all->count; i++) {
    const tcgen05_product p = product_of(&all->list[i]);
    if (!one[i] || !two[i]) continue;
    size_t bad = compare(&all->list[i], one[i], two[i], (size_t)tcgen05_out_bytes(&p));
    differ += bad > 0, words += bad, compared++;
  }
  printf("sm_%d: %zu forms compared, %zu differ in %zu words, %zu failed\n", first.arch, compared,
         differ, words, failed);
  return differ || failed || !compared ? EXIT_FAILURE : EXIT_SUCCESS;
}

static void free_results(uint8_t **results, size_t count) {
  for (size_t i = 0; i < count && results; i++)
    gg_free(results[i]);
  gg_free(results);
}

static int check(const form_list *all, int emulated) {
  uint8_t **one = gg_calloc(all->count, sizeof *one), **two = gg_calloc(all->count, sizeof *two);
  int code = one && two ? compare_machines(one, two, all, emulated) : EXIT_FAILURE;
  free_results(one, all->count);
  free_results(two, all->count);
  return code;
}

static int write_texts(const form_list *all, const char *folder) {
  bool good = true;
  for (size_t i = 0; i < all->count && good; i++) {
    gg_str path = GG_STR_INIT, text = GG_STR_INIT;
    const tcgen05_product p = product_of(&all->list[i]);
    gg_str_printf(&path, "%s/%04zu.ptx", folder, i);
    tcgen05_write(&text, &p);
    good = all->list[i].any ||
           gg_file_replace(gg_str_text(&path), gg_str_text(&text), text.length, 0644, false);
    gg_str_free(&path);
    gg_str_free(&text);
  }
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv) {
  form_list all = {0};
  bool emulated = argc > 1 && strcmp(argv[1], "--emu") == 0;
  bool writes = argc == 3 && strcmp(argv[1], "--ptx") == 0;
  if (!writes && argc > (emulated ? 3 : 1)) {
    fprintf(stderr, "usage: tcgen05_check [--emu [ARCH] | --ptx DIR]\n");
    return 2;
  }
  for (int i = 0; i < tcgen05_kind_count; i++) {
    if (!add_kind(&all, &tcgen05_kinds[i])) return EXIT_FAILURE;
  }
  int arch = argc > 2 ? atoi(argv[2]) : 100;
  int status = writes ? write_texts(&all, argv[2]) : check(&all, emulated ? arch : 0);
  gg_free(all.list);
  return status;
}
