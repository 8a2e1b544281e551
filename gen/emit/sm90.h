/* Family sm90 as text: what fills the slots of its templates, and what is fetched for a tile's
 * epilogue. Families sm100 and sm120 share most of it. */
#ifndef GG_EMIT_SM90_H
#define GG_EMIT_SM90_H

#include "emit/binding.h"
#include "plan/layouts.h"

/* Binds the parts that fill the slots, and the lists that these share. (sm90_slots.c) */
void gg_sm90_bind_slots(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts);

/* The name of the text's function that loads a box of B. (sm90_lines.c) */
const char *gg_sm90_load_of_b(const gg_plan *plan);

/* In a pair of CTAs, how far the second one's rows of B are from the first one's, as an expression
 * of the text: half the columns of an MMA, or of the turn that the tile's columns are taken in.
 * (sm90_lines.c) */
const char *gg_sm90_half_of_b(const gg_plan *plan);

/* Binds which work a cluster computes, and how all roles go through it. (sm90_work.c) */
void gg_sm90_bind_work(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts);

/* Whether copies find the second half of N by computing its columns, not by a dimension of the
 * tensor map. */
bool gg_sm90_finds_halves(const gg_plan *plan);

/* Binds how consumers bring together the parts of a tile, with the call that gives their boxes,
 * which follows a space or a newline; NULL if tiles have no parts. (sm90_work.c) */
void gg_sm90_bind_combine(gg_bindings *out, const gg_plan *plan, const char *call);

/* Binds what warps do that copy lines which may begin anywhere, or transpose; and appends the call
 * of their role. (sm90_lines.c) */
void gg_sm90_bind_copiers(gg_bindings *out, const gg_plan *plan);
void gg_sm90_run_copiers(gg_str *out, const gg_plan *plan);

/* Whether the part that multiplies also loads A's fragments. */
static inline bool gg_sm90_multiplies_registers(const gg_plan *plan) {
  return plan->specialised && plan->a_in_registers && !plan->promote;
}

/* Whether C is among the fetched matrices; whether the producer fetches any behind a tile's last K
 * tile. These and what follows are in sm90_fetch.c, unless it says otherwise. */
bool gg_sm90_fetches_c(const gg_layouts *layouts);
bool gg_sm90_fetches_behind(const gg_layouts *layouts);

/* Appends the method of a box's struct that gives an element's place, in bytes, by the matrix's
 * layout function. */
void gg_sm90_write_offset(gg_str *out, const char *name, gg_dtype type);

/* Appends how the boxes of each fetched matrix lie. */
gg_status gg_sm90_write_fetched(gg_str *out, const gg_plan *plan, const gg_layouts *layouts,
                                gg_error *err);

/* Appends the kernel's list of the maps of fetched matrices; and, if maps are changed for each
 * batch, the list for a tile, in which C's map comes from the tile's set. */
void gg_sm90_write_fetch_maps(gg_str *out, const gg_plan *plan, const gg_layouts *layouts);
void gg_sm90_write_fetch_maps_of_set(gg_str *out, const gg_plan *plan, const gg_layouts *layouts);

/* Binds the functions for elements of shared memory that the epilogue calls. (sm90_shared.c) */
void gg_sm90_bind_shared(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts);

/* Binds which matrices and vectors are fetched, and how they are read. */
void gg_sm90_bind_fetched(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts);

/* Appends the layout functions of what is stored by way of the staging; and binds how it gets there
 * and leaves. (sm90_results.c) */
gg_status gg_sm90_write_results(gg_str *out, const gg_plan *plan, const gg_layouts *layouts,
                                gg_error *err);
void gg_sm90_bind_results(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts);

/* What a kernel's epilogue does, as constants of its text. The last three decide about its
 * arguments. */
typedef struct gg_sm90_epilogue {
  bool fetches;        /* it fetches matrices; */
  bool fetches_behind; /* the producer brings them, behind a tile's last K tile */
  bool reads_ahead;    /* vectors are read ahead to shared memory */
  bool reduces_sums;   /* of several CTAs, each of which stores some of a tile's boxes, or none */
  bool maps_results;   /* the copy engine stores some result */
  bool partial_tiles;  /* tiles may reach beyond D */
  bool tails;          /* a result's lines may end within 16 bytes */
  bool reads_cells;    /* it reads matrices, fetched or in place */
  bool places;         /* operations depend on where an element is */
  bool edges;          /* D's extents matter */
  bool addresses;      /* lanes store to D */
} gg_sm90_epilogue;

gg_sm90_epilogue gg_sm90_epilogue_of(const gg_plan *plan, const gg_layouts *layouts);
void gg_sm90_write_epilogue(gg_str *out, const gg_plan *plan, const gg_layouts *layouts);

#endif
