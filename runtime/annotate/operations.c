/* Addresses are unknown numbers with known ends: shared memory begins at a multiple of its
 * alignment and ends before 2^18 (a CTA of a cluster: 2^24), so that bits can be masked away that
 * are zeros, and bits be set where there are zeros. Whatever is not sure is not known. */
#include "annotate/operations.h"

#include <stdlib.h>
#include <string.h>

struct flow_operation {
  const char *opcode;
  int operands;
  bool (*of)(flow_element *out, const flow_element *in, const flow_how *how);
};

enum { unit = 16, unit_bits = 4, address_bits = 18, window_bits = 24 };

/* ---- Numbers ---------------------------------------------------------------------------- */

static int64_t cut(int64_t x, int bits) {
  return bits >= 64 ? x : (int64_t)((uint64_t)x & (((uint64_t)1 << bits) - 1));
}

static int64_t as_signed(int64_t x, int bits) {
  if (bits >= 64) return x;
  int shift = 64 - bits;
  return (int64_t)((uint64_t)x << shift) >> shift;
}

static bool put(flow_element *out, int64_t x, const flow_how *how) {
  *out = (flow_element){.at = cut(x, how->to_bits)};
  return true;
}

static bool are_numbers(const flow_element *in, int count) {
  for (int i = 0; i < count; i++) {
    if (in[i].base != FLOW_NUMBER) return false;
  }
  return true;
}

/* An address, so many bytes or units further. */
static bool move_by(flow_element *out, flow_element from, int64_t by) {
  *out = from;
  if (from.base != FLOW_POINTER) out->at = (int64_t)((uint64_t)from.at + (uint64_t)by);
  return true;
}

/* ---- Sums ------------------------------------------------------------------------------- */

static bool add(flow_element *out, const flow_element *in, const flow_how *how) {
  if (are_numbers(in, 2)) return put(out, (int64_t)((uint64_t)in[0].at + (uint64_t)in[1].at), how);
  int address = in[0].base == FLOW_NUMBER;
  if (in[!address].base != FLOW_NUMBER) return false;
  return move_by(out, in[address], as_signed(in[!address].at, how->bits));
}

static bool subtract(flow_element *out, const flow_element *in, const flow_how *how) {
  if (are_numbers(in, 2)) return put(out, (int64_t)((uint64_t)in[0].at - (uint64_t)in[1].at), how);
  bool same = in[0].base == in[1].base && in[0].base != FLOW_POINTER &&
              in[0].base != FLOW_CLUSTER && in[0].of == in[1].of;
  if (same) return put(out, in[0].at - in[1].at, how);
  if (in[1].base != FLOW_NUMBER) return false;
  return move_by(out, in[0], -as_signed(in[1].at, how->bits));
}

static bool multiply(flow_element *out, const flow_element *in, const flow_how *how) {
  if (!are_numbers(in, 2)) return false;
  bool extend = how->is_signed && (how->wide || how->high);
  int64_t a = extend ? as_signed(in[0].at, how->bits) : in[0].at;
  int64_t b = extend ? as_signed(in[1].at, how->bits) : in[1].at;
  if (how->high && how->bits > 32) return false;
  int64_t product = (int64_t)((uint64_t)a * (uint64_t)b);
  return put(out, how->high ? (int64_t)((uint64_t)product >> how->bits) : product, how);
}

static bool multiply_add(flow_element *out, const flow_element *in, const flow_how *how) {
  flow_how sum = *how;
  flow_element terms[2] = {{0}, in[2]};
  sum.bits = how->to_bits;
  return multiply(&terms[0], in, how) && add(out, terms, &sum);
}

static bool divide(flow_element *out, const flow_element *in, const flow_how *how) {
  if (!are_numbers(in, 2) || in[1].at == 0 || in[0].at < 0 || in[1].at < 0) return false;
  if (how->is_signed) {
    int64_t a = as_signed(in[0].at, how->bits), b = as_signed(in[1].at, how->bits);
    return b != 0 && b != -1 && put(out, a / b, how);
  }
  return put(out, in[0].at / in[1].at, how);
}

static bool remain(flow_element *out, const flow_element *in, const flow_how *how) {
  if (!are_numbers(in, 2) || in[1].at == 0 || in[0].at < 0 || in[1].at < 0) return false;
  if (how->is_signed) {
    int64_t a = as_signed(in[0].at, how->bits), b = as_signed(in[1].at, how->bits);
    return b != 0 && b != -1 && put(out, a % b, how);
  }
  return put(out, in[0].at % in[1].at, how);
}

static bool is_less(const flow_element *in, const flow_how *how) {
  if (how->is_signed) return as_signed(in[0].at, how->bits) < as_signed(in[1].at, how->bits);
  return (uint64_t)in[0].at < (uint64_t)in[1].at;
}

static bool least(flow_element *out, const flow_element *in, const flow_how *how) {
  return are_numbers(in, 2) && put(out, in[!is_less(in, how)].at, how);
}

static bool most(flow_element *out, const flow_element *in, const flow_how *how) {
  return are_numbers(in, 2) && put(out, in[is_less(in, how)].at, how);
}

static bool negate(flow_element *out, const flow_element *in, const flow_how *how) {
  return are_numbers(in, 1) && put(out, (int64_t)(0 - (uint64_t)in[0].at), how);
}

/* ---- Bits ------------------------------------------------------------------------------- */

/* So many bits of an address are zeros below, but for its `at`: shared memory is aligned so. */
static int64_t aligned_units(const flow_element *address, const flow_how *how) {
  return address->base == FLOW_UNITS ? how->alignment / unit : how->alignment;
}

static bool is_shared(const flow_element *x) {
  return x->base == FLOW_SHARED || x->base == FLOW_CLUSTER || x->base == FLOW_UNITS;
}

/* Whether it lies in shared memory, so that what is known of the ends of such addresses holds: of
 * units also where bits are set above them. */
static bool lies_within(const flow_element *x, const flow_how *how) {
  int64_t units = x->at & ((1 << (address_bits - unit_bits)) - 1);
  if (x->base == FLOW_UNITS) return units * unit <= how->shared;
  return is_shared(x) && x->at >= 0 && x->at <= how->shared;
}

/* Bits that an address has at most: those of a mask beyond do not matter. */
static int bits_of(const flow_element *address) {
  return address->base == FLOW_UNITS    ? address_bits - unit_bits
         : address->base == FLOW_SHARED ? address_bits
                                        : window_bits;
}

/* An address masked: its low bits are left out where its beginning has none; or they alone are
 * left. Of a unit in which other bits stand above nothing is known. */
static bool mask(flow_element *out, const flow_element *address, int64_t bits,
                 const flow_how *how) {
  int64_t aligned = aligned_units(address, how), all = ((int64_t)1 << bits_of(address)) - 1;
  if (!lies_within(address, how) || address->at < 0 || address->at > all) return false;
  if (cut(bits, how->bits) < aligned && bits >= 0) {
    *out = (flow_element){.at = address->at & bits};
    return true;
  }
  int64_t low = bits & (aligned - 1);
  if ((bits & all & ~(aligned - 1)) != (all & ~(aligned - 1))) return false;
  *out = *address;
  out->at = (address->at & ~(aligned - 1)) | (address->at & low);
  /* Which CTA of the cluster it is in may have been masked away. */
  if (address->base == FLOW_SHARED && (bits >> window_bits & 0xff) != 0xff && bits >> window_bits)
    out->base = FLOW_CLUSTER;
  return true;
}

static bool both_bits(flow_element *out, const flow_element *in, const flow_how *how) {
  if (are_numbers(in, 2)) return put(out, in[0].at & in[1].at, how);
  int address = in[0].base == FLOW_NUMBER;
  if (in[!address].base != FLOW_NUMBER) return false;
  return mask(out, &in[address], in[!address].at, how);
}

/* Bits set or changed in an address: where it has zeros they are added; below its alignment they
 * are its own. */
static bool set_bits(flow_element *out, const flow_element *in, const flow_how *how, bool changes) {
  int address = in[0].base == FLOW_NUMBER;
  const flow_element *from = &in[address];
  if (in[!address].base != FLOW_NUMBER || !lies_within(from, how)) return false;
  int64_t bits = in[!address].at, aligned = aligned_units(from, how);
  int64_t all = ((int64_t)1 << bits_of(from)) - 1, low = bits & all;
  if (low >= aligned || (from->base != FLOW_UNITS && bits != low)) return false;
  int64_t own = from->at & (aligned - 1), above = bits & ~all;
  if (above & from->at) return false;
  *out = *from;
  out->at = from->at - own + (changes ? own ^ low : own | low) + above;
  return true;
}

static bool either_bits(flow_element *out, const flow_element *in, const flow_how *how) {
  if (are_numbers(in, 2)) return put(out, in[0].at | in[1].at, how);
  return set_bits(out, in, how, false);
}

static bool other_bits(flow_element *out, const flow_element *in, const flow_how *how) {
  if (are_numbers(in, 2)) return put(out, in[0].at ^ in[1].at, how);
  return set_bits(out, in, how, true);
}

static bool no_bits(flow_element *out, const flow_element *in, const flow_how *how) {
  return are_numbers(in, 1) && put(out, how->bits == 1 ? !in[0].at : ~in[0].at, how);
}

static bool shift_left(flow_element *out, const flow_element *in, const flow_how *how) {
  if (!are_numbers(in, 2)) return false;
  return put(out, in[1].at >= how->bits ? 0 : (int64_t)((uint64_t)in[0].at << in[1].at), how);
}

static bool shift_right(flow_element *out, const flow_element *in, const flow_how *how) {
  if (in[1].base != FLOW_NUMBER || in[1].at < 0) return false;
  if (in[0].base == FLOW_SHARED) {
    if (in[1].at != unit_bits || in[0].at % unit || !lies_within(&in[0], how)) return false;
    *out = (flow_element){.at = in[0].at / unit, .base = FLOW_UNITS};
    return true;
  }
  if (in[0].base != FLOW_NUMBER) return false;
  int by = in[1].at >= how->bits ? how->bits - 1 : (int)in[1].at;
  if (how->is_signed) return put(out, as_signed(in[0].at, how->bits) >> by, how);
  return put(out, in[1].at >= how->bits ? 0 : (int64_t)((uint64_t)in[0].at >> by), how);
}

/* bfe.u32: bits [start, start + length). */
static bool extract(flow_element *out, const flow_element *in, const flow_how *how) {
  if (!are_numbers(in, 3) || how->is_signed || in[1].at >= how->bits) return false;
  if (in[2].at >= how->bits) return false;
  return put(out, cut((int64_t)((uint64_t)in[0].at >> in[1].at), (int)in[2].at), how);
}

/* ---- Copies, choices -------------------------------------------------------------------- */

static bool copy(flow_element *out, const flow_element *in, const flow_how *how) {
  (void)how;
  *out = in[0];
  return true;
}

static bool convert(flow_element *out, const flow_element *in, const flow_how *how) {
  if (in[0].base == FLOW_NUMBER) {
    int64_t x = how->is_signed ? as_signed(in[0].at, how->bits) : cut(in[0].at, how->bits);
    return put(out, x, how);
  }
  *out = in[0];
  return how->to_bits >= 32 && how->bits >= 32 && (in[0].at >= 0 || in[0].base == FLOW_UNITS);
}

static bool to_cluster(flow_element *out, const flow_element *in, const flow_how *how) {
  (void)how;
  if (in[0].base != FLOW_SHARED && in[0].base != FLOW_CLUSTER) return false;
  *out = in[0];
  out->base = FLOW_CLUSTER;
  return true;
}

static bool choose(flow_element *out, const flow_element *in, const flow_how *how) {
  (void)how;
  *out = in[in[2].at == 0];
  return true;
}

/* Whether two are known to compare as numbers: both are, or both lie in this CTA's shared memory;
 * or one does, behind its first byte, and the other is 0. */
static bool are_comparable(const flow_element *in, const flow_how *how) {
  bool shared = in[0].base == FLOW_SHARED && in[1].base == FLOW_SHARED;
  if (are_numbers(in, 2)) return true;
  if (shared) return lies_within(&in[0], how) && lies_within(&in[1], how);
  int address = in[0].base == FLOW_NUMBER;
  bool null = in[!address].base == FLOW_NUMBER && in[!address].at == 0;
  bool equality = strcmp(how->compare, "eq") == 0 || strcmp(how->compare, "ne") == 0;
  return null && equality && lies_within(&in[address], how) && in[address].at > 0;
}

static bool compare(flow_element *out, const flow_element *in, const flow_how *how) {
  const char *c = how->compare;
  if (!are_comparable(in, how)) return false;
  bool equal = in[0].base == in[1].base && in[0].at == in[1].at, less = is_less(in, how);
  bool result = strcmp(c, "eq") == 0   ? equal
                : strcmp(c, "ne") == 0 ? !equal
                : c[0] == 'l'          ? less || (c[1] == 'e' && equal)
                                       : !less && !(c[1] == 't' && equal);
  *out = (flow_element){.at = result};
  return true;
}

/* ---- The table -------------------------------------------------------------------------- */

static const flow_operation operations[] = {
    {"mov", 1, copy},         {"add", 2, add},      {"sub", 2, subtract},   {"mul", 2, multiply},
    {"mad", 3, multiply_add}, {"div", 2, divide},   {"rem", 2, remain},     {"min", 2, least},
    {"max", 2, most},         {"neg", 1, negate},   {"and", 2, both_bits},  {"or", 2, either_bits},
    {"xor", 2, other_bits},   {"not", 1, no_bits},  {"shl", 2, shift_left}, {"shr", 2, shift_right},
    {"bfe", 3, extract},      {"cvt", 1, convert},  {"cvta", 1, copy},      {"mapa", 1, to_cluster},
    {"selp", 3, choose},      {"setp", 2, compare},
};

static bool has(const ptx_form *form, const char *word) {
  for (uint32_t i = 0; i < form->modifier_count; i++) {
    if (strcmp(form->modifiers[i], word) == 0) return true;
  }
  return false;
}

static bool read_types(flow_how *out, const ptx_form *form) {
  int found = 0;
  for (uint32_t i = 0; i < form->modifier_count; i++) {
    const char *word = form->modifiers[i];
    emu_type type = emu_type_find(word, strlen(word));
    if (type == EMU_NONE) continue;
    const emu_type_info *info = emu_type_of(type);
    bool moved = strcmp(form->opcode, "mov") == 0 || strcmp(form->opcode, "selp") == 0;
    if (info->packed != 1 || (info->kind == 'f' && !moved)) return false;
    if (found++ == 0) out->to_bits = info->bits;
    out->bits = info->bits; /* of cvt the second one is what is read */
    out->is_signed = info->kind == 's';
  }
  return found > 0;
}

bool flow_how_of(flow_how *out, const ptx_instruction *instruction, int64_t alignment,
                 int64_t shared) {
  const ptx_form *form = instruction->form;
  size_t i = 0, count = sizeof operations / sizeof *operations;
  *out = (flow_how){.alignment = alignment, .shared = shared};
  while (i < count && strcmp(operations[i].opcode, form->opcode) != 0)
    i++;
  if (i == count || !read_types(out, form)) return false;
  out->operation = &operations[i];
  if (instruction->operand_count < (uint32_t)operations[i].operands + 1) return false;
  out->wide = has(form, "wide");
  out->high = has(form, "hi");
  bool other = has(form, "sat") || has(form, "cc");
  if (out->wide) out->to_bits = 2 * out->bits;
  if (operations[i].of == compare) {
    strncpy(out->compare, form->modifiers[0], sizeof out->compare - 1);
    out->to_bits = 1;
    return strlen(form->modifiers[0]) == 2;
  }
  return !other;
}

int flow_operands_of(const flow_how *how) {
  return how->operation->operands;
}

bool flow_operate(flow_element *out, const flow_element *in, const void *how) {
  const flow_how *of = how;
  return of->operation->of(out, in, of);
}

bool flow_is_all(const flow_value *value, flow_base base) {
  if (!value || value->count == 0) return false;
  for (uint32_t i = 0; i < value->count; i++) {
    if (value->list[i].base != base) return false;
  }
  return true;
}

/* ---- Of other forms --------------------------------------------------------------------- */

static const flow_how of_predicates = {.bits = 1, .to_bits = 1};

bool flow_opposite(flow_element *out, const flow_element *in, const void *how) {
  return no_bits(out, in, how ? how : &of_predicates);
}

static bool chosen(flow_element *out, const flow_element *in, const void *how) {
  return choose(out, in, how);
}

const flow_value *flow_choose(flow_memory *memory, const flow_value *const in[3]) {
  for (int i = 0; i < 3; i++) {
    if (in[i]->count == 0) return NULL;
  }
  return flow_by_case(memory, chosen, NULL, in, 3);
}

static bool connected(flow_element *out, const flow_element *in, const void *word) {
  const char *w = word;
  bool a = in[0].at, b = in[1].at;
  *out = (flow_element){.at = *w == 'a' ? a && b : *w == 'o' ? a || b : a != b};
  return true;
}

const flow_value *flow_connect(flow_memory *memory, uint64_t root, const char *word,
                               const flow_value *const in[2]) {
  return flow_combine(memory, root, connected, word, in, 2);
}

static bool packed(flow_element *out, const flow_element *in, const void *how) {
  (void)how;
  if (in[1].base != FLOW_NUMBER || (in[0].base != FLOW_NUMBER && in[0].base != FLOW_UNITS))
    return false;
  *out = in[0];
  out->at = (int64_t)((uint64_t)in[0].at + ((uint64_t)in[1].at << 32));
  return true;
}

const flow_value *flow_pack(flow_memory *memory, uint64_t root, const flow_value *const in[2]) {
  return flow_combine(memory, root, packed, NULL, in, 2);
}

static bool unpacked(flow_element *out, const flow_element *in, const void *how) {
  int half = *(const int *)how;
  uint64_t x = (uint64_t)in[0].at;
  if (in[0].base != FLOW_NUMBER && in[0].base != FLOW_UNITS) return false;
  *out = (flow_element){.at = (int64_t)(half ? x >> 32 : x & UINT32_MAX)};
  if (!half) out->base = in[0].base;
  return true;
}

const flow_value *flow_unpack(flow_memory *memory, uint64_t root, const flow_value *in, int half) {
  return flow_combine(memory, root, unpacked, &half, &in, 1);
}

const flow_value *flow_pointer(const flow_how *how, const flow_value *const *in) {
  const char *opcode = how->operation->opcode;
  bool sum = strcmp(opcode, "add") == 0, product = strcmp(opcode, "mad") == 0;
  for (int i = sum ? 0 : 2; i < how->operation->operands && (sum || product); i++) {
    bool is_one = in[i] && in[i]->count == 1 && in[i]->list[0].base == FLOW_POINTER;
    if (is_one && (product || !in[!i])) return in[i];
  }
  return NULL;
}

/* ---- Of anything ------------------------------------------------------------------------ */

/* The one number that a value is; -1: it is none, or negative. */
static int64_t the_number(const flow_value *value) {
  bool one = value && value->count == 1 && value->list[0].base == FLOW_NUMBER;
  return one ? value->list[0].at : -1;
}

/* All numbers with no bits but these. */
static const flow_value *numbers_within(flow_memory *memory, uint64_t root, int64_t bits) {
  size_t count = 1;
  for (int64_t b = bits; b; b &= b - 1) {
    if ((count *= 2) > FLOW_MOST) return NULL;
  }
  flow_value *value = flow_new(memory, root, count);
  int64_t part = 0;
  for (size_t i = 0; value && i < count; i++) {
    value->list[i] = (flow_element){.at = part};
    part = (part - bits) & bits; /* the next one that has some of the bits */
  }
  return value;
}

const flow_value *flow_bounded(flow_memory *memory, uint64_t root, const flow_how *how,
                               const flow_value *const *in) {
  const char *opcode = how->operation->opcode;
  if (strcmp(opcode, "setp") == 0 || how->to_bits == 1) return flow_numbers(memory, root, 0, 2);
  int64_t left = the_number(in[0]), right = how->operation->operands > 1 ? the_number(in[1]) : -1;
  if (strcmp(opcode, "and") == 0 && (left >= 0 || right >= 0))
    return numbers_within(memory, root, left >= 0 ? left : right);
  if (how->is_signed || right <= 0) return NULL;
  if (strcmp(opcode, "rem") == 0 && right <= FLOW_MOST)
    return flow_numbers(memory, root, 0, (size_t)right);
  if (strcmp(opcode, "shr") == 0 && how->bits - right < 11 && right < how->bits)
    return flow_numbers(memory, root, 0, (size_t)1 << (how->bits - right));
  return NULL;
}
