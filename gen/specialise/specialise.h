/* A general text in, the text of one kernel out.
 *
 * Templates are written for all kernels of a family: they ask `if constexpr (pingpong)`, loop over
 * frags_m blocks and hand on what some epilogues read. This takes what a kernel's own constants
 * decide: branches that are never taken, loops of one round, parameters that nothing reads, and
 * every declaration that the kernel does not reach. What is left does what the general text does;
 * names, comments and lines are left as they are where nothing went. */
#ifndef GG_SPECIALISE_SPECIALISE_H
#define GG_SPECIALISE_SPECIALISE_H

#include "base/error.h"
#include "base/str.h"

/* Appends `text`, CUDA C++ of our templates, specialised. */
gg_status gg_specialise(gg_str *out, const char *text, size_t length, gg_error *err);

#endif
