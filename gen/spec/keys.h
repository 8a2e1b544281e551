/* The keys of a spec: the table of keys.def as data. The parser walks it to read a value, the
 * references walk it to describe one, so that neither can know a key that the other does not. */
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
  GG_KEY_MODES,  /* three of the next */
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
  size_t offset; /* of its gg_spec_field: in gg_spec, for an option in gg_spec_op */
  const char *fallback;
  const char *help, *doc;
  int64_t low, high, step;
  gg_choice_set set;
  bool sums;
  const char *among, *shorthand, *families, *section; /* see keys.def; NULL where not given */
} gg_key;

/* The rows in the order of keys.def, ended by one whose path is NULL. */
extern const gg_key gg_keys[];

/* The row of a path of `length` bytes, or NULL. */
const gg_key *gg_key_find(const char *path, size_t length);

/* The `index`-th row right below `parent` (NULL: of the whole spec); NULL past the last. */
const gg_key *gg_key_child(const gg_key *parent, size_t index);

/* The mapping a row stands in, or NULL at the top. */
const gg_key *gg_key_parent(const gg_key *key);

/* "type" of "a.type". */
const char *gg_key_leaf(const gg_key *key);

/* Whether the value may be `auto`. A mapping may where each of its keys may. */
bool gg_key_takes_auto(const gg_key *key);

/* Whether `word` is in a list of words parted by blanks; a list that is NULL has every word. */
bool gg_is_among(const char *list, const char *word);

/* One word that a value may be. */
typedef struct gg_word {
  char text[24];
  int64_t value;    /* the enumerator; 0 for an architecture */
  const char *help; /* "" where the word says it all */
} gg_word;

/* The `index`-th word of an ARCH, DTYPE or CHOICE key; false past the last and for other kinds. */
bool gg_key_word(gg_word *out, const gg_key *key, size_t index);

/* The word of a set that stands for an enumerator; "" for none. */
const char *gg_choice_word(gg_choice_set set, int value);

/* Appends what a value may be: "a whole number from 1 to 64, or auto". */
void gg_key_expects(gg_str *out, const gg_key *key);

/* ---- Operations of the epilogue ------------------------------------------------------ */

typedef struct gg_op_info {
  const char *name;
  const char *meaning; /* what x becomes */
  const char *families;
} gg_op_info;

const gg_op_info *gg_op_info_of(gg_op_kind kind);

/* The `index`-th option of an operation, its path the name alone; NULL past the last. */
const gg_key *gg_op_option(gg_op_kind kind, size_t index);

/* ---- Near misses --------------------------------------------------------------------- */

/* Appends what helps who has written `word` where no key of `parent` (NULL: of the spec, or of a
 * sweep) is near: the keys that are there, or where one of this name is. */
void gg_key_advise(gg_str *out, const gg_key *parent, const char *word);

/* The path of a key, as sweeps have it, that is closest. */
void gg_near_path(gg_near *near, const char *wanted);

/* The word of a key that `wanted` stands for elsewhere, else the closest one; none where it is a
 * word of ours that this key does not take, which is no slip. */
void gg_near_word(gg_near *near, const char *wanted, const gg_key *key);

#endif
