/* From nodes to fields: how each kind of key reads its value. Internal to gen/spec. */
#ifndef GG_SPEC_PARSE_H
#define GG_SPEC_PARSE_H

#include "base/yaml.h"
#include "spec/keys.h"

typedef struct gg_reader {
  gg_arena *arena;  /* of what fields point to */
  const char *file; /* for marks */
  gg_error *err;
} gg_reader;

/* The field of a key. */
static inline gg_spec_field *gg_spec_field_of(gg_spec *spec, const gg_key *key) {
  return (gg_spec_field *)((char *)spec + key->offset);
}

/* Reads a whole document but its sweep. Keys that are absent are marked with the place of the
 * mapping that could have them. */
gg_status gg_spec_read_all(const gg_reader *in, gg_spec *spec, const gg_yaml_node *root);

/* Reads the value of `key`, and of all keys below it, into `spec`. */
gg_status gg_spec_read(const gg_reader *in, gg_spec *spec, const gg_key *key,
                       const gg_yaml_node *node);

/* Reads the value of a key without keys below it into one field. */
gg_status gg_value_read(const gg_reader *in, gg_spec_field *field, const gg_key *key,
                        const gg_yaml_node *node);

/* Reads the list of operations. */
gg_status gg_epilogue_read(const gg_reader *in, gg_spec *spec, const gg_key *key,
                           const gg_yaml_node *node);

/* What concerns several keys: required keys are there, C and the epilogue agree. */
gg_status gg_spec_check(const gg_reader *in, const gg_spec *spec);

/* Sets state, mark and, for a scalar, text. */
gg_status gg_field_set(const gg_reader *in, gg_spec_field *field, gg_spec_state state,
                       const gg_yaml_node *node);

/* Fails with SPEC_TYPE: what the key takes, what stands there. */
gg_status gg_fail_type(const gg_reader *in, const gg_key *key, const gg_yaml_node *node);

/* Fails with SPEC_KEY at the node's key; `near` has been shown the keys there are. Where none is
 * near the message ends with `advice`, which is freed. */
gg_status gg_fail_key(const gg_reader *in, const gg_yaml_node *node, gg_near *near, gg_str *advice);

/* Fails with SPEC_CHOICE at `mark`; `near` and `words` have been shown the words there are. */
gg_status gg_fail_choice(const gg_reader *in, const gg_mark *mark, const gg_near *near,
                         const gg_str *words);

/* Why a text cannot be the name of a kernel; NULL where it can. */
const char *gg_name_complaint(const char *name);

/* Whether a node is this word, quoted or not. */
bool gg_node_is(const gg_yaml_node *node, const char *word);

/* A file's specs: the document itself, or the product of its sweep, in an array in the arena. */
gg_status gg_sweep_read(const gg_reader *in, gg_spec **out, size_t *count,
                        const gg_yaml_node *root);

/* The same of one of them alone, for a file that was read whole before and is as it was: none where
 * there are not as many. Its variant is not told apart from others of that spelling. */
gg_status gg_sweep_read_one(const gg_reader *in, gg_spec **out, size_t *count, size_t index,
                            const gg_yaml_node *root);

/* gg_spec_file_parse of that one: the file's only spec. */
gg_status gg_spec_file_parse_one(gg_spec_file **out, const char *text, size_t length,
                                 const char *name, size_t index, gg_error *err);

#endif
