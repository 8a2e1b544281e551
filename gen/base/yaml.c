/* Makes the tree of yaml.h from libyaml's events.
 *
 * Events come one at a time and are placed with an explicit stack. Nothing here recurses as deep as
 * the input except the copying of an anchored value, whose depth the stack has already limited.
 * Nodes are counted as they are made, copies included, so that aliases of aliases cannot multiply
 * without limit.
 *
 * A key is held back until its value comes, and then becomes the value's name. libyaml counts lines
 * and columns from 0, in characters; ours start at 1. A table translates its messages into ours. */
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "base/yaml.h"

typedef struct anchor {
  const char *name;
  gg_yaml_node *node;
} anchor;

typedef struct builder {
  gg_arena *arena;
  const char *file;
  gg_error *err;
  gg_yaml_node *root;
  gg_yaml_node *stack[GG_YAML_DEPTH_MAX]; /* open collections, the innermost last */
  size_t depth;
  size_t nodes;
  const char *key; /* a key that was read and whose value is still to come */
  int key_line, key_column;
  anchor anchors[GG_YAML_ANCHORS_MAX];
  size_t anchor_count;
} builder;

static gg_mark mark_of(const builder *in, const yaml_mark_t *at) {
  return (gg_mark){.file = in->file, .line = (int)at->line + 1, .column = (int)at->column + 1};
}

/* ---- Building ------------------------------------------------------------------------ */

/* Adds a child of `parent` (NULL: the root). The caller sets its key and the key's place. */
static gg_status add_node(builder *in, gg_yaml_node **out, gg_yaml_node *parent, gg_yaml_kind kind,
                          const gg_mark *at) {
  if (in->nodes == GG_YAML_NODES_MAX) {
    return gg_fail(in->err, SPEC_LIMIT, at, "too many values", GG_YAML_NODES_MAX, "values");
  }
  gg_yaml_node *node = GG_ARENA_NEW(in->arena, gg_yaml_node);
  if (!node) return gg_fail(in->err, MEMORY, NULL, "");
  in->nodes++;
  node->kind = kind;
  node->line = at->line;
  node->column = at->column;
  node->parent = parent;
  if (parent) {
    node->index = parent->count++;
    if (parent->last) parent->last->next = node;
    if (!parent->first) parent->first = node;
    parent->last = node;
  }
  *out = node;
  return GG_OK;
}

static gg_yaml_node *top(const builder *in) {
  return in->depth ? in->stack[in->depth - 1] : NULL;
}

static bool wants_key(const builder *in) {
  return top(in) && top(in)->kind == GG_YAML_MAP && !in->key;
}

/* Adds a value at the current place, under the key that waits for one. */
static gg_status add_value(builder *in, gg_yaml_node **out, gg_yaml_kind kind, const gg_mark *at) {
  gg_status st = add_node(in, out, top(in), kind, at);
  if (st) return st;
  (*out)->key = in->key;
  (*out)->key_line = in->key_line;
  (*out)->key_column = in->key_column;
  in->key = NULL;
  if (!in->root) in->root = *out;
  return GG_OK;
}

static gg_status check_depth(const builder *in, size_t depth, const gg_mark *at) {
  if (depth < GG_YAML_DEPTH_MAX) return GG_OK;
  return gg_fail(in->err, SPEC_LIMIT, at, "nested too deep", GG_YAML_DEPTH_MAX, "levels");
}

static gg_status set_anchor(builder *in, const yaml_char_t *name, gg_yaml_node *node,
                            const gg_mark *at) {
  if (!name) return GG_OK;
  if (in->anchor_count == GG_YAML_ANCHORS_MAX) {
    return gg_fail(in->err, SPEC_LIMIT, at, "too many anchors", GG_YAML_ANCHORS_MAX, "anchors");
  }
  const char *copy = gg_arena_strndup(in->arena, (const char *)name, strlen((const char *)name));
  if (!copy) return gg_fail(in->err, MEMORY, NULL, "");
  in->anchors[in->anchor_count++] = (anchor){copy, node};
  return GG_OK;
}

static gg_status check_tag(const builder *in, const yaml_char_t *tag, const gg_mark *at) {
  if (!tag) return GG_OK;
  return gg_fail(in->err, SPEC_YAML, at, "tags", "each key knows the type of its value");
}

static gg_status set_key(builder *in, const yaml_event_t *event, const gg_mark *at) {
  const char *text = (const char *)event->data.scalar.value;
  size_t length = event->data.scalar.length;
  bool plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
  if (plain && strcmp(text, "<<") == 0) {
    return gg_fail(in->err, SPEC_YAML, at, "merge keys",
                   "write the keys out, or use an alias for a whole value");
  }
  char shown[GG_SHOWN_MAX];
  for (const gg_yaml_node *entry = top(in)->first; entry; entry = entry->next) {
    if (strcmp(entry->key, text) != 0) continue;
    gg_place place;
    gg_yaml_mark(&place, in->file, entry);
    gg_mark mark = *at;
    mark.path = place.path;
    return gg_fail(in->err, SPEC_DUPLICATE, &mark, gg_shown(shown, text), entry->key_line);
  }
  in->key = gg_arena_strndup(in->arena, text, length);
  if (!in->key) return gg_fail(in->err, MEMORY, NULL, "");
  in->key_line = at->line;
  in->key_column = at->column;
  return GG_OK;
}

static gg_status on_scalar(builder *in, const yaml_event_t *event, const gg_mark *at) {
  const char *text = (const char *)event->data.scalar.value;
  size_t length = event->data.scalar.length;
  gg_status st = check_tag(in, event->data.scalar.tag, at);
  if (st) return st;
  if (memchr(text, '\0', length)) {
    return gg_fail(in->err, SPEC_ENCODING, at, "the escape \\0 makes a NUL, which is not text");
  }
  if (wants_key(in)) {
    if (event->data.scalar.anchor) {
      return gg_fail(in->err, SPEC_YAML, at, "anchors on keys", "anchor the value");
    }
    return set_key(in, event, at);
  }
  gg_yaml_node *node;
  if ((st = add_value(in, &node, GG_YAML_SCALAR, at))) return st;
  node->text = gg_arena_strndup(in->arena, text, length);
  node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
  if (!node->text) return gg_fail(in->err, MEMORY, NULL, "");
  return set_anchor(in, event->data.scalar.anchor, node, at);
}

static gg_status on_open(builder *in, gg_yaml_kind kind, const yaml_char_t *tag,
                         const yaml_char_t *name, const gg_mark *at) {
  gg_yaml_node *node;
  gg_status st = check_tag(in, tag, at);
  if (st) return st;
  if (wants_key(in)) {
    return gg_fail(in->err, SPEC_YAML, at, "keys that are lists or mappings", "a key is a word");
  }
  if ((st = check_depth(in, in->depth, at))) return st;
  if ((st = add_value(in, &node, kind, at))) return st;
  in->stack[in->depth++] = node;
  return set_anchor(in, name, node, at);
}

/* ---- Aliases ------------------------------------------------------------------------- */

static gg_status copy_children(builder *in, gg_yaml_node *to, const gg_yaml_node *from,
                               size_t depth);

/* Makes `to` a copy of `from`. Its place in the file remains that of `from`; its path is its own.
 */
static gg_status copy_content(builder *in, gg_yaml_node *to, const gg_yaml_node *from,
                              size_t depth) {
  to->text = from->text;
  to->quoted = from->quoted;
  if (from->kind == GG_YAML_SCALAR) return GG_OK;
  gg_mark at = {.file = in->file, .line = from->line, .column = from->column};
  gg_status st = check_depth(in, depth, &at);
  return st ? st : copy_children(in, to, from, depth + 1);
}

static gg_status copy_children(builder *in, gg_yaml_node *to, const gg_yaml_node *from,
                               size_t depth) {
  for (const gg_yaml_node *child = from->first; child; child = child->next) {
    gg_yaml_node *copy;
    gg_mark at = {.file = in->file, .line = child->line, .column = child->column};
    gg_status st = add_node(in, &copy, to, child->kind, &at);
    if (st) return st;
    copy->key = child->key;
    copy->key_line = child->key_line;
    copy->key_column = child->key_column;
    if ((st = copy_content(in, copy, child, depth))) return st;
  }
  return GG_OK;
}

static bool is_open(const builder *in, const gg_yaml_node *node) {
  for (size_t i = 0; i < in->depth; i++) {
    if (in->stack[i] == node) return true;
  }
  return false;
}

static gg_status on_alias(builder *in, const yaml_event_t *event, const gg_mark *at) {
  const char *name = (const char *)event->data.alias.anchor;
  char shown[GG_SHOWN_MAX];
  if (wants_key(in)) {
    return gg_fail(in->err, SPEC_YAML, at, "aliases as keys", "a key is a word");
  }
  const gg_yaml_node *from = NULL;
  for (size_t i = in->anchor_count; i > 0 && !from; i--) {
    if (strcmp(in->anchors[i - 1].name, name) == 0) from = in->anchors[i - 1].node;
  }
  if (!from) {
    return gg_fail(in->err, SPEC_ALIAS, at, gg_shown(shown, name), "no anchor above it");
  }
  if (is_open(in, from)) {
    return gg_fail(in->err, SPEC_ALIAS, at, gg_shown(shown, name), "a value that contains it");
  }
  gg_yaml_node *node;
  gg_mark origin = {.file = in->file, .line = from->line, .column = from->column};
  gg_status st = add_value(in, &node, from->kind, &origin);
  return st ? st : copy_content(in, node, from, in->depth);
}

/* ---- libyaml's complaints ------------------------------------------------------------ */

static const struct complaint {
  const char *theirs, *ours;
} complaints[] = {
    {"mapping values are not allowed in this context",
     "a ':' cannot stand here; put a nested mapping on its own lines or in braces"},
    {"did not find expected key", "expected a 'key: value' at this indentation"},
    {"did not find expected '-' indicator", "expected a '- value' at this indentation"},
    {"did not find expected ',' or ']'", "expected ',' or ']'"},
    {"did not find expected ',' or '}'", "expected ',' or '}'"},
    {"did not find expected node content", "expected a value"},
    {"could not find expected ':'", "expected a ':' behind the key"},
    {"did not find expected <document start>", "unexpected text behind the end of the spec"},
    {"block sequence entries are not allowed in this context",
     "a '-' cannot stand here; put a list on its own lines or in brackets"},
    {"mapping keys are not allowed in this context", "a key cannot stand here"},
    {"found unexpected end of stream", "the text in quotes is never closed"},
    {"found unexpected document indicator", "the document ends inside a text in quotes"},
    {"found unknown escape character", "unknown escape after a backslash; in single quotes, "
                                       "backslashes stand for themselves"},
    {"found undefined tag handle", "tags are not supported"},
    {"found a tab character that violates indentation", "a tab cannot indent; use blanks"},
    {"found a tab character where an indentation space is expected",
     "a tab cannot indent; use blanks"},
    {"found incompatible YAML document", "this version of YAML is not known"},
};

/* The byte at a mark of libyaml's, whose index counts characters; '\0' at the end. */
static char byte_at(const char *text, size_t length, size_t characters) {
  size_t at = 0;
  while (at < length && characters-- > 0)
    at += gg_utf8_sequence(text + at, length - at);
  return at < length ? text[at] : '\0';
}

static gg_status syntax_error(builder *in, const yaml_parser_t *parser, const char *text,
                              size_t length) {
  if (parser->error == YAML_MEMORY_ERROR) return gg_fail(in->err, MEMORY, NULL, "");
  const char *theirs = parser->problem ? parser->problem : "the text is not YAML";
  char first = byte_at(text, length, parser->problem_mark.index);
  char message[256] = "";
  gg_mark mark = mark_of(in, &parser->problem_mark);
  if (strcmp(theirs, "found character that cannot start any token") == 0) {
    snprintf(message, sizeof message,
             first == '\t' ? "a tab cannot stand here; use blanks"
                           : "'%c' cannot start a value; put the value in quotes",
             first);
  }
  for (size_t i = 0; !message[0] && i < sizeof complaints / sizeof *complaints; i++) {
    if (strcmp(complaints[i].theirs, theirs) != 0) continue;
    snprintf(message, sizeof message, "%s", complaints[i].ours);
  }
  if (!message[0]) snprintf(message, sizeof message, "%s", theirs);
  bool is_key = parser->context && strcmp(parser->context, "while scanning a simple key") == 0;
  if (is_key || (first == '\0' && parser->context)) {
    mark = mark_of(in, &parser->context_mark); /* the key, or what the end of the file left open */
    char opened = byte_at(text, length, parser->context_mark.index);
    if (!is_key && (opened == '{' || opened == '['))
      snprintf(message, sizeof message, "the '%c' is never closed with a '%c'", opened,
               opened == '{' ? '}' : ']');
  } else if (parser->context && parser->context_mark.line != parser->problem_mark.line) {
    size_t at = strlen(message);
    snprintf(message + at, sizeof message - at, ", in the %s that starts on line %zu",
             strstr(parser->context, "sequence")  ? "list"
             : strstr(parser->context, "mapping") ? "mapping"
                                                  : "text",
             parser->context_mark.line + 1);
  }
  return gg_fail(in->err, SPEC_SYNTAX, &mark, message);
}

/* ---- The stream ---------------------------------------------------------------------- */

static gg_status on_event(builder *in, const yaml_event_t *event) {
  gg_mark at = mark_of(in, &event->start_mark);
  switch (event->type) {
  case YAML_SCALAR_EVENT:
    return on_scalar(in, event, &at);
  case YAML_ALIAS_EVENT:
    return on_alias(in, event, &at);
  case YAML_SEQUENCE_START_EVENT:
    return on_open(in, GG_YAML_LIST, event->data.sequence_start.tag,
                   event->data.sequence_start.anchor, &at);
  case YAML_MAPPING_START_EVENT:
    return on_open(in, GG_YAML_MAP, event->data.mapping_start.tag, event->data.mapping_start.anchor,
                   &at);
  case YAML_SEQUENCE_END_EVENT:
  case YAML_MAPPING_END_EVENT:
    in->depth--;
    return GG_OK;
  case YAML_DOCUMENT_START_EVENT:
    if (!in->root) return GG_OK;
    return gg_fail(in->err, SPEC_YAML, &at, "several documents",
                   "a file is one spec; `sweep:` makes many of one");
  default:
    return GG_OK;
  }
}

static gg_status check_root(const gg_yaml_node *root, const char *file, gg_error *err) {
  gg_mark mark = {.file = file, .line = 1, .column = 1};
  bool nothing =
      !root ||
      (root->kind == GG_YAML_SCALAR && !root->quoted &&
       (!root->text[0] || strcmp(root->text, "~") == 0 || strcmp(root->text, "null") == 0));
  if (nothing) return gg_fail(err, SPEC_EMPTY, &mark);
  if (root->kind == GG_YAML_MAP) return GG_OK;
  gg_place place;
  char shown[GG_SHOWN_MAX + 32];
  return gg_fail(err, SPEC_TYPE, gg_yaml_mark(&place, file, root),
                 "a mapping of keys, such as 'arch: sm_80'", gg_yaml_shown(shown, root));
}

gg_status gg_yaml_parse_value(const gg_yaml_node **out, gg_arena *arena, const char *text,
                              size_t length, const char *file, gg_error *err) {
  gg_mark start = {.file = file, .line = 0};
  if (length > GG_YAML_BYTES_MAX) {
    return gg_fail(err, SPEC_LIMIT, &start, "the text is too long", GG_YAML_BYTES_MAX, "bytes");
  }
  if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
    text += 3;
    length -= 3;
  }
  gg_status st = gg_text_check(text, length, file, err);
  if (st) return st;
  builder *in = GG_ARENA_NEW(arena, builder);
  yaml_parser_t parser;
  if (!in || !yaml_parser_initialize(&parser)) return gg_fail(err, MEMORY, NULL, "");
  *in = (builder){.arena = arena, .file = file, .err = err};
  yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
  for (bool done = false; !done && st == GG_OK;) {
    yaml_event_t event;
    if (!yaml_parser_parse(&parser, &event)) {
      st = syntax_error(in, &parser, text, length);
      break;
    }
    st = on_event(in, &event);
    done = event.type == YAML_STREAM_END_EVENT;
    yaml_event_delete(&event);
  }
  yaml_parser_delete(&parser);
  if (st == GG_OK) *out = in->root;
  return st;
}

gg_status gg_yaml_parse(const gg_yaml_node **out, gg_arena *arena, const char *text, size_t length,
                        const char *file, gg_error *err) {
  gg_status st = gg_yaml_parse_value(out, arena, text, length, file, err);
  return st ? st : check_root(*out, file, err);
}
