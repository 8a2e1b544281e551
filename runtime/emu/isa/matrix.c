/* ldmatrix, stmatrix, movmatrix (PTX ISA, "Warp-level matrix load instruction", "store", "transpose
 * instruction").
 *
 * A matrix of m8n8 is eight rows of eight 16-bit elements. Lanes 8 i to 8 i + 7 give the addresses
 * of matrix i's rows; in registers, lane 4 g + t has the elements 2 t and 2 t + 1 of row g, or of
 * column g where it is transposed.
 *
 * The shapes that came with sm_100 have bytes in registers, four in each, and rows of 16 elements
 * in memory, one to an address: 8 rows of m8n16 and (stored, transposed) m16n8, 16 of m16n16, which
 * fills two registers: its columns 0 to 7 the first, 8 to 15 the second, and lane 4 g + t has the
 * elements 4 t to 4 t + 3 of column g of each. (CuTe's SM100_U8x16_LDSM_T has them elsewhere: it
 * exchanges bytes of the two behind the instruction.) Rows of 6- or 4-bit elements are packed from
 * their first byte on and fill 12 or 8 of the 16 bytes; each element comes to the low bits of its
 * byte. */
#include <string.h>

#include "emu/hazard.h"
#include "emu/memory.h"
#include "emu/number/format.h"

enum { side = 8, row_bytes = 16, registers_most = 4 };

typedef enum matrix_shape { M8N8, M8N16, M16N16, M16N8 } matrix_shape;

typedef struct matrix_facts {
  int count, rows; /* registers, addresses */
  bool transposed;
  matrix_shape shape;
  int bits; /* of an element in memory; of M8N8 16 */
} matrix_facts;

typedef uint8_t rows_data[EMU_LANES][EMU_ACCESS_MAX];

/* Where a lane's element (0 or 1) of a matrix is: its row, among all of them, and its bytes. */
static uint8_t *element(rows_data data, int matrix, int lane, int which, bool transposed) {
  int row = transposed ? lane % 4 * 2 + which : lane / 4;
  int column = transposed ? lane / 4 : lane % 4 * 2 + which;
  return data[matrix * side + row] + column * 2;
}

/* Of the shapes of bytes: the row, among all of them, and the column of a register's byte. */
static int row_of_byte(matrix_shape shape, int lane, int which, int byte) {
  int t = lane % 4;
  if (shape == M8N16) return which * side + lane / 4;
  if (shape == M16N8) return which * side + t * 2 + byte % 2;
  return which / 2 * 2 * side + t * 4 + byte;
}

static int column_of_byte(matrix_shape shape, int lane, int which, int byte) {
  if (shape == M8N16) return lane % 4 * 4 + byte;
  return lane / 4 + (shape == M16N8 ? byte / 2 : which % 2) * side;
}

static uint32_t loaded_word(rows_data data, const matrix_facts *f, int which, int lane) {
  uint32_t word = 0;
  if (f->shape == M8N8) {
    uint16_t low, high;
    memcpy(&low, element(data, which, lane, 0, f->transposed), sizeof low);
    memcpy(&high, element(data, which, lane, 1, f->transposed), sizeof high);
    return (uint32_t)high << 16 | low;
  }
  for (int byte = 0; byte < 4; byte++) {
    const uint8_t *row = data[row_of_byte(f->shape, lane, which, byte)];
    int column = column_of_byte(f->shape, lane, which, byte);
    word |= emu_packed_code(row, row_bytes, column, f->bits) << 8 * byte;
  }
  return word;
}

static void store_word(rows_data data, const matrix_facts *f, int which, int lane, uint32_t word) {
  if (f->shape == M8N8) {
    uint16_t low = (uint16_t)word, high = (uint16_t)(word >> 16);
    memcpy(element(data, which, lane, 0, f->transposed), &low, sizeof low);
    memcpy(element(data, which, lane, 1, f->transposed), &high, sizeof high);
    return;
  }
  for (int byte = 0; byte < 4; byte++) {
    uint8_t *row = data[row_of_byte(f->shape, lane, which, byte)];
    row[column_of_byte(f->shape, lane, which, byte)] = (uint8_t)(word >> 8 * byte);
  }
}

static void to_registers(emu_warp *warp, const emu_operand *registers, const matrix_facts *f,
                         rows_data data) {
  for (int i = 0; i < f->count; i++) {
    if (registers[i].sink) continue;
    uint32_t *words = EMU_AT(uint32_t, warp, &registers[i]);
    for (int lane = 0; lane < EMU_LANES; lane++) {
      words[lane] = loaded_word(data, f, i, lane);
    }
  }
}

static void from_registers(rows_data data, const emu_warp *warp, const emu_operand *registers,
                           const matrix_facts *f) {
  for (int i = 0; i < f->count; i++) {
    const uint32_t *words = EMU_AT(uint32_t, warp, &registers[i]);
    for (int lane = 0; lane < EMU_LANES; lane++) {
      store_word(data, f, i, lane, words[lane]);
    }
  }
}

/* ---- Execution -------------------------------------------------------------------------- */

/* The rows' addresses, which must be of shared memory, and the lanes that give them. */
static bool row_addresses(uint64_t address[EMU_LANES], uint32_t *rows, emu_warp *warp,
                          const emu_op *op) {
  const matrix_facts *f = op->facts;
  emu_addresses(address, warp, &op->address);
  *rows = UINT32_MAX >> (EMU_LANES - f->rows);
  for (int lane = 0; op->space == EMU_GENERIC && lane < f->rows; lane++) {
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
  to_registers(warp, op->operands, f, data);
  return EMU_NEXT;
}

static emu_step run_store(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  const matrix_facts *f = op->facts;
  uint64_t address[EMU_LANES];
  uint32_t rows;
  rows_data data;
  if (!emu_converge(warp, op, UINT32_MAX, &lanes)) return EMU_WAIT;
  from_registers(data, warp, op->operands, f);
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
  const matrix_facts plain = {.count = 1}, transposed = {.count = 1, .transposed = true};
  from_registers(data, warp, &op->operands[1], &plain);
  to_registers(warp, &op->operands[0], &transposed, data);
  return EMU_NEXT;
}

/* ---- Decoding --------------------------------------------------------------------------- */

static gg_status open(emu_op *op, matrix_facts **out, emu_decoder *d, int arch, gg_error *err) {
  if (!emu_take(d, "sync") || !emu_take(d, "aligned")) {
    return emu_unknown_form(d, err, "it is .sync.aligned");
  }
  if (emu_decoder_arch(d) < arch) return emu_unknown_form(d, err, "it needs sm_%d", arch);
  *out = GG_ARENA_NEW(emu_decoder_arena(d), matrix_facts);
  op->operands = GG_ARENA_ARRAY(emu_decoder_arena(d), emu_operand, registers_most);
  if (!*out || !op->operands) return gg_fail(err, MEMORY, NULL, "");
  op->facts = *out;
  op->kind = EMU_KIND_MATRIX;
  op->converges = true;
  return GG_OK;
}

/* What an element is in memory: .b16, .b8, or .b8x16 of packed ones; 0: none of them. */
static int take_bits(emu_decoder *d) {
  if (emu_take(d, "b8x16")) {
    return emu_take(d, "b6x16_p32") ? 6 : emu_take(d, "b4x16_p64") ? 4 : 0;
  }
  return emu_take(d, "b16") ? 16 : emu_take(d, "b8") ? 8 : 0;
}

/* The shape and the type, which belong together, and how many matrices. */
static gg_status take_shape(matrix_facts *f, emu_decoder *d, bool stores, gg_error *err) {
  static const char *const shapes[] = {"m8n8", "m8n16", "m16n16", "m16n8", NULL};
  static const char *const counts[] = {"x1", "x2", "x4", NULL};
  int shape = emu_take_word(d, shapes), power = emu_take_word(d, counts);
  if (power < 0) return emu_unknown_form(d, err, "it is .x1, .x2 or .x4");
  f->shape = (matrix_shape)shape;
  f->transposed = emu_take(d, "trans");
  f->bits = take_bits(d);
  bool packed = f->bits && f->bits < 8, loads = !stores;
  bool known =
      (shape == M8N8 && f->bits == 16) || (shape == M8N16 && loads && packed && !f->transposed) ||
      (shape == M16N16 && loads && f->bits && f->bits <= 8 && f->transposed && power < 2) ||
      (shape == M16N8 && stores && f->bits == 8 && f->transposed);
  if (!known) {
    return emu_unknown_form(d, err,
                            stores ? "it is .m8n8 of .b16 or .m16n8 .trans of .b8"
                                   : "it is .m8n8 of .b16, .m16n16 .trans, .x1 or .x2, of .b8 or "
                                     ".b8x16, or .m8n16 of .b8x16");
  }
  if (shape != M8N8 && emu_decoder_arch(d) < 100)
    return emu_unknown_form(d, err, "it needs sm_100");
  f->count = shape == M16N16 ? 2 << power : 1 << power;
  f->rows = f->count * side;
  return GG_OK;
}

/* What ldmatrix and stmatrix share; `address` and `registers` are operand numbers. */
static gg_status decode_access(emu_op *op, emu_decoder *d, int arch, int address, int registers,
                               gg_error *err) {
  matrix_facts *f = NULL;
  int count;
  gg_status st;
  if ((st = open(op, &f, d, arch, err))) return st;
  if ((st = take_shape(f, d, registers == 1, err))) return st;
  op->collective = true;
  op->space = (uint8_t)emu_take_space(d);
  if (op->space != EMU_GENERIC && op->space != EMU_SHARED) {
    return emu_unknown_form(d, err, "its memory is .shared");
  }
  if ((st = emu_modifiers_end(d, err))) return st;
  if (emu_operand_count(d) != 2) return emu_unknown_form(d, err, "it has two operands");
  if ((st = emu_operand_address(&op->address, d, address, err))) return st;
  if ((st = emu_operand_vector(op->operands, &count, registers_most, d, registers, EMU_B32,
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
  if (!emu_take(d, "m8n8") || !emu_take(d, "trans") || emu_take_type(d) != EMU_B16) {
    return emu_unknown_form(d, err, "it is .m8n8.trans.b16");
  }
  if ((st = emu_modifiers_end(d, err))) return st;
  op->operand_count = 2;
  if ((st = emu_operand_register(&op->operands[0], d, 0, EMU_B32, err))) return st;
  return emu_operand_value(&op->operands[1], d, 1, EMU_B32, err);
}
