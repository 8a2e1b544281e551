/* Turns the general text of a template into the text of one kernel.
 *
 * Templates are written for all kernels of a family: they ask `if constexpr (pingpong)`, loop over
 * frags_m blocks, and hand on parameters that only some epilogues read. Specialising takes out what
 * the kernel's own constants decide: branches that are never taken, loops of one round, parameters
 * that nothing reads, and every declaration that the kernel does not reach. The text that is left
 * does the same as the general text; its names, comments and lines are kept as they were wherever
 * nothing was taken out. */
#ifndef GG_SPECIALISE_SPECIALISE_H
#define GG_SPECIALISE_SPECIALISE_H

#include "base/error.h"
#include "base/str.h"

/* Appends to `out` the specialised form of `text`: `length` bytes of CUDA C++ as our templates are
 * written. Fails where brackets do not match or memory runs out. */
gg_status gg_specialise(gg_str *out, const char *text, size_t length, gg_error *err);

#endif
