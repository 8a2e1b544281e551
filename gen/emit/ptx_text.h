/* PTX lines that the generators of several families share: lists of registers, addresses that
 * depend on the lane. */
#ifndef GG_EMIT_PTX_TEXT_H
#define GG_EMIT_PTX_TEXT_H

#include "emit/binding.h"
#include "layout/swizzle.h"
#include "plan/layouts.h"

typedef long long ll; /* for printf */

/* Binds the version of the PTX ISA: the oldest that has everything in the text, the target and the
 * plan's MMAs. */
void gg_ptx_bind_version(gg_bindings *out, const gg_plan *plan);

/* Binds a number. */
void gg_ptx_bind_number(gg_bindings *out, const char *name, ll number);

/* Appends "{%acc0, %acc1, ...}", in lines of at most 100 columns; lines after the first are
 * indented by `indent`. */
void gg_ptx_write_registers(gg_str *out, const char *name, int first, int count, int indent);

/* Appends lines that set `registers` accumulators to 0: the sums of a tile without any K. */
void gg_ptx_write_clear(gg_str *out, int registers);

/* The type of an accumulator's register: f32 or b32. */
const char *gg_ptx_sum_type(const gg_plan *plan);

/* gg_ptx_write_parameters: the kernel's parameters, one to a line. gg_ptx_write_extents: the
 * registers that hold them (%map_a, %m, %ld_d), each with the line that loads it. Extents are held
 * in 32 bits; fixed ones are constants. */
void gg_ptx_write_parameters(gg_str *out, const gg_plan *plan, const gg_layouts *layouts);
void gg_ptx_write_extents(gg_str *out, const gg_plan *plan);

/* Appends lines that set %c_value to the first or second 16-bit element of register c`word`. They
 * use %low, %high and %bits. */
void gg_ptx_write_half(gg_str *out, gg_dtype type, const char *indent, int word, int second);

/* Lines that load %beta and set %reads_c: whether C is read. */
extern const char gg_ptx_beta[];

/* ---- Division ------------------------------------------------------------------------------ */

/* `to` = `of` / `by`, or the remainder of that division, unsigned. */
void gg_ptx_write_quotient(gg_str *out, int indent, const char *to, const char *of, ll by);
void gg_ptx_write_remainder(gg_str *out, int indent, const char *to, const char *of, ll by);

/* Both at once: `of` = `whole` * `by` + `rest`. */
void gg_ptx_write_split(gg_str *out, int indent, const char *whole, const char *rest,
                        const char *of, ll by);

/* Binds the lines that compute %tiles_m, %tiles_n and %tiles, the number of tiles of D with `rows`
 * rows and `columns` columns; and %k_tiles, the K tiles of each. */
void gg_ptx_bind_tile_counts(gg_bindings *out, ll rows, ll columns, ll tile_k);

/* ---- Where lanes are ----------------------------------------------------------------------- */

/* A place, in bytes, for each lane of a warp or each thread of a warpgroup; `of` is the register
 * that has the lane's or thread's number. */
typedef struct gg_ptx_lanes {
  const char *of;
  int count; /* a power of two */
  unsigned at[4 * GG_WARP];
} gg_ptx_lanes;

/* Whether the places are the xor of what each bit of the lane's number contributes, as in swizzled
 * layouts. */
bool gg_ptx_is_linear(const gg_ptx_lanes *lanes);

/* Appends lines, indented by `indent`, that set `to` to this lane's place. The places must be
 * linear in the sense above; `scratch` is a register to work with. */
void gg_ptx_write_lanes(gg_str *out, int indent, const gg_ptx_lanes *lanes, const char *to,
                        const char *scratch);

/* How all lanes get from one place to another: by adding the number `by`, or, if a swizzle is
 * involved, by xoring with it. `known` is false if no such number does it for all lanes. */
typedef struct gg_ptx_step {
  bool known, xors;
  unsigned by;
} gg_ptx_step;

gg_ptx_step gg_ptx_step_between(const gg_ptx_lanes *from, const gg_ptx_lanes *to);

/* Whether the place of any element of a layout with two modes is such an xor of the bits of both
 * coordinates. */
bool gg_ptx_is_linear_in_both(const gg_composed *layout, int rows, int columns);

/* The place, in bytes, of an element of such a layout: the layout, and the registers that hold the
 * row, the column and the result. */
typedef struct gg_ptx_element {
  const gg_composed *layout;
  int rows, columns, bytes; /* rows, columns: of the layout; bytes: of an element */
  const char *to, *row, *column, *scratch;
} gg_ptx_element;

void gg_ptx_write_element(gg_str *out, int indent, const gg_ptx_element *element);

/* Appends "[BASE + 16]" for an offset of 16, "[BASE]" for 0. */
void gg_ptx_write_place(gg_str *out, const char *base, ll offset);

/* Appends lines that set %x_tile to the address in matrix `x` of the first element of the tile at
 * %m0, %n0. */
void gg_ptx_write_first(gg_str *out, char x, int bytes);

#endif
