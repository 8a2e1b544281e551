/* MMA atoms: the table of mma_atoms.def as data, looked up by name or by what they multiply.
 *
 * A row is one instruction, or a family of them: wgmma over N, tcgen05 over M and N. An atom is a
 * row with every parameter chosen: a small value that points to its row and owns nothing.
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
  GG_MMA_tcgen05, /* tcgen05.mma of a CTA or a pair of them; types are parameters, too */
  GG_MMA_mixed, /* mma.sync of sm_120, types being parameters: elements of 8, 6 and 4 bits in a byte
                 * each, or packed e2m1 */
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

/* K of what sm_103 has besides, of packed e2m1: 48 bytes of a line, which may end within them. */
enum { GG_MMA_LONG_K = 96 };

typedef enum gg_mma_source { GG_MMA_REGISTERS, GG_MMA_SHARED, GG_MMA_TENSOR } gg_mma_source;

typedef struct gg_mma_row {
  const char *ptx;  /* '*' stands for N in a wgmma family; "" where there is no instruction */
  const char *cute; /* likewise; with its namespaces */
  int m, n, k;      /* 0 where it is the atom's to choose */
  gg_arch arch;     /* the least that has it */
  int ptx_isa;      /* the first that has it, 78: PTX ISA 7.8 */
  gg_mma_kind kind;
  gg_dtype c, a, b; /* D has C's type */
  gg_tv threads, layout_a, layout_b, layout_c;
  gg_tv layout_e; /* of a sparse atom; of tcgen05 it is in tensor memory, and this is `thread` */
  gg_tv layout_sfa, layout_sfb; /* of scale factors in registers, else `thread` */
  gg_mma_source source_a, source_b;
  int n_step;   /* of a family: N is a multiple of it up to 256, or 8 or 24 (wgmma); tcgen05's M and
                 * majors may ask for a wider step */
  bool k_major; /* shared-memory operands must be K-major; else MN-major is allowed too */
  bool sparse;  /* A is 2:4 sparse: half its K is stored */
  int block; /* elements along K with one scale factor, a sparse A's counted as uncompressed; 0 */
  bool scales_d; /* C is divided by a power of two, given with the instruction (scale-input-d) */
} gg_mma_row;

typedef struct gg_mma_atom {
  const gg_mma_row *row;
  int m, n, k;
  gg_dtype c, a, b;
  gg_dtype scale;              /* of scale factors, ue8m0 or ue4m3, where the row has blocks */
  bool a_mn_major, b_mn_major; /* of shared-memory operands; false is K-major */
} gg_mma_atom;

/* The rows, in the table's order; *count of them. */
const gg_mma_row *gg_mma_table(size_t *count);

/* The atom of a family's row with this N (wgmma), or of a plain row with its own N. False where
 * the row has no such N, or is of tcgen05. */
bool gg_mma_row_atom(gg_mma_atom *out, const gg_mma_row *row, int n);

/* The atom of a row of tcgen05 with what `wanted` says: types, M and N of the instruction (of a
 * pair of CTAs both halves together), majors; its row and K are not looked at. ATOM_PARAMETER where
 * the row has no such member: see mma_atoms.def for the shapes. */
gg_status gg_mma_umma_atom(gg_mma_atom *out, const gg_mma_row *row, const gg_mma_atom *wanted,
                           gg_error *err);
/* The same of an atom that has its row: GG_OK where the row has it. */
gg_status gg_mma_umma_check(const gg_mma_atom *atom, gg_error *err);

/* Whether A or B of a row may have the type: its own, or one that its parameters allow. */
bool gg_mma_row_takes(const gg_mma_row *row, gg_dtype type);

/* Whether a row multiplies A and B of these types together, by name: tf32, not f32, though CuTe's
 * parameters take either. GG_DTYPE_COUNT stands for any type. */
bool gg_mma_row_multiplies(const gg_mma_row *row, gg_dtype a, gg_dtype b);

/* Whether a row sums products of an A of this type in `c`: in its own, or in f16, too, as tcgen05
 * and mma.sync of mixed types do those of f16 and, unscaled, of 8 bits and fewer. */
bool gg_mma_row_sums(const gg_mma_row *row, gg_dtype a, gg_dtype c);

/* Neither sparse nor saturating nor scaled: of rows that are alike but for that, the usual one. */
bool gg_mma_row_is_plain(const gg_mma_row *row);

/* Whether a row counts bits that differ; others of b1 count those that are both 1. */
bool gg_mma_row_is_xor(const gg_mma_row *row);

/* Whether an atom sums in a type. */
bool gg_mma_sums_in(gg_dtype type);

/* The N of a wgmma family after `n` (0 to start); 0 after the last. */
int gg_mma_row_next_n(const gg_mma_row *row, int n);

/* Finds an atom by CuTe's name, with or without namespaces and template arguments (majors default
 * to K), or by its PTX name (the first of the table that has it). ATOM_NAME where there is none,
 * ATOM_PARAMETER where a family has no such member. */
gg_status gg_mma_atom_find(gg_mma_atom *out, const char *name, gg_error *err);

/* Tries all names of MMAs, for a message. */
void gg_mma_atom_try_names(gg_atom_near *near);

/* The atoms that multiply these types and run on `arch`, the one with the largest M x N x K first
 * (families: at their largest N), saturating, sparse and one thread's ones apart, and those whose
 * types are parameters. At most
 * `capacity`; gives how many there are. */
size_t gg_mma_atom_select(gg_mma_atom *out, size_t capacity, gg_dtype a, gg_dtype b, gg_dtype c,
                          gg_arch arch);

void gg_mma_atom_ptx(gg_str *out, const gg_mma_atom *atom);  /* appends the PTX name */
void gg_mma_atom_cute(gg_str *out, const gg_mma_atom *atom); /* appends CuTe's name */

/* What an atom of tcgen05 is told by its instruction descriptor, for gg_instr_desc_make; signs, the
 * selector of metadata and the bytes of scale factors are the caller's. */
gg_instr_desc gg_mma_atom_instr_desc(const gg_mma_atom *atom);

/* Whether an operand is there and in registers or, A, B, C, anywhere. */
bool gg_mma_atom_has_layout(const gg_mma_atom *atom, gg_mma_operand operand);
/* (thread, value) -> index in the tile M x K (A, E, SFA), N x K (B, SFB) or M x N (C and D),
 * colexicographic. Of what gg_mma_atom_has_layout says. */
gg_layout gg_mma_atom_layout(const gg_mma_atom *atom, gg_mma_operand operand);
/* How many values of an operand each thread has: the size of that layout's second mode. */
int gg_mma_atom_values(const gg_mma_atom *atom, gg_mma_operand operand);
/* Logical thread -> thread of the group that executes it. */
gg_layout gg_mma_atom_threads(const gg_mma_atom *atom);

/* How many registers of a thread hold an operand, 0 where it is not in registers; and of which
 * type in CUDA C++ ("unsigned", "float", "int", "double"), where `type` is not NULL. */
int gg_mma_atom_registers(const gg_mma_atom *atom, gg_mma_operand operand, const char **type);

/* Appends a CUDA C++ function that executes the atom, accumulating in place:
 *     __device__ inline void NAME(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2])
 * wgmma takes 64-bit descriptors for what lies in shared memory, and scale_d (0: d = a * b);
 * tcgen05 too, and addresses of tensor memory for D, and for an A that lies there; with blocks, of
 * the scale factors of A and B, and what the instruction descriptor says of their bytes.
 * ATOM_WRAPPER where there is no single instruction. */
gg_status gg_mma_atom_wrapper(gg_str *out, const gg_mma_atom *atom, const char *name,
                              gg_error *err);

/* The same of `count` wgmmas side by side along N: each has the next registers of d, and a B whose
 * descriptor is `step` further on than that of the one before. */
void gg_mma_wgmma_wrapper(gg_str *out, const gg_mma_atom *atom, int count, long long step,
                          const char *name);

/* Appends what stands behind the predicate of a wgmma: the signs of A and B (floats alone), then
 * the transposition of what lies in shared memory where both majors exist (16-bit types alone). */
void gg_mma_wgmma_immediates(gg_str *out, const gg_mma_atom *atom);

#endif
