#include "cli/doctor_packs.h"

#include <string.h>

#include "base/alloc.h"
#include "base/paths.h"

/* ---- Opening ---------------------------------------------------------------------------- */

static gg_status open_pack(doctor_pack *pack, gg_path path, gg_error *err) {
  gg_error why = GG_ERROR_INIT;
  gg_str_append(&pack->path, path.text, path.length);
  if (pack->path.failed) return gg_fail(err, MEMORY, NULL, "");
  if (gg_pack_file_open(&pack->file, gg_str_text(&pack->path), &why))
    gg_str_puts(&pack->why_not, why.message);
  gg_error_clear(&why);
  return pack->why_not.failed ? gg_fail(err, MEMORY, NULL, "") : GG_OK;
}

gg_status doctor_packs_open(doctor_packs *out, const char *list, gg_error *err) {
  *out = (doctor_packs){0};
  out->list = gg_calloc(gg_count_paths(list) + 1, sizeof *out->list);
  if (!out->list) return gg_fail(err, MEMORY, NULL, "");
  gg_status st = GG_OK;
  gg_path path;
  while (!st && gg_next_path(&path, &list))
    st = open_pack(&out->list[out->count++], path, err);
  return st;
}

void doctor_packs_close(doctor_packs *packs) {
  for (size_t i = 0; i < packs->count; i++) {
    gg_str_free(&packs->list[i].path);
    gg_pack_file_close(packs->list[i].file);
    gg_str_free(&packs->list[i].why_not);
  }
  gg_free(packs->list);
  *packs = (doctor_packs){0};
}

/* ---- Saying ----------------------------------------------------------------------------- */

/* Whether this is the first row with the form's name. A form has one name for all its alignments.
 */
static bool is_new_form(const gg_pack_file *file, size_t index) {
  for (size_t i = 0; i < index; i++)
    if (strcmp(gg_pack_file_form(file, i), gg_pack_file_form(file, index)) == 0) return false;
  return true;
}

static size_t alignments_of(const gg_pack_file *file, size_t index) {
  size_t count = 0, all = gg_pack_file_facts_of(file).form_count;
  for (size_t i = index; i < all; i++)
    count += strcmp(gg_pack_file_form(file, i), gg_pack_file_form(file, index)) == 0;
  return count;
}

/* Appends which of the devices can use the pack. */
static void say_devices(gg_str *out, gg_pack_file_facts facts, const gg_device_facts *devices,
                        int device_count, const gg_device_facts *emulator) {
  const char *before = "used by";
  for (int i = 0; i < device_count; i++) {
    if (devices[i].arch != facts.device) continue;
    gg_str_printf(out, "%s device %d", before, i);
    before = ",";
  }
  bool emulated = facts.has_ptx && emulator->arch == facts.device;
  if (emulated) gg_str_printf(out, "%s the emulator", before);
  if (emulated || *before == ',') return;
  gg_str_printf(out, "used by no device here: it is for sm_%d", facts.device);
  if (emulator->arch == facts.device && !facts.has_ptx)
    gg_str_puts(out, ", and has no PTX for the emulator");
}

static void say_pack(gg_str *out, const doctor_pack *pack, const gg_device_facts *devices,
                     int device_count, const gg_device_facts *emulator) {
  enum { mebi = 1 << 20 };
  if (!pack->file) {
    gg_str_printf(out, "not usable: %s\n", gg_str_text(&pack->why_not));
    return;
  }
  gg_pack_file_facts facts = gg_pack_file_facts_of(pack->file);
  gg_str_printf(out, "%s: sm_%d, %zu kernel%s%s, %.1f MiB\n", gg_str_text(&pack->path),
                facts.device, facts.kernel_count, facts.kernel_count == 1 ? "" : "s",
                facts.has_ptx ? " with PTX" : "", (double)facts.bytes / mebi);
  for (size_t i = 0; i < facts.form_count; i++) {
    if (!is_new_form(pack->file, i)) continue;
    size_t alignments = alignments_of(pack->file, i);
    gg_str_printf(out, "          of %s, in %zu alignment%s\n", gg_pack_file_form(pack->file, i),
                  alignments, alignments == 1 ? "" : "s");
  }
  gg_str_puts(out, "          ");
  say_devices(out, facts, devices, device_count, emulator);
  gg_str_putc(out, '\n');
}

void doctor_packs_text(gg_str *out, const doctor_packs *packs, const gg_device_facts *devices,
                       int device_count, const gg_device_facts *emulator) {
  if (packs->count == 0) gg_str_puts(out, "packs     none: GEMMGEN_PACKS names none\n");
  for (size_t i = 0; i < packs->count; i++) {
    gg_str_puts(out, "pack      ");
    say_pack(out, &packs->list[i], devices, device_count, emulator);
  }
}

static void json_pack(gg_str *out, const doctor_pack *pack) {
  gg_str_puts(out, "\n    {\"path\": ");
  gg_str_json(out, gg_str_text(&pack->path));
  gg_str_printf(out, ", \"usable\": %s, \"why_not\": ", pack->file ? "true" : "false");
  if (!pack->file) {
    gg_str_json(out, gg_str_text(&pack->why_not));
    gg_str_putc(out, '}');
    return;
  }
  gg_pack_file_facts facts = gg_pack_file_facts_of(pack->file);
  gg_str_printf(out, "null, \"arch\": %d, \"kernels\": %zu, \"ptx\": %s, \"bytes\": %zu",
                facts.device, facts.kernel_count, facts.has_ptx ? "true" : "false", facts.bytes);
  gg_str_puts(out, ", \"forms\": [");
  for (size_t i = 0; i < facts.form_count; i++) {
    if (!is_new_form(pack->file, i)) continue;
    if (i) gg_str_puts(out, ", ");
    gg_str_json(out, gg_pack_file_form(pack->file, i));
  }
  gg_str_puts(out, "]}");
}

void doctor_packs_json(gg_str *out, const doctor_packs *packs) {
  gg_str_puts(out, "  \"packs\": [");
  for (size_t i = 0; i < packs->count; i++) {
    if (i) gg_str_putc(out, ',');
    json_pack(out, &packs->list[i]);
  }
  gg_str_puts(out, "\n  ],\n");
}
