#include "atom/arch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const gg_arch_info table[] = {
#define GG_ARCH(number, smem_cta, smem_sm, threads, ctas, ptx, suffix)                             \
  {number, smem_cta, smem_sm, threads, ctas, ptx, suffix},
#include "atom/archs.def"
#undef GG_ARCH
};

const gg_arch_info *gg_arch_table(size_t *count) {
  *count = sizeof table / sizeof *table;
  return table;
}

const gg_arch_info *gg_arch_info_of(int number) {
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    if (table[i].number == number) return &table[i];
  }
  return NULL;
}

bool gg_arch_parse(gg_arch *out, const char *text) {
  static const char *const prefixes[] = {"sm_", "compute_", ""};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
    size_t length = strlen(prefixes[i]);
    if (strncmp(text, prefixes[i], length) != 0) continue;
    const char *digits = text + length;
    size_t count = strspn(digits, "0123456789");
    if (count == 0 || count > 3 || (digits[count] && digits[count + 1])) return false;
    gg_arch arch = {.number = atoi(digits), .suffix = digits[count]};
    const gg_arch_info *info = gg_arch_info_of(arch.number);
    if (!info || (arch.suffix && !strchr(info->suffix, arch.suffix))) return false;
    *out = arch;
    return true;
  }
  return false;
}

const char *gg_arch_name(char out[GG_ARCH_NAME_MAX], gg_arch arch) {
  snprintf(out, GG_ARCH_NAME_MAX, "sm_%d%s", arch.number,
           arch.suffix == 'a' ? "a" : arch.suffix == 'f' ? "f" : "");
  return out;
}
