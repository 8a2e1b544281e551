/* What flow.h says of registers is so: random programs are run here, by a few lines that know
 * nothing of it, and at each instruction the registers hold a case of what it said, all of a root
 * together. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../suite.h"
#include "annotate/flow.h"
#include "base/str.h"

enum {
  numbers = 6,
  predicates = 3,
  blocks = 7,
  block_most = 7,
  steps_most = 300,
  threads = 64,
  shared_bytes = 98304,
  alignment = 1024
};

/* ---- Programs --------------------------------------------------------------------------- */

static uint64_t state;

static uint32_t draw(uint32_t below) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(state >> 33) % below;
}

/* A register, or now and then a small number. */
static void put_operand(gg_str *out) {
  static const int small[] = {0, 1, 2, 3, 4, 5, 8, 16, 31, 1023, 1024, 4096, 0x3ffff, -1, -8};
  if (draw(3))
    gg_str_printf(out, "%%r%u", draw(numbers));
  else
    gg_str_printf(out, "%d", small[draw(sizeof small / sizeof *small)]);
}

static void put_guard(gg_str *out) {
  if (draw(5) == 0) gg_str_printf(out, "@%s%%p%u ", draw(2) ? "!" : "", draw(predicates));
}

static void put_instruction(gg_str *out) {
  static const char *const two[] = {"add.u32", "add.s32", "sub.u32", "mul.lo.u32",
                                    "and.b32", "or.b32",  "xor.b32", "min.u32",
                                    "max.s32", "div.u32", "rem.u32", "mul.hi.u32"};
  static const char *const tests[] = {"eq.u32", "ne.s32", "lt.u32", "lt.s32", "ge.u32", "gt.s32"};
  static const char *const of_predicates[] = {"and.pred", "or.pred", "xor.pred"};
  uint32_t to = draw(numbers), p = draw(predicates);
  put_guard(out);
  switch (draw(12)) {
  case 0:
    gg_str_printf(out, "mov.u32 %%r%u, shared_memory;\n", to);
    return;
  case 1:
    gg_str_printf(out, "mov.u32 %%r%u, %s;\n", to, draw(2) ? "%tid.x" : "3");
    return;
  case 2:
    gg_str_printf(out, "ld.param.u32 %%r%u, [anything];\n", to);
    return;
  case 3:
    gg_str_printf(out, "%s %%p%u, %%p%u, %%p%u;\n", of_predicates[draw(3)], p, draw(predicates),
                  draw(predicates));
    return;
  case 4:
    gg_str_printf(out, "selp.u32 %%r%u, ", to);
    put_operand(out);
    gg_str_puts(out, ", ");
    put_operand(out);
    gg_str_printf(out, ", %%p%u;\n", draw(predicates));
    return;
  case 5:
    gg_str_printf(out, "%s %%r%u, %%r%u, %u;\n", draw(2) ? "shl.b32" : "shr.u32", to, draw(numbers),
                  draw(6));
    return;
  case 6:
  case 7:
    gg_str_printf(out, "setp.%s %%p%u, %%r%u, ", tests[draw(6)], p, draw(numbers));
    put_operand(out);
    gg_str_puts(out, ";\n");
    return;
  default:
    gg_str_printf(out, "%s %%r%u, %%r%u, ", two[draw(12)], to, draw(numbers));
    put_operand(out);
    gg_str_puts(out, ";\n");
  }
}

static void put_program(gg_str *out) {
  gg_str_puts(out, ".version 8.0\n.target sm_90\n.address_size 64\n"
                   ".extern .shared .align 1024 .b8 shared_memory[];\n"
                   ".visible .entry k(.param .u32 anything)\n{\n"
                   ".reg .b32 %r<6>;\n.reg .pred %p<3>;\n");
  for (int r = 0; r < numbers; r++)
    gg_str_printf(out, "mov.u32 %%r%d, %s;\n", r,
                  r == 0   ? "%tid.x"
                  : r == 1 ? "shared_memory"
                           : "0");
  for (int p = 0; p < predicates; p++)
    gg_str_printf(out, "setp.lt.u32 %%p%d, %%r0, %u;\n", p, draw(threads));
  for (int b = 0; b < blocks; b++) {
    gg_str_printf(out, "L%d:\n", b);
    for (uint32_t i = draw(block_most) + 1; i > 0; i--)
      put_instruction(out);
    gg_str_printf(out, "@%s%%p%u bra L%u;\n", draw(2) ? "!" : "", draw(predicates), draw(blocks));
  }
  gg_str_puts(out, "ret;\n}\n");
}

/* ---- What was said ---------------------------------------------------------------------- */

typedef struct said {
  flow_graph *flow;
  const ptx_function *function;
  const flow_value **values; /* of each register at each instruction */
  bool *reached;
} said;

static void note(void *user, uint32_t index) {
  said *s = user;
  uint32_t n = s->function->register_count;
  s->reached[index] = true;
  for (uint32_t r = 0; r < n; r++) {
    const ptx_operand operand = {.kind = PTX_REGISTER, .index = r};
    s->values[index * n + r] = flow_operand(s->flow, &operand);
  }
}

/* ---- Running ---------------------------------------------------------------------------- */

typedef struct machine {
  uint32_t registers[numbers + predicates];
  uint32_t tid, base, parameter;
} machine;

static uint32_t read_of(const machine *m, const ptx_operand *o) {
  switch (o->kind) {
  case PTX_REGISTER:
    return m->registers[o->index];
  case PTX_SPECIAL:
    return m->tid;
  case PTX_VARIABLE:
    return m->base;
  case PTX_ADDRESS:
    return m->parameter;
  default:
    return (uint32_t)o->value;
  }
}

static bool compares(const char *how, uint32_t a, uint32_t b) {
  int64_t x = strstr(how, ".s32") ? (int32_t)a : (int64_t)a;
  int64_t y = strstr(how, ".s32") ? (int32_t)b : (int64_t)b;
  if (strncmp(how, "eq", 2) == 0) return x == y;
  if (strncmp(how, "ne", 2) == 0) return x != y;
  if (strncmp(how, "lt", 2) == 0) return x < y;
  return how[1] == 'e' ? x >= y : x > y;
}

static uint32_t result_of(const machine *m, const ptx_instruction *i) {
  const char *name = i->form->text;
  uint32_t a = read_of(m, &i->operands[1]),
           b = i->operand_count > 2 ? read_of(m, &i->operands[2]) : 0;
  if (strncmp(name, "setp.", 5) == 0) return compares(name + 5, a, b);
  if (strncmp(name, "selp", 4) == 0) return read_of(m, &i->operands[3]) ? a : b;
  if (strncmp(name, "add", 3) == 0) return a + b;
  if (strncmp(name, "sub", 3) == 0) return a - b;
  if (strncmp(name, "mul.lo", 6) == 0) return a * b;
  if (strncmp(name, "mul.hi", 6) == 0) return (uint32_t)((uint64_t)a * b >> 32);
  if (strncmp(name, "and", 3) == 0) return a & b;
  if (strncmp(name, "or", 2) == 0) return a | b;
  if (strncmp(name, "xor", 3) == 0) return a ^ b;
  if (strncmp(name, "min", 3) == 0) return a < b ? a : b;
  if (strncmp(name, "max", 3) == 0) return (int32_t)a > (int32_t)b ? a : b;
  if (strncmp(name, "div", 3) == 0) return b ? a / b : 0;
  if (strncmp(name, "rem", 3) == 0) return b ? a % b : 0;
  if (strncmp(name, "shl", 3) == 0) return a << b;
  if (strncmp(name, "shr", 3) == 0) return a >> b;
  return a;
}

/* ---- Holding it to that ----------------------------------------------------------------- */

static bool is_of(const machine *m, const flow_element *e, uint32_t value) {
  int64_t begin = e->base == FLOW_SHARED || e->base == FLOW_CLUSTER ? m->base
                  : e->base == FLOW_UNITS                           ? m->base / 16
                                                                    : 0;
  return (uint32_t)(begin + e->at) == value;
}

/* Whether one case of the root fits all registers that have it. */
static bool fits(const machine *m, const flow_value **values, uint32_t n, const flow_value *like) {
  for (uint32_t i = 0; i < like->count; i++) {
    bool all = true;
    for (uint32_t r = 0; r < n && all; r++) {
      const flow_value *v = values[r];
      if (v && v->count == like->count && v->root == like->root && (like->root || v == like))
        all = is_of(m, &v->list[i], m->registers[r]);
    }
    if (all) return true;
  }
  return false;
}

/* Addresses that a program has moved out of shared memory are none of which anything is said, nor
 * is what was computed of them; such runs end. */
static bool is_wild(const machine *m, const flow_value **values, uint32_t n) {
  for (uint32_t r = 0; r < n; r++) {
    for (uint32_t i = 0; values[r] && i < values[r]->count; i++) {
      const flow_element *e = &values[r]->list[i];
      if (e->base != FLOW_NUMBER && is_of(m, e, m->registers[r]) &&
          (e->at < -shared_bytes || e->at > 2 * shared_bytes))
        return true;
    }
  }
  return false;
}

static uint32_t checked;

static void run_thread(const said *s, const char *text, machine m) {
  const ptx_function *f = s->function;
  uint32_t n = f->register_count, at = 0;
  for (int step = 0; step < steps_most && at < f->instruction_count; step++) {
    const ptx_instruction *i = &f->instructions[at];
    const flow_value **values = &s->values[at * n];
    bool runs = i->guard == PTX_NO_GUARD || (m.registers[i->guard] != 0) != i->guard_negated;
    if (!s->reached[at]) ck_abort_msg("line %u is reached:\n%s", i->place.line, text);
    if (is_wild(&m, values, n)) return;
    for (uint32_t r = 0; r < n && runs; r++) {
      if (!values[r] || values[r]->count == 0) continue;
      checked++;
      if (!fits(&m, values, n, values[r]))
        ck_abort_msg("line %u: %s is %" PRIu32 ", none of %u:\n%s", i->place.line,
                     f->registers[r].name, m.registers[r], values[r]->count, text);
    }
    if (strcmp(i->form->opcode, "ret") == 0) return;
    bool branch = strcmp(i->form->opcode, "bra") == 0;
    /* Division by zero gives what it gives. */
    bool divides = strncmp(i->form->text, "div", 3) == 0 || strncmp(i->form->text, "rem", 3) == 0;
    if (runs && divides && read_of(&m, &i->operands[2]) == 0) return;
    if (runs && !branch) m.registers[i->operands[0].index] = result_of(&m, i);
    at = runs && branch ? i->operands[0].index : at + 1;
  }
}

static void check_program(uint64_t seed) {
  static const uint8_t parameter[] = {0};
  static const bool is_pointer[] = {false};
  const flow_facts facts = {.threads = threads,
                            .cluster = 1,
                            .stages = 4,
                            .shared_bytes = shared_bytes,
                            .tensor_memory_at = -1,
                            .parameter = parameter,
                            .is_pointer = is_pointer};
  gg_error err = GG_ERROR_INIT;
  gg_str text = GG_STR_INIT;
  ptx_module *module = NULL;
  said s = {0};
  state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
  put_program(&text);
  ck_assert_msg(ptx_parse(&module, gg_str_text(&text), text.length, "k", &err) == GG_OK, "%s: %s",
                err.message, gg_str_text(&text));
  s.function = ptx_find_function(module, "k");
  size_t cells = (size_t)s.function->instruction_count * s.function->register_count;
  s.values = calloc(cells + 1, sizeof *s.values);
  s.reached = calloc(s.function->instruction_count + 1, sizeof *s.reached);
  ck_assert(flow_make(&s.flow, s.function, &facts, &err) == GG_OK);
  ck_assert(flow_visit(s.flow, note, &s, &err) == GG_OK);
  for (int run = 0; run < 24; run++) {
    machine m = {.tid = draw(threads), .base = (draw(128) + 1) * alignment, .parameter = draw(40)};
    run_thread(&s, gg_str_text(&text), m);
  }
  flow_free(s.flow);
  free(s.values);
  free(s.reached);
  ptx_free(module);
  gg_str_free(&text);
}

START_TEST(random_programs) {
  const char *given = getenv("FLOW_PROGRAMS");
  uint64_t count = given ? strtoull(given, NULL, 10) : 1500;
  for (uint64_t seed = 1; seed <= count; seed++)
    check_program(seed);
  ck_assert_msg(checked > 1000, "%u values were held to something", checked);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("flow");
  TCase *tests = tcase_create("flow");
  tcase_set_timeout(tests, 600);
  tcase_add_test(tests, random_programs);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
