/* Runs the passes until none has anything left to do. */
#include "specialise/specialise.h"

#include "specialise/flow.h"
#include "specialise/fold.h"
#include "specialise/functions.h"
#include "specialise/prune.h"

enum { ROUNDS_MAX = 100 }; /* ends what would not end by itself */

/* Whether the item's text was changed since it was folded: nothing else makes more known. */
static bool is_fresh(gg_tokens *tokens, const gg_item *item) {
  bool fresh = false;
  for (int at = item->first; at <= item->last; at++) {
    fresh = fresh || tokens->at[at].fresh;
    tokens->at[at].fresh = false;
  }
  return fresh;
}

static bool fold_items(gg_tokens *tokens, const gg_items *items, bool all) {
  bool changed = false;
  gg_fold_constants(tokens, items);
  for (int i = 0; i < items->count; i++) {
    const gg_item *item = &items->at[i];
    bool has_code = item->kind <= GG_ITEM_TYPE && !item->dead;
    if (has_code && (is_fresh(tokens, item) || all))
      changed = gg_fold_item(tokens, item) || changed;
  }
  return changed;
}

static bool run_passes(gg_tokens *tokens, gg_items *items, bool first) {
  bool changed = first && gg_prune(tokens, items); /* the less there is to fold */
  changed = fold_items(tokens, items, first) || changed;
  changed = gg_prune(tokens, items) || changed;
  changed = gg_remove_methods(tokens, items) || changed;
  changed = gg_settle_templates(tokens, items) || changed;
  changed = gg_remove_parameters(tokens, items) || changed;
  changed = gg_remove_empty(tokens, items) || changed;
  changed = gg_remove_wrappers(tokens, items) || changed;
  return gg_remove_locals(tokens, items) || changed;
}

static gg_status specialise(gg_str *out, gg_arena *arena, const char *text, size_t length,
                            gg_error *err) {
  gg_tokens tokens;
  gg_items items;
  gg_status st = gg_tokens_read(&tokens, arena, text, length, err);
  if (st == GG_OK) st = gg_items_find(&items, &tokens, err);
  if (st) return st;
  for (int round = 0; round < ROUNDS_MAX && run_passes(&tokens, &items, round == 0); round++)
    ;
  if (tokens.failed) return gg_fail(err, MEMORY, NULL, "");
  gg_flow(&tokens);
  gg_tokens_write(out, &tokens);
  return GG_OK;
}

gg_status gg_specialise(gg_str *out, const char *text, size_t length, gg_error *err) {
  gg_arena arena = GG_ARENA_INIT;
  gg_status st = specialise(out, &arena, text, length, err);
  gg_arena_free(&arena);
  return st;
}
