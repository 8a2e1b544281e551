/* The declarations of a text's outermost level, and the functions and methods of the text. */
#ifndef GG_SPECIALISE_ITEMS_H
#define GG_SPECIALISE_ITEMS_H

#include "specialise/tokens.h"

typedef enum gg_item_kind {
  GG_ITEM_FUNCTION,
  GG_ITEM_KERNEL,   /* everything else is kept for its sake */
  GG_ITEM_CONSTANT, /* one declarator of `constexpr int a = 1, b = 2;` */
  GG_ITEM_TYPE,     /* a struct, an alias */
  GG_ITEM_MEMBER,   /* one declarator of `static constexpr int a = 1, b = 2;` in a struct */
  GG_ITEM_ASSERT,
  GG_ITEM_HEADING, /* a comment line that is a title: // ---- Title ---- */
  GG_ITEM_REMARK,  /* another comment that stands alone */
} gg_item_kind;

typedef struct gg_item {
  gg_item_kind kind;
  int first, last; /* places of its tokens, without the comment in front */
  int name;        /* place of the token that names it; -1: it is an operator or has no name */
  int body;        /* of a function: place of its `{`; of a constant: of its value; else -1 */
  int statement;   /* of a constant or member: place where its declaring statement begins */
  int owner;       /* of a member: index of the struct's item */
  bool dead;
} gg_item;

/* A function of the text, or a method of one of its structs, that has a name. All but `method` are
 * places of tokens. */
typedef struct gg_function {
  int first, last; /* from its `template`, if it has one, to its `}` */
  int name;        /* of its name */
  int open;        /* the `(` of its list of parameters */
  int body;        /* its `{` */
  int angle;       /* the `<` of its list of template parameters; -1: none */
  bool method;
} gg_function;

typedef struct gg_items {
  gg_item *at;
  int count;
  gg_function *functions;
  int function_count;
} gg_items;

gg_status gg_items_find(gg_items *out, gg_tokens *tokens, gg_error *err);

/* Takes the item out of the text, with the comments that belong to it. */
void gg_item_remove(gg_tokens *tokens, gg_item *item);

#endif
