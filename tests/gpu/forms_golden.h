/* What the hardware gave, as a file: a line a form, tab-separated.
 *
 *     form  sample's threads  hash of its results  all threads  hash of theirs  first results, hex
 *
 * The operands are not in it: they follow from the form (forms_operands.c). */
#ifndef GG_TESTS_GPU_FORMS_GOLDEN_H
#define GG_TESTS_GPU_FORMS_GOLDEN_H

#include "forms.h"

typedef struct form_golden {
  unsigned threads, all_threads;
  uint64_t hash, all_hash;
  uint32_t *words; /* the first results of the sample */
  size_t count;
} form_golden;

/* Appends the line of a form: results of a sample and of all. */
void form_golden_write(gg_str *out, const form *f, const form_data *sample, const form_data *all,
                       size_t words);

/* Finds the form's line in the text of a file; false where there is none. */
bool form_golden_find(form_golden *out, const char *text, const form *f);
void form_golden_close(form_golden *golden);

uint64_t form_hash(const form *f, const form_data *data);

#endif
