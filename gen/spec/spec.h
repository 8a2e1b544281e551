/* gg_spec: one kernel as the YAML asks for it, and nothing more.
 *
 * Every key of keys.def has one gg_spec_field here, which the table finds by its offset. A field
 * says whether the key was given, what stands there, and where. No default is applied and nothing
 * is decided: `auto` and absent keys are resolved in the plan.
 *
 * Invariants, once parsed: values are inside the table's ranges; required keys are set; the specs
 * of one file share its arena and live until gg_spec_file_free. */
#ifndef GG_SPEC_SPEC_H
#define GG_SPEC_SPEC_H

#include "atom/arch.h"
#include "base/arena.h"
#include "base/yaml.h"
#include "gemmgen.h"

enum { GG_SPEC_BYTES_MAX = GG_YAML_BYTES_MAX }; /* the largest file that is read */

typedef enum gg_spec_state {
  GG_SPEC_UNSET, /* the key is absent */
  GG_SPEC_AUTO,  /* `auto`: asks explicitly for the choice that an absent key gets */
  GG_SPEC_NONE,  /* `none`: asks for no such operand (only c) */
  GG_SPEC_SET,   /* a value stands there */
} gg_spec_state;

/* The value of one key. The key's kind determines which member of the union holds it. The value has
 * a meaning only if state is GG_SPEC_SET. */
typedef struct gg_spec_field {
  gg_spec_state state;
  gg_mark mark;         /* of the value; if the key is absent, of the enclosing mapping */
  const gg_mark *marks; /* one mark for each element if the value is a list; else NULL */
  const char *text;     /* the scalar as written, for messages; NULL if it is no scalar */
  union {
    int64_t number;       /* a number; an enumerator; a bool; GG_FIXED_NONE for `dynamic` */
    float real;           /* a decimal number */
    int64_t tuple[3];     /* [M, N, K] or [x, y, z] */
    gg_arch arch;         /* for arch only */
    const char *texts[3]; /* for permutation only: "_", "32" or a layout's text */
  };
} gg_spec_field;

/* The keys of one operand. `here` is the mapping itself: set if the key is given, whatever stands
 * in it. */
typedef struct gg_spec_operand {
  gg_spec_field here;
  gg_spec_field type;    /* gg_dtype */
  gg_spec_field major;   /* gg_major */
  gg_spec_field align;   /* bytes, a power of two */
  gg_spec_field rounded; /* bool; of A and B */
  gg_spec_field sparse;  /* bool; of A and B */
  gg_spec_field store;   /* gg_store; of D */
  struct {
    gg_spec_field here, type, block; /* gg_dtype, number; of A, B and D */
  } scale;
} gg_spec_operand;

typedef enum gg_swizzle_kind {
  GG_SWIZZLE_128B,
  GG_SWIZZLE_64B,
  GG_SWIZZLE_32B,
  GG_SWIZZLE_NONE,
  GG_SWIZZLE_PADDING,
} gg_swizzle_kind;

typedef enum gg_source {
  GG_SOURCE_SHARED,
  GG_SOURCE_REGISTERS,
  GG_SOURCE_TENSOR_MEMORY,
} gg_source;

typedef enum gg_store {
  GG_STORE_BOXES,
  GG_STORE_LANES,
} gg_store;

typedef enum gg_schedule {
  GG_SCHEDULE_NAIVE,
  GG_SCHEDULE_SIMT,
  GG_SCHEDULE_MULTISTAGE,
  GG_SCHEDULE_WARP_SPECIALIZED,
  GG_SCHEDULE_COOPERATIVE,
  GG_SCHEDULE_PINGPONG,
} gg_schedule;

typedef enum gg_scheduler {
  GG_SCHEDULER_DATA_PARALLEL,
  GG_SCHEDULER_PERSISTENT,
  GG_SCHEDULER_SPLIT_K,
  GG_SCHEDULER_STREAM_K,
  GG_SCHEDULER_DYNAMIC,
} gg_scheduler;

typedef enum gg_raster {
  GG_RASTER_ALONG_M,
  GG_RASTER_ALONG_N,
  GG_RASTER_HILBERT,
} gg_raster;

/* Which tiles are considered neighbours: those that follow each other in the launch, or those of
 * clusters in the same GPC. */
typedef enum gg_neighbours {
  GG_NEIGHBOURS_LAUNCH,
  GG_NEIGHBOURS_GPC,
} gg_neighbours;

/* One operation of the epilogue. It has the options that keys.def lists for its kind; the others
 * stay unset. */
typedef struct gg_spec_op {
  gg_op_kind kind;
  gg_mark mark;
  gg_spec_field alpha, beta;       /* bool: there is such a factor, given at launch */
  gg_spec_field scalars;           /* gg_scalars: where alpha and beta are given */
  gg_spec_field along;             /* gg_along: which numbers the vector has */
  gg_spec_field type;              /* gg_dtype of the operation's own operand */
  gg_spec_field form;              /* gg_gelu */
  gg_spec_field act;               /* gg_op_kind: an activation */
  gg_spec_field columns;           /* bool: the columns of a gate are split */
  gg_spec_field slope, min, max;   /* real */
  gg_spec_field text;              /* of an expression */
  const gg_expression *expression; /* the parsed text of an expression; NULL for other kinds */
} gg_spec_op;

struct gg_spec {
  gg_spec_field here;  /* the whole document */
  const char *variant; /* the swept values, such as "k_n", which are appended to a name; "" without
                        * a sweep */

  gg_spec_field name; /* text: an identifier, also with _ and the variant behind it */
  gg_spec_field arch;
  gg_spec_operand a, b, c, d; /* there is a C if and only if gg_spec_has_c says so */
  gg_spec_field accumulator;  /* gg_dtype */
  gg_spec_field promote;      /* number */
  gg_spec_field bits;         /* bool: for b1, whether products count bits that differ (xor) */
  struct {
    gg_spec_field here, m, n, k, batch; /* number; GG_FIXED_NONE for `dynamic` */
    gg_spec_field pointers;             /* bool */
  } problem;

  gg_spec_field tile; /* tuple: M, N, K of a CTA's tile, in elements */
  gg_spec_field stages;
  gg_spec_field atom;        /* text */
  gg_spec_field swap_ab;     /* bool */
  gg_spec_field atom_layout; /* tuple: how many atoms along M, N, K */
  gg_spec_field permutation; /* texts: along M, N, K */
  struct {
    gg_spec_field here, a, b, d; /* gg_swizzle_kind */
  } swizzle;

  gg_spec_field cluster; /* tuple: CTAs along x, y, z */
  gg_spec_field cta_group;
  gg_spec_field accumulator_stages;
  struct {
    gg_spec_field here, a, b; /* gg_source */
  } operand_source;

  gg_spec_field schedule; /* gg_schedule */
  struct {
    gg_spec_field here, kind, splits; /* gg_scheduler, number */
  } scheduler;
  struct {
    gg_spec_field here, order, group, neighbours; /* gg_raster, number, gg_neighbours */
  } raster;

  gg_spec_field epilogue; /* set: the operations below, in the order they apply */
  const gg_spec_op *ops;
  size_t op_count;

  gg_spec_field threads;
  gg_spec_field ctas_per_sm;

  gg_spec_field trace; /* bool */
};

/* Makes a spec of a form: types, scale factors, majors, alignments, accumulator, promote and
 * epilogue, for the oldest architecture. The form's members must have been checked (gg_form_check).
 * What the spec points to lives in the arena. Errors name members of the struct. */
gg_status gg_spec_of_form(gg_spec *out, const gg_form *form, gg_arena *arena, gg_error *err);

/* Whether an operand's elements are promised to be rounded. */
static inline bool gg_spec_is_rounded(const gg_spec_operand *operand) {
  return operand->rounded.state == GG_SPEC_SET && operand->rounded.number;
}

/* Whether blocks of an operand have scale factors. */
static inline bool gg_spec_is_scaled(const gg_spec_operand *operand) {
  gg_spec_state state = operand->scale.here.state;
  return state == GG_SPEC_SET || state == GG_SPEC_AUTO;
}

/* Whether the spec's epilogue gates columns of the product: then D has half of them. */
static inline bool gg_spec_is_gated(const gg_spec *spec) {
  for (size_t i = 0; i < spec->op_count; i++)
    if (spec->ops[i].kind == GG_OP_GATED) return true;
  return false;
}

/* Whether the spec has a C operand: the key is there and is not `none`. */
static inline bool gg_spec_has_c(const gg_spec *spec) {
  return spec->c.here.state == GG_SPEC_AUTO || spec->c.here.state == GG_SPEC_SET;
}

#endif
