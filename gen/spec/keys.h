/* The keys of a spec: the table keys.def as data. The parser uses it to read values and the
 * references use it to describe them, so neither can know a key that the other does not. */
#ifndef GG_SPEC_KEYS_H
#define GG_SPEC_KEYS_H

#include "base/near.h"
#include "spec/spec.h"

typedef enum gg_key_kind {
  GG_KEY_NAME,   /* a C identifier */
  GG_KEY_ARCH,   /* a word of archs.def */
  GG_KEY_DTYPE,  /* a word of dtypes.def */
  GG_KEY_CHOICE, /* a word of the key's set */
  GG_KEY_INT,    /* a whole number, a multiple of `step` */
  GG_KEY_POW2,   /* a power of two */
  GG_KEY_REAL,   /* a decimal number, which becomes an f32 */
  GG_KEY_EXTENT, /* a whole number, or `dynamic` */
  GG_KEY_TEXT,   /* any text */
  GG_KEY_INT3,   /* three whole numbers */
  GG_KEY_MODES,  /* three values of the next kind */
  GG_KEY_MODE,   /* a whole number, `_` or a layout */
  GG_KEY_MAP,    /* the keys below it */
  GG_KEY_OPS,    /* operations of the epilogue */
  GG_KEY_SWEEP,  /* key paths, each with a list of values */
} gg_key_kind;

typedef enum gg_choice_set {
  GG_SET_BOOL,
  GG_SET_MAJOR,
  GG_SET_BITS,
  GG_SET_SWIZZLE,
  GG_SET_SOURCE,
  GG_SET_SCHEDULE,
  GG_SET_SCHEDULER,
  GG_SET_RASTER,
  GG_SET_NEIGHBOURS,
  GG_SET_ALONG,
  GG_SET_SCALARS,
  GG_SET_GELU,
  GG_SET_ACT,
  GG_SET_COLUMNS,
  GG_SET_STORE,
} gg_choice_set;

typedef struct gg_key {
  const char *path;
  gg_key_kind kind;
  size_t offset; /* of its gg_spec_field: in gg_spec, or, for an option of an operation, in
                  * gg_spec_op */
  const char *fallback;
  const char *help, *doc;
  int64_t low, high, step;
  gg_choice_set set;
  bool sums;
  const char *among, *shorthand, *families, *section; /* see keys.def; NULL if not given */
} gg_key;

/* The rows in the order of keys.def, ended by one whose path is NULL. */
extern const gg_key gg_keys[];

/* The row of a path of `length` bytes, or NULL. */
const gg_key *gg_key_find(const char *path, size_t length);

/* The `index`-th row directly below `parent` (NULL: at the top of a spec); NULL past the last. */
const gg_key *gg_key_child(const gg_key *parent, size_t index);

/* The row of the mapping that a row stands in; NULL at the top. */
const gg_key *gg_key_parent(const gg_key *key);

/* The last part of a key's path: "type" of "a.type". */
const char *gg_key_leaf(const gg_key *key);

/* Whether the value may be `auto`. A mapping may if each of its keys may. */
bool gg_key_takes_auto(const gg_key *key);

/* Whether `word` is in a list of words separated by blanks. A list that is NULL contains every
 * word. */
bool gg_is_among(const char *list, const char *word);

/* One word that a key's value may be. */
typedef struct gg_word {
  char text[24];
  int64_t value;    /* the enumerator; 0 for an architecture */
  const char *help; /* "" if the word needs no explanation */
} gg_word;

/* The `index`-th word of an ARCH, DTYPE or CHOICE key; false past the last and for other kinds. */
bool gg_key_word(gg_word *out, const gg_key *key, size_t index);

/* The word of a set that stands for an enumerator; "" if there is none. */
const char *gg_choice_word(gg_choice_set set, int value);

/* Appends a description of what the value may be: "a whole number from 1 to 64, or auto". */
void gg_key_expects(gg_str *out, const gg_key *key);

/* ---- Operations of the epilogue ------------------------------------------------------ */

typedef struct gg_op_info {
  const char *name;
  const char *meaning; /* what x becomes */
  const char *families;
} gg_op_info;

const gg_op_info *gg_op_info_of(gg_op_kind kind);

/* The `index`-th option of an operation, whose path is its name alone; NULL past the last. */
const gg_key *gg_op_option(gg_op_kind kind, size_t index);

/* ---- Near misses --------------------------------------------------------------------- */

/* Appends advice for someone who wrote `word` when no key of `parent` (NULL: of the spec, or of a
 * sweep) is close to it: the keys that exist, or where a key of this name stands. */
void gg_key_advise(gg_str *out, const gg_key *parent, const char *word);

/* Tries the paths of all keys, as sweeps write them. */
void gg_near_path(gg_near *near, const char *wanted);

/* Tries the words of a key: first a word that `wanted` stands for in other programs, then the
 * closest one. Suggests nothing if `wanted` is a valid word of ours that this key does not take:
 * that is no misspelling. */
void gg_near_word(gg_near *near, const char *wanted, const gg_key *key);

#endif
