/* What things in the timeline are called.
 *
 * Whoever launches a kernel may name parts of its shared memory, groups of its warps and its named
 * barriers (emu_launch_config.names). What has no such name gets one that any PTX gives: an
 * mbarrier that of the .shared variable that it is in, else its number in the order of
 * initialisation; a warp its index. */
#include <inttypes.h>
#include <string.h>

#include "emu/async/mbarrier.h"
#include "emu/trace.h"

/* Puts what the kernel's number `value` of a kind is called; false where it has no name. */
static bool put_name(gg_str *out, const emu_run *run, gg_part_kind what, uint32_t value) {
  const emu_launch_config *config = run->config;
  return gg_part_name_put(out, config->names, config->name_count, run->kernel->facts.name, what,
                          value);
}

void emu_name_cta(gg_str *out, const emu_cta *cta) {
  const emu_run *run = cta->cluster->run;
  gg_str_puts(out, run->kernel->facts.name);
  if (run->config->label) gg_str_printf(out, ", %s", run->config->label);
  gg_str_printf(out, ": CTA (%u, %u, %u)", cta->id[0], cta->id[1], cta->id[2]);
}

static bool put_role(gg_str *out, const emu_warp *warp) {
  return put_name(out, warp->cta->cluster->run, GG_PART_WARPS, (uint32_t)warp->index);
}

void emu_name_warp(gg_str *out, const emu_warp *warp) {
  if (put_role(out, warp)) gg_str_puts(out, ", ");
  gg_str_printf(out, "warp %d", warp->index);
}

/* The static .shared variable at an offset, and where in it that is. */
static const ptx_variable *variable_at(uint32_t *within, const emu_kernel *kernel,
                                       uint32_t offset) {
  const emu_module *module = kernel->function->module;
  for (uint32_t i = 0; i < module->shared_count; i++) {
    const ptx_variable *variable = module->shared[i].ptx;
    uint32_t begin = kernel->shared[i];
    if (begin == EMU_UNUSED || variable->unsized || offset < begin) continue;
    *within = offset - begin;
    if (*within < variable->bytes) return variable;
  }
  return NULL;
}

void emu_name_part(gg_str *out, const emu_warp *warp, uint32_t offset) {
  put_name(out, warp->cta->cluster->run, GG_PART_SHARED, offset);
}

static void put_mbarrier(gg_str *out, const emu_run *run, const emu_mbarrier *barrier) {
  uint32_t within, offset = (uint32_t)barrier->place.offset;
  if (put_name(out, run, GG_PART_SHARED, offset)) return;
  const ptx_variable *variable = variable_at(&within, run->kernel, offset);
  if (variable) {
    gg_str_puts(out, variable->name);
    if (variable->bytes > 8) gg_str_printf(out, "[%" PRIu32 "]", within / 8);
  } else {
    gg_str_printf(out, "mbarrier %" PRIu32, barrier->number);
  }
}

static void put_barrier(gg_str *out, const emu_run *run, uint32_t number) {
  if (!put_name(out, run, GG_PART_BARRIERS, number)) gg_str_printf(out, "barrier %" PRIu32, number);
}

const emu_mbarrier *emu_trace_mbarrier(const emu_warp *warp, const emu_slice *slice) {
  bool one = slice->op->kind == EMU_KIND_MBARRIER && slice->waits_for;
  return one && slice->waits_for != emu_mbarriers_of(warp->cta->cluster) ? slice->waits_for : NULL;
}

void emu_name_slice(gg_str *out, const emu_warp *warp, const emu_slice *slice) {
  const emu_cta *cta = warp->cta;
  const emu_run *run = cta->cluster->run;
  if (!slice->waits_for) {
    if (!put_role(out, warp)) gg_str_puts(out, "runs");
    return;
  }
  int number = emu_barrier_number(cta, slice->waits_for);
  if (number >= 0) {
    put_barrier(out, run, (uint32_t)number);
    return;
  }
  const emu_mbarrier *barrier = emu_trace_mbarrier(warp, slice);
  if (barrier) {
    put_mbarrier(out, run, barrier);
  } else {
    gg_str_puts(out, slice->op->ptx ? slice->op->ptx->form->text : "ret");
  }
}

/* The shape of a product; else the words up to the first space, which is where a copy goes. */
static void put_operation(gg_str *out, const ptx_form *form, bool into_barrier) {
  for (uint32_t i = 0; i < form->modifier_count; i++) {
    const char *word = form->modifiers[i];
    if (word[0] != 'm' || word[1] < '0' || word[1] > '9') continue;
    gg_str_puts(out, word);
    return;
  }
  gg_str_puts(out, form->opcode);
  for (uint32_t i = 0; i < form->modifier_count; i++) {
    const char *word = form->modifiers[i];
    bool space = !strncmp(word, "shared", 6) || !strncmp(word, "global", 6);
    if (space && !into_barrier) gg_str_printf(out, " to %s", word);
    if (space) return;
    gg_str_printf(out, ".%s", word);
  }
}

void emu_name_landed(gg_str *out, const emu_warp *warp, const emu_landed *l) {
  if (l->count > 1) gg_str_printf(out, "%" PRIu32 " ", l->count);
  put_operation(out, l->op->ptx->form, l->completes);
  if (l->words.shape[0]) gg_str_printf(out, " %s", l->words.shape);
  if (!l->completes) return;
  gg_str_puts(out, ", ");
  put_mbarrier(out, warp->cta->cluster->run, l->completes);
}

void emu_name_source(gg_str *out, const emu_warp *warp, const emu_op *op) {
  const ptx_loc *loc = op->ptx->loc;
  if (!loc) return;
  const char *path =
      ptx_file_path(warp->cta->cluster->run->kernel->function->module->ptx, loc->file);
  const char *slash = path ? strrchr(path, '/') : NULL;
  gg_str_printf(out, "%s:%" PRIu32, slash ? slash + 1 : path ? path : "?", loc->line);
}
