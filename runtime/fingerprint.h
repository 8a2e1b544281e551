/* Which library this is: a SHA-256, in hexadecimal, of the sources that decide which kernel a
 * product gets and what its text is (scripts/fingerprint.sh). Choices on disk, and packs, name
 * kernels by their place in the catalogue, and are valid only for the library with this value. */
#ifndef GG_RUNTIME_FINGERPRINT_H
#define GG_RUNTIME_FINGERPRINT_H

enum { GG_FINGERPRINT_DIGITS = 64 };

extern const char gg_fingerprint[GG_FINGERPRINT_DIGITS + 1];

#endif
