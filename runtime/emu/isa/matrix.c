/* ldmatrix, stmatrix, movmatrix (PTX ISA, "Warp-level matrix load instruction", "store", "transpose
 * instruction").
 *
 * A matrix is eight rows of eight 16-bit elements. Lanes 8 i to 8 i + 7 give the addresses of
 * matrix i's rows; in registers, lane 4 g + t has the elements 2 t and 2 t + 1 of row g, or of
 * column g where it is transposed. */
#include <string.h>

#include "emu/hazard.h"
#include "emu/memory.h"

enum { side = 8, row_bytes = 16, matrices_most = 4 };

typedef struct matrix_facts {
  int count;
  bool transposed;
} matrix_facts;

typedef uint8_t rows_data[EMU_LANES][EMU_ACCESS_MAX];

/* Where a lane's element (0 or 1) of a matrix is: its row, among all of them, and its bytes. */
static uint8_t *element(rows_data data, int matrix, int lane, int which, bool transposed) {
  int row = transposed ? lane % 4 * 2 + which : lane / 4;
  int column = transposed ? lane / 4 : lane % 4 * 2 + which;
  return data[matrix * side + row] + column * 2;
}

static void to_registers(emu_warp *warp, const emu_operand *registers, int count, bool transposed,
                         rows_data data) {
  for (int i = 0; i < count; i++) {
    if (registers[i].sink) continue;
    uint32_t *words = EMU_AT(uint32_t, warp, &registers[i]);
    for (int lane = 0; lane < EMU_LANES; lane++) {
      uint16_t low, high;
      memcpy(&low, element(data, i, lane, 0, transposed), sizeof low);
      memcpy(&high, element(data, i, lane, 1, transposed), sizeof high);
      words[lane] = (uint32_t)high << 16 | low;
    }
  }
}

static void from_registers(rows_data data, const emu_warp *warp, const emu_operand *registers,
                           int count, bool transposed) {
  for (int i = 0; i < count; i++) {
    const uint32_t *words = EMU_AT(uint32_t, warp, &registers[i]);
    for (int lane = 0; lane < EMU_LANES; lane++) {
      uint16_t low = (uint16_t)words[lane], high = (uint16_t)(words[lane] >> 16);
      memcpy(element(data, i, lane, 0, transposed), &low, sizeof low);
      memcpy(element(data, i, lane, 1, transposed), &high, sizeof high);
    }
  }
}

/* ---- Execution -------------------------------------------------------------------------- */

/* The rows' addresses, which must be of shared memory, and the lanes that give them. */
static bool row_addresses(uint64_t address[EMU_LANES], uint32_t *rows, emu_warp *warp,
                          const emu_op *op) {
  const matrix_facts *f = op->facts;
  emu_addresses(address, warp, &op->address);
  *rows = UINT32_MAX >> (EMU_LANES - f->count * side);
  for (int lane = 0; op->space == EMU_GENERIC && lane < f->count * side; lane++) {
    emu_place place;
    if (!emu_shared_place(&place, warp, op, lane, EMU_GENERIC, address[lane], row_bytes,
                          row_bytes)) {
      return false;
    }
  }
  return true;
}

static emu_step run_load(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  const matrix_facts *f = op->facts;
  uint64_t address[EMU_LANES];
  uint32_t rows;
  rows_data data;
  if (!emu_converge(warp, op, UINT32_MAX, &lanes)) return EMU_WAIT;
  if (!row_addresses(address, &rows, warp, op) ||
      !emu_load(warp, op, (emu_space)op->space, address, rows, row_bytes, data)) {
    return EMU_FAULT;
  }
  to_registers(warp, op->operands, f->count, f->transposed, data);
  return EMU_NEXT;
}

static emu_step run_store(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  const matrix_facts *f = op->facts;
  uint64_t address[EMU_LANES];
  uint32_t rows;
  rows_data data;
  if (!emu_converge(warp, op, UINT32_MAX, &lanes)) return EMU_WAIT;
  from_registers(data, warp, op->operands, f->count, f->transposed);
  if (!row_addresses(address, &rows, warp, op) ||
      !emu_store(warp, op, (emu_space)op->space, address, rows, row_bytes, data)) {
    return EMU_FAULT;
  }
  return EMU_NEXT;
}

static emu_step run_move(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  rows_data data;
  if (!emu_converge(warp, op, UINT32_MAX, &lanes)) return EMU_WAIT;
  emu_hazard_converge(warp);
  from_registers(data, warp, &op->operands[1], 1, false);
  to_registers(warp, &op->operands[0], 1, true, data);
  return EMU_NEXT;
}

/* ---- Decoding --------------------------------------------------------------------------- */

static gg_status open(emu_op *op, matrix_facts **out, emu_decoder *d, int arch, gg_error *err) {
  if (!emu_take(d, "sync") || !emu_take(d, "aligned") || !emu_take(d, "m8n8")) {
    return emu_unknown_form(d, err, "it is .sync.aligned.m8n8");
  }
  if (emu_decoder_arch(d) < arch) return emu_unknown_form(d, err, "it needs sm_%d", arch);
  *out = GG_ARENA_NEW(emu_decoder_arena(d), matrix_facts);
  op->operands = GG_ARENA_ARRAY(emu_decoder_arena(d), emu_operand, matrices_most);
  if (!*out || !op->operands) return gg_fail(err, MEMORY, NULL, "");
  op->facts = *out;
  op->kind = EMU_KIND_MATRIX;
  op->converges = true;
  return GG_OK;
}

/* What ldmatrix and stmatrix share; `address` and `registers` are operand numbers. */
static gg_status decode_access(emu_op *op, emu_decoder *d, int arch, int address, int registers,
                               gg_error *err) {
  static const char *const counts[] = {"x1", "x2", "x4", NULL};
  matrix_facts *f = NULL;
  int count;
  gg_status st;
  if ((st = open(op, &f, d, arch, err))) return st;
  int power = emu_take_word(d, counts);
  if (power < 0) return emu_unknown_form(d, err, "it is .x1, .x2 or .x4");
  op->collective = true;
  f->count = 1 << power;
  f->transposed = emu_take(d, "trans");
  op->space = (uint8_t)emu_take_space(d);
  if (op->space != EMU_GENERIC && op->space != EMU_SHARED) {
    return emu_unknown_form(d, err, "its memory is .shared");
  }
  if (emu_take_type(d) != EMU_B16) return emu_unknown_form(d, err, "its type is .b16");
  if ((st = emu_modifiers_end(d, err))) return st;
  if (emu_operand_count(d) != 2) return emu_unknown_form(d, err, "it has two operands");
  if ((st = emu_operand_address(&op->address, d, address, err))) return st;
  if ((st = emu_operand_vector(op->operands, &count, matrices_most, d, registers, EMU_B32,
                               registers == 0, err))) {
    return st;
  }
  op->operand_count = (uint16_t)count;
  if (count != f->count) {
    return emu_unknown_form(d, err, "it has %d registers, not %d", f->count, count);
  }
  return GG_OK;
}

gg_status emu_decode_ldmatrix(emu_op *op, emu_decoder *d, gg_error *err) {
  op->exec = run_load;
  return decode_access(op, d, 75, 1, 0, err);
}

gg_status emu_decode_stmatrix(emu_op *op, emu_decoder *d, gg_error *err) {
  op->exec = run_store;
  return decode_access(op, d, 90, 0, 1, err);
}

gg_status emu_decode_movmatrix(emu_op *op, emu_decoder *d, gg_error *err) {
  matrix_facts *f = NULL;
  gg_status st;
  op->exec = run_move;
  if ((st = open(op, &f, d, 75, err))) return st;
  *f = (matrix_facts){1, true};
  if (!emu_take(d, "trans") || emu_take_type(d) != EMU_B16) {
    return emu_unknown_form(d, err, "it is .m8n8.trans.b16");
  }
  if ((st = emu_modifiers_end(d, err))) return st;
  op->operand_count = 2;
  if ((st = emu_operand_register(&op->operands[0], d, 0, EMU_B32, err))) return st;
  return emu_operand_value(&op->operands[1], d, 1, EMU_B32, err);
}
