/* Architectures: the table of archs.def as data, and their names. */
#ifndef GG_ATOM_ARCH_H
#define GG_ATOM_ARCH_H

#include "gemmgen.h"

typedef struct gg_arch_info {
  int number;                    /* 90: compute capability 9.0 */
  int smem_per_cta, smem_per_sm; /* bytes */
  int threads_per_sm, ctas_per_sm;
  int ptx_isa;         /* 78: PTX ISA 7.8 */
  bool converts_fp8;   /* cvt converts e4m3 and e5m2 */
  bool multiplies_fp8; /* mma.sync of 8-bit floats is one instruction, not several that ptxas makes
                        * of it */
  const char *suffix;  /* the suffixes that exist, out of "af" */
} gg_arch_info;

enum {
  GG_REGISTERS_PER_SM = 65536,
  GG_REGISTERS_PER_THREAD = 255,
  GG_THREADS_PER_CTA = 1024,
  GG_SMEM_RESERVED = 1024, /* bytes of shared memory that the system takes of each CTA */
};

/* An architecture as a spec or a device names it. */
typedef struct gg_arch {
  int number;
  char suffix; /* 'a', 'f' or 0; in requirements also 'A': see gg_arch_runs */
} gg_arch;

/* The rows of the table, in ascending order, *count of them. */
const gg_arch_info *gg_arch_table(size_t *count);
const gg_arch_info *gg_arch_info_of(int number); /* NULL if there is none */

/* Reads "sm_90a", "compute_90a" or "90a". False if the number or the suffix is not in the table. */
bool gg_arch_parse(gg_arch *out, const char *text);

/* Whether code that needs `need` runs on, or compiles for, `have`. A target with suffix `a` runs on
 * that architecture only, one with `f` also on later ones of its family, and one without a suffix
 * on every later architecture. `A` stands for what the `a` targets of a family have from an
 * architecture on, but its `f` targets lack. sm_110's own targets also have everything that
 * sm_100's own targets have. */
bool gg_arch_runs(gg_arch have, gg_arch need);

/* Whether what was compiled for `kernel` runs on a device of architecture `device`. */
bool gg_arch_serves(gg_arch kernel, int device);

/* The first CUDA release that has a PTX ISA: 118 (CUDA 11.8) for 78 (PTX ISA 7.8). */
int gg_cuda_of_ptx(int ptx_isa);

/* The first architecture on which a launch may begin while the one ahead of it on its stream still
 * runs, so that kernels wait themselves for its end (griddepcontrol). */
enum { GG_ARCH_LAUNCHES_BESIDE = 90 };

enum { GG_ARCH_NAME_MAX = 16 };

/* Writes the name, such as "sm_90a", and returns `out`. */
const char *gg_arch_name(char out[GG_ARCH_NAME_MAX], gg_arch arch);

#endif
