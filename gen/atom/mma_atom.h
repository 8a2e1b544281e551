/* MMA atoms: the table mma_atoms.def as data, and lookup by name or by what they multiply.
 *
 * A row is one instruction, or a family of them: wgmma with its values of N, tcgen05 with its
 * values of M and N. An atom is a row with every parameter chosen: a small value that points to its
 * row and owns nothing.
 *
 *     gg_mma_atom atom;
 *     gg_mma_atom_find(&atom, "SM80_16x8x16_F32F16F16F32_TN", &err);
 *     gg_layout layout = gg_mma_atom_layout(&atom, GG_MMA_A); */
#ifndef GG_ATOM_MMA_ATOM_H
#define GG_ATOM_MMA_ATOM_H

#include "atom/arch.h"
#include "atom/atom_name.h"
#include "atom/instr_desc.h"
#include "atom/tv.h"

typedef enum gg_mma_kind {
  GG_MMA_sync,    /* mma.sync: all operands in the registers of a warp or quadpair */
  GG_MMA_fma,     /* one thread's multiply-add */
  GG_MMA_dot,     /* one thread's sum of products of packed integers: dp4a */
  GG_MMA_several, /* complex numbers: made of several mma.sync, so with no PTX name */
  GG_MMA_wgmma,   /* wgmma.mma_async of a warpgroup */
  GG_MMA_tcgen05, /* tcgen05.mma of a CTA or a pair of CTAs; types are parameters as well */
  GG_MMA_mixed, /* mma.sync of sm_120, whose types are parameters: elements of 8, 6 and 4 bits in a
                 * byte each, or packed e2m1 */
} gg_mma_kind;

/* E is the metadata of a sparse A, SFA and SFB are scale factors. */
typedef enum gg_mma_operand {
  GG_MMA_A,
  GG_MMA_B,
  GG_MMA_C,
  GG_MMA_E,
  GG_MMA_SFA,
  GG_MMA_SFB,
} gg_mma_operand;

/* The K of atoms for packed e2m1 that only sm_103 has: 48 bytes of a line, which may end in the
 * middle of them. */
enum { GG_MMA_LONG_K = 96 };

typedef enum gg_mma_source { GG_MMA_REGISTERS, GG_MMA_SHARED, GG_MMA_TENSOR } gg_mma_source;

typedef struct gg_mma_row {
  const char *ptx;  /* '*' stands for N in a wgmma family; "" where there is no instruction */
  const char *cute; /* likewise; with its namespaces */
  int m, n, k;      /* 0 if the atom chooses it */
  gg_arch arch;     /* the oldest that has it */
  int ptx_isa;      /* the first that has it; 78: PTX ISA 7.8 */
  gg_mma_kind kind;
  gg_dtype c, a, b; /* D has C's type */
  gg_tv threads, layout_a, layout_b, layout_c;
  gg_tv layout_e; /* metadata of a sparse atom; for tcgen05 it is in tensor memory, and this is
                   * `thread` */
  gg_tv layout_sfa, layout_sfb; /* scale factors in registers; else `thread` */
  gg_mma_source source_a, source_b;
  int n_step;   /* of a family: N is a multiple of it up to 256, or 8 or 24 (wgmma). For tcgen05, M
                 * and majors may require a larger step */
  bool k_major; /* operands in shared memory must be K-major; false: MN-major is allowed, too */
  bool sparse;  /* A is 2:4 sparse: half of its K is stored */
  int block; /* elements along K that share a scale factor, counting zeros that a sparse A does not
              * store; 0: not scaled */
  bool scales_d; /* C is divided by a power of two that is given with the instruction
                  * (scale-input-d) */
} gg_mma_row;

typedef struct gg_mma_atom {
  const gg_mma_row *row;
  int m, n, k;
  gg_dtype c, a, b;
  gg_dtype scale;              /* type of scale factors, ue8m0 or ue4m3, if the row has them */
  bool a_mn_major, b_mn_major; /* of operands in shared memory; false: K-major */
} gg_mma_atom;

/* The rows in the table's order, *count of them. */
const gg_mma_row *gg_mma_table(size_t *count);

/* The atom of a wgmma family with this N, or of a plain row with its own N. False if the row has no
 * such N, or is tcgen05's. */
bool gg_mma_row_atom(gg_mma_atom *out, const gg_mma_row *row, int n);

/* Makes an atom of a tcgen05 row with the types, M and N of the instruction (for a pair of CTAs, of
 * both halves together) and majors that `wanted` has; its row and K are ignored. Fails with
 * ATOM_PARAMETER if the row has no such member: see mma_atoms.def for the shapes. */
gg_status gg_mma_umma_atom(gg_mma_atom *out, const gg_mma_row *row, const gg_mma_atom *wanted,
                           gg_error *err);
/* The same check for an atom with its row: GG_OK if the row has it. */
gg_status gg_mma_umma_check(const gg_mma_atom *atom, gg_error *err);

/* Whether A or B of a row may have the type: the row's own, or one that its parameters allow. */
bool gg_mma_row_takes(const gg_mma_row *row, gg_dtype type);

/* Whether a row multiplies A and B of these types. The types are taken literally: tf32, not f32,
 * although CuTe's parameters accept either. GG_DTYPE_COUNT stands for any type. */
bool gg_mma_row_multiplies(const gg_mma_row *row, gg_dtype a, gg_dtype b);

/* Whether a row can sum products with an A of this type in `c`: in its own type, and for tcgen05
 * and mma.sync of mixed types also in f16, if A is f16, or unscaled with 8 bits or fewer. */
bool gg_mma_row_sums(const gg_mma_row *row, gg_dtype a, gg_dtype c);

/* Whether a row is neither sparse nor saturating nor scaled: the usual one of rows that differ in
 * this alone. */
bool gg_mma_row_is_plain(const gg_mma_row *row);

/* Whether a row counts the bits that differ; other rows of b1 count those that are both 1. */
bool gg_mma_row_is_xor(const gg_mma_row *row);

/* Whether any atom sums in this type. */
bool gg_mma_sums_in(gg_dtype type);

/* The next N of a wgmma family after `n`, which is 0 to start; 0 after the last. */
int gg_mma_row_next_n(const gg_mma_row *row, int n);

/* Finds an atom by CuTe's name, with or without namespaces and template arguments (majors default
 * to K); or by its PTX name, for which the table's first row counts. Fails with ATOM_NAME if there
 * is none, and with ATOM_PARAMETER if a family has no such member. */
gg_status gg_mma_atom_find(gg_mma_atom *out, const char *name, gg_error *err);

/* Tries all names of MMA atoms, for a message. */
void gg_mma_atom_try_names(gg_atom_near *near);

/* Lists the atoms that multiply these types and run on `arch`, the largest M x N x K first (for
 * families: at their largest N). Saturating and sparse atoms are left out, and so are those of one
 * thread and those whose types are parameters. Stores at most `capacity` of them, and returns how
 * many there are. */
size_t gg_mma_atom_select(gg_mma_atom *out, size_t capacity, gg_dtype a, gg_dtype b, gg_dtype c,
                          gg_arch arch);

void gg_mma_atom_ptx(gg_str *out, const gg_mma_atom *atom);  /* appends the PTX name */
void gg_mma_atom_cute(gg_str *out, const gg_mma_atom *atom); /* appends CuTe's name */

/* What the instruction descriptor of a tcgen05 atom says, for gg_instr_desc_make. The caller adds
 * signs, the selector of metadata and the bytes of scale factors. */
gg_instr_desc gg_mma_atom_instr_desc(const gg_mma_atom *atom);

/* Whether the atom has the operand and gg_mma_atom_layout can give its layout: A, B and C wherever
 * they are, others if they are in registers. */
bool gg_mma_atom_has_layout(const gg_mma_atom *atom, gg_mma_operand operand);
/* The layout of an operand: (thread, value) -> colexicographic index in the tile, which is M x K
 * (A, E, SFA), N x K (B, SFB) or M x N (C and D). Only if gg_mma_atom_has_layout says so. */
gg_layout gg_mma_atom_layout(const gg_mma_atom *atom, gg_mma_operand operand);
/* How many values of an operand each thread has: the size of that layout's second mode. */
int gg_mma_atom_values(const gg_mma_atom *atom, gg_mma_operand operand);
/* Logical thread -> thread of the group that executes the atom. */
gg_layout gg_mma_atom_threads(const gg_mma_atom *atom);

/* How many registers of a thread hold an operand; 0 if it is not in registers. If `type` is not
 * NULL, *type is the registers' type in CUDA C++ ("unsigned", "float", "int", "double"). */
int gg_mma_atom_registers(const gg_mma_atom *atom, gg_mma_operand operand, const char **type);

/* Appends a CUDA C++ function that executes the atom, accumulating in place:
 *     __device__ inline void NAME(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2])
 * wgmma's takes 64-bit descriptors for operands in shared memory, and scale_d (0: d = a * b).
 * tcgen05's takes these as well, and addresses in tensor memory for D and for an A that is there;
 * with scale factors, also their addresses, and what the instruction descriptor says about their
 * bytes. Fails with ATOM_WRAPPER if the atom is no single instruction. */
gg_status gg_mma_atom_wrapper(gg_str *out, const gg_mma_atom *atom, const char *name,
                              gg_error *err);

/* Appends the same for `count` wgmmas side by side along N: each has the next registers of d, and a
 * descriptor of B that is `step` larger than the one before. */
void gg_mma_wgmma_wrapper(gg_str *out, const gg_mma_atom *atom, int count, long long step,
                          const char *name);

/* Appends the immediates that follow the predicate of a wgmma: the signs of A and B (floats only),
 * then the transposition of operands in shared memory, if both majors exist (16-bit types only). */
void gg_mma_wgmma_immediates(gg_str *out, const gg_mma_atom *atom);

#endif
