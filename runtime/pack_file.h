/* A pack of gg_gemm's kernels is a file that `gemmgen pack --catalogue` makes and gg_gemm_open
 * maps.
 *
 * It has compiled kernels under the keys of the disk cache (jit.h), so that one key finds a kernel
 * in both. For each form it has the places in the catalogue of its kernels, with the terms from
 * which the model predicts each (choice/terms.h), so that only the kernel that is chosen has to be
 * planned. Places, terms and keys are valid only for the library that made them, which the pack's
 * fingerprint names. A pack is for devices of one architecture. */
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
  uint32_t local_bytes; /* local memory of a thread of the kernel there; 0: none, or not known */
  gg_terms terms;       /* of that kernel, for the form */
} gg_packed_place;

/* The kernels of one form. `name` is the form's name without alignments (gg_pack_form_name). */
typedef struct gg_packed_form {
  const char *name;
  int align_a, align_b, align_c, align_d; /* bytes that the kernels need; c: 0 without a C */
  const gg_packed_place *places;
  size_t place_count;
} gg_packed_form;

typedef struct gg_pack_contents {
  int device;                   /* 90 */
  int nvrtc_major, nvrtc_minor; /* of the NVRTC that compiled it: a part of the keys */
  bool has_ptx;                 /* whether there is also PTX for each cubin, for the emulator */
  const gg_packed_form *forms;
  size_t form_count;
  gg_packed_binary *binaries; /* in any order; the first of those with equal keys is packed */
  size_t binary_count;
} gg_pack_contents;

/* Appends the file; sorts the contents' binaries. */
void gg_pack_file_build(gg_str *out, gg_pack_contents *contents);

/* The name by which a pack finds a form: with its epilogue, and without its alignments. */
gg_status gg_pack_form_name(gg_str *out, const gg_form *form, gg_error *err);

/* ---- Using ---------------------------------------------------------------------------- */

typedef struct gg_pack_file gg_pack_file;

/* The packs of a gg_gemm. They do not change once they are open. */
typedef struct gg_packs {
  gg_pack_file **list;
  size_t count;
} gg_packs;

/* Opens those packs of `list`, which is separated by colons, that are for devices of `device`.
 * PACK_FILE: one cannot be read, is not a pack, or is not as it was written. PACK_LIBRARY: another
 * library made it. Whether a kernel is as it was written is checked when it is looked up. */
gg_status gg_packs_open(gg_packs *out, const char *list, int device, gg_error *err);
void gg_packs_close(gg_packs *packs);

/* Appends a text that is the same for the same packs, and so for the same kernels to choose from.
 */
void gg_packs_identity(gg_str *out, const gg_packs *packs);

/* Opens one pack, whatever devices it is for. Errors are as of gg_packs_open. */
gg_status gg_pack_file_open(gg_pack_file **out, const char *path, gg_error *err);
void gg_pack_file_close(gg_pack_file *file);

typedef struct gg_pack_file_facts {
  int device; /* 90 */
  bool has_ptx;
  size_t kernel_count, form_count; /* forms of one name but other alignments count separately */
  size_t bytes;
} gg_pack_file_facts;

gg_pack_file_facts gg_pack_file_facts_of(const gg_pack_file *file);
const char *gg_pack_file_form(const gg_pack_file *file, size_t index); /* its name */

const char *gg_pack_file_path(const gg_pack_file *file);
void gg_pack_file_nvrtc(int *major, int *minor, const gg_pack_file *file);

typedef enum gg_packed_state { GG_PACKED_NONE, GG_PACKED_WHOLE, GG_PACKED_DAMAGED } gg_packed_state;

/* Looks up a kernel. If it is there, and as it was packed, *data is set, which the pack owns. */
gg_packed_state gg_pack_file_find(const void **data, size_t *size, const gg_pack_file *file,
                                  const gg_cache_key *key);

/* Whether a pack has kernels of the form. *out is then the form of these kernels, which needs no
 * more alignment than `form` has; if there are several, it is the one that needs the most. Its
 * epilogue's text is that of `form`. */
gg_status gg_packs_serve(bool *serves, gg_form *out, const gg_packs *packs, const gg_form *form,
                         gg_error *err);

/* The places of the kernels of a form that gg_packs_serve gave, in all packs. Each is there once,
 * in the catalogue's order. *out is to be freed with gg_free. PACK_FILE: a pack's terms for the
 * form are damaged. */
gg_status gg_packs_places(gg_packed_place **out, size_t *count, const gg_packs *packs,
                          const gg_form *form, gg_error *err);

#endif
