/* Copy atoms: the table copy_atoms.def as data, and lookup by name.
 *
 * An atom is a row with its parameter chosen: the width, if the row is a template
 * (UniversalCopy<uint128_t>), or how often it repeats its unit, if it accesses tensor memory
 * (SM100_TMEM_LOAD_32dp32b16x). It is a small value that points to its row and owns nothing. */
#ifndef GG_ATOM_COPY_ATOM_H
#define GG_ATOM_COPY_ATOM_H

#include "atom/arch.h"
#include "atom/atom_name.h"
#include "atom/tv.h"

typedef enum gg_copy_kind {
  GG_COPY_plain,          /* a load and a store that the compiler chooses */
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
  const char *ptx;  /* "" if the compiler chooses; '*' stands for the repeat of a tensor-memory atom
                     */
  const char *cute; /* without template arguments; '*' likewise */
  gg_arch arch;     /* the oldest that has it */
  int ptx_isa;      /* the first that has it; 78: PTX ISA 7.8 */
  gg_copy_kind kind;
  gg_tv threads, src, dst;
  gg_copy_side ref; /* which side is the reference: src or dst */
  int widths;       /* sizes in bytes that a template's type may have, one bit each; 0: no template
                     */
  int repeats; /* the most often that a load or store of tensor memory repeats its unit; 0: it is
                * another atom */
  gg_tv place; /* of those: index of a bit -> its place in a warp's part of tensor memory */
} gg_copy_row;

typedef struct gg_copy_atom {
  const gg_copy_row *row;
  int bits;   /* size of a template's type; 0 if the row is no template */
  int repeat; /* repeat of a tensor-memory atom; 0 if the row is none */
} gg_copy_atom;

/* The rows in the table's order, *count of them. */
const gg_copy_row *gg_copy_table(size_t *count);

/* The row's atom of this width (0 if it is no template). False if the row has no such width. */
bool gg_copy_row_atom(gg_copy_atom *out, const gg_copy_row *row, int bits);
/* The tensor-memory row's atom that repeats its unit so often: a power of two up to row->repeats.
 */
bool gg_copy_row_repeated(gg_copy_atom *out, const gg_copy_row *row, int repeat);
/* Steps through a row's atoms: the first one if atom->row is another row; false after the last. */
bool gg_copy_row_next(gg_copy_atom *atom, const gg_copy_row *row);

/* Finds an atom by CuTe's name, such as "SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>", with or without
 * namespaces; or by its PTX name, if that determines the width. Fails with ATOM_NAME if there is
 * none, and with ATOM_PARAMETER if it has no such width. */
gg_status gg_copy_atom_find(gg_copy_atom *out, const char *name, gg_error *err);

/* Tries all names of copy atoms, for a message. */
void gg_copy_atom_try_names(gg_atom_near *near);

void gg_copy_atom_cute(gg_str *out, const gg_copy_atom *atom); /* appends CuTe's name */
void gg_copy_atom_ptx(gg_str *out, const gg_copy_atom *atom);  /* appends the PTX name */

/* The atom's layout on one side: (thread, bit) -> bit. */
gg_layout gg_copy_atom_layout(const gg_copy_atom *atom, gg_copy_side side);
/* Logical thread -> thread of the group that executes the atom. */
gg_layout gg_copy_atom_threads(const gg_copy_atom *atom);

/* For a load or store of tensor memory: index of a bit, those of one lane first -> its place behind
 * the address that the warp gives, in bits as addresses count them (the next lane is 2^21 further
 * on). CuTe's ValID. */
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
 * Fails with ATOM_WRAPPER for plain copies and shuffles, which are not one instruction, and for
 * tensor-memory atoms, whose registers are valid only after a wait that stands elsewhere. */
gg_status gg_copy_atom_wrapper(gg_str *out, const gg_copy_atom *atom, const char *name,
                               gg_error *err);

#endif
