/* wmma.load and wmma.store (PTX ISA, "wmma.load", "wmma.store").
 *
 * The matrix stands in memory by rows or by columns, `stride` elements from one to the next. The
 * PTX ISA wants each aligned to the size of a lane's fragment, CUDA C++ to 16 bytes alone: the
 * smaller of them is what the emulator asks for. Where a register's elements are neighbours in
 * memory they are one access, else each is one. */
#include <inttypes.h>
#include <string.h>

#include "emu/hazard.h"
#include "emu/isa/lanes.h"
#include "emu/isa/wmma.h"
#include "emu/memory.h"

enum { align_most = 16 };

typedef struct access_facts {
  emu_wmma_fragment fragment;
  bool along; /* neighbours in a register are neighbours in memory */
  bool store;
  int stride_at; /* of the stride among the operands */
} access_facts;

typedef uint8_t access_data[EMU_LANES][EMU_ACCESS_MAX];

/* ---- Execution -------------------------------------------------------------------------- */

/* Bytes from the matrix's start to the element. */
static uint64_t offset_of(const access_facts *f, uint32_t stride, int row, int column) {
  uint64_t line = (uint64_t)(f->along ? row : column),
           in_line = (uint64_t)(f->along ? column : row);
  return (line * stride + in_line) * (uint64_t)f->fragment.bits / 8;
}

/* Moves the bytes of `count` registers, from `reg` and the `bits` of their element `first` on. */
static bool move(emu_warp *warp, const emu_op *op, uint32_t lanes, const uint64_t base[EMU_LANES],
                 int reg, int count, int first, int bytes) {
  const access_facts *f = op->facts;
  const uint32_t *stride = EMU_AT(const uint32_t, warp, &op->operands[f->stride_at]);
  uint64_t address[EMU_LANES];
  access_data data;
  int each = op->operands[reg].lane_bytes, at = first * f->fragment.bits / 8;
  int part = bytes < each ? bytes : each; /* of a register */
  for (int lane = 0; lane < EMU_LANES; lane++) {
    int row, column;
    emu_wmma_element(&row, &column, &f->fragment, reg, lane);
    address[lane] = base[lane] + offset_of(f, stride[lane], row, column + first);
    for (int i = 0; f->store && i < count; i++) {
      const uint8_t *from = EMU_AT(const uint8_t, warp, &op->operands[reg + i]);
      memcpy(data[lane] + i * part, from + lane * each + at, (size_t)part);
    }
  }
  emu_space space = (emu_space)op->space;
  if (f->store) return emu_store(warp, op, space, address, lanes, (unsigned)bytes, data);
  if (!emu_load(warp, op, space, address, lanes, (unsigned)bytes, data)) return false;
  for (int i = 0; i < count; i++) {
    if (op->operands[reg + i].sink) continue;
    uint8_t *to = EMU_AT(uint8_t, warp, &op->operands[reg + i]);
    for (int lane = 0; lane < EMU_LANES; lane++) {
      if (lanes >> lane & 1) memcpy(to + lane * each + at, data[lane] + i * part, (size_t)part);
    }
  }
  return true;
}

/* The lanes name one matrix, whose lines are aligned. */
static bool check(emu_warp *warp, const emu_op *op, uint32_t lanes,
                  const uint64_t base[EMU_LANES]) {
  const access_facts *f = op->facts;
  const uint32_t *stride = EMU_AT(const uint32_t, warp, &op->operands[f->stride_at]);
  int first = __builtin_ctz(lanes);
  EMU_EACH_LANE(lanes, lane) {
    if (base[lane] == base[first] && stride[lane] == stride[first]) continue;
    emu_fault(warp, op, (int)lane, GG_E_EMU_ILLEGAL,
              "lanes name different matrices: 0x%" PRIx64 " with stride %" PRIu32
              ", lane %d 0x%" PRIx64 " with stride %" PRIu32,
              base[lane], stride[lane], first, base[first], stride[first]);
    return false;
  }
  const emu_wmma_fragment *g = &f->fragment;
  uint64_t bytes = (uint64_t)stride[first] * (uint64_t)g->bits / 8;
  unsigned align = (unsigned)(g->registers * g->each * g->bits / 8);
  if (align > align_most) align = align_most;
  if (base[first] % align == 0 && bytes % align == 0) return true;
  emu_fault(warp, op, first, GG_E_EMU_MISALIGNED,
            "a matrix at 0x%" PRIx64 " with a stride of %" PRIu32 " elements, %" PRIu64
            " bytes: both are multiples of %u bytes",
            base[first], stride[first], bytes, align);
  return false;
}

static emu_step run_access(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  const access_facts *f = op->facts;
  const emu_wmma_fragment *g = &f->fragment;
  uint64_t base[EMU_LANES];
  if (!emu_converge(warp, op, UINT32_MAX, &lanes)) return EMU_WAIT;
  emu_hazard_converge(warp);
  emu_addresses(base, warp, &op->address);
  if (!check(warp, op, lanes, base)) return EMU_FAULT;
  int registers = f->store ? g->own : g->registers;
  int together = f->along && g->accumulator && g->each == 1 ? 2 : 1;
  for (int reg = 0; reg < registers; reg += together) {
    int bytes = (f->along ? g->each : 1) * together * g->bits / 8;
    for (int i = 0; i < (f->along ? 1 : g->each); i++) {
      if (!move(warp, op, lanes, base, reg, together, i, bytes)) return EMU_FAULT;
    }
  }
  return EMU_NEXT;
}

/* ---- Decoding --------------------------------------------------------------------------- */

/* .sync.aligned.LAYOUT.SHAPE.SPACE.TYPE, of which the matrix's part is known. */
static gg_status take_modifiers(emu_op *op, access_facts *f, uint32_t *stride, emu_wmma_role role,
                                emu_decoder *d, gg_error *err) {
  static const char *const layouts[] = {"row", "col", NULL};
  if (!emu_take(d, "sync") || !emu_take(d, "aligned")) {
    return emu_unknown_form(d, err, "it is .sync.aligned");
  }
  int layout = emu_take_word(d, layouts);
  if (layout < 0) return emu_unknown_form(d, err, "a layout, .row or .col, is needed");
  const char *text = emu_take_prefix(d, "m");
  op->space = (uint8_t)emu_take_space(d);
  emu_type type = emu_take_type(d);
  gg_status st = emu_modifiers_end(d, err);
  if (st) return st;
  if (op->space != EMU_GENERIC && op->space != EMU_GLOBAL && op->space != EMU_SHARED) {
    return emu_unknown_form(d, err, "its memory is .global or .shared");
  }
  bool accumulator = role == EMU_WMMA_C;
  const emu_wmma_shape *shape =
      type == EMU_NONE
          ? NULL
          : emu_wmma_find(text, accumulator ? EMU_NONE : type, accumulator ? type : EMU_NONE);
  if (!shape) return emu_unknown_form(d, err, "no %s of this type", text ? text : "shape");
  f->fragment = emu_wmma_fragment_of(shape, role, type);
  f->along = (layout == 0) != f->fragment.by_columns;
  if (!f->along && !accumulator && !shape->free) {
    return emu_unknown_form(d, err, "A is .row and B is .col");
  }
  *stride = (uint32_t)(f->along ? f->fragment.columns : f->fragment.rows);
  op->type = (uint8_t)type;
  return GG_OK;
}

/* The registers stand at operand `registers`, the address at the other of the first two. */
static gg_status decode_access(emu_op *op, emu_decoder *d, emu_wmma_role role, bool store,
                               gg_error *err) {
  access_facts *f = GG_ARENA_NEW(emu_decoder_arena(d), access_facts);
  uint32_t stride = 0;
  int count, written = emu_operand_count(d), registers = store ? 1 : 0;
  if (!f) return gg_fail(err, MEMORY, NULL, "");
  *f = (access_facts){.store = store};
  gg_status st = take_modifiers(op, f, &stride, role, d, err);
  if (st) return st;
  if (written != 2 && written != 3)
    return emu_unknown_form(d, err, "it has two operands, or three");
  int most = f->fragment.registers;
  op->operands = GG_ARENA_ARRAY(emu_decoder_arena(d), emu_operand, (size_t)most + 1);
  if (!op->operands) return gg_fail(err, MEMORY, NULL, "");
  emu_type type = f->fragment.bits == 64 ? EMU_F64 : EMU_B32;
  if ((st = emu_operand_vector(op->operands, &count, most, d, registers, type, !store, err))) {
    return st;
  }
  if (count != most) {
    return emu_unknown_form(d, err, "it has %d registers, not %d", most, count);
  }
  f->stride_at = most;
  op->operand_count = (uint16_t)(most + 1);
  op->facts = f;
  op->kind = EMU_KIND_MATRIX;
  op->converges = true;
  op->exec = run_access;
  if ((st = emu_operand_address(&op->address, d, 1 - registers, err))) return st;
  emu_operand *out = &op->operands[most];
  return written == 3 ? emu_operand_value(out, d, 2, EMU_U32, err)
                      : emu_operand_constant(out, d, stride, 0, 4, err);
}

gg_status emu_decode_wmma_load(emu_op *op, emu_decoder *d, gg_error *err) {
  static const char *const roles[] = {"a", "b", "c", NULL};
  int role = emu_take_word(d, roles);
  if (role < 0) return emu_unknown_form(d, err, "it loads .a, .b or .c");
  return decode_access(op, d, (emu_wmma_role)role, false, err);
}

gg_status emu_decode_wmma_store(emu_op *op, emu_decoder *d, gg_error *err) {
  if (!emu_take(d, "d")) return emu_unknown_form(d, err, "it stores .d");
  return decode_access(op, d, EMU_WMMA_C, true, err);
}
