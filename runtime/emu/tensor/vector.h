/* Numbers several at a time: the vector extensions of GNU C, which gcc and clang lower to what any
 * processor has. */
#ifndef GG_EMU_TENSOR_VECTOR_H
#define GG_EMU_TENSOR_VECTOR_H

#include <stdint.h>

typedef int16_t v4h __attribute__((vector_size(8)));
typedef float v4f __attribute__((vector_size(16)));
typedef int32_t v4i __attribute__((vector_size(16)));
typedef uint32_t v4u __attribute__((vector_size(16)));
typedef int16_t v8h __attribute__((vector_size(16)));
typedef float v8f __attribute__((vector_size(32)));
typedef int32_t v8i __attribute__((vector_size(32)));
typedef uint32_t v8u __attribute__((vector_size(32)));
typedef double v4d __attribute__((vector_size(32)));
typedef uint64_t v4l __attribute__((vector_size(32)));

/* where ? x : y, lane by lane */
#define CHOOSE(where, x, y) (((x) & (where)) | ((y) & ~(where)))

#endif
