/* The catalogue: the list of tile shapes and schedules that a product's kernel is chosen from.
 *
 * A catalogue is a list of specs: those under specs/catalogue, which are built into the binary, or
 * a user's. Each spec stands for kernels of any form. What a product is made of (gg_form) replaces
 * the spec's own operands, accumulator and epilogue, and the tile's K keeps its length in bytes of
 * shared memory. A spec with a sparse operand stands only for forms that have one. A spec for a
 * family of architectures (sm_100f) is planned for the device's own (sm_103a).
 *
 * A lineup is what a catalogue has for one form on one architecture: the plans that families
 * accept. */
#ifndef GG_CHOICE_CATALOGUE_H
#define GG_CHOICE_CATALOGUE_H

#include "choice/model.h"

typedef struct gg_catalogue gg_catalogue;

/* Opens the shipped catalogue, or one of the `count` spec files at `paths`. Close it with
 * gg_catalogue_close. A shipped file is read when a lineup first needs it, so lineups of one
 * catalogue must be made by one thread at a time. */
gg_status gg_catalogue_open(gg_catalogue **out, gg_error *err);
gg_status gg_catalogue_load(gg_catalogue **out, char *const *paths, size_t count, gg_error *err);
void gg_catalogue_close(gg_catalogue *catalogue);

/* The place of a spec in a catalogue: the number of its file, and its number in that file. */
typedef struct gg_catalogue_place {
  uint16_t file, spec;
} gg_catalogue_place;

static inline bool gg_same_place(gg_catalogue_place left, gg_catalogue_place right) {
  return left.file == right.file && left.spec == right.spec;
}

typedef struct gg_candidate {
  gg_catalogue_place place;
  gg_spec spec;
  gg_plan plan;  /* the plan of that spec; its layouts are not derived */
  uint64_t hash; /* hash of its identity (plan/decisions.h) without the architecture */
} gg_candidate;

typedef struct gg_refusal {
  const char *source;  /* the catalogue's file */
  const char *variant; /* which of the file's swept specs; "" without a sweep */
  const char *why;
} gg_refusal;

typedef struct gg_lineup {
  gg_arena arena;
  gg_candidate *list; /* in the catalogue's order */
  size_t count;
  gg_refusal *refused;
  size_t refused_count;
  gg_spec_file *file; /* of a lineup made at one place: that place's spec file; else NULL */
} gg_lineup;

/* Makes the lineup of every spec in the catalogue that can be generated for `form` and runs on a
 * device of architecture `device` (such as 90; targets with the suffix `a` run on that architecture
 * alone).
 *
 * Specs that result in the same kernel appear once, as the first of them; a kernel that differs
 * from an earlier one only by being for an older architecture is left out. If any family that is
 * not marked `last` has the form, families marked `last` (gg_target) are left out. An empty lineup
 * is no error here. The catalogue must outlive the lineup. Free it with gg_lineup_free. */
gg_status gg_lineup_make(gg_lineup **out, const gg_catalogue *catalogue, const gg_form *form,
                         int device, gg_error *err);
void gg_lineup_free(gg_lineup *lineup);

/* Makes a lineup of the spec at one place, without reading any other. It is empty if that spec
 * gives no kernel for the form. */
gg_status gg_lineup_make_at(gg_lineup **out, const gg_catalogue *catalogue, const gg_form *form,
                            int device, gg_catalogue_place place, gg_error *err);

/* Fails with GEMM_FORM for an empty lineup: nothing in the catalogue computes the form. The message
 * gives one of the refusals. */
gg_status gg_lineup_fail(const gg_lineup *lineup, const gg_form *form, int device, gg_error *err);

/* In the search for a kernel that does not spill registers, at most this many that do are compiled,
 * because no prediction knows which spill and each compilation takes a second or two. After that,
 * the first one is used. */
enum { GG_SPILLING_MOST = 4 };

typedef struct gg_ranked {
  double seconds; /* predicted */
  size_t index;   /* index into the lineup */
} gg_ranked;

/* What a launch may use besides its operands. */
typedef struct gg_room {
  int64_t workspace;       /* bytes */
  int64_t multiprocessors; /* that the launch may fill; 0: all of the device's */
} gg_room;

/* Fills `out`, which has room for lineup->count, with the candidates, fastest first; among equals
 * the order is the catalogue's. Those that may not be chosen come last, with INFINITY seconds. */
void gg_lineup_rank(gg_ranked *out, const gg_lineup *lineup, gg_extents extents,
                    const gg_device_model *device, gg_room room);

/* The same for callers with many problems who want the best few kernels for each. gg_lineup_model
 * makes the kernels' models once for a device, which must outlive them; free *out with gg_free.
 * gg_models_rank fills `out` in the lineup's order, and gg_ranked_first moves the fastest of a list
 * to its front. */
gg_model gg_candidate_model(const gg_candidate *candidate, const gg_device_model *device);
gg_status gg_lineup_model(gg_model **out, const gg_lineup *lineup, const gg_device_model *device,
                          gg_error *err);
void gg_models_rank(gg_ranked *out, const gg_model *models, size_t count, gg_extents extents,
                    gg_room room);
void gg_ranked_first(gg_ranked *list, size_t count);

#endif
