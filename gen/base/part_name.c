#include "base/part_name.h"

#include <inttypes.h>
#include <string.h>

bool gg_part_name_put(gg_str *out, const gg_part_name *names, size_t count, const char *kernel,
                      gg_part_kind what, uint32_t value) {
  for (size_t i = 0; i < count; i++) {
    const gg_part_name *name = &names[i];
    if (name->what != what || value < name->first) continue;
    if (name->kernel && strcmp(name->kernel, kernel) != 0) continue;
    uint32_t index = (value - name->first) / (name->each ? name->each : 1);
    if (index >= name->count) continue;
    gg_str_puts(out, name->name);
    if (name->count > 1) gg_str_printf(out, "[%" PRIu32 "]", index);
    return true;
  }
  return false;
}
