/* Family sm90 as text: what fills the slots of its templates, and what is fetched for a tile's
 * epilogue. */
#ifndef GG_EMIT_SM90_H
#define GG_EMIT_SM90_H

#include "emit/binding.h"
#include "plan/layouts.h"

/* Which parts fill the slots, and the lists that they share. sm90_slots.c */
void gg_sm90_bind_slots(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts);

/* How far the second CTA's rows of B are from the first one's, of a pair: half of those of an MMA,
 * or of the turn that the tile's columns are taken in. sm90_lines.c */
/* The function that loads a box of B. */
const char *gg_sm90_load_of_b(const gg_plan *plan);

const char *gg_sm90_half_of_b(const gg_plan *plan);

/* Which work a cluster computes, and how all roles walk it. sm90_work.c */
void gg_sm90_bind_work(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts);

/* Whether copies find the second half of N by themselves, and not by a tensor map's dimension. */
bool gg_sm90_finds_halves(const gg_plan *plan);

/* How consumers bring together the parts of a tile, by a call that gives their boxes, behind a
 * space or a new line; NULL: tiles have none. sm90_work.c */
void gg_sm90_bind_combine(gg_bindings *out, const gg_plan *plan, const char *call);

/* What warps copy of lines that begin anywhere or transpose, and their role's call. sm90_lines.c */
void gg_sm90_bind_copiers(gg_bindings *out, const gg_plan *plan);
void gg_sm90_run_copiers(gg_str *out, const gg_plan *plan);

/* Whether the part that multiplies loads A's fragments itself. */
static inline bool gg_sm90_multiplies_registers(const gg_plan *plan) {
  return plan->specialised && plan->a_in_registers && !plan->promote;
}

/* Whether C is among the fetched matrices; whether the producer fetches any, behind a tile's last K
 * tile. The rest is sm90_fetch.c's, too. */
bool gg_sm90_fetches_c(const gg_layouts *layouts);
bool gg_sm90_fetches_behind(const gg_layouts *layouts);

/* The method of a box's struct that gives an element's place in bytes: by the layout function of
 * the matrix. */
void gg_sm90_write_offset(gg_str *out, const char *name, gg_dtype type);

/* How the boxes of each fetched matrix lie. */
gg_status gg_sm90_write_fetched(gg_str *out, const gg_plan *plan, const gg_layouts *layouts,
                                gg_error *err);

/* The kernel's list of their maps; and where maps change the tile's, of which C's is of its set. */
void gg_sm90_write_fetch_maps(gg_str *out, const gg_plan *plan, const gg_layouts *layouts);
void gg_sm90_write_fetch_maps_of_set(gg_str *out, const gg_plan *plan, const gg_layouts *layouts);

/* The functions for elements of shared memory that the epilogue calls. sm90_shared.c */
void gg_sm90_bind_shared(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts);

/* Binds what of matrices and vectors is fetched, and how it is read. */
void gg_sm90_bind_fetched(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts);

/* The layout functions of what is stored through the staging; and how it gets there and leaves.
 * sm90_results.c */
gg_status gg_sm90_write_results(gg_str *out, const gg_plan *plan, const gg_layouts *layouts,
                                gg_error *err);
void gg_sm90_bind_results(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts);

/* What the epilogue of a kernel does, as constants of its text; the last three are for its
 * arguments. */
typedef struct gg_sm90_epilogue {
  bool fetches;        /* matrices; and whether the producer brings them, */
  bool fetches_behind; /* behind a tile's last K tile */
  bool reads_ahead;    /* vectors, to shared memory */
  bool reduces_sums;   /* of several CTAs: each stores some of a tile's boxes, or none */
  bool maps_results;   /* the copy engine stores some result */
  bool partial_tiles;  /* tiles may reach beyond D */
  bool tails;          /* a result's lines may end within 16 bytes */
  bool reads_cells;    /* of matrices, fetched or where they lie */
  bool places;         /* operations depend on where an element is */
  bool edges;          /* D's extents matter */
  bool addresses;      /* lanes store to D */
} gg_sm90_epilogue;

gg_sm90_epilogue gg_sm90_epilogue_of(const gg_plan *plan, const gg_layouts *layouts);
void gg_sm90_write_epilogue(gg_str *out, const gg_plan *plan, const gg_layouts *layouts);

#endif
