/* The PTX parser: what it makes of each construct, told as text, and how it stands texts that are
 * made to hurt. Wrong PTX and its diagnostics are under tests/errors/ptx. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "emu/ptx/ptx.h"
#include "suite.h"

#define PREAMBLE ".version 9.0\n.target sm_100a, debug\n.address_size 64\n"

/* ---- Helpers ----------------------------------------------------------------------------- */

static ptx_module *parse(const char *text) {
  ptx_module *module;
  gg_error err = GG_ERROR_INIT;
  if (ptx_parse(&module, text, strlen(text), "test.ptx", &err)) {
    ck_abort_msg("%d:%d: %s in\n%.2000s", err.line, err.column, err.message, text);
  }
  return module;
}

/* A module of this text and what stands before every one. */
static ptx_module *parse_module(const char *text) {
  gg_str all = GG_STR_INIT;
  gg_str_puts(&all, PREAMBLE);
  gg_str_puts(&all, text);
  ptx_module *module = parse(gg_str_text(&all));
  gg_str_free(&all);
  return module;
}

/* A kernel `k` of these statements, with some registers. */
static ptx_module *parse_kernel(const char *statements) {
  gg_str text = GG_STR_INIT;
  gg_str_puts(&text, ".global .align 16 .b32 g[8];\n"
                     ".extern .shared .align 128 .b8 dynamic[];\n"
                     ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
                     ".visible .entry k(.param .u64 .ptr .global .align 16 k_param_0)\n{\n"
                     ".reg .b16 %h<8>; .reg .b32 %r<100>; .reg .b64 %rd<100>; .reg .f32 %f<100>;\n"
                     ".reg .pred %p<10>; .reg .b128 %q<4>; .reg .v4 .b32 v; .reg .v2 .f32 w<3>;\n");
  gg_str_puts(&text, statements);
  gg_str_puts(&text, "\n}\n");
  ptx_module *module = parse_module(gg_str_text(&text));
  gg_str_free(&text);
  return module;
}

static gg_status parse_bad(const char *text, size_t length) {
  ptx_module *module;
  gg_error err = GG_ERROR_INIT;
  gg_status st = ptx_parse(&module, text, length, "test.ptx", &err);
  ck_assert_ptr_null(st ? module : NULL);
  ck_assert(st == err.code);
  ptx_free(module);
  gg_error_clear(&err);
  return st;
}

/* ---- The tree as text -------------------------------------------------------------------- */

static void show_operand(gg_str *out, const ptx_function *f, const ptx_operand *o);

static void show_elements(gg_str *out, const ptx_function *f, const ptx_operand *o,
                          const char *between) {
  for (uint32_t i = 0; i < o->element_count; i++) {
    if (i) gg_str_puts(out, between);
    show_operand(out, f, &o->elements[i]);
  }
}

static void show_register(gg_str *out, const ptx_operand *o, const ptx_register *reg) {
  const char *sign = !o->negated ? "" : reg->type == EMU_PRED ? "!" : "-";
  gg_str_printf(out, "%s%s%s%s", sign, reg->name, o->part[0] ? "." : "", o->part);
}

static void show_offset(gg_str *out, uint64_t offset) {
  if (offset) gg_str_printf(out, "%+lld", (long long)offset);
}

static void show_address(gg_str *out, const ptx_function *f, const ptx_operand *o) {
  gg_str_putc(out, '[');
  if (o->base == PTX_REGISTER) gg_str_puts(out, f->registers[o->index].name);
  if (o->base == PTX_VARIABLE) gg_str_puts(out, o->variable->name);
  if (o->base == PTX_INTEGER) gg_str_printf(out, "%llu", (unsigned long long)o->value);
  if (o->base != PTX_INTEGER) show_offset(out, o->value);
  if (o->elements) {
    gg_str_puts(out, ", {");
    show_elements(out, f, o, ", ");
    gg_str_putc(out, '}');
  }
  gg_str_putc(out, ']');
}

static void show_operand(gg_str *out, const ptx_function *f, const ptx_operand *o) {
  ck_assert(o->place.line > 0 || o->kind == PTX_NONE);
  switch ((ptx_operand_kind)o->kind) {
  case PTX_NONE:
    gg_str_puts(out, "-");
    break;
  case PTX_REGISTER:
    show_register(out, o, &f->registers[o->index]);
    break;
  case PTX_SINK:
    gg_str_puts(out, "_");
    break;
  case PTX_INTEGER:
    gg_str_printf(out, o->is_unsigned ? "%lluU" : "%lld", (unsigned long long)o->value);
    break;
  case PTX_FLOAT:
    gg_str_printf(out, o->width == 32 ? "0f%08llx" : "0d%016llx", (unsigned long long)o->value);
    break;
  case PTX_SPECIAL:
    gg_str_puts(out, ptx_special_of((ptx_special)o->index)->spelling);
    break;
  case PTX_LABEL:
    gg_str_printf(out, "#%u", o->index);
    break;
  case PTX_VARIABLE:
    gg_str_puts(out, o->variable->name);
    show_offset(out, o->value);
    break;
  case PTX_FUNCTION:
    gg_str_puts(out, o->function->name);
    break;
  case PTX_ADDRESS:
    show_address(out, f, o);
    break;
  case PTX_VECTOR:
    gg_str_putc(out, '{');
    show_elements(out, f, o, ", ");
    gg_str_putc(out, '}');
    break;
  case PTX_PAIR:
    show_elements(out, f, o, "|");
    break;
  case PTX_LIST:
    gg_str_putc(out, '(');
    show_elements(out, f, o, ", ");
    gg_str_putc(out, ')');
    break;
  case PTX_TARGETS:
    gg_str_printf(out, "targets %u", o->index);
    break;
  case PTX_PROTOTYPE:
    gg_str_printf(out, "prototype %u", o->index);
    break;
  }
}

/* "@!%p1 add s32 %r1, %r2, 3; ret;": modifiers stand between blanks. */
static void show_body(gg_str *out, const ptx_function *f) {
  for (uint32_t i = 0; i < f->instruction_count; i++) {
    const ptx_instruction *in = &f->instructions[i];
    if (i) gg_str_putc(out, ' ');
    if (in->guard != PTX_NO_GUARD) {
      gg_str_printf(out, "@%s%s ", in->guard_negated ? "!" : "", f->registers[in->guard].name);
    }
    gg_str_puts(out, in->form->opcode);
    for (uint32_t m = 0; m < in->form->modifier_count; m++)
      gg_str_printf(out, " %s", in->form->modifiers[m]);
    for (uint32_t o = 0; o < in->operand_count; o++) {
      gg_str_puts(out, o ? ", " : " ");
      show_operand(out, f, &in->operands[o]);
    }
    gg_str_putc(out, ';');
  }
}

static void check_body(const ptx_module *module, const char *name, const char *expected) {
  gg_str got = GG_STR_INIT;
  const ptx_function *f = ptx_find_function(module, name);
  ck_assert_ptr_nonnull(f);
  show_body(&got, f);
  ck_assert_str_eq(gg_str_text(&got), expected);
  gg_str_free(&got);
}

/* ---- Instructions ------------------------------------------------------------------------ */

static const struct {
  const char *text, *shown;
} bodies[] = {
    /* scalars */
    {"add.s32 %r1, %r2, 3;", "add s32 %r1, %r2, 3;"},
    {"@!%p1 mov .u32 %r1,-1; @%p2 ret;", "@!%p1 mov u32 %r1, -1; @%p2 ret;"},
    {"mov.u32 %r1, 0x1F; mov.u32 %r1, 017; mov.u32 %r1, 0b11; mov.u32 %r1, 7U;",
     "mov u32 %r1, 31; mov u32 %r1, 15; mov u32 %r1, 3; mov u32 %r1, 7U;"},
    {"mov.u64 %rd1, 18446744073709551615;", "mov u64 %rd1, 18446744073709551615U;"},
    {"mov.f32 %f1, 0f3F800000; mov.f64 %rd1, 0D3FF0000000000000;",
     "mov f32 %f1, 0f3f800000; mov f64 %rd1, 0d3ff0000000000000;"},
    {"mov.f32 %f1, 1.5; mov.f32 %f1, .5; mov.f32 %f1, -1e2; mov.f32 %f1, 1.;",
     "mov f32 %f1, 0d3ff8000000000000; mov f32 %f1, 0d3fe0000000000000; "
     "mov f32 %f1, 0dc059000000000000; mov f32 %f1, 0d3ff0000000000000;"},
    {"vote.sync.any.pred %p1, !%p2, -1;", "vote sync any pred %p1, !%p2, -1;"},
    {"vadd4.u32.u32.u32 %r1.b20, %r2.b7654, %r3, %r4; vmad.s32.s32.s32 %r1, -%r2.h0, - %r3 .b1, "
     "-WARP_SZ;",
     "vadd4 u32 u32 u32 %r1.b20, %r2.b7654, %r3, %r4; vmad s32 s32 s32 %r1, -%r2.h0, -%r3.b1, -32;"},
    {"mov.u64 %rd1, g; mov.u64 %rd1, g+16; mov.u64 %rd1, g[2]; mov.u64 %rd2, vprintf;",
     "mov u64 %rd1, g; mov u64 %rd1, g+16; mov u64 %rd1, g+8; mov u64 %rd2, vprintf;"},
    {"mov.u32 %r1, %laneid; mov.u32 %r1, %ctaid.z; mov.u32 %r1, %tid.w;",
     "mov u32 %r1, %laneid; mov u32 %r1, %ctaid.z; mov u32 %r1, 0U;"},
    /* addresses */
    {"ld.global.u32 %r1, [%rd1]; ld.global.u32 %r1, [%rd1+-16]; ld.global.u32 %r1, [ %rd1 + 4*2 ];",
     "ld global u32 %r1, [%rd1]; ld global u32 %r1, [%rd1-16]; ld global u32 %r1, [%rd1+8];"},
    {"ld.param.u64 %rd1, [k_param_0]; ld.global.u32 %r1, [g+4]; ld.local.u32 %r1, [64];",
     "ld param u64 %rd1, [k_param_0]; ld global u32 %r1, [g+4]; ld local u32 %r1, [64];"},
    {"ld.shared.u32 %r1, [dynamic+1024];", "ld shared u32 %r1, [dynamic+1024];"},
    {"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
     "[%r1], [%rd1, {%r2, 64}], [%r3], %rd2;",
     "cp async bulk tensor 2d shared::cluster global mbarrier::complete_tx::bytes L2::cache_hint "
     "[%r1], [%rd1, {%r2, 64}], [%r3], %rd2;"},
    {"tcgen05.cp.cta_group::1.32x128b.warpx4 [%r1], %rd1;",
     "tcgen05 cp cta_group::1 32x128b warpx4 [%r1], %rd1;"},
    /* vectors and pairs */
    {"mov.b64 {%r1, _}, %rd1; mov.b128 %q1, {%rd1, %rd2}; st.v4.f32 [%rd1], {%f1, 0f00000000, 1, _};",
     "mov b64 {%r1, _}, %rd1; mov b128 %q1, {%rd1, %rd2}; st v4 f32 [%rd1], {%f1, 0f00000000, 1, _};"},
    {"ld.v4.b32 v, [%rd1]; mov.b32 v.x, v.w; st.v2.f32 [%rd1], {w2.x, w2.g}; st.v2.f32 [%rd1], w1;",
     "ld v4 b32 {v.x, v.y, v.z, v.w}, [%rd1]; mov b32 v.x, v.w; st v2 f32 [%rd1], {w2.x, w2.y}; "
     "st v2 f32 [%rd1], {w1.x, w1.y};"},
    {"mov.v4.u32 v, %tid;", "mov v4 u32 {v.x, v.y, v.z, v.w}, {%tid.x, %tid.y, %tid.z, 0U};"},
    {"setp.eq.and.s32 %p1|%p2, %r1, %r2, !%p3; elect.sync _|%p1, -1;",
     "setp eq and s32 %p1|%p2, %r1, %r2, !%p3; elect sync _|%p1, -1;"},
    /* control flow */
    {"bra L; L: ret; bra.uni L; E: bra E;", "bra #1; ret; bra uni #1; bra #3;"},
    {"bra E; E:", "bra #1;"},
    {"t: .branchtargets A, B, A; brx.idx %r1, t; A: B: ret;", "brx idx %r1, targets 0; ret;"},
    {"call vprintf; { .param .b32 q; call.uni (q), vprintf, (%rd1, 5); }",
     "call -, vprintf, -, -; call uni (q), vprintf, (%rd1, 5), -;"},
    {"p: .callprototype (.param .b32 _) _ (.param .b64 _); call (%r1), %rd1, (%rd2), p;",
     "call (%r1), %rd1, (%rd2), prototype 0;"},
    {"c: .calltargets vprintf; call (%r1), %rd1, (%rd2), c;",
     "call (%r1), %rd1, (%rd2), targets 0;"},
    /* scopes: names are the innermost's, labels too */
    {"{ .reg .b32 %r1, x; mov.b32 x, %r1; { .reg .b32 x; mov.b32 x, %r2; } mov.b32 x, %r1; }"
     "{ .reg .pred x; @x bra D; D: } bra D; D: mov.b32 %r1, 1;",
     "mov b32 x, %r1; mov b32 x, %r2; mov b32 x, %r1; @x bra #4; bra #5; mov b32 %r1, 1;"},
    {"bra D; { D: ret; bra D; } D: bra D;", "bra #3; ret; bra #1; bra #3;"},
    /* source format */
    {"add.s32 /* a; b */ %r1, // c\n %r2, \\\n %r3;", "add s32 %r1, %r2, %r3;"},
    {"# 12 \"file.cu\"\nret;\r\n\tret\t;", "ret; ret;"},
    {".pragma \"nounroll\"; ret; ;", "ret;"},
};

START_TEST(test_bodies) {
  ptx_module *module = parse_kernel(bodies[_i].text);
  check_body(module, "k", bodies[_i].shown);
  ptx_free(module);
}
END_TEST

static const char *register_of(const ptx_function *f, uint32_t instruction, uint32_t operand) {
  return f->registers[f->instructions[instruction].operands[operand].index].name;
}

/* The same name in two scopes is two registers, of the types of their declarations; only registers
 * that are used are there. */
START_TEST(test_registers) {
  ptx_module *module = parse_kernel(
      "mov.b32 %r99, 1; { .reg .f32 %r<2>; mov.f32 %r1, 0f00000000; mov.b32 %r99, 1; } mov.b32 %r1, 2;");
  const ptx_function *f = ptx_find_function(module, "k");
  ck_assert_uint_eq(f->register_count, 3);
  ck_assert_str_eq(register_of(f, 1, 0), "%r1");
  ck_assert_str_eq(register_of(f, 3, 0), "%r1");
  uint32_t inner = f->instructions[1].operands[0].index,
           outer = f->instructions[3].operands[0].index;
  ck_assert_uint_ne(inner, outer);
  ck_assert(f->registers[inner].type == EMU_F32 && f->registers[outer].type == EMU_B32);
  ck_assert_uint_eq(f->instructions[0].operands[0].index, f->instructions[2].operands[0].index);
  ptx_free(module);
}
END_TEST

/* `%y12` is of `%y1<5>` when `%y<5>` has no 12. */
START_TEST(test_range_prefixes) {
  ptx_module *module =
      parse_kernel(".reg .b32 %y<5>, %y1<5>; mov.b32 %y12, %y4; { .reg .f32 %y<20>;"
                   "mov.f32 %y12, %y4; } .reg .b64 %z0<2>; mov.b64 %z01, %z00;");
  const ptx_function *f = ptx_find_function(module, "k");
  static const emu_type types[] = {EMU_B32, EMU_F32, EMU_B64};
  for (uint32_t i = 0; i < 3; i++) {
    for (uint32_t o = 0; o < 2; o++)
      ck_assert(f->registers[f->instructions[i].operands[o].index].type == types[i]);
  }
  ptx_free(module);
}
END_TEST

START_TEST(test_special_registers) {
  for (int i = 0; i < PTX_SPECIAL_COUNT; i++) {
    gg_str text = GG_STR_INIT;
    const ptx_special_info *special = ptx_special_of((ptx_special)i);
    gg_str_printf(&text, "mov.b64 %%rd1, %s;", special->spelling);
    ptx_module *module = parse_kernel(gg_str_text(&text));
    const ptx_operand *o = &ptx_find_function(module, "k")->instructions[0].operands[1];
    ck_assert(o->kind == PTX_SPECIAL && o->index == (uint32_t)i && special->type != EMU_NONE);
    ptx_free(module);
    gg_str_free(&text);
  }
}
END_TEST

static const struct {
  const char *text;
  bool is_unsigned;
  uint64_t value;
} constants[] = {
    {"1+2*3", false, 7},
    {"(1+2)*3", false, 9},
    {"10-4-3", false, 3},
    {"1<<4|3", true, 19},
    {"-7/2", false, (uint64_t)-3},
    {"-7 % 3", false, (uint64_t)-1},
    {"7U/2", true, 3},
    {"-1/1U", true, UINT64_MAX},
    {"(.u64)-1>>60", true, 15},
    {"-16>>2", false, (uint64_t)-4},
    {"-16>>2U", false, (uint64_t)-4},
    {"1<<64", false, 0},
    {"-1>>70", false, UINT64_MAX},
    {"~0", true, UINT64_MAX},
    {"!0+!5", false, 1},
    {"(3)", false, 3},
    {"5>3?2:1", false, 2},
    {"0?1:0?2:3", false, 3},
    {"1&&0||1", false, 1},
    {"3&5^2|8", true, 11},
    {"1==1!=0", false, 1},
    {"-1<0", false, 1},
    {"-1<0U", false, 0},
    {"2<=2&&3>=4", false, 0},
    {"1.5<2.5", false, 1},
    {"0x8000000000000000/-1", true, 0},
    {"(.s64)0x8000000000000000/-1", false, UINT64_C(1) << 63},
    {"(.s64)0x8000000000000000 % -1", false, 0},
    {"WARP_SZ*2", false, 64},
    {"9223372036854775807+1", false, UINT64_C(1) << 63},
};

START_TEST(test_constants) {
  gg_str text = GG_STR_INIT;
  gg_str_printf(&text, "mov.b64 %%rd1, %s;", constants[_i].text);
  ptx_module *module = parse_kernel(gg_str_text(&text));
  const ptx_operand *o = &ptx_find_function(module, "k")->instructions[0].operands[1];
  ck_assert(o->kind == PTX_INTEGER);
  ck_assert_msg(o->value == constants[_i].value && o->is_unsigned == constants[_i].is_unsigned,
                "%s: %lld, unsigned %d", constants[_i].text, (long long)o->value, o->is_unsigned);
  ptx_free(module);
  gg_str_free(&text);
}
END_TEST

START_TEST(test_places) {
  ptx_module *module =
      parse(PREAMBLE ".entry k() {\n.reg .b32 a;\n/* \xC3\xA9 */ mov.b32 a,\n  7;\n}");
  const ptx_instruction *in = ptx_find_function(module, "k")->instructions;
  ck_assert(in->place.line == 6 && in->place.column == 9);
  ck_assert(in->operands[0].place.line == 6 && in->operands[0].place.column == 17);
  ck_assert(in->operands[1].place.line == 7 && in->operands[1].place.column == 3);
  ptx_free(module);
}
END_TEST

/* Equal names are one text, equal opcodes one form. */
START_TEST(test_forms) {
  ptx_module *module =
      parse_kernel("mov.b32 %r1, 1; mov .b32 %r1, 2; mov.b16 %h1, 3; ld.b32 %r1, [g];");
  const ptx_instruction *in = ptx_find_function(module, "k")->instructions;
  ck_assert_ptr_eq(in[0].form, in[1].form);
  ck_assert_ptr_ne(in[0].form, in[2].form);
  ck_assert_ptr_eq(in[0].form->opcode, in[2].form->opcode);
  ck_assert_ptr_eq(in[0].form->modifiers[0], in[3].form->modifiers[0]);
  ck_assert_str_eq(in[1].form->text, "mov.b32");
  ck_assert_uint_eq(module->form_count, 3);
  for (uint32_t i = 0; i < module->form_count; i++)
    ck_assert_uint_eq(module->forms[i]->index, i);
  ptx_free(module);
}
END_TEST

/* ---- Variables --------------------------------------------------------------------------- */

/* "offset: bytes" of each run, "offset = symbol" of each relocation. */
static void show_initial(gg_str *out, const ptx_variable *v) {
  for (size_t i = 0; i < v->run_count; i++) {
    gg_str_printf(out, "%s%llu:", out->length ? " " : "", (unsigned long long)v->runs[i].offset);
    for (uint64_t b = 0; b < v->runs[i].length; b++)
      gg_str_printf(out, "%02x", v->runs[i].bytes[b]);
  }
  for (size_t i = 0; i < v->relocation_count; i++) {
    const ptx_relocation *r = &v->relocations[i];
    gg_str_printf(out, "%s%llu=%s%s%+lld", out->length ? " " : "", (unsigned long long)r->offset,
                  r->generic ? "generic " : "", r->variable ? r->variable->name : r->function->name,
                  (long long)r->addend);
    if (r->mask != UINT64_MAX) gg_str_printf(out, "&%llx", (unsigned long long)r->mask);
    ck_assert_uint_eq(r->bytes, (unsigned)emu_type_bytes(v->type));
  }
}

static const struct {
  const char *text;
  uint64_t bytes;
  uint32_t align;
  const char *initial;
} variables[] = {
    {".global .u32 x;", 4, 4, ""},
    {".visible .global .align 128 .b8 x[100];", 100, 128, ""},
    {".const .v4 .f32 x;", 16, 16, ""},
    {".extern .shared .align 16 .b8 x[];", 0, 16, ""},
    {".global .u32 x = 258;", 4, 4, "0:02010000"},
    {".global .s16 x[2][2] = {{1}, {-1, 3}};", 8, 2, "0:0100 4:ffff0300"},
    {".global .b8 x[] = {37, 100, 10, 0};", 4, 1, "0:25640a00"},
    {".global .b16 x[][3] = {{1, 2, 3}, {4}};", 12, 2, "0:0100020003000400"},
    {".global .v2 .b8 x[2] = {{1, 2}, {3, 4}};", 4, 2, "0:01020304"},
    {".global .b32 x[4] = {};", 16, 4, ""},
    {".global .f32 x[2] = {1.5, 0f80000000};", 8, 4, "0:0000c03f00000080"},
    {".global .f64 x = 0d3FF0000000000000;", 8, 8, "0:000000000000f03f"},
    {".global .b32 x = 0f3F800000;", 4, 4, "0:0000803f"},
    {".global .u64 x[3] = {y, 7, generic(y)+4};", 24, 8, "8:0700000000000000 0=y+0 16=generic y+4"},
    {".global .b8 x[3] = {0xff(y), 0xff00(y+1), 0xff(generic(y))};", 3, 1,
     "0=y+0&ff 1=y+1&ff00 2=generic y+0&ff"},
    {".global .u64 x = f;", 8, 8, "0=f+0"},
    {".global .u32 z, x = 1+1;", 4, 4, "0:02000000"},
    {".extern .global .u32 x[]; .global .u32 x[2] = {1, 2};", 8, 4, "0:0100000002000000"},
    {".global .u32 x = 1; .extern .global .u32 x;", 4, 4, "0:01000000"},
    {".global .attribute(.managed) .u32 x;", 4, 4, ""},
    {".global .b8 x[1099511627776] = {1};", UINT64_C(1) << 40, 1, "0:01"},
};

START_TEST(test_variables) {
  gg_str text = GG_STR_INIT, got = GG_STR_INIT;
  gg_str_puts(&text, ".global .u32 y; .func f();\n");
  gg_str_puts(&text, variables[_i].text);
  ptx_module *module = parse_module(gg_str_text(&text));
  const ptx_variable *v = ptx_find_variable(module, "x");
  ck_assert_ptr_nonnull(v);
  ck_assert_ptr_eq(module->variables[v->index], v);
  ck_assert_uint_eq(v->bytes, variables[_i].bytes);
  ck_assert_uint_eq(v->align, variables[_i].align);
  show_initial(&got, v);
  ck_assert_str_eq(gg_str_text(&got), variables[_i].initial);
  ptx_free(module);
  gg_str_free(&text);
  gg_str_free(&got);
}
END_TEST

START_TEST(test_function_variables) {
  ptx_module *module = parse_kernel(".local .align 16 .b8 depot[64]; .shared .align 4 .b32 s[2];"
                                    "{ .param .b32 a; st.param.b32 [a], 1; }"
                                    "{ .param .b64 a; st.param.b64 [a], 1; } mov.u32 %r1, s;");
  const ptx_function *f = ptx_find_function(module, "k");
  static const ptx_space spaces[] = {PTX_SPACE_LOCAL, PTX_SPACE_SHARED, PTX_SPACE_PARAM,
                                     PTX_SPACE_PARAM};
  ck_assert_uint_eq(f->variable_count, 4);
  for (uint32_t i = 0; i < 4; i++) {
    ck_assert(f->variables[i]->space == spaces[i] && f->variables[i]->index == i);
    ck_assert(f->variables[i]->owner == PTX_OF_FUNCTION);
  }
  ck_assert_ptr_eq(f->instructions[1].operands[0].variable, f->variables[3]);
  ptx_free(module);
}
END_TEST

/* ---- Functions --------------------------------------------------------------------------- */

START_TEST(test_directives) {
  ptx_module *module = parse_module(
      ".visible .entry k(.param .u64 .ptr .shared .align 16 a, .param .align 64 .b8 t[128],\n"
      ".param .u64 .ptr .align 1 b) .maxntid 256, 2 .minnctapersm 2 .maxnreg 128\n"
      ".explicitcluster .reqnctapercluster 2,1,1 .maxclusterrank 8 .pragma \"a\", \"b\"; { ret; }\n"
      ".weak .func (.param .b32 r) f(.reg .b32 x) .noreturn { .pragma \"c\"; st.param.b32 [r], x; }");
  const ptx_function *k = ptx_find_function(module, "k"), *f = ptx_find_function(module, "f");
  ck_assert(k->entry && k->defined && k->linkage == PTX_LINK_VISIBLE && k->explicitcluster);
  ck_assert(k->maxntid[0] == 256 && k->maxntid[1] == 2 && k->maxntid[2] == 1);
  ck_assert(k->reqnctapercluster[0] == 2 && k->maxclusterrank == 8 && k->reqntid[0] == 0);
  ck_assert(k->minnctapersm == 2 && k->maxnreg == 128 && k->pragma_count == 2);
  ck_assert(k->input_count == 3 && k->inputs[1]->bytes == 128 && k->inputs[1]->align == 64);
  ck_assert(k->inputs[0]->pointer && k->inputs[0]->pointee == PTX_SPACE_SHARED);
  ck_assert(k->inputs[0]->pointee_align == 16 && k->inputs[0]->align == 8);
  ck_assert(k->inputs[2]->pointee == PTX_SPACE_GENERIC && k->inputs[2]->index == 2);
  ck_assert(!f->entry && f->noreturn && f->linkage == PTX_LINK_WEAK && f->return_count == 1);
  ck_assert(f->inputs[0]->space == PTX_SPACE_REG && f->inputs[0]->owner == PTX_OF_INPUTS);
  ck_assert_uint_eq(f->instructions[0].operands[1].index, f->inputs[0]->reg);
  ck_assert_str_eq(f->pragmas[0], "c");
  ptx_free(module);
}
END_TEST

/* Calls before the definition, calls to itself, and aliases meet one ptx_function. */
START_TEST(test_declarations) {
  ptx_module *module = parse_module(".func f(.param .b32 a);\n.func h();\n.alias h, f;\n"
                                    ".entry k() { call f, (1); }\n"
                                    ".func f(.param .b32 a) { call f, (2); ret; }\n"
                                    ".func f(.param .b32 a);");
  const ptx_function *k = ptx_find_function(module, "k"), *f = ptx_find_function(module, "f");
  ck_assert_uint_eq(module->function_count, 3);
  ck_assert(f->defined && f->instruction_count == 2);
  ck_assert_ptr_eq(k->instructions[0].operands[1].function, f);
  ck_assert_ptr_eq(f->instructions[0].operands[1].function, f);
  ck_assert_ptr_eq(ptx_find_function(module, "h")->alias, f);
  ck_assert_ptr_null(ptx_find_function(module, "g"));
  ptx_free(module);
}
END_TEST

START_TEST(test_tables) {
  ptx_module *module =
      parse_kernel("t: .branchtargets A, B, A; brx.idx %r1, t; A: ret; B: ret;\n"
                   "u: .calltargets vprintf;\n"
                   "p: .callprototype (.param .b32 _) _ (.param .align 8 .b8 _[12], "
                   ".param .b64 _) .noreturn; call (%r1), %rd1, (%r2, %rd2), p;");
  const ptx_function *f = ptx_find_function(module, "k");
  ck_assert(f->target_count == 2 && f->targets[0].element_count == 3);
  static const uint32_t indices[] = {1, 2, 1};
  for (int i = 0; i < 3; i++) {
    ck_assert(f->targets[0].elements[i].kind == PTX_LABEL);
    ck_assert_uint_eq(f->targets[0].elements[i].index, indices[i]);
  }
  ck_assert(f->targets[1].elements[0].kind == PTX_FUNCTION);
  ck_assert(f->prototype_count == 1 && f->prototypes[0].noreturn);
  ck_assert(f->prototypes[0].input_count == 2 && f->prototypes[0].inputs[0]->bytes == 12);
  ptx_free(module);
}
END_TEST

/* ---- Modules ----------------------------------------------------------------------------- */

START_TEST(test_module) {
  ptx_module *module = parse(
      "\xEF\xBB\xBF// \xE2\x82\xAC\n.version 8.7 .target sm_90a, texmode_independent, debug\n"
      ".file 2 \"b.cu\", 1, 2\n.file 1 \"a \\\" b\"\n.section .debug_str { $L: .b8 1, 2 { } \n}\n"
      "@@DWARF .byte 0x00\n.section .debug_info\n{\n}\n.address_size 64\n");
  ck_assert(module->version_major == 8 && module->version_minor == 7);
  ck_assert_str_eq(module->target, "sm_90a");
  ck_assert(module->option_count == 2 && module->address_size == 64);
  ck_assert_str_eq(module->options[1], "debug");
  ck_assert_str_eq(module->name, "test.ptx");
  ck_assert_str_eq(ptx_file_path(module, 1), "a \\\" b");
  ck_assert_str_eq(ptx_file_path(module, 2), "b.cu");
  ck_assert_ptr_null(ptx_file_path(module, 3));
  ck_assert_uint_eq(module->files[0].number, 1);
  ptx_free(module);
}
END_TEST

START_TEST(test_loc) {
  ptx_module *module = parse_module(".file 1 \"a.cu\"\n.entry k() { ret;\n.loc 1 10 3\nret;\n"
                                    ".loc 1 20 5, function_name $L0, inlined_at 1 10 3\nret;\n"
                                    ".loc 1 30 7, function_name $L0+4, inlined_at 1 20 5\nret; }\n"
                                    ".entry l() { ret; }");
  const ptx_instruction *in = ptx_find_function(module, "k")->instructions;
  ck_assert_ptr_null(in[0].loc);
  ck_assert(in[1].loc->line == 10 && in[1].loc->column == 3 && !in[1].loc->inlined_at);
  ck_assert(in[3].loc->line == 30 && in[3].loc->inlined_at->line == 20);
  ck_assert_ptr_eq(in[3].loc->inlined_at->inlined_at, in[1].loc);
  ck_assert_ptr_null(ptx_find_function(module, "l")->instructions[0].loc);
  ptx_free(module);
}
END_TEST

/* ---- Texts that are made to hurt --------------------------------------------------------- */

static void repeat(gg_str *out, const char *text, int times) {
  for (int i = 0; i < times; i++)
    gg_str_puts(out, text);
}

/* Each is a few megabytes of `piece`; a step that looks back at all that came before would take
 * hours. */
static const struct {
  const char *before, *piece, *after;
  gg_status st;
} heaps[] = {
    {PREAMBLE ".entry k() {", "{L: bra L;}\n", "}", GG_OK},
    {PREAMBLE ".entry k() {", "{.reg .b32 %r<9>; mov.b32 %r1, 1;} ", "}", GG_OK},
    {PREAMBLE ".entry k() { .reg .b32 r; ", "mov.b32 r, 0; ", "}", GG_OK},
    {PREAMBLE ".entry k() { L: ", "bra L; /* \xC3\xA9 */", "}", GG_OK},
    {PREAMBLE ".entry k() { .reg .b32 r; mov.b32 r, {", "r,", "r}; }", GG_OK},
    {PREAMBLE ".global .b8 x[] = {", "1,", "1};", GG_OK},
    {PREAMBLE ".global .u32 y; .global .u64 x[] = {", "y,", "y};", GG_OK},
    {PREAMBLE, ".section .debug {}\n", "", GG_OK},
    {PREAMBLE, "# 1 \"x\"\n", "", GG_OK},
    {PREAMBLE, ".file 1 \"x\"\n", "", GG_OK},
    {PREAMBLE ".entry k() {", ".loc 1 2 3, inlined_at 1 2 3\n", "}", GG_OK},
    {PREAMBLE ".entry k() {", "{", "", GG_E_PTX_LIMIT},
    {PREAMBLE ".global .u32 x = ", "(", "", GG_E_PTX_LIMIT},
    {PREAMBLE ".global .u32 x = ", "-", "", GG_E_PTX_LIMIT},
    {PREAMBLE ".global .u32 x = 1", "?1:1", "", GG_E_PTX_LIMIT},
    {PREAMBLE ".global .u32 x = 1", "+1", ";", GG_OK},
    {PREAMBLE ".global .u32 x", "[1]", ";", GG_E_PTX_LIMIT},
    {PREAMBLE ".global .u32 x = {", "{", ";", GG_E_PTX_SYNTAX},
    {PREAMBLE ".entry k() { bra ", "1", "; }", GG_E_PTX_VALUE},
    {PREAMBLE ".entry k() { .reg .f32 f; mov.f32 f, 0.", "1", "; }", GG_OK},
    {PREAMBLE ".entry k() { bra ", "a", "; }", GG_E_PTX_NAME},
    {PREAMBLE ".entry k() { bra a", "1", "; }", GG_E_PTX_NAME},
    {PREAMBLE "/*", "*", "", GG_E_PTX_SYNTAX},
    {PREAMBLE, "\xC3\xA9", "", GG_E_PTX_SYNTAX},
    {PREAMBLE, "@@", "", GG_OK},
    {PREAMBLE ".global .attribute(", "(", "", GG_E_PTX_SYNTAX},
    {PREAMBLE ".entry k() { mov", ".b32", " 1; }", GG_OK},
    {PREAMBLE ".entry k() { mov", " .b32", " 1; }", GG_OK},
};

START_TEST(test_heaps) {
  enum { bytes = 3000000 };
  gg_str text = GG_STR_INIT;
  gg_str_puts(&text, heaps[_i].before);
  repeat(&text, heaps[_i].piece, bytes / (int)strlen(heaps[_i].piece));
  gg_str_puts(&text, heaps[_i].after);
  gg_status st = parse_bad(gg_str_text(&text), text.length);
  ck_assert_msg(st == heaps[_i].st, "%s%s: status %d", heaps[_i].before, heaps[_i].piece, (int)st);
  gg_str_free(&text);
}
END_TEST

static char *read_fixture(size_t *length) {
  char *text;
  gg_str path = GG_STR_INIT;
  gg_str_printf(&path, "%s/everything.ptx", getenv("EMU_PTX"));
  gg_error err = GG_ERROR_INIT;
  if (gg_file_read(&text, length, gg_str_text(&path), 1 << 20, &err))
    ck_abort_msg("%s", err.message);
  gg_str_free(&path);
  return text;
}

/* Every prefix of a text that has everything ends in a tree or in one error. */
START_TEST(test_prefixes) {
  size_t length;
  char *text = read_fixture(&length);
  ptx_free(parse(text));
  for (size_t cut = 0; cut < length; cut++) {
    char *part = gg_malloc(cut + 1); /* of just that size, for the sanitizers */
    ck_assert_ptr_nonnull(part);
    memcpy(part, text, cut);
    parse_bad(part, cut);
    gg_free(part);
  }
  gg_free(text);
}
END_TEST

START_TEST(test_memory) {
  size_t length;
  char *text = read_fixture(&length);
  gg_status st = GG_E_MEMORY;
  for (long allowed = 0; st; allowed++) {
    gg_alloc_fail_after(allowed);
    st = parse_bad(text, length);
    gg_alloc_fail_after(-1);
    ck_assert(st == GG_OK || st == GG_E_MEMORY);
  }
  gg_free(text);
}
END_TEST

START_TEST(test_no_error_wanted) {
  ptx_module *module;
  ck_assert(ptx_parse(&module, "x", 1, NULL, NULL) == GG_E_PTX_SYNTAX);
  ck_assert_ptr_null(module);
  ptx_free(NULL);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("ptx");
  TCase *tree = tcase_create("tree"), *hurt = tcase_create("hurt");
  tcase_add_loop_test(tree, test_bodies, 0, sizeof bodies / sizeof *bodies);
  tcase_add_test(tree, test_registers);
  tcase_add_test(tree, test_range_prefixes);
  tcase_add_test(tree, test_special_registers);
  tcase_add_loop_test(tree, test_constants, 0, sizeof constants / sizeof *constants);
  tcase_add_test(tree, test_places);
  tcase_add_test(tree, test_forms);
  tcase_add_loop_test(tree, test_variables, 0, sizeof variables / sizeof *variables);
  tcase_add_test(tree, test_function_variables);
  tcase_add_test(tree, test_directives);
  tcase_add_test(tree, test_declarations);
  tcase_add_test(tree, test_tables);
  tcase_add_test(tree, test_module);
  tcase_add_test(tree, test_loc);
  suite_add_tcase(suite, tree);
  tcase_set_timeout(hurt, 60);
  tcase_add_loop_test(hurt, test_heaps, 0, sizeof heaps / sizeof *heaps);
  tcase_add_test(hurt, test_prefixes);
  tcase_add_test(hurt, test_memory);
  tcase_add_test(hurt, test_no_error_wanted);
  suite_add_tcase(suite, hurt);
  return run_suite(suite);
}
