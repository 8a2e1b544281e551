#include "remembered.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "choice/form.h"
#include "context.h"
#include "fingerprint.h"
#include "jit.h"

gg_status gg_remembered_open(gg_remembered *out, const gg_context *context,
                             const gg_roster_source *source, gg_error *err) {
  const gg_device_facts *facts = &context->facts;
  *out = (gg_remembered){.cache = context->compiler ? &context->compiler->cache : NULL};
  /* The compiler matters for a choice, because kernels that spill are not chosen. */
  const gg_compiler_facts *compiler = gg_compiler_facts_of(context->compiler);
  gg_str_printf(&out->device, "%s, sm_%d, %d multiprocessors, NVRTC %d", facts->name, facts->arch,
                facts->sm_count, compiler ? compiler->nvrtc_version : 0);
  gg_packs_identity(&out->packs, &source->packs);
  bool failed = out->device.failed || out->packs.failed;
  return failed ? gg_fail(err, MEMORY, NULL, "") : GG_OK;
}

void gg_remembered_close(gg_remembered *remembered) {
  gg_str_free(&remembered->device);
  gg_str_free(&remembered->packs);
}

/* False: the form has no name, or memory is out. */
static bool key_of(gg_cache_key *out, const gg_remembered *remembered, gg_remembered_how how,
                   const gg_form *form, const gg_problem *p) {
  gg_str name = GG_STR_INIT;
  char extents[192], kind[32] = "choice";
  if (how.measured) snprintf(kind, sizeof kind, "measured %d", how.measured);
  snprintf(extents, sizeof extents,
           "%" PRId64 "x%" PRId64 "x%" PRId64 ",b%" PRId64 ",w%" PRId64 ",p%" PRId64, p->m, p->n,
           p->k, p->batch, p->workspace_bytes, p->multiprocessors);
  bool ok = remembered->cache && gg_form_full_name(&name, form, NULL) == GG_OK;
  if (ok) {
    const char *texts[] = {kind,
                           gg_fingerprint,
                           gg_str_text(&remembered->device),
                           how.packed ? gg_str_text(&remembered->packs) : "catalogue",
                           gg_str_text(&name),
                           extents};
    *out = gg_cache_key_of(texts, sizeof texts / sizeof *texts);
  }
  gg_str_free(&name);
  return ok;
}

bool gg_remembered_find(gg_remembered_choice *out, const gg_remembered *remembered,
                        gg_remembered_how how, const gg_form *form, const gg_problem *problem) {
  gg_cache_key key;
  gg_str text = GG_STR_INIT;
  unsigned file, spec, apart;
  uint64_t bits;
  bool found = key_of(&key, remembered, how, form, problem) &&
               gg_cache_recall(&text, remembered->cache, &key) &&
               sscanf(gg_str_text(&text), "%u %u %" SCNx64 " %u", &file, &spec, &bits, &apart) == 4;
  if (found) {
    out->place = (gg_catalogue_place){(uint16_t)file, (uint16_t)spec};
    memcpy(&out->seconds, &bits, sizeof bits);
    out->apart = apart != 0;
  }
  gg_str_free(&text);
  return found;
}

/* Seconds are written as their bits, because a locale may have another decimal point. */
void gg_remembered_add(const gg_remembered *remembered, gg_remembered_how how, const gg_form *form,
                       const gg_problem *problem, const gg_remembered_choice *choice) {
  gg_cache_key key;
  gg_str text = GG_STR_INIT;
  uint64_t bits;
  memcpy(&bits, &choice->seconds, sizeof bits);
  gg_str_printf(&text, "%u %u %" PRIx64 " %d", choice->place.file, choice->place.spec, bits,
                choice->apart);
  if (!text.failed && key_of(&key, remembered, how, form, problem))
    gg_cache_remember(remembered->cache, &key, &text);
  gg_str_free(&text);
}
