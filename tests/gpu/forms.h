/* What the forms' parts share: forms.def as a list, operands, kernels, places to run them. */
#ifndef GG_TESTS_GPU_FORMS_H
#define GG_TESTS_GPU_FORMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

enum {
  FORM_BLOCK = 128,          /* threads of a CTA, of every form */
  FORM_MATRIX_A = 16 * 1024, /* bytes of a CTA's matrices in shared memory */
  FORM_MATRICES = 48 * 1024,
  FORM_OPERANDS_MAX = 16,
};

/* ---- Operands (forms_operands.c) ------------------------------------------------------ */

/* A register's contents: `packed` elements of `bits`. Floats have an exponent and a mantissa. */
typedef struct form_type {
  const char *name;
  char kind; /* f float, s and u integers, p predicate, q the same predicate in all threads,
                4 and 2 the metadata of 2:4 and 1:2 sparsity */
  int bits, packed;
  int exponent, mantissa;
} form_type;

const form_type *form_type_find(const char *name, size_t length);
int form_type_words(const form_type *type); /* of 32 bits */

typedef enum form_role { FORM_IN, FORM_OUT, FORM_INOUT, FORM_MEMORY, FORM_MATRIX } form_role;

typedef struct form_operand {
  form_role role;
  const form_type *type;
  int count;                    /* of a vector, or of elements in memory */
  bool vector;                  /* written in braces */
  uint32_t modulo;              /* of integers; 0: any */
  int below;                    /* floats stay under 2^below; INT_MAX: any */
  char matrix;                  /* A, B */
  int swizzle, leading, stride; /* bytes */
  size_t at, length;            /* where it stands in the form's text */
  int ordinal;                  /* among those that have values before the instruction */
  int in_word, out_word;        /* the first of its words among the thread's */
} form_operand;

/* ---- Forms (forms_table.c) ------------------------------------------------------------ */

typedef struct form {
  const char *group;
  int unit;      /* threads that act together */
  char *text;    /* the pattern with its choices made: the form's name */
  uint64_t seed; /* of its operands */
  form_operand operands[FORM_OPERANDS_MAX];
  int operand_count, ordinals;
  int in_words, out_words; /* of a thread */
  int memory_bytes;        /* of a thread, in global or shared memory */
  bool shared;             /* the memory is shared */
  bool matrices;           /* the CTA has matrices */
} form;

typedef struct form_list {
  form *forms;
  size_t count, capacity;
} form_list;

gg_status form_list_open(form_list *out, gg_error *err);
void form_list_close(form_list *list);

/* ---- One run of a form ---------------------------------------------------------------- */

/* Word w of thread t stands at [w * threads + t]; memory at [t * memory_bytes]; then, or alone,
 * a CTA's matrices. Results are `out`, and `memory` where there is a thread's memory. */
typedef struct form_data {
  unsigned threads; /* a multiple of FORM_BLOCK */
  uint32_t *in, *out;
  uint8_t *memory;
  size_t in_bytes, out_bytes, memory_bytes;
} form_data;

gg_status form_data_open(form_data *out, const form *f, unsigned threads, gg_error *err);
void form_data_close(form_data *data);

/* Results as words: the registers', then the memory's. */
size_t form_result_count(const form *f, const form_data *data);
uint32_t form_result(const form_data *data, size_t index);
/* Values that the form's threads start from. */
uint64_t form_operand_values(const form *f, unsigned threads);

/* The kernel, as a PTX module with the entry `form`. */
void form_ptx(gg_str *out, const form *f);

/* Where kernels run. */
typedef struct form_machine {
  const char *name;
  void *self;
  /* Runs the kernel over `data`. A form that the machine does not know is an error. */
  gg_status (*run)(void *self, const char *ptx, const form *f, form_data *data, gg_error *err);
  void (*close)(void *self);
} form_machine;

gg_status form_gpu_open(form_machine *out, gg_error *err);
gg_status form_emulator_open(form_machine *out, int threads, gg_error *err); /* 0: one a core */

#endif
