/* From YAML nodes to fields of a spec: how each kind of key reads its value. Internal to gen/spec.
 */
#ifndef GG_SPEC_PARSE_H
#define GG_SPEC_PARSE_H

#include "base/yaml.h"
#include "spec/keys.h"

typedef struct gg_reader {
  gg_arena *arena;  /* holds what fields point to */
  const char *file; /* for marks */
  gg_error *err;
} gg_reader;

/* The field of a key. */
static inline gg_spec_field *gg_spec_field_of(gg_spec *spec, const gg_key *key) {
  return (gg_spec_field *)((char *)spec + key->offset);
}

/* Reads a whole document except its sweep. Keys that are absent get the mark of the mapping that
 * could contain them. */
gg_status gg_spec_read_all(const gg_reader *in, gg_spec *spec, const gg_yaml_node *root);

/* Reads the value of `key`, and of all keys below it, into `spec`. */
gg_status gg_spec_read(const gg_reader *in, gg_spec *spec, const gg_key *key,
                       const gg_yaml_node *node);

/* Reads the value of a key that has no keys below it into one field. */
gg_status gg_value_read(const gg_reader *in, gg_spec_field *field, const gg_key *key,
                        const gg_yaml_node *node);

/* Reads the list of operations. */
gg_status gg_epilogue_read(const gg_reader *in, gg_spec *spec, const gg_key *key,
                           const gg_yaml_node *node);

/* Checks what concerns several keys: required keys must be there, and C and the epilogue must
 * agree. */
gg_status gg_spec_check(const gg_reader *in, const gg_spec *spec);

/* Sets a field's state and mark, and its text if the node is a scalar. */
gg_status gg_field_set(const gg_reader *in, gg_spec_field *field, gg_spec_state state,
                       const gg_yaml_node *node);

/* Fails with SPEC_TYPE: says what the key takes, and what stands there instead. */
gg_status gg_fail_type(const gg_reader *in, const gg_key *key, const gg_yaml_node *node);

/* Fails with SPEC_KEY at the node's key. `near` must have been shown the keys that exist. If none
 * is close, the message ends with `advice`, which is freed. */
gg_status gg_fail_key(const gg_reader *in, const gg_yaml_node *node, gg_near *near, gg_str *advice);

/* Fails with SPEC_CHOICE at `mark`. `near` must have been shown the words that exist; `words` lists
 * them. */
gg_status gg_fail_choice(const gg_reader *in, const gg_mark *mark, const gg_near *near,
                         const gg_str *words);

/* Why a text cannot be the name of a kernel; NULL if it can. */
const char *gg_name_complaint(const char *name);

/* Whether a node is the scalar `word`, quoted or not. */
bool gg_node_is(const gg_yaml_node *node, const char *word);

/* Reads a file's specs: the document itself, or the product of its sweep, as an array in the arena.
 */
gg_status gg_sweep_read(const gg_reader *in, gg_spec **out, size_t *count,
                        const gg_yaml_node *root);

/* Reads only spec number `index` of a file that was read completely before and has not changed
 * since; *count is 0 if there are not so many. The name of its variant is not made distinct from
 * others with the same spelling. */
gg_status gg_sweep_read_one(const gg_reader *in, gg_spec **out, size_t *count, size_t index,
                            const gg_yaml_node *root);

/* gg_spec_file_parse for that one spec, which is then the file's only one. */
gg_status gg_spec_file_parse_one(gg_spec_file **out, const char *text, size_t length,
                                 const char *name, size_t index, gg_error *err);

#endif
