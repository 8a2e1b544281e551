/* tcgen05.ld and tcgen05.st: between registers and tensor memory (PTX ISA, "Tensor Memory and
 * Register Load/Store Instructions", "Data Movement Shape").
 *
 * A warp reaches 32 lanes, by its number modulo four. The shape decides which words of lanes and
 * columns are in which registers: `place_of`. A load reads when it lands, at tcgen05.wait::ld or
 * any time before; until then the registers belong to the load. A `mov` of one first lands the
 * loads, as one of a wgmma's accumulator does, because compilers place copies anywhere and ptxas
 * removes them. A store takes the registers' values at once. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "emu/async/modifiers.h"
#include "emu/frame.h"
#include "emu/isa/tcgen05.h"
#include "emu/number/float.h"
#include "emu/report.h"

enum { registers_most = 128 };

typedef enum shape {
  SHAPE_32X32B,
  SHAPE_16X64B,
  SHAPE_16X128B,
  SHAPE_16X256B,
  SHAPE_16X32BX2
} shape;

/* How .red reduces the words that a thread loads. */
typedef struct reduction {
  emu_type type; /* EMU_NONE: there is none */
  bool least, absolute, nan;
} reduction;

typedef struct copy_facts {
  emu_address address;
  shape shape;
  int registers;
  int words;   /* of a lane, or of each half of 16x32bx2, before packing */
  bool packed; /* pack::16b, unpack::16b: a register is the low halves of two words */
  int split;   /* columns from one half of 16x32bx2 to the other */
  reduction red;
} copy_facts;

typedef struct copy {
  emu_async base;
  emu_tmem_claim claims[2];
  int claim_count, lane, column;
  uint32_t values[]; /* of a store: [register][thread] */
} copy;

/* Where a thread's word is; if words are packed, two make one register. */
typedef struct place {
  int lane, column;
} place;

/* The lane, from the first, and the word of it that register `j` of thread `t` has (PTX ISA,
 * figures "Matrix Fragment for shape ..."). */
static place place_of(const copy_facts *f, int t, int j) {
  switch (f->shape) {
  case SHAPE_32X32B:
    return (place){t, j};
  case SHAPE_16X64B:
    return (place){(t & 1) * 8 + (t >> 2), 2 * j + (t >> 1 & 1)};
  case SHAPE_16X128B:
    return (place){(t >> 2) + (j & 1) * 8, (j >> 1) * 4 + (t & 3)};
  case SHAPE_16X256B:
    return (place){(t >> 2) + (j >> 1 & 1) * 8, (j >> 2) * 8 + (t & 3) * 2 + (j & 1)};
  default:
    return (place){t & 15, j};
  }
}

/* The cell of a register; if two are packed, the first. */
static uint32_t *cell_of(const copy *c, const copy_facts *f, int t, int j, uint8_t **written) {
  place p = place_of(f, t, j);
  int column = c->column + p.column * (f->packed ? 2 : 1);
  if (f->shape == SHAPE_16X32BX2 && t >= 16) column += f->split;
  emu_tmem *memory = c->claims[0].memory;
  *written = &memory->written[c->lane + p.lane][column];
  return &memory->cells[c->lane + p.lane][column];
}

/* ---- Marks of registers that loads write ------------------------------------------------- */

/* The mark of a register of 4 bytes, as loads write them, or of a larger one made of such. */
static uint8_t *mark_of(emu_tmem_user *user, const emu_operand *operand) {
  bool holds_words = operand->lane_bytes >= 4 && !operand->sink && !operand->constant;
  if (!holds_words || operand->offset / 4 >= user->mark_count) return NULL;
  return &user->marks[operand->offset / 4];
}

static emu_tmem_mark get_mark(emu_tmem_user *user, const emu_operand *operand) {
  const uint8_t *at = mark_of(user, operand);
  return at ? (emu_tmem_mark)*at : EMU_TMEM_MARK_NONE;
}

static void set_mark(emu_tmem_user *user, const emu_operand *operand, emu_tmem_mark value) {
  uint8_t *at = mark_of(user, operand);
  if (at) *at = (uint8_t)value;
}

/* ---- Landing ---------------------------------------------------------------------------- */

static void release(copy *c, bool done) {
  for (int i = 0; i < c->claim_count; i++)
    emu_tmem_release(&c->claims[i], done);
}

static bool all_written(const copy *c) {
  for (int i = 0; i < c->claim_count; i++) {
    if (!emu_tmem_written(&c->claims[i], GG_E_EMU_UNINITIALISED, "words")) return false;
  }
  return true;
}

static uint32_t reduce(const reduction *r, uint32_t a, uint32_t b) {
  if (r->type == EMU_F32) return emu_f32_extreme(a, b, r->least, r->nan);
  bool less = r->type == EMU_S32 ? (int32_t)a < (int32_t)b : a < b;
  return less == r->least ? a : b;
}

/* Reduces each thread's words to the register behind them. */
static void reduce_words(const copy *c, const emu_op *op, emu_warp *warp) {
  const copy_facts *f = op->facts;
  const emu_operand *operand = &op->operands[f->registers];
  uint32_t strip = f->red.absolute ? INT32_MAX : UINT32_MAX;
  if (f->red.type == EMU_NONE || operand->sink) return;
  uint32_t *out = EMU_AT(uint32_t, warp, operand);
  for (int t = 0; t < EMU_LANES; t++) {
    for (int j = 0; j < f->registers; j++) {
      uint8_t *written;
      uint32_t word = *cell_of(c, f, t, j, &written) & strip;
      out[t] = reduce(&f->red, j ? out[t] : word, word);
    }
  }
}

static bool land_load(emu_async *async, emu_cluster *cluster) {
  copy *c = (copy *)async;
  emu_warp *warp = async->warp;
  const copy_facts *f = async->op->facts;
  emu_tmem_user *user = warp->units[EMU_UNIT_ID_TENSOR_MEMORY];
  uint8_t *running = warp->registers;
  (void)cluster;
  bool ok = all_written(c);
  warp->registers = user->file;
  for (int j = 0; ok && j < f->registers; j++) {
    if (async->op->operands[j].sink) continue;
    uint32_t *out = EMU_AT(uint32_t, warp, &async->op->operands[j]);
    for (int t = 0; t < EMU_LANES; t++) {
      uint8_t *written;
      const uint32_t *cell = cell_of(c, f, t, j, &written);
      out[t] = f->packed ? (cell[0] & 0xffff) | cell[1] << 16 : cell[0];
    }
  }
  if (ok) reduce_words(c, async->op, warp);
  warp->registers = running;
  for (int i = 0; i < async->op->operand_count; i++)
    set_mark(user, &async->op->operands[i], EMU_TMEM_MARK_LOADED);
  release(c, ok);
  return ok;
}

static bool land_store(emu_async *async, emu_cluster *cluster) {
  copy *c = (copy *)async;
  const copy_facts *f = async->op->facts;
  (void)cluster;
  for (int j = 0; j < f->registers; j++) {
    for (int t = 0; t < EMU_LANES; t++) {
      uint8_t *written;
      uint32_t *cell = cell_of(c, f, t, j, &written), value = c->values[j * EMU_LANES + t];
      cell[0] = f->packed ? value & 0xffff : value;
      written[0] = 1;
      if (!f->packed) continue;
      cell[1] = value >> 16;
      written[1] = 1;
    }
  }
  release(c, true);
  return true;
}

static void drop(emu_async *async) {
  gg_free(async);
}

bool emu_tcgen05_land(emu_warp *warp, bool stores) {
  emu_cluster *cluster = warp->cta->cluster;
  for (emu_async *next, *async = emu_async_first(cluster); async; async = next) {
    next = async->next;
    if (async->warp != warp || async->land != (stores ? land_store : land_load)) continue;
    if (!emu_async_land(cluster, async)) return false;
  }
  return true;
}

/* ---- Registers that loads write --------------------------------------------------------- */

/* Makes the marks those of the running frame's registers. Nothing is in flight when it changes. */
static bool follow_frame(emu_tmem_user *user, emu_warp *warp, const emu_op *op) {
  uint32_t count = warp->split->frame->function->register_bytes / 4;
  if (user->file == warp->registers && user->mark_count == count) return true;
  uint8_t *marks = gg_realloc(user->marks, count ? count : 1);
  if (!marks) {
    emu_fault(warp, op, -1, GG_E_MEMORY, " for tensor memory");
    return false;
  }
  memset(marks, EMU_TMEM_MARK_NONE, count);
  user->marks = marks;
  user->mark_count = count;
  user->file = warp->registers;
  return true;
}

static bool mark(emu_tmem_user *user, emu_warp *warp, const emu_op *op) {
  if (!follow_frame(user, warp, op)) return false;
  for (int i = 0; i < op->operand_count; i++)
    set_mark(user, &op->operands[i], EMU_TMEM_MARK_FLIGHT);
  user->marked = true;
  return true;
}

static bool is(const emu_op *op, const char *opcode) {
  return op->ptx && !strcmp(op->ptx->form->opcode, opcode);
}

static bool leaves_frame(const emu_op *op) {
  if (op->kind != EMU_KIND_CONTROL) return false;
  return !op->ptx || is(op, "ret") || is(op, "exit") || is(op, "call");
}

/* Whether an op makes lanes leave the kernel, by an instruction or at the end of its text. */
static bool ends(const emu_warp *warp, const emu_op *op) {
  if (op->kind != EMU_KIND_CONTROL) return false;
  return is(op, "exit") || ((!op->ptx || is(op, "ret")) && !warp->split->frame->caller);
}

/* Reports that a register was used before the load was waited for. On hardware it has the load's
 * value, because ptxas waits for registers in any case: ThunderKittens converts what it loads, and
 * waits later; CUTLASS's attention never waits. A copy alone does not count if a wait follows,
 * because compilers place copies anywhere; kernels of CuTe's DSL that wait for some of their loads
 * copy the others and use the copies. */
bool emu_tcgen05_early(emu_warp *warp, emu_tmem_user *user, bool never) {
  const emu_op *op = user->early;
  user->early = NULL;
  if (!op || (!never && is(op, "mov"))) return true;
  return emu_tolerated(warp, op, -1, GG_E_EMU_RELAXED,
                       "touches a register that a tcgen05.ld is to write: no tcgen05.wait::ld "
                       "stands between them%s",
                       never ? "" : ", but behind this");
}

static bool touches(emu_tmem_user *user, const emu_op *op) {
  bool found = get_mark(user, &op->address.base) != EMU_TMEM_MARK_NONE;
  for (int i = 0; i < op->operand_count && !found; i++)
    found = get_mark(user, &op->operands[i]) != EMU_TMEM_MARK_NONE;
  return found;
}

/* A copy does not use the load: its result gets the mark of what it copies. (A vector that is taken
 * apart comes before its parts.) */
static void copy_marks(emu_tmem_user *user, const emu_op *op) {
  for (int i = 0; i < op->operand_count; i++)
    set_mark(user, &op->operands[i], EMU_TMEM_MARK_LOADED);
}

emu_step emu_tmem_admit(emu_warp *warp, const emu_op *op) {
  emu_tmem_user *user = warp->units[EMU_UNIT_ID_TENSOR_MEMORY];
  if (user->early && ends(warp, op) && !emu_tcgen05_early(warp, user, true)) return EMU_FAULT;
  if (!user->marked) return EMU_NEXT;
  bool leaves = leaves_frame(op), copies = is(op, "mov");
  if (!leaves && (user->file != warp->registers || !touches(user, op))) return EMU_NEXT;
  if (!emu_tcgen05_land(warp, false)) return EMU_FAULT;
  if (user->waits && !leaves && (!user->early || is(user->early, "mov"))) user->early = op;
  if (copies && user->waits)
    copy_marks(user, op);
  else
    emu_tmem_wait(warp, user, EMU_TMEM_LOADS);
  return EMU_NEXT;
}

/* ---- Issue ------------------------------------------------------------------------------ */

static bool uniform_address(uint32_t *out, emu_warp *warp, const emu_op *op, uint32_t lanes) {
  const copy_facts *f = op->facts;
  *out = emu_tmem_address(warp, &f->address, __builtin_ctz(lanes));
  EMU_EACH_LANE(lanes, lane) {
    uint32_t value = emu_tmem_address(warp, &f->address, (int)lane);
    if (value == *out) continue;
    emu_fault(warp, op, (int)lane, GG_E_EMU_CONVERGENCE,
              "the address of tensor memory is 0x%08" PRIx32 " here and 0x%08" PRIx32
              " in another lane of the warp",
              value, *out);
    return false;
  }
  return true;
}

static bool find_lanes(copy *c, emu_warp *warp, const emu_op *op, uint32_t address) {
  const copy_facts *f = op->facts;
  int lane = (int)(address >> 16) % EMU_TMEM_LANES, first = warp->index % 4 * EMU_TMEM_SLICE;
  int count = f->shape == SHAPE_32X32B ? 32 : 16;
  /* Hardware seems to take addresses so: DeepGEMM's kernels leave out the warp's lanes, and those
   * of learn-cuda count a pair's lanes through both CTAs. */
  if (lane < EMU_TMEM_SLICE) lane += first;
  c->lane = lane;
  c->column = (int)(address & 0xffff);
  if (lane >= first && lane + count <= first + EMU_TMEM_SLICE && lane % 16 == 0) return true;
  emu_fault(warp, op, -1, GG_E_EMU_TENSOR_MEMORY,
            "lanes %d to %d at address 0x%08" PRIx32
            "; warp %d reaches lanes %d to %d, from a multiple of 16 on",
            lane, lane + count - 1, address, warp->index, first, first + EMU_TMEM_SLICE - 1);
  return false;
}

static bool hold(copy *c, emu_tmem *memory, const emu_op *op, bool write) {
  const copy_facts *f = op->facts;
  emu_tmem_work work = write ? EMU_TMEM_STORES : EMU_TMEM_LOADS;
  uint32_t mask = f->shape == SHAPE_32X32B ? UINT32_MAX : UINT32_C(0xffff) << c->lane % 32;
  emu_tmem_region region = {{0}, c->column, f->words};
  region.lanes[c->lane / 32] = mask;
  int halves = f->shape == SHAPE_16X32BX2 ? 2 : 1;
  for (int i = 0; i < halves; i++) {
    if (!emu_tmem_hold(&c->claims[i], memory, &region, write, work, &c->base, "words"))
      return false;
    c->claim_count++;
    region.column += f->split;
  }
  return true;
}

static void describe(emu_async_words *out, const emu_async *async) {
  emu_tmem_put_region(out->where, sizeof out->where, "words",
                      &((const copy *)async)->claims[0].region);
}

static copy *prepare(emu_warp *warp, const emu_op *op, uint32_t lanes, emu_tmem_user *user,
                     emu_tmem_work work) {
  const copy_facts *f = op->facts;
  bool write = work == EMU_TMEM_STORES;
  size_t values = write ? (size_t)f->registers * EMU_LANES : 0;
  copy *c = gg_malloc(sizeof *c + values * sizeof *c->values);
  if (!c) {
    emu_fault(warp, op, -1, GG_E_MEMORY, " for tensor memory");
    return NULL;
  }
  *c = (copy){.base = {.warp = warp,
                       .op = op,
                       .lanes = lanes,
                       .agent = user->work[work].agent,
                       .clock = user->work[work].issued + 1,
                       .unit = "tensor memory",
                       .describe = describe,
                       .land = write ? land_store : land_load,
                       .drop = drop}};
  for (int j = 0; write && j < f->registers; j++) {
    const uint32_t *in = EMU_AT(const uint32_t, warp, &op->operands[j]);
    memcpy(c->values + j * EMU_LANES, in, EMU_LANES * sizeof *in);
  }
  return c;
}

static emu_step run(emu_warp *warp, const emu_op *op, uint32_t lanes, emu_tmem_work work) {
  uint32_t address;
  if (!emu_converge(warp, op, UINT32_MAX, &lanes)) return EMU_WAIT;
  emu_hazard_converge(warp);
  emu_tmem_user *user = emu_tmem_user_of(warp, op);
  emu_tmem *memory = user ? emu_tmem_of(warp, op, 0) : NULL;
  if (!memory || !uniform_address(&address, warp, op, lanes)) return EMU_FAULT;
  copy *c = prepare(warp, op, lanes, user, work);
  if (!c) return EMU_FAULT;
  bool write = work == EMU_TMEM_STORES;
  if (!find_lanes(c, warp, op, address) || !hold(c, memory, op, write) ||
      (!write && !mark(user, warp, op))) {
    release(c, false);
    gg_free(c);
    return EMU_FAULT;
  }
  user->work[work].issued++;
  emu_counters *counters = emu_counting(warp);
  uint64_t words = (uint64_t)((const copy_facts *)op->facts)->registers * EMU_LANES;
  *(write ? &counters->tmem_bytes_in : &counters->tmem_bytes_out) += words * sizeof(uint32_t);
  return emu_async_issue(warp->cta->cluster, &c->base) ? EMU_NEXT : EMU_FAULT;
}

static emu_step run_load(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  return run(warp, op, lanes, EMU_TMEM_LOADS);
}

static emu_step run_store(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  emu_hazard_consume(warp);
  return run(warp, op, lanes, EMU_TMEM_STORES);
}

/* ---- Decoding --------------------------------------------------------------------------- */

static const char *const counts[] = {"x1", "x2", "x4", "x8", "x16", "x32", "x64", "x128", NULL};

static gg_status take_shape(copy_facts *f, emu_decoder *d, gg_error *err) {
  static const char *const shapes[] = {"32x32b", "16x64b", "16x128b", "16x256b", "16x32bx2", NULL};
  static const int words[] = {1, 2, 4, 8, 1}, registers[] = {1, 1, 2, 4, 1};
  int found = emu_take_word(d, shapes), power = emu_take_word(d, counts);
  if (found < 0) {
    return emu_unknown_form(d, err, "its shape is 32x32b, 16x64b, 16x128b, 16x256b or 16x32bx2");
  }
  if (power < 0) return emu_unknown_form(d, err, "it has a count, .x1 to .x128");
  f->shape = (shape)found;
  f->registers = registers[found] << power;
  f->words = words[found] << power;
  if (f->registers > registers_most) {
    return emu_unknown_form(d, err, "%d registers; %d at most", f->registers, registers_most);
  }
  return GG_OK;
}

static gg_status take_split(copy_facts *f, emu_decoder *d, int index, gg_error *err) {
  int64_t value;
  gg_status st = emu_operand_immediate(&value, d, index, err);
  if (st) return st;
  if (value < 0 || value > EMU_TMEM_COLUMNS) {
    return emu_unknown_form(d, err, "the second half is %lld columns on; 0 to 512 are allowed",
                            (long long)value);
  }
  f->split = (int)value;
  return GG_OK;
}

/* .min or .max {.abs} {.NaN} .f32, .u32 or .s32, of the forms that load whole words of a lane. */
static gg_status take_reduction(copy_facts *f, emu_decoder *d, gg_error *err) {
  static const char *const operations[] = {"min", "max", NULL};
  int arch = emu_decoder_arch(d), operation = emu_take_word(d, operations);
  if (arch != 103 && arch != 110) {
    return emu_unknown_form(d, err, "sm_%d has no .red: it is sm_103a's and sm_110a's", arch);
  }
  f->red.absolute = emu_take(d, "abs");
  f->red.nan = emu_take(d, "NaN");
  f->red.type = emu_take_type(d);
  f->red.least = operation == 0;
  bool integer = f->red.type == EMU_U32 || f->red.type == EMU_S32;
  if (operation < 0 || (!integer && f->red.type != EMU_F32)) {
    return emu_unknown_form(d, err, "it is .red with .min or .max, of .f32, .u32 or .s32");
  }
  if (integer && (f->red.absolute || f->red.nan)) {
    return emu_unknown_form(d, err, ".abs and .NaN are of .f32");
  }
  if (f->registers > 1 && (f->shape == SHAPE_32X32B || f->shape == SHAPE_16X32BX2)) return GG_OK;
  return emu_unknown_form(d, err, "with .red its shape is 32x32b or 16x32bx2, of .x2 or more");
}

/* The type, or what .red reduces. */
static gg_status take_kind(copy_facts *f, emu_decoder *d, bool store, bool reduces, gg_error *err) {
  if (reduces) return take_reduction(f, d, err);
  f->packed = emu_take(d, store ? "unpack::16b" : "pack::16b");
  if (f->packed) f->words *= 2;
  return emu_take_type(d) == EMU_B32 ? GG_OK : emu_unknown_form(d, err, "its type is .b32");
}

/* ld: registers {, reduced}, [address] {, split}; st: [address] {, split}, registers. */
static gg_status decode(emu_op *op, emu_decoder *d, bool store, gg_error *err) {
  gg_status st;
  int count;
  copy_facts *f = GG_ARENA_NEW(emu_decoder_arena(d), copy_facts);
  op->operands = GG_ARENA_ARRAY(emu_decoder_arena(d), emu_operand, registers_most + 1);
  if (!f || !op->operands) return gg_fail(err, MEMORY, NULL, "");
  *f = (copy_facts){0};
  bool reduces = !store && emu_take(d, "red");
  if (!emu_take(d, "sync") || !emu_take(d, "aligned")) {
    return emu_unknown_form(d, err, "it is .sync.aligned");
  }
  if ((st = take_shape(f, d, err)) || (st = take_kind(f, d, store, reduces, err))) return st;
  if ((st = emu_modifiers_end(d, err))) return st;
  int halves = f->shape == SHAPE_16X32BX2, address = store ? 0 : 1 + reduces;
  int operands = 2 + reduces + halves;
  if (emu_operand_count(d) != operands) {
    return emu_unknown_form(d, err, "it has %d operands, not %d", operands, emu_operand_count(d));
  }
  if ((st = emu_operand_tmem(&f->address, d, address, err))) return st;
  if (halves && (st = take_split(f, d, address + 1, err))) return st;
  if ((st = emu_operand_vector(op->operands, &count, registers_most, d, store ? 1 + halves : 0,
                               EMU_B32, !store, err))) {
    return st;
  }
  if (count != f->registers) {
    return emu_unknown_form(d, err, "it has %d registers, not %d", f->registers, count);
  }
  if (reduces && (st = emu_operand_register(&op->operands[count], d, 1, EMU_B32, err))) return st;
  op->operand_count = (uint16_t)(count + reduces);
  op->facts = f;
  op->exec = store ? run_store : run_load;
  return GG_OK;
}

gg_status emu_decode_tcgen05_ld(emu_op *op, emu_decoder *d, gg_error *err) {
  return decode(op, d, false, err);
}

gg_status emu_decode_tcgen05_st(emu_op *op, emu_decoder *d, gg_error *err) {
  return decode(op, d, true, err);
}
