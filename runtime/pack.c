/* A pack on a device: which image of each kernel is loaded.
 *
 * Checksums say whether a pack is still as it was written: one of a kernel's facts, and one of an
 * image, which is checked before the driver gets it. A kernel's images are tried from the one that
 * was made for the device to the one that the driver must compile. If the driver refuses one,
 * perhaps because it is older than the cubin, the next is tried. (CUDA C++ Programming Guide,
 * "Binary Compatibility", "PTX Compatibility".) */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "atom/arch.h"
#include "base/alloc.h"
#include "base/need.h"
#include "base/sized.h"
#include "context.h"
#include "facts.h"
#include "packer.h"

/* A kernel of the pack: what was loaded, or why nothing was. */
typedef struct pack_slot {
  gg_module *module;
  gg_error failure;
} pack_slot;

struct gg_packed {
  gg_context *context;
  gg_pack pack;
  gg_packer *packer;
  pack_slot *slots; /* one for each kernel */
};

static gg_status unknown(const gg_pack *pack, gg_error *err) {
  return gg_fail(err, PACK_FORMAT, NULL, pack->name, pack->version, pack->format, GG_VERSION,
                 GG_PACK_FORMAT);
}

/* ---- Images ----------------------------------------------------------------------------- */

/* How good an image is for a device, from 0 on; -1: the device cannot run it. */
static int rank_of(const gg_image *image, int device) {
  enum { suffixes = 4, cubin = 1 << 16 };
  gg_arch arch;
  if (!gg_arch_parse(&arch, image->arch) || !gg_arch_serves(arch, device)) return -1;
  int own = arch.suffix == 'a' ? 2 : arch.suffix == 'f' ? 1 : 0;
  int rank = arch.number * suffixes + own;
  if (image->format == GG_FORMAT_PTX) return rank;
  return arch.number / 10 == device / 10 ? cubin + rank : -1;
}

/* The best image whose rank is below `*rank`, which becomes its own; NULL: there is none. */
static const gg_image *next_image(int *rank, const gg_image *images, size_t count, int device) {
  const gg_image *best = NULL;
  int best_rank = -1;
  for (size_t i = 0; i < count; i++) {
    int own = rank_of(&images[i], device);
    if (own >= *rank || own <= best_rank) continue;
    best = &images[i];
    best_rank = own;
  }
  *rank = best_rank;
  return best;
}

static gg_status check_image(const gg_pack *pack, const char *kernel, const gg_image *image,
                             gg_error *err) {
  char text[64];
  if (gg_checksum(image->data, image->size) == image->checksum) return GG_OK;
  snprintf(text, sizeof text, "the %s for %s", image->format == GG_FORMAT_PTX ? "PTX" : "cubin",
           image->arch);
  return gg_fail(err, PACK_DAMAGED, NULL, pack->name, text, kernel, "is");
}

static gg_status no_image(const gg_packed *packed, const char *kernel, const gg_image *images,
                          size_t count, gg_error *err) {
  gg_str list = GG_STR_INIT;
  for (size_t i = 0; i < count; i++) {
    bool ptx = images[i].format == GG_FORMAT_PTX;
    gg_str_printf(&list, "%s%s%s", i ? ", " : "", images[i].arch, ptx ? " (PTX)" : "");
  }
  gg_status st = gg_fail(err, PACK_DEVICE, NULL, packed->pack.name, kernel, gg_str_shown(&list),
                         packed->context->facts.arch);
  gg_str_free(&list);
  return st;
}

typedef gg_status load_action(void *to, gg_context *context, const gg_kernel *kernel,
                              const gg_image *image, gg_error *err);

/* Hands a failure on to the caller, or drops it if a later image could be loaded. */
static gg_status settle(gg_status last, gg_error *failure, gg_error *err) {
  gg_status st = last ? failure->code : GG_OK;
  if (st && err && err->code == GG_OK) {
    *err = *failure;
  } else {
    gg_error_clear(failure);
  }
  return st;
}

/* Loads the best image that the driver takes. If it refuses all, the first failure is returned,
 * because it is that of the image that suits best. */
static gg_status load_best(const gg_packed *packed, const gg_kernel *kernel, const gg_image *images,
                           size_t count, load_action *load, void *to, gg_error *err) {
  const gg_image *image;
  int rank = INT_MAX, device = packed->context->facts.arch;
  gg_error failure = GG_ERROR_INIT;
  gg_status st = GG_E_DRIVER, damaged = GG_OK;
  while (st == GG_E_DRIVER && (image = next_image(&rank, images, count, device))) {
    damaged = check_image(&packed->pack, kernel->name, image, err);
    if (damaged) break;
    st = load(to, packed->context, kernel, image, &failure);
  }
  if (damaged) {
    gg_error_clear(&failure);
    return damaged;
  }
  if (st && !failure.code) return no_image(packed, kernel->name, images, count, err);
  return settle(st, &failure, err);
}

static gg_status load_module(void *to, gg_context *context, const gg_kernel *kernel,
                             const gg_image *image, gg_error *err) {
  gg_binary binary = {.format = image->format, .data = image->data, .size = image->size};
  snprintf(binary.arch, sizeof binary.arch, "%s", image->arch);
  return gg_module_load_binary(to, context, kernel, &binary, err);
}

static gg_status load_packer(void *to, gg_context *context, const gg_kernel *kernel,
                             const gg_image *image, gg_error *err) {
  (void)kernel;
  return gg_packer_load(to, context, image->data, err);
}

/* ---- Kernels ---------------------------------------------------------------------------- */

/* Reads a packed gg_kernel as this library has it. Members that an older one lacks are 0; those
 * that a newer one has in addition must be 0. */
static gg_status read_kernel(gg_kernel *out, const gg_pack *pack, const gg_packed_kernel *packed,
                             gg_error *err) {
  size_t known = sizeof *out;
  const unsigned char *bytes = (const unsigned char *)packed->kernel;
  *out = (gg_kernel){0};
  memcpy(out, bytes, pack->kernel_size < known ? pack->kernel_size : known);
  bool more = false;
  for (size_t i = 0; i < sizeof out->reserved / sizeof *out->reserved; i++)
    more = more || out->reserved[i];
  for (size_t at = known; at < pack->kernel_size; at++)
    more = more || bytes[at];
  if (more) return unknown(pack, err);
  if (gg_kernel_checksum(out) == packed->checksum) return GG_OK;
  return gg_fail(err, PACK_DAMAGED, NULL, pack->name, "the launch facts",
                 out->name ? out->name : "", "are");
}

static gg_status load_slot(gg_packed *packed, size_t index, gg_error *err) {
  const gg_packed_kernel *from = &packed->pack.kernels[index];
  gg_kernel kernel;
  gg_status st = read_kernel(&kernel, &packed->pack, from, err);
  if (st) return st;
  return load_best(packed, &kernel, from->images, from->image_count, load_module,
                   &packed->slots[index].module, err);
}

static gg_status give(const pack_slot *slot, gg_error *err) {
  if (err && err->code == GG_OK) {
    *err = slot->failure;
    err->log = NULL;
  }
  return slot->failure.code;
}

/* Loads all kernels. Those that the device cannot run are left out; if it can run none, that is an
 * error. */
static gg_status load_all(gg_packed *packed, gg_error *err) {
  size_t loaded = 0;
  for (size_t i = 0; i < packed->pack.kernel_count; i++) {
    pack_slot *slot = &packed->slots[i];
    gg_status st = load_slot(packed, i, &slot->failure);
    bool left_out = st == GG_E_PACK_DEVICE || st == GG_E_DEVICE_SMEM;
    if (st && !left_out) return give(slot, err);
    loaded += !left_out;
  }
  if (loaded == 0 && packed->pack.kernel_count > 0) return give(&packed->slots[0], err);
  if (packed->pack.packer_count == 0) return GG_OK;
  const gg_kernel kernel = {.name = GG_PACKER_NAME};
  return load_best(packed, &kernel, packed->pack.packer, packed->pack.packer_count, load_packer,
                   &packed->packer, err);
}

/* ---- What is public --------------------------------------------------------------------- */

gg_status gg_pack_open(gg_packed **out, gg_context *context, const gg_pack *pack, gg_error *err) {
  GG_NEED(err, out);
  *out = NULL;
  GG_NEED(err, context);
  GG_NEED(err, pack);
  gg_pack own = {0};
  gg_status st = gg_sized_read(&own, sizeof own, pack, "gg_pack", err);
  if (!st && own.format > GG_PACK_FORMAT) st = unknown(&own, err);
  if (st) return st;
  gg_packed *packed = gg_malloc(sizeof *packed);
  if (!packed) return gg_fail(err, MEMORY, NULL, "");
  *packed = (gg_packed){.context = context, .pack = own};
  size_t room = own.kernel_count ? own.kernel_count : 1;
  packed->slots = gg_calloc(room, sizeof *packed->slots);
  st = packed->slots ? load_all(packed, err) : gg_fail(err, MEMORY, NULL, "");
  if (st) {
    gg_packed_close(packed);
    return st;
  }
  *out = packed;
  return GG_OK;
}

void gg_packed_close(gg_packed *packed) {
  if (!packed) return;
  for (size_t i = 0; packed->slots && i < packed->pack.kernel_count; i++) {
    gg_module_free(packed->slots[i].module);
    gg_error_clear(&packed->slots[i].failure);
  }
  gg_packer_close(packed->packer);
  gg_free(packed->slots);
  gg_free(packed);
}

const gg_module *gg_packed_module(const gg_packed *packed, size_t index) {
  return packed && index < packed->pack.kernel_count ? packed->slots[index].module : NULL;
}

gg_status gg_packed_launch(const gg_packed *packed, size_t index, const gg_problem *problem,
                           struct CUstream_st *stream, gg_error *err) {
  GG_NEED(err, packed);
  GG_NEED(err, index < packed->pack.kernel_count);
  const pack_slot *slot = &packed->slots[index];
  return slot->module ? gg_launch(slot->module, problem, stream, err) : give(slot, err);
}

const gg_packer *gg_packed_packer(const gg_packed *packed) {
  return packed ? packed->packer : NULL;
}
