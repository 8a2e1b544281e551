/* Which library this is: a SHA-256, in hexadecimal, of the sources that decide what kernel a
 * product gets and what its text is (scripts/fingerprint.sh). What is remembered on disk of choices
 * and of kernels by their place in the catalogue holds for that library alone. */
#ifndef GG_RUNTIME_FINGERPRINT_H
#define GG_RUNTIME_FINGERPRINT_H

enum { GG_FINGERPRINT_DIGITS = 64 };

extern const char gg_fingerprint[GG_FINGERPRINT_DIGITS + 1];

#endif
