/* PTX that families' generated lines share: registers in lists, addresses by lanes. */
#ifndef GG_EMIT_PTX_TEXT_H
#define GG_EMIT_PTX_TEXT_H

#include "emit/binding.h"
#include "layout/swizzle.h"
#include "plan/layouts.h"

typedef long long ll; /* for printf */

/* Binds the PTX ISA's version: the first that has all of the text, the target and the plan's MMAs. */
void gg_ptx_bind_version(gg_bindings *out, const gg_plan *plan);

/* Binds a number. */
void gg_ptx_bind_number(gg_bindings *out, const char *name, ll number);

/* "{%acc0, %acc1, ...}", in lines of at most 100 columns, those behind the first `indent` in. */
void gg_ptx_write_registers(gg_str *out, const char *name, int first, int count, int indent);

/* Makes so many accumulators 0: what a tile without any K is. */
void gg_ptx_write_clear(gg_str *out, int registers);

/* The type of an accumulator's register, f32 or b32. */
const char *gg_ptx_sum_type(const gg_plan *plan);

/* A kernel's parameters, a line each; and the registers that have what they say, each with the line
 * that loads it: %map_a, %m, %ld_d. Extents are counted in 32 bits; fixed ones are numbers. */
void gg_ptx_write_parameters(gg_str *out, const gg_plan *plan, const gg_layouts *layouts);
void gg_ptx_write_extents(gg_str *out, const gg_plan *plan);

/* %c_value = the first or second element of 16 bits of register c`word`; %low, %high and %bits are
 * others. */
void gg_ptx_write_half(gg_str *out, gg_dtype type, const char *indent, int word, int second);

/* The lines that find %beta, and whether C is read: %reads_c. */
extern const char gg_ptx_beta[];

/* ---- Division ------------------------------------------------------------------------------ */

/* `to` = `of` / `by`, or what is left over, of numbers without a sign. */
void gg_ptx_write_quotient(gg_str *out, int indent, const char *to, const char *of, ll by);
void gg_ptx_write_remainder(gg_str *out, int indent, const char *to, const char *of, ll by);

/* Both: `of` is `whole` times `by`, and `rest`. */
void gg_ptx_write_split(gg_str *out, int indent, const char *whole, const char *rest,
                        const char *of, ll by);

/* %tiles_m, %tiles_n and %tiles: so many tiles of D there are, of so many rows and columns; and
 * %k_tiles, of each. */
void gg_ptx_bind_tile_counts(gg_bindings *out, ll rows, ll columns, ll tile_k);

/* ---- Where lanes are ----------------------------------------------------------------------- */

/* For each lane of a warp, or each thread of a warpgroup, a place in bytes; and the register that
 * has its number. */
typedef struct gg_ptx_lanes {
  const char *of;
  int count; /* a power of two */
  unsigned at[4 * GG_WARP];
} gg_ptx_lanes;

/* Places that are an xor of what each bit of the lane's number says, as those of swizzled layouts
 * are. */
bool gg_ptx_is_linear(const gg_ptx_lanes *lanes);

/* `to` = the lane's place, of such ones; `scratch` is another register. Lines are `indent` in. */
void gg_ptx_write_lanes(gg_str *out, int indent, const gg_ptx_lanes *lanes, const char *to,
                        const char *scratch);

/* How all lanes get from one place to another: by a number that is added, or by one that is xored,
 * where a swizzle is between. */
typedef struct gg_ptx_step {
  bool known, xors;
  unsigned by;
} gg_ptx_step;

gg_ptx_step gg_ptx_step_between(const gg_ptx_lanes *from, const gg_ptx_lanes *to);

/* The same of any element of a layout of two modes, bit by bit of both coordinates: whether that is
 * so. */
bool gg_ptx_is_linear_in_both(const gg_composed *layout, int rows, int columns);

/* Such an element's place in bytes: what of the layout is asked, and in which registers. */
typedef struct gg_ptx_element {
  const gg_composed *layout;
  int rows, columns, bytes; /* of an element */
  const char *to, *row, *column, *scratch;
} gg_ptx_element;

void gg_ptx_write_element(gg_str *out, int indent, const gg_ptx_element *element);

/* "[BASE + 16]", or "[BASE]". */
void gg_ptx_write_place(gg_str *out, const char *base, ll offset);

/* %x_tile = where matrix `x` has the first element of the tile at %m0, %n0. */
void gg_ptx_write_first(gg_str *out, char x, int bytes);

#endif
