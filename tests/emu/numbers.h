/* Random and special operands, and references, for the tests of the emulator's arithmetic. */
#ifndef GG_TESTS_EMU_NUMBERS_H
#define GG_TESTS_EMU_NUMBERS_H

#include "emu/number/format.h"

/* The seed is printed once; GEMMGEN_SEED sets another. */
void numbers_seed(void);
uint64_t numbers_random(void); /* splitmix64 */

/* A pattern of `f`: often special, often near another exponent's edge, else any. */
uint64_t numbers_operand(const emu_format *f);

/* The value of a pattern that is a finite number, from its definition. */
double numbers_value(const emu_format *f, uint64_t bits);

/* x, a finite number, in format `f` by search among all its patterns: of at most 16 bits. */
uint64_t numbers_nearest(const emu_format *f, double x, unsigned how);

#endif
