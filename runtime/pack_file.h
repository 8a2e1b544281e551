/* A pack of gg_gemm's kernels: a file, made by `gemmgen pack --catalogue`, that gg_gemm_open maps.
 *
 * It has compiled kernels under the keys of the disk cache (jit.h), so that one look-up serves
 * both, and for each form the places in the catalogue of those that it has, with what the model
 * asks of each (choice/terms.h), so that none is planned but the one that is chosen. Places, terms
 * and keys are those of the library that made it: a pack is of one library, as its fingerprint
 * says, and of devices of one architecture. */
#ifndef GG_RUNTIME_PACK_FILE_H
#define GG_RUNTIME_PACK_FILE_H

#include "cache.h"
#include "choice/catalogue.h"
#include "gemmgen_runtime.h"

/* ---- Making --------------------------------------------------------------------------- */

typedef struct gg_packed_binary {
  gg_cache_key key;
  const void *data;
  size_t size;
} gg_packed_binary;

typedef struct gg_packed_place {
  gg_catalogue_place place;
  uint32_t local_bytes; /* of the kernel that stands there, a thread's; 0: none, or not known */
  gg_terms terms;       /* of that kernel, for the form */
} gg_packed_place;

/* The kernels of one form. `name` is the form's without its alignments (gg_pack_form_name). */
typedef struct gg_packed_form {
  const char *name;
  int align_a, align_b, align_c, align_d; /* bytes, that its kernels ask for; c: 0 without a C */
  const gg_packed_place *places;
  size_t place_count;
} gg_packed_form;

typedef struct gg_pack_contents {
  int device;                   /* 90 */
  int nvrtc_major, nvrtc_minor; /* what compiled it: a part of the keys */
  bool has_ptx;                 /* beside each cubin PTX, for the emulator */
  const gg_packed_form *forms;
  size_t form_count;
  gg_packed_binary *binaries; /* in any order; of equals the first is packed */
  size_t binary_count;
} gg_pack_contents;

/* Appends the file; sorts the contents' binaries. */
void gg_pack_file_build(gg_str *out, gg_pack_contents *contents);

/* The name by which a pack knows a form: its own and its epilogue's, whatever its alignments. */
gg_status gg_pack_form_name(gg_str *out, const gg_form *form, gg_error *err);

/* ---- Using ---------------------------------------------------------------------------- */

typedef struct gg_pack_file gg_pack_file;

/* Those of a gg_gemm. Const once open. */
typedef struct gg_packs {
  gg_pack_file **list;
  size_t count;
} gg_packs;

/* Opens those of `list`, parted by colons, that are for devices of `device`; leaves the others out.
 * PACK_FILE: one cannot be read, is no pack, or not as it was written; PACK_LIBRARY: another
 * library made it. Of kernels it is looked at when they are found. */
gg_status gg_packs_open(gg_packs *out, const char *list, int device, gg_error *err);
void gg_packs_close(gg_packs *packs);

/* What decides which kernels there are to choose from: the same packs have the same. Appended. */
void gg_packs_identity(gg_str *out, const gg_packs *packs);

/* One pack, whichever devices it is for; errors as of gg_packs_open. */
gg_status gg_pack_file_open(gg_pack_file **out, const char *path, gg_error *err);
void gg_pack_file_close(gg_pack_file *file);

typedef struct gg_pack_file_facts {
  int device; /* 90 */
  bool has_ptx;
  size_t kernel_count, form_count; /* a form is of one name and alignment */
  size_t bytes;
} gg_pack_file_facts;

gg_pack_file_facts gg_pack_file_facts_of(const gg_pack_file *file);
const char *gg_pack_file_form(const gg_pack_file *file, size_t index); /* its name */

const char *gg_pack_file_path(const gg_pack_file *file);
void gg_pack_file_nvrtc(int *major, int *minor, const gg_pack_file *file);

typedef enum gg_packed_state { GG_PACKED_NONE, GG_PACKED_WHOLE, GG_PACKED_DAMAGED } gg_packed_state;

/* Looks a kernel up; *data, the pack's, is set where it is there and as it was packed. */
gg_packed_state gg_pack_file_find(const void **data, size_t *size, const gg_pack_file *file,
                                  const gg_cache_key *key);

/* Whether a pack has kernels of the form. *out is then the form that they are of, which asks for no
 * more alignment than `form` has, and of several such for the most; its text is `form`'s. */
gg_status gg_packs_serve(bool *serves, gg_form *out, const gg_packs *packs, const gg_form *form,
                         gg_error *err);

/* The places of the kernels of a form that gg_packs_serve gave, of all packs, each once, in the
 * catalogue's order: *out is to be freed with gg_free. PACK_FILE: the terms of one are damaged. */
gg_status gg_packs_places(gg_packed_place **out, size_t *count, const gg_packs *packs,
                          const gg_form *form, gg_error *err);

#endif
