/* Reading golden cases. */
#include <string.h>

#include "golden.h"

const char *golden_scalar(const yaml_node_t *node) {
  return node && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

yaml_node_t *golden_member(golden_case *c, yaml_node_t *mapping, const char *name) {
  if (!mapping || mapping->type != YAML_MAPPING_NODE) return NULL;
  for (yaml_node_pair_t *pair = mapping->data.mapping.pairs.start;
       pair < mapping->data.mapping.pairs.top; pair++) {
    const char *key = golden_scalar(yaml_document_get_node(&c->document, pair->key));
    if (key && strcmp(key, name) == 0) return yaml_document_get_node(&c->document, pair->value);
  }
  return NULL;
}

yaml_node_t *golden_field(golden_case *c, const char *name) {
  return golden_member(c, yaml_document_get_root_node(&c->document), name);
}

int golden_count(const yaml_node_t *sequence) {
  if (!sequence || sequence->type != YAML_SEQUENCE_NODE) return 0;
  return (int)(sequence->data.sequence.items.top - sequence->data.sequence.items.start);
}

yaml_node_t *golden_item(golden_case *c, yaml_node_t *sequence, int index) {
  if (index >= golden_count(sequence)) return NULL;
  return yaml_document_get_node(&c->document, sequence->data.sequence.items.start[index]);
}

const char *golden_text(golden_case *c, const char *field) {
  return golden_scalar(golden_field(c, field));
}

int golden_inputs(golden_case *c) {
  return golden_count(golden_field(c, "in"));
}

const char *golden_input(golden_case *c, int index) {
  return golden_scalar(golden_item(c, golden_field(c, "in"), index));
}
