/* Runs the passes until none has anything left to do. */
#include "specialise/specialise.h"

#include "specialise/flow.h"
#include "specialise/fold.h"
#include "specialise/functions.h"
#include "specialise/prune.h"

enum { ROUNDS_MAX = 100 }; /* a limit, should the passes never settle */

/* A pass that looks at what was changed in the pass numbered `since` or later. */
typedef bool pass(gg_tokens *tokens, gg_items *items, int since);

static pass *const passes[] = {
    gg_fold_items,        gg_prune,        gg_remove_methods,  gg_settle_templates,
    gg_remove_parameters, gg_remove_empty, gg_remove_wrappers, gg_remove_locals};

enum { PASSES = sizeof passes / sizeof *passes };

/* Runs each pass once. begun[i]: the number that pass i had when it ran last, before which it need
 * not look. */
static bool run_passes(gg_tokens *tokens, gg_items *items, int begun[PASSES]) {
  bool changed = false;
  for (int i = 0; i < PASSES; i++) {
    int since = begun[i];
    begun[i] = ++tokens->now;
    changed = passes[i](tokens, items, since) || changed;
  }
  return changed;
}

static gg_status specialise(gg_str *out, gg_arena *arena, const char *text, size_t length,
                            gg_error *err) {
  gg_tokens tokens;
  gg_items items;
  gg_status st = gg_tokens_read(&tokens, arena, text, length, err);
  if (st == GG_OK) st = gg_items_find(&items, &tokens, err);
  if (st) return st;
  int begun[PASSES] = {0};
  gg_prune(&tokens, &items, 0); /* leaves less to fold */
  for (int round = 0; round < ROUNDS_MAX && run_passes(&tokens, &items, begun); round++)
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
