/* The rows of scalar instructions: every function of the tables that the host runs best gives what
 * the plain one gives, in all lanes and in some. */
#include <string.h>

#include "emu/isa/scalar.h"
#include "emu/number/float.h"
#include "numbers.h"
#include "suite.h"

enum { slots = 8, slot_bytes = 16 * EMU_LANES, rounds = 1000 };

typedef struct file {
  _Alignas(64) uint8_t bytes[slots * slot_bytes];
} file;

#ifdef EMU_HAVE_WIDE
static const emu_form_table *const plain[] = {&emu_integer_forms, &emu_logic_forms,
                                              &emu_float_forms, &emu_packed_forms};
static const emu_form_table *const wide[] = {&emu_integer_forms_wide, &emu_logic_forms_wide,
                                             &emu_float_forms_wide, &emu_packed_forms_wide};

/* The format of a type's numbers; NULL for integers. */
static const emu_format *format_of(int type) {
  switch (type) {
  case EMU_F16:
  case EMU_F16X2:
    return &emu_f16;
  case EMU_BF16:
  case EMU_BF16X2:
    return &emu_bf16;
  case EMU_F32:
  case EMU_F32X2:
    return &emu_f32;
  case EMU_F64:
    return &emu_f64;
  default:
    return NULL;
  }
}

static int lowest(uint64_t types) {
  int type = 0;
  while (types && !(types >> type & 1)) {
    type++;
  }
  return type;
}

static void fill(uint8_t *slot, int type, int bytes) {
  const emu_format *f = format_of(type);
  size_t step = f ? (f == &emu_f64 ? 8 : f == &emu_f32 ? 4 : 2) : (size_t)bytes;
  for (size_t at = 0; step && at < (size_t)bytes * EMU_LANES; at += step) {
    uint64_t r = numbers_random(), value = f ? numbers_operand(f) : r >> (r & 63);
    memcpy(slot + at, &value, step);
  }
  uint32_t mask = (uint32_t)numbers_random();
  if (!bytes) memcpy(slot, &mask, sizeof mask);
}

/* Operands as the row's letters say, one a slot. */
static void make_operands(emu_operand operands[slots], file *registers, const emu_form *form) {
  int type = lowest(form->types), type2 = lowest(form->types2);
  for (int i = 0; form->operands[i]; i++) {
    char letter = form->operands[i];
    int own = letter == 'x' ? type2 : type;
    int bytes = (emu_type_of((emu_type)own)->bits + 7) / 8;
    if (letter == 'D' || letter == 'A') own = EMU_NONE, bytes *= 2;
    if (letter == 'U' || letter == 'u') own = EMU_NONE, bytes = 4;
    if (strchr("PpC", letter)) bytes = 0;
    if (bytes == 1) bytes = 2;
    operands[i] = (emu_operand){.offset = (uint32_t)(i * slot_bytes), .lane_bytes = (uint8_t)bytes};
    fill(registers->bytes + i * slot_bytes, own, bytes);
  }
}

static emu_scalar_facts some_facts(const emu_form *form) {
  static const unsigned how[] = {
#define EMU_MODIFIER(word, name, how) how,
#include "emu/isa/modifiers.def"
#undef EMU_MODIFIER
  };
  const uint64_t roundings = M(RN) | M(RZ) | M(RM) | M(RP);
  emu_scalar_facts facts = {.modifiers = form->needs};
  uint64_t optional = form->allows & ~form->needs & ~roundings & numbers_random();
  uint64_t modes = form->allows & ~form->needs & roundings;
  facts.modifiers |= optional;
  if (modes && !(form->needs & roundings)) {
    int mode = EMU_MODIFIER_RN + (int)(numbers_random() % 4);
    facts.modifiers |= modes & (uint64_t)1 << mode;
  }
  for (int i = 0; i < EMU_MODIFIER_COUNT; i++) {
    if (facts.modifiers >> i & 1) facts.how |= how[i];
  }
  return facts;
}

static void run(file *registers, const emu_form *form, const emu_operand *operands,
                const emu_scalar_facts *facts, uint32_t lanes) {
  emu_warp warp = {.registers = registers->bytes};
  emu_operand copy[slots];
  memcpy(copy, operands, sizeof copy);
  emu_op op = {.operands = copy, .facts = facts};
  ck_assert_int_eq(form->exec(&warp, &op, lanes), EMU_NEXT);
}

START_TEST(wide_rows_are_plain_rows) {
  ck_assert_uint_eq(plain[_i]->count, wide[_i]->count);
  numbers_seed();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return;
  for (size_t row = 0; row < plain[_i]->count; row++) {
    const emu_form *form = &plain[_i]->forms[row];
    ck_assert_str_eq(form->opcode, wide[_i]->forms[row].opcode);
    for (int n = 0; n < rounds; n++) {
      static file before, a, b;
      emu_operand operands[slots] = {{0}};
      make_operands(operands, &before, form);
      emu_scalar_facts facts = some_facts(form);
      uint32_t lanes = n & 1 ? UINT32_MAX : (uint32_t)numbers_random();
      a = before, b = before;
      run(&a, form, operands, &facts, lanes);
      run(&b, &wide[_i]->forms[row], operands, &facts, lanes);
      ck_assert_msg(!memcmp(&a, &b, sizeof a), "row %zu, %s, how %u", row, form->opcode, facts.how);
    }
  }
}
END_TEST
#endif

int main(void) {
  Suite *suite = suite_create("rows");
  TCase *t = tcase_create("rows");
  tcase_set_timeout(t, 0);
#ifdef EMU_HAVE_WIDE
  tcase_add_loop_test(t, wide_rows_are_plain_rows, 0, 4);
#endif
  suite_add_tcase(suite, t);
  return run_suite(suite);
}
