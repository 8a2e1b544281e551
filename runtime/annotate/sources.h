/* The lines of CUDA C++ that instructions come from, as NVRTC says with -lineinfo, and the parts of
 * the template that these are in. */
#ifndef GG_ANNOTATE_SOURCES_H
#define GG_ANNOTATE_SOURCES_H

#include "base/arena.h"
#include "emu/ptx/ptx.h"

typedef struct source_line {
  const char *text; /* without what is blank around it */
  size_t length;
  int section; /* among the text's, from 1 on; 0: before the first */
} source_line;

typedef struct source_section {
  const char *title;
  size_t length;
  bool wraps; /* functions of one instruction each: who calls them says more */
} source_section;

typedef struct sources {
  const source_line *lines; /* of number 1 at [1] */
  int line_count;
  const source_section *sections; /* of number 1 at [1] */
  int section_count;
  const ptx_function *lined; /* the same instructions with lines */
} sources;

/* `lined` may be another kernel's: then no lines are known. MEMORY as false. */
bool sources_read(sources *out, gg_arena *arena, const char *cuda, const ptx_function *lined,
                  const ptx_function *plain);

/* The line that tells most of the instruction of this number; and the part of the template that it
 * is in: what the kernel calls. 0: not known. */
int sources_line(const sources *of, uint32_t instruction);
int sources_section(const sources *of, uint32_t instruction);

#endif
