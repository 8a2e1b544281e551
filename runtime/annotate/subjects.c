#include <stdlib.h>
#include <string.h>

#include "annotate/about.h"
#include "annotate/annotate.h"

typedef struct finder {
  kernel_ptx ptx;
  gg_subject *list;
  size_t count;
} finder;

static const char *word_of(const gg_operand_row *row) {
  if (!row) return NULL;
  return row->id == GG_OPERAND_EXTRA ? "extra" : gg_operand_word(row->id);
}

static void find(void *user, uint32_t index) {
  finder *f = user;
  const ptx_instruction *instruction = &f->ptx.function->instructions[index];
  about of;
  about_instruction(&of, &f->ptx, instruction);
  const operand_place *stage = of.memory.operand ? &of.memory : &of.descriptors[0];
  gg_subject found = {.line = (int)instruction->place.line};
  if (of.barrier.operand)
    found.ring = of.barrier.at.ring;
  else if (stage->operand)
    found.ring = stage->at.ring;
  int parameter = of.map >= 0 ? of.map : of.pointer;
  found.operand = about_operand_word(&f->ptx, parameter);
  if (!found.operand && stage->operand) found.operand = word_of(stage->at.operand);
  if (found.ring || found.operand) f->list[f->count++] = found;
}

static int by_line(const void *left, const void *right) {
  const gg_subject *a = left, *b = right;
  return (a->line > b->line) - (a->line < b->line);
}

gg_status gg_subjects_find(const gg_subject **out, size_t *count, gg_arena *arena,
                           const gg_plan *plan, const gg_layouts *layouts, const char *ptx,
                           gg_error *err) {
  finder f = {.count = 0};
  gg_status st = kernel_ptx_open(&f.ptx, plan, layouts, ptx, strlen(ptx), err);
  *out = NULL, *count = 0;
  if (!st && f.ptx.function) {
    f.list = GG_ARENA_ARRAY(arena, gg_subject, (size_t)f.ptx.function->instruction_count + 1);
    st = f.list ? flow_visit(f.ptx.flow, find, &f, err) : gg_fail(err, MEMORY, NULL, "");
    if (!st) {
      qsort(f.list, f.count, sizeof *f.list, by_line);
      *out = f.list, *count = f.count;
    }
  }
  kernel_ptx_close(&f.ptx);
  return st;
}
