/* What the parts of a kernel are called in timelines: places of its CTAs' shared memory, groups of
 * its warps, named barriers. */
#ifndef GG_BASE_PART_NAME_H
#define GG_BASE_PART_NAME_H

#include <stdint.h>

#include "base/str.h"

typedef enum gg_part_kind { GG_PART_SHARED, GG_PART_WARPS, GG_PART_BARRIERS } gg_part_kind;

/* Numbers `first` to `first + each * count - 1` of a kernel's warps, named barriers, or bytes of a
 * CTA's shared memory (static variables, then dynamic memory), `each` of them as name[0], name[1]
 * and on; of one, name. */
typedef struct gg_part_name {
  const char *kernel; /* NULL: of every one */
  const char *name;
  gg_part_kind what;
  uint32_t first, count, each;
} gg_part_name;

/* Puts the name of number `value` of the kernel's things of a kind, the first that fits; gives
 * false, and puts nothing, where it has none. */
bool gg_part_name_put(gg_str *out, const gg_part_name *names, size_t count, const char *kernel,
                      gg_part_kind what, uint32_t value);

#endif
