#include "choice/form.h"

#include "atom/dtype.h"

static char letter(gg_major major) {
  return major == GG_MAJOR_K ? 'k' : major == GG_MAJOR_M ? 'm' : 'n';
}

static const char *type_name(gg_dtype type) {
  return gg_dtype_info_of(type)->name;
}

bool gg_form_is_fp8(const gg_form *form) {
  const gg_dtype_info *a = gg_dtype_info_of(form->a.type);
  return a->bits == 8 && a->kind == 'f';
}

void gg_form_name(gg_str *out, const gg_form *form) {
  const gg_operand *operands[] = {&form->a, &form->b, &form->c, &form->d};
  bool fast = gg_form_is_fp8(form) && form->promote == GG_PROMOTE_NEVER;
  gg_str_printf(out, "%s,%s,%s,%s%s,%c%c%c", type_name(form->a.type), type_name(form->b.type),
                type_name(form->d.type), type_name(form->accumulator), fast ? "fast" : "",
                letter(form->a.major), letter(form->b.major), letter(form->d.major));
  if (form->promote > 0) gg_str_printf(out, "+p%d", form->promote);
  if (form->has_c) {
    gg_str_printf(out, "+c_%s", type_name(form->c.type));
    if (form->c.major != form->d.major) gg_str_putc(out, letter(form->c.major));
  }
  for (int i = 0; i < 4; i++) {
    if (operands[i]->align >= 16 || (i == 2 && !form->has_c)) continue;
    gg_str_printf(out, ",%c%d", 'a' + i, operands[i]->align);
  }
}

static void print_operand(gg_str *out, char name, const gg_operand *operand) {
  gg_str_printf(out, "%c: {type: %s, major: %c, align: %d}\n", name, type_name(operand->type),
                letter(operand->major), operand->align);
}

void gg_form_print(gg_str *out, const gg_form *form, gg_arch arch) {
  char name[GG_ARCH_NAME_MAX];
  gg_str_printf(out, "arch: %s\n", gg_arch_name(name, arch));
  print_operand(out, 'a', &form->a);
  print_operand(out, 'b', &form->b);
  if (form->has_c) print_operand(out, 'c', &form->c);
  print_operand(out, 'd', &form->d);
  gg_str_printf(out, "accumulator: %s\n", type_name(form->accumulator));
  bool never = form->promote == GG_PROMOTE_NEVER;
  if (form->promote > 0 || (never && gg_form_is_fp8(form)))
    gg_str_printf(out, "promote: %d\n", never ? 0 : form->promote);
  if (form->epilogue) gg_str_printf(out, "epilogue: %s\n", form->epilogue);
}
