#include "atom/arch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const gg_arch_info table[] = {
#define GG_ARCH(number, smem_cta, smem_sm, threads, ctas, ptx, fp8, mma, suffix)                   \
  {number, smem_cta, smem_sm, threads, ctas, ptx, fp8, mma, suffix},
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

/* sm_110, formerly sm_101, has what PTX gives to sm_100's own targets: tcgen05 of all kinds, and
 * the copies of byte matrices. For those it counts as sm_100. */
static gg_arch as_sm100(gg_arch have, gg_arch need) {
  bool stands_in = have.number == 110 && need.number == 100 && need.suffix;
  return stands_in ? (gg_arch){100, have.suffix} : have;
}

bool gg_arch_runs(gg_arch have, gg_arch need) {
  have = as_sm100(have, need);
  if (need.suffix == 'a') return have.number == need.number && have.suffix == 'a';
  if (need.suffix == 'f' || need.suffix == 'A') {
    bool has = need.suffix == 'f' ? have.suffix != 0 : have.suffix == 'a';
    return have.number / 10 == need.number / 10 && have.number >= need.number && has;
  }
  return have.number >= need.number;
}

bool gg_arch_serves(gg_arch kernel, int device) {
  if (kernel.suffix == 'a') return device == kernel.number;
  if (kernel.suffix == 'f') {
    /* A family is all devices of one major version, from its first one on. */
    const gg_arch_info *info = gg_arch_info_of(device);
    return info && strchr(info->suffix, 'f') && device / 10 == kernel.number / 10 &&
           device >= kernel.number;
  }
  return device >= kernel.number;
}

/* Source: PTX ISA, "PTX ISA Version History". */
int gg_cuda_of_ptx(int ptx_isa) {
  static const struct {
    int ptx_isa, cuda;
  } releases[] = {
      {50, 80},  {60, 90},  {61, 91},  {62, 92},  {63, 100}, {64, 101}, {65, 102},
      {70, 110}, {71, 111}, {72, 112}, {73, 113}, {74, 114}, {75, 115}, {76, 116},
      {77, 117}, {78, 118}, {80, 120}, {81, 121}, {82, 122}, {83, 123}, {84, 124},
      {85, 125}, {86, 127}, {87, 128}, {88, 129}, {90, 130},
  };
  size_t at = 0;
  while (at + 1 < sizeof releases / sizeof *releases && releases[at].ptx_isa < ptx_isa)
    at++;
  return releases[at].cuda;
}

const char *gg_arch_name(char out[GG_ARCH_NAME_MAX], gg_arch arch) {
  snprintf(out, GG_ARCH_NAME_MAX, "sm_%d%s", arch.number,
           arch.suffix == 'a' || arch.suffix == 'A' ? "a"
           : arch.suffix == 'f'                     ? "f"
                                                    : "");
  return out;
}
