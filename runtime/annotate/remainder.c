/* x - x / c * c, where x / c is a product with c's reciprocal. Such a quotient is exact for all x
 * of 32 bits where the reciprocal m / 2^s is so little too large that m * c - 2^s is from 1 to 2^(s
 * - 32) (Granlund and Montgomery, Division by invariant integers). An m of 33 bits, whose highest
 * one is not in the number, adds x itself, halved on the way. */
#include "annotate/remainder.h"

#include <string.h>

typedef struct block_text {
  const ptx_function *function;
  uint32_t first;
} block_text;

/* The instruction that gave the register its value at `*at`, in the block; *at goes there. NULL:
 * none did, or perhaps. */
static const ptx_instruction *before(const block_text *b, uint32_t reg, uint32_t *at) {
  for (uint32_t i = *at; i-- > b->first;) {
    const ptx_instruction *instruction = &b->function->instructions[i];
    const ptx_operand *to = instruction->operands;
    if (!instruction->operand_count || to->kind != PTX_REGISTER || to->index != reg) continue;
    *at = i;
    return instruction->guard == PTX_NO_GUARD ? instruction : NULL;
  }
  return NULL;
}

/* ... where that is of this form and reads a register first. */
static const ptx_instruction *of_form(const block_text *b, uint32_t reg, uint32_t *at,
                                      const char *const forms[]) {
  const ptx_instruction *found = before(b, reg, at);
  if (!found || found->operand_count < 2 || found->operands[1].kind != PTX_REGISTER) return NULL;
  for (; *forms; forms++) {
    if (strcmp(found->form->text, *forms) == 0) return found;
  }
  return NULL;
}

static const char *const
    mul_hi[] = {"mul.hi.u32", NULL},
    *const mul_lo[] = {"mul.lo.u32", "mul.lo.s32", NULL},
    *const mul_wide[] = {"mul.wide.u32", NULL}, *const shr[] = {"shr.u32", NULL},
    *const shr_wide[] = {"shr.u64", NULL}, *const narrow[] = {"cvt.u32.u64", NULL},
    *const add[] = {"add.u32", "add.s32", NULL}, *const subtract[] = {"sub.u32", "sub.s32", NULL};

static bool number_of(uint64_t *out, const ptx_instruction *i) {
  if (i->operand_count < 3 || i->operands[2].kind != PTX_INTEGER) return false;
  *out = i->operands[2].value & UINT32_MAX;
  return true;
}

/* Whether x * m / 2^s is x / by for all x; with `more`, of m + 2^32. Modulo 2^64 the product less
 * 2^s is what it is where it is small, and the product is as near to 2^s where m / 2^s is to 1 /
 * by. */
static bool is_exact(uint64_t m, bool more, uint64_t s, uint64_t by) {
  if (s < 32 || s > 62 || by > UINT32_MAX >> 1) return false;
  uint64_t factor = m + (more ? (uint64_t)1 << 32 : 0), power = (uint64_t)1 << s;
  uint64_t least = power / by + 1; /* the one factor that can be */
  return factor == least && by - power % by <= (uint64_t)1 << (s - 32);
}

/* A quotient by `by` in `reg`, as it is at `at`: of which register; *at goes to where that is read
 * first. */
static bool is_wide_quotient(uint32_t *of, const block_text *b, uint32_t reg, uint32_t *at,
                             uint64_t by) {
  uint64_t s, m;
  const ptx_instruction *i = of_form(b, reg, at, narrow);
  if (!i || !(i = of_form(b, i->operands[1].index, at, shr_wide)) || !number_of(&s, i))
    return false;
  if (!(i = of_form(b, i->operands[1].index, at, mul_wide)) || !number_of(&m, i)) return false;
  *of = i->operands[1].index;
  return is_exact(m, false, s, by);
}

static bool is_high_quotient(uint32_t *of, const block_text *b, uint32_t reg, uint32_t *at,
                             uint64_t by) {
  uint64_t s, m;
  const ptx_instruction *i = of_form(b, reg, at, shr);
  if (!i || !number_of(&s, i)) return false;
  if (!(i = of_form(b, i->operands[1].index, at, mul_hi)) || !number_of(&m, i)) return false;
  *of = i->operands[1].index;
  return is_exact(m, false, s + 32, by);
}

/* (((x - high) >> 1) + high) >> s, where high is x * m >> 32. */
static bool is_long_quotient(uint32_t *of, const block_text *b, uint32_t reg, uint32_t *at,
                             uint64_t by) {
  uint64_t s, one, m;
  const ptx_instruction *i = of_form(b, reg, at, shr);
  if (!i || !number_of(&s, i) || !(i = of_form(b, i->operands[1].index, at, add))) return false;
  if (i->operands[2].kind != PTX_REGISTER) return false;
  uint32_t high = i->operands[1].index, half_at = *at;
  const ptx_instruction *half = of_form(b, i->operands[2].index, &half_at, shr);
  if (!half || !number_of(&one, half) || one != 1) return false;
  const ptx_instruction *rest = of_form(b, half->operands[1].index, &half_at, subtract);
  if (!rest || rest->operands[2].kind != PTX_REGISTER || rest->operands[2].index != high)
    return false;
  uint32_t same = half_at;
  i = of_form(b, high, at, mul_hi);
  if (i != of_form(b, high, &same, mul_hi) || !i || !number_of(&m, i)) return false;
  *of = i->operands[1].index;
  return rest->operands[1].index == *of && is_exact(m, true, s + 33, by);
}

bool flow_is_remainder(uint32_t *by, const ptx_function *function, uint32_t first, uint32_t index) {
  static bool (*const quotients[])(uint32_t *, const block_text *, uint32_t, uint32_t *,
                                   uint64_t) = {is_wide_quotient, is_high_quotient,
                                                is_long_quotient};
  const block_text b = {function, first};
  const ptx_instruction *i = &function->instructions[index], *product;
  uint32_t at = index, same = index, of;
  uint64_t c;
  if (strcmp(i->form->text, "sub.u32") != 0 && strcmp(i->form->text, "sub.s32") != 0) return false;
  if (i->operands[1].kind != PTX_REGISTER || i->operands[2].kind != PTX_REGISTER) return false;
  product = of_form(&b, i->operands[2].index, &at, mul_lo);
  if (!product || !number_of(&c, product) || c < 2) return false;
  for (size_t k = 0; k < sizeof quotients / sizeof *quotients; k++) {
    uint32_t read_at = at;
    if (!quotients[k](&of, &b, product->operands[1].index, &read_at, c)) continue;
    /* Nobody has written what is divided since. */
    bool written = before(&b, of, &same) || same != index;
    if (written && same >= read_at) return false;
    *by = (uint32_t)c;
    return i->operands[1].index == of;
  }
  return false;
}
