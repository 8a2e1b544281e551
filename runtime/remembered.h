/* What a process has chosen for a product is kept beside the disk cache (cache.h), so that later
 * processes need not plan a catalogue to choose the same.
 *
 * A choice is found by all that it was made from: the library's fingerprint, the device, the form,
 * extents and workspace, which packs the kernel was chosen from, and how many were measured for it,
 * if any were. What is kept is the kernel's place in the catalogue. If it is lost, the choice is
 * made anew. */
#ifndef GG_RUNTIME_REMEMBERED_H
#define GG_RUNTIME_REMEMBERED_H

#include "roster.h"

typedef struct gg_remembered {
  const gg_cache *cache; /* NULL: nothing is kept */
  gg_str device, packs;  /* the parts of a key that are the same for all choices of a gg_gemm */
} gg_remembered;

gg_status gg_remembered_open(gg_remembered *out, const gg_context *context,
                             const gg_roster_source *source, gg_error *err);
void gg_remembered_close(gg_remembered *remembered);

typedef struct gg_remembered_choice {
  gg_catalogue_place place;
  double seconds; /* predicted or measured */
  bool apart;     /* as of gg_gemm_choice */
} gg_remembered_choice;

/* How a choice was made. */
typedef struct gg_remembered_how {
  bool packed;  /* whether from the kernels of packs */
  int measured; /* by measuring so many kernels; 0: by the model */
} gg_remembered_how;

/* The key's workspace is problem->workspace_bytes. */
bool gg_remembered_find(gg_remembered_choice *out, const gg_remembered *remembered,
                        gg_remembered_how how, const gg_form *form, const gg_problem *problem);
void gg_remembered_add(const gg_remembered *remembered, gg_remembered_how how, const gg_form *form,
                       const gg_problem *problem, const gg_remembered_choice *choice);

#endif
