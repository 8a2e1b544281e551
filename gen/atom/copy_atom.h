/* Copy atoms: the table of copy_atoms.def as data, looked up by name.
 *
 * An atom is a row with its width chosen where the row is a template (UniversalCopy<uint128_t>), or
 * how often it repeats its unit where it is of tensor memory (SM100_TMEM_LOAD_32dp32b16x): a small
 * value that points to its row and owns nothing. */
#ifndef GG_ATOM_COPY_ATOM_H
#define GG_ATOM_COPY_ATOM_H

#include "atom/arch.h"
#include "atom/atom_name.h"
#include "atom/tv.h"

typedef enum gg_copy_kind {
  GG_COPY_plain,          /* a load and a store of the compiler's choice */
  GG_COPY_shuffle,        /* registers of a warp's threads, exchanged by several shuffles */
  GG_COPY_movmatrix,      /* registers of a warp, an 8x8 matrix transposed */
  GG_COPY_ldmatrix,       /* shared memory to registers */
  GG_COPY_stmatrix,       /* registers to shared memory */
  GG_COPY_cp_async,       /* global to shared memory */
  GG_COPY_cp_async_zfill, /* the same, or zeros */
  GG_COPY_wide,           /* 32 bytes between global memory and a thread's registers */
  GG_COPY_tmem_load,      /* tensor memory to a warp's registers */
  GG_COPY_tmem_store,     /* and back */
  GG_COPY_tmem_cp,        /* shared to tensor memory, by one CTA or a pair */
} gg_copy_kind;

typedef enum gg_copy_side { GG_COPY_SRC, GG_COPY_DST, GG_COPY_REF } gg_copy_side;

typedef struct gg_copy_row {
  const char *ptx; /* "" where the compiler chooses; '*' stands for the repeat of tensor memory's */
  const char *cute; /* without template arguments; likewise */
  gg_arch arch;     /* the least that has it */
  int ptx_isa;      /* the first that has it, 78: PTX ISA 7.8 */
  gg_copy_kind kind;
  gg_tv threads, src, dst;
  gg_copy_side ref; /* which of the two is the reference */
  int widths;       /* bytes of a template's type, one bit a size; 0: no template */
  int repeats; /* the most that a load or store of tensor memory repeats its unit; 0: another */
  gg_tv place; /* of those: index of a bit -> where it is in a warp's part of tensor memory */
} gg_copy_row;

typedef struct gg_copy_atom {
  const gg_copy_row *row;
  int bits;   /* of a template's type; 0 where the row is none */
  int repeat; /* of tensor memory's; 0 where the row has none */
} gg_copy_atom;

/* The rows, in the table's order; *count of them. */
const gg_copy_row *gg_copy_table(size_t *count);

/* The row at this width (0 where it is no template). False where the row has no such width. */
bool gg_copy_row_atom(gg_copy_atom *out, const gg_copy_row *row, int bits);
/* The row of tensor memory with its unit so often: a power of two up to row->repeats. */
bool gg_copy_row_repeated(gg_copy_atom *out, const gg_copy_row *row, int repeat);
/* A row's atoms one by one: the first where atom->row is another; false after the last. */
bool gg_copy_row_next(gg_copy_atom *atom, const gg_copy_row *row);

/* Finds an atom by CuTe's name, "SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>", with or without
 * namespaces, or by its PTX name where that fixes the width. ATOM_NAME where there is none,
 * ATOM_PARAMETER where it has no such width. */
gg_status gg_copy_atom_find(gg_copy_atom *out, const char *name, gg_error *err);

/* Tries all names of copies, for a message. */
void gg_copy_atom_try_names(gg_atom_near *near);

void gg_copy_atom_cute(gg_str *out, const gg_copy_atom *atom); /* appends CuTe's name */
void gg_copy_atom_ptx(gg_str *out, const gg_copy_atom *atom);  /* appends the PTX name */

/* (thread, bit) -> bit. */
gg_layout gg_copy_atom_layout(const gg_copy_atom *atom, gg_copy_side side);
/* Logical thread -> thread of the group that executes it. */
gg_layout gg_copy_atom_threads(const gg_copy_atom *atom);

/* Of a load or store of tensor memory: index of a bit, those of a lane first -> its place, in bits
 * as addresses count (a lane is 2^21 on), from the address that a warp gives. CuTe's ValID. */
gg_layout gg_copy_atom_place(const gg_copy_atom *atom);

/* Appends a CUDA C++ function that executes the atom. Shared memory is given by its 32-bit
 * shared-window address, global memory by a pointer, registers by reference:
 *     __device__ inline void NAME(unsigned (&dst)[4], unsigned src)              ldmatrix
 *     __device__ inline void NAME(unsigned dst, const unsigned (&src)[4])        stmatrix
 *     __device__ inline void NAME(unsigned &dst, unsigned src)                   movmatrix
 *     __device__ inline void NAME(unsigned dst, const void *src)                 cp.async
 *     __device__ inline void NAME(unsigned dst, const void *src, bool predicate) its zfill form
 *     __device__ inline void NAME(float (&dst)[8], const void *src)              ld of 32 bytes
 *     __device__ inline void NAME(void *dst, const float (&src)[8])              st
 * ATOM_WRAPPER for plain copies and shuffles, which are not one instruction, and for those of
 * tensor memory, whose registers are not there before a wait that stands elsewhere. */
gg_status gg_copy_atom_wrapper(gg_str *out, const gg_copy_atom *atom, const char *name,
                               gg_error *err);

#endif
