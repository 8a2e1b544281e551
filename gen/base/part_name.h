/* The names that timelines use for parts of a kernel: places in its CTAs' shared memory, groups of
 * its warps, named barriers. */
#ifndef GG_BASE_PART_NAME_H
#define GG_BASE_PART_NAME_H

#include <stdint.h>

#include "base/str.h"

typedef enum gg_part_kind { GG_PART_SHARED, GG_PART_WARPS, GG_PART_BARRIERS } gg_part_kind;

/* A name for the numbers `first` to `first + each * count - 1` of a kernel's warps, of its named
 * barriers, or of the bytes of a CTA's shared memory (static variables first, then dynamic memory).
 * Each group of `each` numbers is called name[0], name[1] and so on; if `count` is 1, just name. */
typedef struct gg_part_name {
  const char *kernel; /* NULL: of every kernel */
  const char *name;
  gg_part_kind what;
  uint32_t first, count, each;
} gg_part_name;

/* Appends the name of number `value` among the kernel's parts of kind `what`: the first name that
 * fits. Returns false, and appends nothing, if none does. */
bool gg_part_name_put(gg_str *out, const gg_part_name *names, size_t count, const char *kernel,
                      gg_part_kind what, uint32_t value);

#endif
