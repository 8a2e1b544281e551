/* What a process has chosen for a product, for those that come after it: kept beside the disk cache
 * (cache.h), so that they need not plan a catalogue to choose the same.
 *
 * A choice is known by all that it was made from: the library's fingerprint, the device, the form,
 * extents and workspace, and which packs the kernel was chosen from. What is kept is the kernel's
 * place in the catalogue; where it is lost, the product is chosen anew. */
#ifndef GG_RUNTIME_REMEMBERED_H
#define GG_RUNTIME_REMEMBERED_H

#include "roster.h"

typedef struct gg_remembered {
  const gg_cache *cache; /* NULL: nothing is kept */
  gg_str device, packs;  /* what is the same of all choices of a gg_gemm */
} gg_remembered;

gg_status gg_remembered_open(gg_remembered *out, const gg_context *context,
                             const gg_roster_source *source, gg_error *err);
void gg_remembered_close(gg_remembered *remembered);

typedef struct gg_remembered_choice {
  gg_catalogue_place place;
  double seconds; /* predicted */
} gg_remembered_choice;

/* `packed`: chosen among what packs have. The workspace that counts is problem->workspace_bytes. */
bool gg_remembered_find(gg_remembered_choice *out, const gg_remembered *remembered, bool packed,
                        const gg_form *form, const gg_problem *problem);
void gg_remembered_add(const gg_remembered *remembered, bool packed, const gg_form *form,
                       const gg_problem *problem, const gg_remembered_choice *choice);

#endif
