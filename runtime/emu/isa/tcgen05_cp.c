/* tcgen05.cp, from shared to tensor memory, and tcgen05.shift, from each lane to the one before
 * (PTX ISA, "Tensor Memory Data Movement Instructions").
 *
 * Both are done by the pipe of the warp that issues them, behind its products and before those that
 * it issues later. Among themselves they have no order until a product stands between them, but
 * that a cp of four lanes comes after a shift. Of a pair each CTA copies from its own shared memory
 * to its own tensor memory, at the same addresses. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "emu/async/modifiers.h"
#include "emu/isa/tcgen05.h"
#include "emu/isa/umma.h"
#include "emu/isa/unit_set.h"
#include "emu/number/format.h"
#include "emu/report.h"

enum { unit_columns = EMU_UNIT_BYTES / 4, unit_elements = 16 };

typedef enum cp_shape {
  SHAPE_128X256B,
  SHAPE_4X256B,
  SHAPE_128X128B,
  SHAPE_64X128B_02_13,
  SHAPE_64X128B_01_23,
  SHAPE_32X128B,
  SHAPE_SHIFT
} cp_shape;

typedef struct move_facts {
  emu_address address;
  cp_shape shape;
  int group;
  int bits; /* of elements that become bytes: 6, 4; 0: none do */
} move_facts;

typedef struct move {
  emu_async base;
  emu_umma_view from;
  emu_cta *ctas[2];
  emu_tmem_claim claims[2];
  int lane, column;
  emu_span spans[];
} move;

/* Units of 16 bytes to a lane. */
static int units_of(cp_shape shape) {
  return shape == SHAPE_128X256B || shape == SHAPE_4X256B ? 2 : 1;
}

static int rows_of(cp_shape shape) {
  static const int rows[] = {128, 4, 128, 64, 64, 32, 0};
  return rows[shape];
}

/* The row of shared memory that goes to a lane. */
static int row_of(cp_shape shape, int lane) {
  switch (shape) {
  case SHAPE_4X256B: /* one lane of each warp */
    return lane / EMU_TMEM_SLICE;
  case SHAPE_64X128B_02_13:
    return lane % 64;
  case SHAPE_64X128B_01_23:
    return lane / 64 * EMU_TMEM_SLICE + lane % EMU_TMEM_SLICE;
  case SHAPE_32X128B:
    return lane % EMU_TMEM_SLICE;
  default:
    return lane;
  }
}

static emu_tmem_region region_of(const move *m, cp_shape shape) {
  emu_tmem_region r = {{0}, m->column, units_of(shape) * unit_columns};
  if (shape == SHAPE_SHIFT) {
    r.lanes[m->lane / EMU_TMEM_SLICE] = UINT32_MAX;
    r.columns = EMU_TMEM_SHIFTED;
    return r;
  }
  for (int i = 0; i < 4; i++)
    r.lanes[i] = shape == SHAPE_4X256B ? UINT32_C(1) << m->lane : UINT32_MAX;
  return r;
}

/* ---- Landing ---------------------------------------------------------------------------- */

/* A unit as it is in tensor memory: elements of 6 and of 4 bits are brought to bytes, in which
 * those of 4 bits have two bits of padding on either side, as where A of kind f8f6f4 is in tensor
 * memory.
 */
static void unpack_unit(uint32_t out[unit_columns], const uint8_t *unit, int bits) {
  uint8_t bytes[EMU_UNIT_BYTES];
  if (!bits) {
    memcpy(out, unit, EMU_UNIT_BYTES);
    return;
  }
  for (int i = 0; i < unit_elements; i++) {
    uint32_t code = emu_packed_code(unit, EMU_UNIT_BYTES, i, bits);
    bytes[i] = (uint8_t)(bits == 4 ? code << 2 : code);
  }
  memcpy(out, bytes, sizeof bytes);
}

static void copy_in(const move *m, const move_facts *f, int which) {
  const emu_tmem_claim *claim = &m->claims[which];
  const uint8_t *shared = m->ctas[which]->shared->bytes - EMU_SHARED_RESERVED;
  for (int lane = 0; lane < EMU_TMEM_LANES; lane++) {
    if (!(claim->region.lanes[lane / 32] >> lane % 32 & 1)) continue;
    for (int i = 0; i < units_of(f->shape); i++) {
      int column = m->column + i * unit_columns;
      const uint8_t *unit = shared + emu_umma_unit(&m->from, row_of(f->shape, lane), i);
      unpack_unit(&claim->memory->cells[lane][column], unit, f->bits);
      memset(&claim->memory->written[lane][column], 1, unit_columns);
    }
  }
}

static bool shift_down(const move *m, int which) {
  const emu_tmem_claim *claim = &m->claims[which];
  if (!emu_tmem_written(claim, GG_E_EMU_UNDEFINED, "rows")) return false;
  emu_tmem_shift_down(claim->memory, m->lane, m->column);
  return true;
}

static void release(move *m, bool done) {
  for (int i = 0; i < 2; i++)
    emu_tmem_release(&m->claims[i], done);
}

static bool land(emu_async *async, emu_cluster *cluster) {
  move *m = (move *)async;
  const move_facts *f = async->op->facts;
  bool ok = true;
  (void)cluster;
  for (int i = 0; i < f->group && ok; i++) {
    if (f->shape == SHAPE_SHIFT) {
      ok = shift_down(m, i);
    } else {
      copy_in(m, f, i);
    }
  }
  release(m, ok);
  return ok;
}

/* ---- Issue ------------------------------------------------------------------------------ */

static bool find_place(move *m, emu_warp *warp, const emu_op *op, int lane) {
  const move_facts *f = op->facts;
  uint32_t address = emu_tmem_address(warp, &f->address, lane), first = address >> 16;
  const char *allowed =
      f->shape == SHAPE_SHIFT ? "its first lane is 0, 32, 64 or 96"
      : f->shape == SHAPE_4X256B
          ? "its lane is one of 0 to 31, and the copy goes to this lane of each 32"
          : "its first lane is 0";
  bool good = f->shape == SHAPE_SHIFT    ? first < EMU_TMEM_LANES && first % EMU_TMEM_SLICE == 0
              : f->shape == SHAPE_4X256B ? first < EMU_TMEM_SLICE
                                         : !first;
  m->lane = (int)first;
  m->column = (int)(address & 0xffff);
  if (good) return true;
  emu_fault(warp, op, lane, GG_E_EMU_TENSOR_MEMORY,
            "the address 0x%08" PRIx32 " is of lane %" PRIu32 "; %s", address, first, allowed);
  return false;
}

static bool find_source(move *m, emu_unit_set sets[2], emu_warp *warp, const emu_op *op, int lane) {
  const move_facts *f = op->facts;
  if (f->shape == SHAPE_SHIFT) return true;
  uint64_t descriptor = emu_lane_value(warp, &op->operands[0], lane);
  const char *why = emu_umma_view_read(&m->from, descriptor, true);
  if (why) {
    emu_fault(warp, op, lane, GG_E_EMU_DESCRIPTOR, "descriptor of the source 0x%016" PRIx64 ": %s",
              descriptor, why);
    return false;
  }
  for (int i = 0; i < f->group * rows_of(f->shape) * units_of(f->shape); i++) {
    int unit = i % units_of(f->shape), row = i / units_of(f->shape) % rows_of(f->shape);
    int which = i / units_of(f->shape) / rows_of(f->shape);
    if (!emu_unit_add(&sets[which], warp, op, "the source", m->ctas[which],
                      emu_umma_unit(&m->from, row, unit))) {
      return false;
    }
  }
  size_t bytes = f->bits ? (size_t)f->bits * EMU_UNIT_BYTES / 8 : EMU_UNIT_BYTES;
  for (int i = 0; i < f->group; i++) {
    if (!emu_unit_set_written(warp, op, &sets[i], m->ctas[i], bytes)) return false;
  }
  return true;
}

static void describe(emu_async_words *out, const emu_async *async) {
  emu_tmem_put_region(out->where, sizeof out->where, "to",
                      &((const move *)async)->claims[0].region);
}

/* The work, with what it reads of shared memory; NULL after a fault. */
static move *prepare(emu_warp *warp, const emu_op *op, int lane, emu_tmem_user *user) {
  const move_facts *f = op->facts;
  emu_unit_set sets[2] = {{{0}}, {{0}}};
  move draft = {.base = emu_tcgen05_work(warp, op, lane, user)};
  draft.base.unit = "MMA pipe";
  draft.base.describe = describe;
  draft.base.land = land;
  draft.base.group = emu_tmem_move_group(user, f->shape == SHAPE_SHIFT    ? EMU_TMEM_MOVE_SHIFT
                                               : f->shape == SHAPE_4X256B ? EMU_TMEM_MOVE_FOUR
                                                                          : EMU_TMEM_MOVE_COPY);
  if (!emu_tcgen05_ctas(draft.ctas, warp, op, lane, f->group) ||
      !find_place(&draft, warp, op, lane) || !find_source(&draft, sets, warp, op, lane)) {
    return NULL;
  }
  uint32_t reads = emu_unit_count_spans(&sets[0]) + emu_unit_count_spans(&sets[1]);
  move *m = gg_malloc(sizeof *m + reads * sizeof *m->spans);
  if (!m) {
    emu_fault(warp, op, -1, GG_E_MEMORY, " for %s", op->ptx->form->text);
    return NULL;
  }
  *m = draft;
  emu_tcgen05_list_reads(&m->base, m->spans, sets, m->ctas);
  return m;
}

static bool hold(move *m, emu_warp *warp, const emu_op *op) {
  const move_facts *f = op->facts;
  emu_tmem_region region = region_of(m, f->shape);
  for (int i = 0; i < f->group; i++) {
    emu_tmem *memory = emu_tcgen05_memory(warp, op, m->ctas[i], f->group);
    if (!memory || !emu_tmem_hold(&m->claims[i], memory, &region, true, EMU_TMEM_PIPE, &m->base,
                                  f->shape == SHAPE_SHIFT ? "rows" : "the copy")) {
      return false;
    }
  }
  return true;
}

/* Scale factors are what goes to several 32 lanes. */
static void count(emu_counters *counters, const move *m) {
  const move_facts *f = m->base.op->facts;
  for (uint32_t i = 0; i < m->base.read_count; i++)
    counters->tmem_bytes_copied += m->spans[i].bytes;
  counters->tmem_copies += f->shape != SHAPE_SHIFT;
  counters->tmem_scale_copies += f->shape == SHAPE_32X128B || f->shape == SHAPE_64X128B_02_13 ||
                                 f->shape == SHAPE_64X128B_01_23;
}

static bool issue(emu_warp *warp, const emu_op *op, int lane) {
  const move_facts *f = op->facts;
  emu_tmem_user *user = emu_tmem_user_of(warp, op);
  if (!user || !emu_tmem_of(warp, op, f->group)) return false;
  move *m = prepare(warp, op, lane, user);
  if (!m) return false;
  if (!hold(m, warp, op)) {
    release(m, false);
    gg_free(m);
    return false;
  }
  user->work[EMU_TMEM_PIPE].issued++;
  count(emu_counting(warp), m);
  emu_hazard_moment(warp, &m->base.since);
  return emu_async_issue(warp->cta->cluster, &m->base);
}

static emu_step run(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  EMU_EACH_LANE(lanes, lane) {
    if (!issue(warp, op, (int)lane)) return EMU_FAULT;
  }
  return EMU_NEXT;
}

/* ---- Decoding --------------------------------------------------------------------------- */

static gg_status take_shape(move_facts *f, emu_decoder *d, gg_error *err) {
  static const char *const shapes[] = {"128x256b", "4x256b",  "128x128b",
                                       "64x128b",  "32x128b", NULL};
  static const char *const targets[] = {"warpx2::02_13", "warpx2::01_23", "warpx4", NULL};
  static const cp_shape plain[] = {SHAPE_128X256B, SHAPE_4X256B, SHAPE_128X128B};
  int found = emu_take_word(d, shapes), target = emu_take_word(d, targets);
  if (found >= 0 && found < 3 && target < 0) {
    f->shape = plain[found];
  } else if (found == 3 && (target == 0 || target == 1)) {
    f->shape = target ? SHAPE_64X128B_01_23 : SHAPE_64X128B_02_13;
  } else if (found == 4 && target == 2) {
    f->shape = SHAPE_32X128B;
  } else {
    return emu_unknown_form(d, err,
                            "its shape is 128x256b, 4x256b, 128x128b, 64x128b.warpx2::02_13 or "
                            "::01_23, or 32x128b.warpx4");
  }
  return GG_OK;
}

static gg_status take_format(move_facts *f, emu_decoder *d, gg_error *err) {
  if (!emu_take(d, "b8x16")) return GG_OK;
  f->bits = emu_take(d, "b6x16_p32") ? 6 : emu_take(d, "b4x16_p64") ? 4 : 0;
  if (f->bits) return GG_OK;
  return emu_unknown_form(d, err, ".b8x16 is made of .b6x16_p32 or .b4x16_p64");
}

/* cp [address], descriptor; shift [address]. */
static gg_status decode(emu_op *op, emu_decoder *d, bool shifts, gg_error *err) {
  gg_status st;
  move_facts *f = GG_ARENA_NEW(emu_decoder_arena(d), move_facts);
  if (!f) return gg_fail(err, MEMORY, NULL, "");
  *f = (move_facts){.shape = SHAPE_SHIFT, .group = emu_take_cta_group(d)};
  op->facts = f;
  op->exec = run;
  if (!f->group) return emu_unknown_form(d, err, "it is .cta_group::1 or ::2");
  if (shifts && !emu_take(d, "down")) return emu_unknown_form(d, err, "it shifts .down");
  if (!shifts && ((st = take_shape(f, d, err)) || (st = take_format(f, d, err)))) return st;
  if ((st = emu_modifiers_end(d, err))) return st;
  if (emu_operand_count(d) != 2 - shifts) {
    return emu_unknown_form(d, err, "it has %d operands, not %d", 2 - shifts, emu_operand_count(d));
  }
  if ((st = emu_operands_open(op, d, 1, err))) return st;
  if (!shifts && (st = emu_operand_value(&op->operands[0], d, 1, EMU_B64, err))) return st;
  return emu_operand_tmem(&f->address, d, 0, err);
}

gg_status emu_decode_tcgen05_cp(emu_op *op, emu_decoder *d, gg_error *err) {
  return decode(op, d, false, err);
}

gg_status emu_decode_tcgen05_shift(emu_op *op, emu_decoder *d, gg_error *err) {
  return decode(op, d, true, err);
}
