/* The catalogue: the shapes and schedules that a product's kernel is chosen from.
 *
 * A catalogue is a list of specs, those under specs/catalogue (carried in the binary) or a user's.
 * Each stands for a kernel of any form: what a product is made of (gg_form) takes the place of the
 * spec's own operands, accumulator and epilogue, and its tile's K is kept in bytes of shared
 * memory; one with a sparse operand stands for forms that have one alone; one for a family of
 * architectures (sm_100f) is planned for the device's own (sm_103a). A lineup is what of a
 * catalogue there is for one form on one architecture: the plans that families accept. */
#ifndef GG_CHOICE_CATALOGUE_H
#define GG_CHOICE_CATALOGUE_H

#include "choice/model.h"

typedef struct gg_catalogue gg_catalogue;

/* The shipped specs; or those of `count` files at `paths`. Free with gg_catalogue_close. A shipped
 * file is read when a lineup first asks for it: lineups of one catalogue are made by one thread at
 * a time. */
gg_status gg_catalogue_open(gg_catalogue **out, gg_error *err);
gg_status gg_catalogue_load(gg_catalogue **out, char *const *paths, size_t count, gg_error *err);
void gg_catalogue_close(gg_catalogue *catalogue);

/* Where in a catalogue a spec stands: its file, and which of that file's specs. */
typedef struct gg_catalogue_place {
  uint16_t file, spec;
} gg_catalogue_place;

static inline bool gg_same_place(gg_catalogue_place left, gg_catalogue_place right) {
  return left.file == right.file && left.spec == right.spec;
}

typedef struct gg_candidate {
  gg_catalogue_place place;
  gg_spec spec;
  gg_plan plan;  /* of that spec; its layouts are not derived */
  uint64_t hash; /* of its identity (plan/decisions.h) for whatever architecture */
} gg_candidate;

typedef struct gg_refusal {
  const char *source;  /* the catalogue's file */
  const char *variant; /* of its sweep; "" */
  const char *why;
} gg_refusal;

typedef struct gg_lineup {
  gg_arena arena;
  gg_candidate *list; /* in the catalogue's order */
  size_t count;
  gg_refusal *refused;
  size_t refused_count;
  gg_spec_file *file; /* of one place: its spec; else NULL */
} gg_lineup;

/* Every spec of the catalogue that can be generated for `form` and runs on a device of `device`
 * (90; an `a` target on that architecture alone); of those that come out as one kernel, the first,
 * and none that differs from one before it in being for an older architecture alone. Where a
 * family that is not the last one to ask has the form, none of one that is. An empty lineup is no
 * error here. The catalogue outlives it. Free with gg_lineup_free. */
gg_status gg_lineup_make(gg_lineup **out, const gg_catalogue *catalogue, const gg_form *form,
                         int device, gg_error *err);
void gg_lineup_free(gg_lineup *lineup);

/* The same of one place alone, for which nothing else is read; empty where that has no kernel for
 * the form. */
gg_status gg_lineup_make_at(gg_lineup **out, const gg_catalogue *catalogue, const gg_form *form,
                            int device, gg_catalogue_place place, gg_error *err);

/* GEMM_FORM: nothing of the lineup, which is empty, computes the form; with a refusal. */
gg_status gg_lineup_fail(const gg_lineup *lineup, const gg_form *form, int device, gg_error *err);

/* How many kernels that spill are compiled, at most, in the search for one that does not: no
 * prediction knows of them, and each takes a second or two. Then the first of them serves. */
enum { GG_SPILLING_MOST = 4 };

typedef struct gg_ranked {
  double seconds; /* predicted */
  size_t index;   /* of the lineup */
} gg_ranked;

/* What a launch is given beside operands. */
typedef struct gg_room {
  int64_t workspace;       /* bytes */
  int64_t multiprocessors; /* that it may fill; 0: all of the device */
} gg_room;

/* Fills `out`, of lineup->count, with the fastest first; of equals the first of the catalogue.
 * Last, with INFINITY seconds, come those that are not admitted. */
void gg_lineup_rank(gg_ranked *out, const gg_lineup *lineup, gg_extents extents,
                    const gg_device_model *device, gg_room room);

/* The same for who has many problems and wants the first few of each: the kernels' models are made
 * once, for a device, which outlives them; free *out with gg_free. gg_models_rank fills
 * `out` in the lineup's order, gg_ranked_first brings the fastest of a list to its front. */
gg_model gg_candidate_model(const gg_candidate *candidate, const gg_device_model *device);
gg_status gg_lineup_model(gg_model **out, const gg_lineup *lineup, const gg_device_model *device,
                          gg_error *err);
void gg_models_rank(gg_ranked *out, const gg_model *models, size_t count, gg_extents extents,
                    gg_room room);
void gg_ranked_first(gg_ranked *list, size_t count);

#endif
