/* Which part of a kernel's memory an address means. */
#ifndef GG_ANNOTATE_PLACES_H
#define GG_ANNOTATE_PLACES_H

#include "annotate/value.h"
#include "plan/operands.h"

/* A kernel as its places are looked up. */
typedef struct map_of_memory {
  const gg_layouts *layouts;
  gg_operand_row rows[GG_OPERAND_ROWS_MAX];
  size_t row_count;
} map_of_memory;

/* In shared memory, of this CTA or of one of its cluster. */
typedef struct place {
  const gg_ring *ring;              /* NULL: of none, or it is not known of which */
  const gg_ring_barriers *barriers; /* it is one of these; NULL: it lies in a stage */
  bool is_full;                     /* those that say that a stage is full */
  int stage;                        /* -1: one of several */
  bool elsewhere;                   /* of any CTA of the cluster */
  const gg_operand_row *operand;    /* whose part of a stage it lies in; NULL: not known */
} place;

/* Where all that the value may be lies: addresses, or descriptors with such. False: not in one
 * place that is known. */
bool place_of(place *out, const map_of_memory *memory, const flow_value *value);

/* ... where it is known that it lies in a stage of this ring, in whose place there may be others.
 */
bool place_in(place *out, const map_of_memory *memory, const flow_value *value,
              const gg_ring *ring);

/* The stage of each case of the value, which lies in `at`. */
void place_stages(int64_t *stages, const place *at, const flow_value *value);

/* Whether all of it are addresses of accumulators in tensor memory. */
bool place_is_accumulators(const map_of_memory *memory, const flow_value *value);

#endif
