/* The calculator's operations on atoms, tiled MMAs and tiled copies. Each only calls the function
 * of gen/atom that does the work.
 *
 * A tiled value keeps what it was made from, and is made again wherever it is used. That is cheap
 * and keeps values small. It is also made once when it is asked for, so that errors are reported
 * there. */
#include "calculator/expr_ops.h"

#include "atom/atom.h"
#include "atom/umma_fragment.h"

/* ---- Arguments and results ---------------------------------------------------------------- */

static gg_status mma_atom_of(gg_mma_atom *out, const gg_value *value, gg_error *err) {
  char name[GG_VALUE_NAME_MAX];
  return gg_mma_atom_find(out, gg_value_name(name, value), err);
}

static gg_status copy_atom_of(gg_copy_atom *out, const gg_value *value, gg_error *err) {
  char name[GG_VALUE_NAME_MAX];
  return gg_copy_atom_find(out, gg_value_name(name, value), err);
}

gg_status gg_expr_mma_of(gg_tiled_mma *out, const gg_value *value, gg_error *err) {
  return gg_tiled_mma_make(out, &value->mma.atom, &value->mma.threads, &value->mma.permutation,
                           err);
}

static gg_status copy_of(gg_tiled_copy *out, const gg_value *value, gg_error *err) {
  return gg_tiled_copy_make_impl(out, &value->copy.atom, value->copy.bits, &value->copy.tv,
                                 &value->copy.tiler, err);
}

static int64_t int_of(const gg_value *value) {
  return value->tuple.nodes[0].value;
}

/* Gives the layout (thread, value) -> index in a tile, together with the tile, so that it can be
 * drawn. */
static gg_status give_tv(gg_value *out, const gg_layout *tv, const gg_tuple *tile) {
  out->tile = *tile;
  return give_layout(out, tv);
}

static gg_status give_tensor(gg_value *out, const gg_tensor *tensor) {
  out->kind = GG_VALUE_TENSOR;
  out->tensor = *tensor;
  return GG_OK;
}

static gg_status give_copy(gg_value *out, const gg_tiled_copy *copy) {
  out->kind = GG_VALUE_COPY;
  out->copy.atom = copy->atom;
  out->copy.bits = copy->bits;
  out->copy.tv = copy->tv;
  out->copy.tiler = copy->tiler;
  return GG_OK;
}

/* ---- Atoms -------------------------------------------------------------------------------- */

OP(mma_atom) {
  (void)count;
  gg_mma_atom atom;
  gg_status st = mma_atom_of(&atom, arg[0], err);
  if (st) return st;
  out->kind = GG_VALUE_NAME;
  out->name = arg[0]->name;
  return GG_OK;
}

OP(copy_atom) {
  (void)count;
  gg_copy_atom atom;
  gg_status st = copy_atom_of(&atom, arg[0], err);
  if (st) return st;
  int bits = positive_of(arg[1]);
  if (!bits) return gg_fail(err, LAYOUT_VALUE, NULL, "Copy_Atom", "elements have 1 bit or more");
  out->kind = GG_VALUE_NAME;
  out->name = arg[0]->name;
  out->name.bits = bits;
  return GG_OK;
}

OP(thr_id) {
  (void)count;
  char name[GG_VALUE_NAME_MAX];
  gg_mma_atom mma;
  gg_copy_atom copy;
  gg_atom_kind kind;
  gg_status st = gg_atom_find(&kind, &mma, &copy, gg_value_name(name, arg[0]), err);
  if (st) return st;
  if (kind == GG_ATOM_NONE) return gg_atom_fail_name(name, err);
  gg_layout layout = kind == GG_ATOM_MMA ? gg_mma_atom_threads(&mma) : gg_copy_atom_threads(&copy);
  return give_layout(out, &layout);
}

OP(shape_mnk) {
  (void)count;
  gg_mma_atom atom;
  gg_status st = mma_atom_of(&atom, arg[0], err);
  if (st) return st;
  gg_tuple shape = GG_TUPLE(atom.m, atom.n, atom.k);
  return give_tuple(out, &shape);
}

static gg_status mma_atom_layout(gg_value *out, args arg, gg_mma_operand operand, gg_error *err) {
  gg_mma_atom atom;
  gg_status st = mma_atom_of(&atom, arg[0], err);
  if (st) return st;
  if (!gg_mma_atom_has_layout(&atom, operand)) {
    bool sparse = operand == GG_MMA_E, has = sparse ? atom.row->sparse : atom.row->block > 0;
    return gg_fail(err, ATOM_PARAMETER, NULL, atom.row->cute,
                   sparse ? "metadata" : "the layout of scale factors",
                   has ? "in tensor memory" : "missing",
                   has      ? sparse ? "tmem_e_frg" : "tmem_sf_frg"
                   : sparse ? "a sparse atom"
                            : "a block-scaled atom");
  }
  gg_layout layout = gg_mma_atom_layout(&atom, operand);
  gg_tuple tile = gg_mma_operand_tile((int64_t[]){atom.m, atom.n, atom.k}, operand);
  return give_tv(out, &layout, &tile);
}

static gg_status copy_atom_layout(gg_value *out, args arg, gg_copy_side side, gg_error *err) {
  gg_copy_atom atom;
  gg_status st = copy_atom_of(&atom, arg[0], err);
  if (st) return st;
  gg_layout layout = gg_copy_atom_layout(&atom, side);
  gg_tuple bits = gg_tuple_int(gg_layout_cosize(&layout));
  return give_tv(out, &layout, &bits);
}

/* ---- Tiled MMAs --------------------------------------------------------------------------- */

OP(tiled_mma) {
  gg_tiled_mma mma;
  gg_status st;
  gg_mma_atom atom;
  if ((st = mma_atom_of(&atom, arg[0], err))) return st;
  out->kind = GG_VALUE_MMA;
  out->mma.atom = atom;
  out->mma.threads = gg_layout_flat(1, 0);
  out->mma.permutation = count > 2 ? arg[2]->tiler : gg_tiler_empty();
  if (count > 1 && arg[1]->kind == GG_VALUE_TUPLE) {
    st = gg_layout_col_major(&out->mma.threads, &arg[1]->tuple, err);
  } else if (count > 1) {
    out->mma.threads = arg[1]->layout.layout;
  }
  return st ? st : gg_expr_mma_of(&mma, out, err);
}

OP(thr_layout_vmnk) {
  (void)count;
  gg_tiled_mma mma;
  gg_status st = gg_expr_mma_of(&mma, arg[0], err);
  return st ? st : give_layout(out, &mma.thr_vmnk);
}

OP(mma_tile_shape) {
  (void)count;
  gg_tiled_mma mma;
  gg_status st = gg_expr_mma_of(&mma, arg[0], err);
  if (st) return st;
  gg_tuple shape = gg_tiled_mma_tile_shape(&mma);
  return give_tuple(out, &shape);
}

OP(mma_tile_size) {
  (void)count;
  gg_tiled_mma mma;
  gg_status st = gg_expr_mma_of(&mma, arg[0], err);
  if (st) return st;
  int64_t mode = int_of(arg[1]);
  if (mode < 0 || mode > 2) {
    return gg_fail(err, LAYOUT_MODE, NULL, "tile_size", (long long)mode, "(M,N,K)", 3);
  }
  gg_tuple extent = gg_tuple_int(mma.tile[mode]);
  return give_tuple(out, &extent);
}

OP(mma_size) {
  (void)count;
  gg_tiled_mma mma;
  gg_status st = gg_expr_mma_of(&mma, arg[0], err);
  if (st) return st;
  gg_tuple threads = gg_tuple_int(gg_tiled_mma_threads(&mma));
  return give_tuple(out, &threads);
}

static gg_status mma_layout_tv(gg_value *out, args arg, gg_mma_operand operand, gg_error *err) {
  gg_tiled_mma mma;
  gg_layout layout;
  gg_status st;
  if ((st = gg_expr_mma_of(&mma, arg[0], err))) return st;
  if ((st = gg_tiled_mma_layout_tv(&layout, &mma, operand, err))) return st;
  gg_tuple tile = gg_mma_operand_tile(mma.tile, operand);
  return give_tv(out, &layout, &tile);
}

static gg_status mma_partition(gg_value *out, args arg, gg_mma_operand operand, gg_error *err) {
  gg_tiled_mma mma;
  gg_tensor held;
  gg_status st;
  if ((st = gg_expr_mma_of(&mma, arg[0], err))) return st;
  st = gg_tiled_mma_partition(&held, &mma, operand, &arg[1]->tensor, int_of(arg[2]), err);
  return st ? st : give_tensor(out, &held);
}

static gg_status mma_partition_shape(gg_value *out, args arg, gg_mma_operand operand,
                                     gg_error *err) {
  gg_tiled_mma mma;
  gg_tuple shape;
  gg_status st;
  if ((st = gg_expr_mma_of(&mma, arg[0], err))) return st;
  st = gg_tiled_mma_partition_shape(&shape, &mma, operand, &arg[1]->tuple, err);
  return st ? st : give_tuple(out, &shape);
}

/* A thread's part of C: the compact layout of its registers, or a layout of tensor memory. */
OP(partition_fragment_c) {
  gg_value shape;
  gg_layout fragment;
  gg_tiled_mma mma;
  gg_status st = gg_expr_mma_of(&mma, arg[0], err);
  if (st) return st;
  if (mma.atom.row->kind == GG_MMA_tcgen05)
    return gg_umma_fragment_c(to_layout(out), &mma, TUPLE(1), count > 2 ? positive_of(arg[2]) : 0,
                              err);
  st = mma_partition_shape(&shape, arg, GG_MMA_C, err);
  if (!st) st = gg_layout_col_major(&fragment, &shape.tuple, err);
  return st ? st : give_layout(out, &fragment);
}

/* ---- Tiled copies ------------------------------------------------------------------------- */

OP(make_tiled_copy) {
  gg_copy_atom atom;
  gg_tiled_copy copy;
  gg_layout values = count > 3 ? arg[3]->layout.layout : gg_layout_flat(1, 0);
  gg_status st;
  if ((st = copy_atom_of(&atom, arg[0], err))) return st;
  st = gg_tiled_copy_make(&copy, &atom, positive_of(arg[1]), &arg[2]->layout.layout, &values, err);
  return st ? st : give_copy(out, &copy);
}

OP(make_tiled_copy_impl) {
  (void)count;
  gg_copy_atom atom;
  gg_tiled_copy copy;
  gg_status st;
  if ((st = copy_atom_of(&atom, arg[0], err))) return st;
  st = gg_tiled_copy_make_impl(&copy, &atom, positive_of(arg[1]), &arg[2]->layout.layout,
                               &arg[3]->tiler, err);
  return st ? st : give_copy(out, &copy);
}

static gg_status copy_of_operand(gg_value *out, args arg, gg_mma_operand operand, gg_error *err) {
  gg_copy_atom atom;
  gg_tiled_mma mma;
  gg_tiled_copy copy;
  gg_status st;
  if ((st = copy_atom_of(&atom, arg[0], err))) return st;
  if ((st = gg_expr_mma_of(&mma, arg[2], err))) return st;
  st = gg_tiled_copy_make_mma(&copy, &atom, positive_of(arg[1]), &mma, operand, err);
  return st ? st : give_copy(out, &copy);
}

OP(make_tiled_copy_c_atom) {
  (void)count;
  gg_copy_atom atom;
  gg_tiled_mma mma;
  gg_tiled_copy copy;
  gg_status st;
  if ((st = copy_atom_of(&atom, arg[0], err))) return st;
  if ((st = gg_expr_mma_of(&mma, arg[2], err))) return st;
  st = gg_tiled_copy_make_c_atom(&copy, &atom, positive_of(arg[1]), &mma, err);
  return st ? st : give_copy(out, &copy);
}

static gg_status copy_like(gg_value *out, args arg, gg_copy_side side, gg_error *err) {
  gg_copy_atom atom;
  gg_tiled_copy like, copy;
  gg_status st;
  if ((st = copy_atom_of(&atom, arg[0], err))) return st;
  if ((st = copy_of(&like, arg[2], err))) return st;
  st = gg_tiled_copy_make_like(&copy, &atom, positive_of(arg[1]), &like, side, err);
  return st ? st : give_copy(out, &copy);
}

OP(make_cotiled_copy) {
  (void)count;
  gg_copy_atom atom;
  gg_tiled_copy copy;
  gg_status st;
  if ((st = copy_atom_of(&atom, arg[0], err))) return st;
  st = gg_tiled_copy_make_cotiled(&copy, &atom, positive_of(arg[1]), &arg[2]->layout.layout,
                                  &arg[3]->layout.layout, err);
  return st ? st : give_copy(out, &copy);
}

OP(make_tmem_copy) {
  (void)count;
  gg_copy_atom atom;
  gg_tiled_copy copy;
  gg_status st;
  if ((st = copy_atom_of(&atom, arg[0], err))) return st;
  st = gg_tiled_copy_make_tmem(&copy, &atom, positive_of(arg[1]), &arg[2]->layout.layout, err);
  return st ? st : give_copy(out, &copy);
}

OP(tiler_mn) {
  (void)count, (void)err;
  gg_tiler tiler = arg[0]->copy.tiler;
  out->kind = GG_VALUE_TILER;
  out->tiler = tiler;
  return GG_OK;
}

OP(tiled_layout_tv) {
  (void)count, (void)err;
  gg_layout tv = arg[0]->copy.tv;
  gg_tuple tile = gg_tiler_extents(&arg[0]->copy.tiler);
  return give_tv(out, &tv, &tile);
}

OP(copy_size) {
  (void)count, (void)err;
  gg_tuple threads = gg_tuple_int(gg_layout_mode_size(&arg[0]->copy.tv, 0));
  return give_tuple(out, &threads);
}

static gg_status copy_layout_tv(gg_value *out, args arg, gg_copy_side side, gg_error *err) {
  gg_tiled_copy copy;
  gg_layout layout;
  gg_status st;
  if ((st = copy_of(&copy, arg[0], err))) return st;
  if ((st = gg_tiled_copy_layout_tv(&layout, &copy, side, err))) return st;
  gg_tuple tile = gg_tiler_extents(&copy.tiler);
  return give_tv(out, &layout, &tile);
}

static gg_status copy_partition(gg_value *out, args arg, gg_copy_side side, gg_error *err) {
  gg_tiled_copy copy;
  gg_tensor held;
  gg_status st;
  if ((st = copy_of(&copy, arg[0], err))) return st;
  st = gg_tiled_copy_partition(&held, &copy, side, &arg[1]->tensor, int_of(arg[2]), err);
  return st ? st : give_tensor(out, &held);
}

OP(retile) {
  (void)count;
  gg_tiled_copy copy;
  gg_tensor held;
  gg_status st;
  if ((st = copy_of(&copy, arg[0], err))) return st;
  st = gg_tiled_copy_retile(&held, &copy, &arg[1]->tensor, err);
  return st ? st : give_tensor(out, &held);
}

/* ---- One function an operand or side ------------------------------------------------------- */

#define FOR(name, function, which)                                                                 \
  OP(name) {                                                                                       \
    (void)count;                                                                                   \
    return function(out, arg, which, err);                                                         \
  }

FOR(atom_layout_a, mma_atom_layout, GG_MMA_A)
FOR(atom_layout_b, mma_atom_layout, GG_MMA_B)
FOR(atom_layout_c, mma_atom_layout, GG_MMA_C)
FOR(atom_layout_e, mma_atom_layout, GG_MMA_E)
FOR(atom_layout_sfa, mma_atom_layout, GG_MMA_SFA)
FOR(atom_layout_sfb, mma_atom_layout, GG_MMA_SFB)
FOR(atom_layout_src, copy_atom_layout, GG_COPY_SRC)
FOR(atom_layout_dst, copy_atom_layout, GG_COPY_DST)
FOR(atom_layout_ref, copy_atom_layout, GG_COPY_REF)
FOR(layout_a_tv, mma_layout_tv, GG_MMA_A)
FOR(layout_b_tv, mma_layout_tv, GG_MMA_B)
FOR(layout_c_tv, mma_layout_tv, GG_MMA_C)
FOR(partition_a, mma_partition, GG_MMA_A)
FOR(partition_b, mma_partition, GG_MMA_B)
FOR(partition_c, mma_partition, GG_MMA_C)
FOR(partition_shape_a, mma_partition_shape, GG_MMA_A)
FOR(partition_shape_b, mma_partition_shape, GG_MMA_B)
FOR(partition_shape_c, mma_partition_shape, GG_MMA_C)
FOR(make_tiled_copy_a, copy_of_operand, GG_MMA_A)
FOR(make_tiled_copy_b, copy_of_operand, GG_MMA_B)
FOR(make_tiled_copy_c, copy_of_operand, GG_MMA_C)
FOR(make_tiled_copy_s, copy_like, GG_COPY_SRC)
FOR(make_tiled_copy_d, copy_like, GG_COPY_DST)
FOR(layout_s_tv, copy_layout_tv, GG_COPY_SRC)
FOR(layout_d_tv, copy_layout_tv, GG_COPY_DST)
FOR(partition_s, copy_partition, GG_COPY_SRC)
FOR(partition_d, copy_partition, GG_COPY_DST)
