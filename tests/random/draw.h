/* Specs and problems from a seed: any keys of families sm90, sm80 and naive, in any company. */
#ifndef RANDOM_DRAW_H
#define RANDOM_DRAW_H

#include "base/str.h"
#include "gemmgen_runtime.h"

/* A sequence of random numbers. */
typedef struct draws {
  uint64_t seed, drawn;
} draws;

/* From 0 up to `count` - 1. */
int64_t draw_below(draws *from, int64_t count);

/* Appends a spec. It is a legal text; most plans accept it, and the others say what they lack. */
void draw_spec(gg_str *out, draws *from);
/* The same of families sm100, sm120 and simt, and of sm120 with types that every mma.sync has. They
 * have sequences of their own: those of the others stay as they are. */
void draw_spec_of_sm100(gg_str *out, draws *from);
void draw_spec_of_sm120(gg_str *out, draws *from);
void draw_spec_of_plain(gg_str *out, draws *from);
void draw_spec_of_simt(gg_str *out, draws *from);

/* Extents, alpha and beta that the kernel takes: a few ragged tiles, or less. */
gg_problem draw_problem(draws *from, const gg_kernel *kernel);

#endif
