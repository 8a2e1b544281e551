/* Fat binaries: what nvcc puts into a program, the same device code for several architectures, as
 * cubins (SASS) and as PTX. A fat binary is a header and entries one after the other; each entry is
 * a header of its own and the code, which is compressed by zstd (nvcc 12.4 and newer) or LZ4. */
#ifndef GG_EMU_CUDART_FATBIN_H
#define GG_EMU_CUDART_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FATBIN_WHY = 256, FATBIN_PTX_MAX = 32 };

typedef enum fatbin_coding { FATBIN_PLAIN, FATBIN_LZ4, FATBIN_ZSTD } fatbin_coding;

/* One entry that is PTX. */
typedef struct fatbin_ptx {
  unsigned arch; /* 90 of sm_90 and of sm_90a: the text has the whole target */
  fatbin_coding coding;
  const unsigned char *code;
  size_t stored; /* bytes of `code` */
  size_t bytes;  /* of the text */
} fatbin_ptx;

typedef struct fatbin {
  fatbin_ptx ptx[FATBIN_PTX_MAX]; /* the newest architecture first */
  size_t count;
  size_t cubins;
} fatbin;

/* Reads the entries of an image (a fat binary, or the wrapper that a program registers, which
 * points at one) that ends within `size` bytes; SIZE_MAX where only the image knows. False with
 * `why`, a sentence, where it is damaged. The entries point into the image. */
bool fatbin_read(fatbin *out, const void *image, size_t size, char why[FATBIN_WHY]);

/* The PTX as text with a NUL, to be freed; NULL with `why`. */
char *fatbin_text(const fatbin_ptx *ptx, char why[FATBIN_WHY]);

#endif
