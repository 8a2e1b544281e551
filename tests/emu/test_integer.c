/* Integer and bit operations of the emulator against the PTX ISA's own definitions, written out bit
 * by bit; small cases exhaustively, the others at random. */
#include "emu/number/integer.h"
#include "numbers.h"
#include "suite.h"

enum { rounds = 200000 };

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

static uint64_t random_bits(void) {
  return numbers_random() >> numbers_random() % 64;
}

/* Mostly small, some huge. */
static uint32_t random_amount(void) {
  return (uint32_t)(numbers_random() % 4 ? numbers_random() % 80 : numbers_random());
}

/* ---- References: PTX ISA, the "Semantics" of each ------------------------------------------- */

static uint64_t bfe(uint64_t a, uint32_t b, uint32_t c, int bits, bool is_signed) {
  uint32_t part = bits == 32 ? 0xff : UINT32_MAX;
  int64_t position = b & part, length = c & part, top = bits - 1;
  int64_t last = position + length - 1 < top ? position + length - 1 : top;
  uint64_t sign = !is_signed || length == 0 ? 0 : a >> last & 1, d = 0;
  for (int i = 0; i <= top; i++) {
    uint64_t bit = i < length && position + i <= top ? a >> (position + i) & 1 : sign;
    d |= bit << i;
  }
  return d;
}

static uint64_t bfi(uint64_t a, uint64_t b, uint32_t c, uint32_t e, int bits) {
  uint32_t part = bits == 32 ? 0xff : UINT32_MAX;
  int64_t position = c & part, length = e & part;
  for (int i = 0; i < length && position + i < bits; i++) {
    uint64_t bit = (uint64_t)1 << (position + i);
    b = a >> i & 1 ? b | bit : b & ~bit;
  }
  return b;
}

static uint32_t fns(uint32_t mask, uint32_t base, int32_t offset) {
  if (offset == 0) return base < 32 && (mask >> base & 1) ? base : UINT32_MAX;
  int64_t position = base, count = (offset < 0 ? -(int64_t)offset : offset) - 1;
  for (; position >= 0 && position<32; position += offset> 0 ? 1 : -1) {
    if (!(mask >> position & 1)) continue;
    if (count == 0) return (uint32_t)position;
    count--;
  }
  return UINT32_MAX;
}

static uint32_t prmt(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t d = 0;
  for (int i = 0; i < 4; i++) {
    uint32_t selector = c >> 4 * i & 0xf;
    uint32_t byte = ((selector & 4 ? b : a) >> 8 * (selector & 3)) & 0xff;
    if (selector & 8) byte = byte & 0x80 ? 0xff : 0;
    d |= byte << 8 * i;
  }
  return d;
}

static uint32_t lop3(uint32_t a, uint32_t b, uint32_t c, unsigned table) {
  uint32_t d = 0;
  for (int i = 0; i < 32; i++) {
    unsigned entry = (a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1);
    d |= (uint32_t)(table >> entry & 1) << i;
  }
  return d;
}

static uint32_t bmsk(uint32_t a, uint32_t b, bool clamp) {
  uint32_t mask = 0;
  for (uint32_t i = 0; i < 32; i++) {
    uint64_t from = clamp ? a : a & 31, width = clamp ? b : b & 31;
    if (i >= from && i < from + width) mask |= 1u << i;
  }
  return mask;
}

/* ---- Tests --------------------------------------------------------------------------------- */

START_TEST(bit_fields) {
  numbers_seed();
  for (int n = 0; n < rounds; n++) {
    uint64_t a = numbers_random(), b = numbers_random();
    uint32_t c = random_amount(), e = random_amount(), low = (uint32_t)a;
    ck_assert_uint_eq((uint32_t)emu_bfe(low, c, e, 32, false), bfe(low, c, e, 32, false));
    ck_assert_uint_eq((uint32_t)emu_bfe(low, c, e, 32, true), bfe(low, c, e, 32, true));
    ck_assert_uint_eq(emu_bfe(a, c, e, 64, false), bfe(a, c, e, 64, false));
    ck_assert_uint_eq(emu_bfe(a, c, e, 64, true), bfe(a, c, e, 64, true));
    ck_assert_uint_eq((uint32_t)emu_bfi(low, (uint32_t)b, c, e, 32),
                      bfi(low, (uint32_t)b, c, e, 32));
    ck_assert_uint_eq(emu_bfi(a, b, c, e, 64), bfi(a, b, c, e, 64));
    ck_assert_uint_eq(emu_bmsk(c, e, false), bmsk(c, e, false));
    ck_assert_uint_eq(emu_bmsk(c, e, true), bmsk(c, e, true));
    ck_assert_uint_eq(emu_prmt(low, (uint32_t)b, c, EMU_PRMT), prmt(low, (uint32_t)b, c));
    int32_t offset = (int32_t)(c % 80) - 40;
    ck_assert_uint_eq(emu_fns(low, e, offset), fns(low, e, offset));
  }
  ck_assert_uint_eq(emu_fns(~0u, 3, INT32_MIN), UINT32_MAX);
}
END_TEST

START_TEST(single_bits) {
  numbers_seed();
  for (int n = 0; n < rounds; n++) {
    uint64_t a = random_bits(), reversed = 0;
    uint32_t count = 0, top = UINT32_MAX;
    for (uint32_t i = 0; i < 64; i++) {
      uint64_t bit = a >> i & 1;
      reversed |= bit << (63 - i);
      count += (uint32_t)bit;
      if (bit) top = i;
    }
    ck_assert_uint_eq(emu_popc(a), count);
    ck_assert_uint_eq(emu_bfind_u64(a), top);
    ck_assert_uint_eq(emu_brev_b64(a), reversed);
    ck_assert_uint_eq(emu_brev_b32((uint32_t)a), reversed >> 32);
  }
}
END_TEST

START_TEST(all_tables_of_lop3) {
  uint32_t a = 0xf0f0aa55, b = 0xcc33cccc, c = 0xaaaa0ff0;
  for (unsigned table = 0; table < 256; table++) {
    ck_assert_uint_eq(emu_lop3(a, b, c, table), lop3(a, b, c, table));
  }
  ck_assert_uint_eq(emu_lop3(0xf0, 0xcc, 0xaa, 0x96) & 0xff, 0x96);
}
END_TEST

START_TEST(shifts) {
  numbers_seed();
  for (int n = 0; n < rounds; n++) {
    uint64_t a = numbers_random(), b = numbers_random();
    uint32_t amount = random_amount(), low = (uint32_t)a, high = (uint32_t)b;
    u128 wide = (u128)a;
    uint32_t most = amount > 64 ? 64 : amount;
    s128 extended = (s128)(int64_t)a;
    ck_assert_uint_eq(emu_shl_b64(a, amount), (uint64_t)(wide << most));
    ck_assert_uint_eq(emu_shr_u64(a, amount), (uint64_t)(wide >> most));
    ck_assert_uint_eq(emu_shr_s64(a, amount), (uint64_t)(extended >> most));
    ck_assert_uint_eq(emu_shl_b32(low, amount),
                      (uint32_t)((uint64_t)low << (most & 63) * (most < 64)) * (most < 32));
    ck_assert_uint_eq(emu_shr_s32(low, amount),
                      (uint32_t)((int64_t)(int32_t)low >> (most > 63 ? 63 : most)));
    ck_assert_uint_eq(emu_shr_s16((uint16_t)a, amount),
                      (uint16_t)((int64_t)(int16_t)a >> (most > 63 ? 63 : most)));
    uint64_t pair = (uint64_t)high << 32 | low;
    uint32_t wrapped = amount & 31, clamped = amount > 32 ? 32 : amount;
    ck_assert_uint_eq(emu_shf_l(low, high, amount, false), (uint32_t)(pair << wrapped >> 32));
    ck_assert_uint_eq(emu_shf_l(low, high, amount, true), (uint32_t)(pair << clamped >> 32));
    ck_assert_uint_eq(emu_shf_r(low, high, amount, false), (uint32_t)(pair >> wrapped));
    ck_assert_uint_eq(emu_shf_r(low, high, amount, true), (uint32_t)(pair >> clamped));
  }
}
END_TEST

START_TEST(products) {
  numbers_seed();
  for (int n = 0; n < rounds; n++) {
    uint64_t a = random_bits(), b = random_bits();
    if (n & 1) a = 0 - a;
    if (n & 2) b = 0 - b;
    ck_assert_uint_eq(emu_mulhi_u64(a, b), (uint64_t)((u128)a * b >> 64));
    ck_assert_uint_eq(emu_mulhi_s64(a, b), (uint64_t)((s128)(int64_t)a * (int64_t)b >> 64));
    int64_t x = (int64_t)(a << 40) >> 40, y = (int64_t)(b << 40) >> 40;
    ck_assert_uint_eq(emu_mul24_s32((uint32_t)a, (uint32_t)b), (uint64_t)(x * y));
    uint32_t sum = 7, low = (uint32_t)a, high = (uint32_t)b;
    for (int i = 0; i < 4; i++) {
      sum += (uint32_t)((int8_t)(low >> 8 * i) * (int)(uint8_t)(high >> 8 * i));
    }
    ck_assert_uint_eq(emu_dp4a(low, high, 7, true, false), sum);
    sum = (uint32_t)((int16_t)low * (int)(int8_t)(high >> 16)) +
          (uint32_t)((int16_t)(low >> 16) * (int)(int8_t)(high >> 24));
    ck_assert_uint_eq(emu_dp2a(low, high, 0, true, true, true), sum);
  }
}
END_TEST

START_TEST(division) {
  ck_assert_uint_eq(emu_div_s32(0x80000000, 0xffffffff), 0x80000000);
  ck_assert_uint_eq(emu_rem_s32(0x80000000, 0xffffffff), 0);
  ck_assert_uint_eq(emu_div_s32(7, 0), 0xffffffff);
  ck_assert_uint_eq(emu_rem_u64(7, 0), UINT64_MAX);
  ck_assert_uint_eq(emu_div_s16(0x8000, 0xffff), 0x8000);
  ck_assert_uint_eq(emu_rem_s64((uint64_t)-7, 2), UINT64_MAX);
}
END_TEST

START_TEST(halves) {
  ck_assert_uint_eq(emu_add_16x2(0xffffffff, 0x00010001), 0);
  ck_assert_uint_eq(emu_add_16x2(0x0001ffff, 0x00000001), 0x00010000);
  ck_assert_uint_eq(emu_min_s16x2(0x8000ffff, 0x00010001), 0x8000ffff);
  ck_assert_uint_eq(emu_min_u16x2(0x8000ffff, 0x00010001), 0x00010001);
  ck_assert_uint_eq(emu_max_s16x2(0x8000ffff, 0), 0);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("integer");
  TCase *t = tcase_create("integer");
  tcase_set_timeout(t, 0);
  tcase_add_test(t, bit_fields);
  tcase_add_test(t, single_bits);
  tcase_add_test(t, all_tables_of_lop3);
  tcase_add_test(t, shifts);
  tcase_add_test(t, products);
  tcase_add_test(t, division);
  tcase_add_test(t, halves);
  suite_add_tcase(suite, t);
  return run_suite(suite);
}
