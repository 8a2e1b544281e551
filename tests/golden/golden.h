/* Golden cases: one JSON object a line, results of the real CuTe (see tests/golden/README.md).
 * A JSON line is a YAML flow mapping, so libyaml, which the generator needs anyway, reads it. */
#ifndef GG_TESTS_GOLDEN_H
#define GG_TESTS_GOLDEN_H

#include <stdbool.h>
#include <yaml.h>

#include "calculator/expr.h"

typedef struct golden_case {
  yaml_document_t document;
  const char *file;
  int line;
  const char *op;
} golden_case;

typedef enum golden_verdict {
  GOLDEN_PASSED,
  GOLDEN_EQUAL, /* passed as a function: another text, the same map */
  GOLDEN_FAILED,
} golden_verdict;

/* Fields. A node of the document, or NULL; the text of a scalar, or NULL; an item of a list. */
yaml_node_t *golden_field(golden_case *c, const char *name);
yaml_node_t *golden_member(golden_case *c, yaml_node_t *mapping, const char *name);
yaml_node_t *golden_item(golden_case *c, yaml_node_t *sequence, int index);
int golden_count(const yaml_node_t *sequence);
const char *golden_scalar(const yaml_node_t *node);
const char *golden_text(golden_case *c, const char *field);
/* Input `index` as text; NULL past the last, or where it is an object. */
const char *golden_input(golden_case *c, int index);
int golden_inputs(golden_case *c);

/* Whether the value has the map of `out`, a layout's text. */
bool golden_same_function(const char *out, const gg_value *value, gg_arena *arena);
/* Whether the value has the case's map or probe; true where the case has neither. */
bool golden_same_points(golden_case *c, const gg_value *value);
/* Judges a value by the case's out, size, base and map; appends it to *got. */
golden_verdict golden_judge_value(golden_case *c, const gg_value *value, gg_notation notation,
                                  gg_arena *arena, gg_str *got);

/* The atoms' cases (mma_atoms, copy_atoms, tmem, and partitions by them in tensor), and the
 * descriptors' (umma_desc) and D's in tensor memory: each sets *verdict, and *got where it failed,
 * and gives true; false where the op is not of theirs. */
bool golden_eval_atoms(golden_case *c, golden_verdict *verdict, gg_str *got);
bool golden_eval_descriptors(golden_case *c, golden_verdict *verdict, gg_str *got);

#endif
