/* Lists the thread-value layouts of a calculator's value, with their tiles. */
#include <stdio.h>
#include <string.h>

#include "atom/atom.h"
#include "calculator/expr.h"
#include "layout/calc.h"

/* Adds the view of an operand. B is shown with K running down, so its index in N x K counts along
 * rows there. */
static void add_operand(gg_tv_view *views, int *count, gg_mma_operand operand, const gg_layout *tv,
                        const int64_t mnk[3]) {
  static const char *const names[] = {"A (M,K)", "B (K,N)", "C (M,N)"};
  gg_tuple tile = gg_mma_operand_tile(mnk, operand);
  bool turned = operand == GG_MMA_B;
  if (turned) tile = gg_tuple_reverse(&tile);
  views[(*count)++] = (gg_tv_view){names[operand], *tv, tile, turned, "ABC"[operand]};
}

/* Whether the operand is in registers. In shared or tensor memory every thread has all of it, and
 * there is nothing to show. */
static bool is_in_registers(const gg_mma_atom *atom, gg_mma_operand operand) {
  if (operand == GG_MMA_C) return atom->row->kind != GG_MMA_tcgen05;
  gg_mma_source source = operand == GG_MMA_A ? atom->row->source_a : atom->row->source_b;
  return source == GG_MMA_REGISTERS;
}

static void view_atom(gg_tv_view *views, int *count, const gg_mma_atom *atom) {
  int64_t mnk[] = {atom->m, atom->n, atom->k};
  for (gg_mma_operand operand = GG_MMA_A; operand <= GG_MMA_C; operand++) {
    gg_layout tv = gg_mma_atom_layout(atom, operand);
    if (is_in_registers(atom, operand)) add_operand(views, count, operand, &tv, mnk);
  }
}

static gg_status view_mma(gg_tv_view *views, int *count, const gg_value *value, gg_error *err) {
  gg_tiled_mma mma;
  gg_status st =
      gg_tiled_mma_make(&mma, &value->mma.atom, &value->mma.threads, &value->mma.permutation, err);
  for (gg_mma_operand operand = GG_MMA_A; operand <= GG_MMA_C && !st; operand++) {
    gg_layout tv;
    if (!is_in_registers(&mma.atom, operand)) continue;
    st = gg_tiled_mma_layout_tv(&tv, &mma, operand, err);
    if (!st) add_operand(views, count, operand, &tv, mma.tile);
  }
  return st;
}

static gg_status view_copy(gg_tv_view *views, int *count, const gg_value *value, gg_error *err) {
  static const char *const names[] = {"source", "destination"};
  gg_tiled_copy copy;
  gg_status st = gg_tiled_copy_make_impl(&copy, &value->copy.atom, value->copy.bits,
                                         &value->copy.tv, &value->copy.tiler, err);
  for (gg_copy_side side = GG_COPY_SRC; side <= GG_COPY_DST && !st; side++) {
    gg_tv_view *view = &views[*count];
    *view = (gg_tv_view){.name = names[side], .tile = gg_tiler_extents(&copy.tiler)};
    st = gg_tiled_copy_layout_tv(&view->tv, &copy, side, err);
    if (!st) ++*count;
  }
  return st;
}

/* Bits of an element, for a copy atom that names no type: that of the instruction for copies of
 * matrices, else a byte. */
static int element_bits(const gg_copy_atom *atom) {
  switch (atom->row->kind) {
  case GG_COPY_ldmatrix:
  case GG_COPY_stmatrix:
  case GG_COPY_movmatrix:
    return strstr(atom->row->ptx, ".b16") ? 16 : 8;
  case GG_COPY_shuffle:
    return 32;
  default:
    return 8;
  }
}

/* Adds the views of a copy atom: rows of 16 bytes for matrices, else one row of what a thread
 * copies. */
static gg_status view_copy_atom(gg_tv_view *views, int *count, const gg_copy_atom *atom, int bits,
                                gg_error *err) {
  static const char *const names[] = {"source", "destination"};
  enum { row_bits = 128 };
  if (!bits) bits = element_bits(atom);
  for (gg_copy_side side = GG_COPY_SRC; side <= GG_COPY_DST; side++) {
    gg_tv_view *view = &views[*count];
    gg_layout tv = gg_copy_atom_layout(atom, side);
    *view = (gg_tv_view){.name = names[side], .row_major = true};
    gg_status st = gg_layout_recast(&view->tv, &tv, 1, bits, err);
    if (st) return st;
    int64_t elements = gg_layout_cosize(&view->tv), width = row_bits / bits;
    if (elements % width != 0 || width < 1) width = elements;
    view->tile = GG_TUPLE(elements / width, width);
    ++*count;
  }
  return GG_OK;
}

static gg_status view_name(gg_tv_view *views, int *count, const gg_value *value, gg_error *err) {
  char name[GG_VALUE_NAME_MAX];
  gg_mma_atom mma;
  gg_copy_atom copy;
  gg_atom_kind kind;
  gg_status st = gg_atom_find(&kind, &mma, &copy, gg_value_name(name, value), err);
  if (st) return st;
  if (kind == GG_ATOM_COPY) return view_copy_atom(views, count, &copy, value->name.bits, err);
  if (kind == GG_ATOM_MMA) view_atom(views, count, &mma);
  return GG_OK;
}

static gg_status check_name(const gg_value *value, gg_arena *arena, gg_error *err) {
  char name[GG_VALUE_NAME_MAX];
  gg_value ignored;
  gg_mma_atom mma;
  gg_copy_atom copy;
  gg_atom_kind kind;
  gg_status st = gg_atom_find(&kind, &mma, &copy, gg_value_name(name, value), err);
  if (st || kind != GG_ATOM_NONE) return st;
  bool atom = strncmp(name, "SM", 2) == 0 || strstr(name, "MMA_") || strchr(name, '.');
  if (atom) return gg_atom_fail_name(name, err);
  return gg_expr_call(&ignored, name, NULL, 0, arena, err);
}

gg_status gg_value_check(const gg_value *value, const char *file, int line, gg_arena *arena,
                         gg_error *err) {
  if (value->kind != GG_VALUE_NAME) return GG_OK;
  gg_status st = check_name(value, arena, err);
  if (!st || !err || err->line) return st;
  snprintf(err->file, sizeof err->file, "%s", file);
  err->line = line;
  err->column = value->column;
  return st;
}

gg_status gg_value_views(gg_tv_view views[GG_TV_VIEWS], int *count, const gg_value *value,
                         gg_error *err) {
  *count = 0;
  switch (value->kind) {
  case GG_VALUE_MMA:
    return view_mma(views, count, value, err);
  case GG_VALUE_COPY:
    return view_copy(views, count, value, err);
  case GG_VALUE_NAME:
    return view_name(views, count, value, err);
  case GG_VALUE_LAYOUT:
    if (value->tile.count > 0) {
      views[(*count)++] = (gg_tv_view){.name = "", .tv = value->layout.layout, .tile = value->tile};
    }
    return GG_OK;
  default:
    return GG_OK;
  }
}
