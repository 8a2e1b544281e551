/* Architectures: the table of archs.def as data, and their names. */
#ifndef GG_ATOM_ARCH_H
#define GG_ATOM_ARCH_H

#include "gemmgen.h"

typedef struct gg_arch_info {
  int number;                    /* 90: compute capability 9.0 */
  int smem_per_cta, smem_per_sm; /* bytes */
  int threads_per_sm, ctas_per_sm;
  int ptx_isa;         /* 78: PTX ISA 7.8 */
  bool converts_fp8;   /* by cvt, e4m3 and e5m2 */
  bool multiplies_fp8; /* by an instruction of a warp, not several that ptxas makes of mma.sync */
  const char *suffix;  /* of "af" those that exist */
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
  char suffix; /* 'a', 'f' or 0; of what is needed also 'A': see gg_arch_runs */
} gg_arch;

/* The rows, in ascending order; *count of them. */
const gg_arch_info *gg_arch_table(size_t *count);
const gg_arch_info *gg_arch_info_of(int number); /* NULL where there is none */

/* Reads "sm_90a", also "compute_90a" and "90a". False where the number or the suffix is not in
 * the table. */
bool gg_arch_parse(gg_arch *out, const char *text);

/* Whether code for `need` runs on, or compiles for, `have`: an `a` target on that architecture
 * alone, an `f` target on later ones of its family, a plain one on every later architecture. `A` is
 * what the `a` targets of a family have from an architecture on, and its `f` targets lack.
 * What sm_100's own targets have, sm_110's have too. */
bool gg_arch_runs(gg_arch have, gg_arch need);

/* Whether what was compiled for `kernel`, or is for this device, runs on a device of number
 * `device`.
 */
bool gg_arch_serves(gg_arch kernel, int device);

/* The first CUDA release that has a PTX ISA: 118, CUDA 11.8, for 78, PTX ISA 7.8. */
int gg_cuda_of_ptx(int ptx_isa);

/* From which on a launch may begin while the one ahead of it on its stream still runs, and kernels
 * wait themselves for its end (griddepcontrol). */
enum { GG_ARCH_LAUNCHES_BESIDE = 90 };

enum { GG_ARCH_NAME_MAX = 16 };

/* Writes "sm_90a" and gives `out`. */
const char *gg_arch_name(char out[GG_ARCH_NAME_MAX], gg_arch arch);

#endif
