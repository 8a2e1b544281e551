/* Texts are written out, and read in again when they have been edited. An edited text replaces the
 * kernel's before anything else is done, because the keys of the cache and of packs are made from
 * the text.
 *
 * A file that cannot be written gives a warning but does not end a compilation; an edited text that
 * cannot be read does. */
#include "edits.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "facts.h"

static const size_t text_limit = (size_t)64 << 20;

/* ---- What the environment says -------------------------------------------------------- */

/* A copy of a variable's value; NULL if it is not set, or empty. */
static gg_status read_variable(char **out, const char *name, gg_error *err) {
  const char *value = getenv(name);
  *out = NULL;
  if (!value || !*value) return GG_OK;
  gg_str text = GG_STR_INIT;
  gg_str_puts(&text, value);
  *out = gg_str_take(&text);
  gg_str_free(&text);
  return *out ? GG_OK : gg_fail(err, MEMORY, NULL, "");
}

gg_status gg_edits_open(gg_edits *out, void (*warn)(void *user, const char *message), void *user,
                        gg_error *err) {
  const char *keep = getenv("GEMMGEN_KEEP");
  *out = (gg_edits){.warn = warn, .user = user};
  atomic_flag_clear(&out->told_unwritten);
  out->keep = keep && *keep && strcmp(keep, "0") != 0;
  gg_status st = read_variable(&out->from, "GEMMGEN_OVERRIDE_DIR", err);
  if (!st) st = read_variable(&out->to, "GEMMGEN_DUMP_DIR", err);
  if (st) gg_edits_close(out);
  return st;
}

void gg_edits_close(gg_edits *edits) {
  gg_free(edits->from);
  gg_free(edits->to);
  edits->from = edits->to = NULL;
}

static void tell(const gg_edits *edits, const gg_str *text) {
  const char *message = text->failed ? "memory is out" : gg_str_text(text);
  if (edits->warn) {
    edits->warn(edits->user, message);
  } else {
    fprintf(stderr, "gemmgen: %s\n", message);
  }
}

/* ---- Coming in ------------------------------------------------------------------------ */

/* Whether something with this hash is said for the first time. When the table is full, things are
 * said again. */
static bool is_news(gg_edits *edits, uint64_t hash) {
  if (hash == 0) hash = 1;
  for (size_t i = 0; i < GG_EDITS_TOLD; i++) {
    uint64_t there = 0;
    if (atomic_compare_exchange_strong(&edits->told[i], &there, hash)) return true;
    if (there == hash) return false;
  }
  return true;
}

static void tell_override(gg_edits *edits, const gg_edit *edit) {
  if (!is_news(edits, gg_checksum(edit->path, strlen(edit->path)))) return;
  gg_str text = GG_STR_INIT;
  gg_str_printf(&text, "%s is used in place of the kernel %s", edit->path, edit->kernel.name);
  tell(edits, &text);
  gg_str_free(&text);
}

/* DIRECTORY/NAME.SUFFIX; NULL when memory is out. */
static char *path_of(const char *directory, const char *name, const char *suffix) {
  gg_str path = GG_STR_INIT;
  gg_str_printf(&path, "%s/%s.%s", directory, name, suffix);
  return gg_str_take(&path);
}

/* Takes a file's text, if there is that file. */
static gg_status take(gg_edit *edit, gg_edits *edits, const char *suffix, gg_error *err) {
  size_t length = 0;
  edit->path = path_of(edits->from, edit->kernel.name, suffix);
  if (!edit->path) return gg_fail(err, MEMORY, NULL, "");
  if (access(edit->path, F_OK) != 0 && errno == ENOENT) {
    gg_free(edit->path);
    edit->path = NULL;
    return GG_OK;
  }
  gg_status st = gg_file_read_plain(&edit->text, &length, edit->path, text_limit, err);
  if (st) return st;
  if (length > text_limit || strlen(edit->text) != length)
    return gg_fail(err, EDIT, NULL, edit->path, edit->kernel.name,
                   length > text_limit ? "it has more than 64 MiB" : "it has a zero byte");
  edit->kernel.source = edit->text;
  edit->kernel.source_length = length;
  edit->ptx = strcmp(suffix, "ptx") == 0;
  edit->kernel.ptx = edit->ptx;
  tell_override(edits, edit);
  return GG_OK;
}

gg_status gg_edit_open(gg_edit *out, gg_edits *edits, const gg_kernel *kernel, gg_error *err) {
  *out = (gg_edit){.kernel = *kernel, .ptx = kernel->ptx != 0};
  if (!edits->from) return GG_OK;
  gg_status st = take(out, edits, "cu", err);
  if (!st && !out->path) st = take(out, edits, "ptx", err);
  if (st) gg_edit_close(out);
  return st;
}

void gg_edit_close(gg_edit *edit) {
  gg_free(edit->path);
  gg_free(edit->text);
  edit->path = edit->text = NULL;
}

/* ---- Going out ------------------------------------------------------------------------ */

static bool make_directory(const char *path) {
  gg_str copy = GG_STR_INIT;
  gg_str_puts(&copy, path);
  char *own = gg_str_take(&copy);
  bool ok = own && gg_directory_make(own, 0777);
  gg_free(own);
  return ok;
}

static void write_file(gg_edits *edits, const char *name, const char *suffix, const void *data,
                       size_t size) {
  const char *directory = edits->to ? edits->to : ".";
  char *path = path_of(directory, name, suffix);
  bool ok = path && make_directory(directory) && gg_file_replace(path, data, size, 0666, false);
  if (!ok && !atomic_flag_test_and_set(&edits->told_unwritten)) {
    gg_str text = GG_STR_INIT;
    gg_str_printf(&text, "%s is not written: %s", path ? path : directory,
                  strerror(path ? errno : ENOMEM));
    tell(edits, &text);
    gg_str_free(&text);
  }
  gg_free(path);
}

void gg_edits_dump(gg_edits *edits, const gg_edit *edit, const gg_binary *binary) {
  const gg_kernel *kernel = &edit->kernel;
  bool is_ptx = binary->format == GG_FORMAT_PTX;
  if (!edits->to && !edits->keep) return;
  if (!edit->ptx) write_file(edits, kernel->name, "cu", kernel->source, strlen(kernel->source));
  if (edits->to || is_ptx)
    write_file(edits, kernel->name, is_ptx ? "ptx" : "cubin", binary->data, binary->size);
  if (!edits->keep) return;
  gg_str text = GG_STR_INIT;
  gg_str_printf(&text, "# NVRTC %s\n%s\n", binary->options, binary->log);
  if (!text.failed) write_file(edits, kernel->name, "log", gg_str_text(&text), text.length);
  gg_str_free(&text);
}

void gg_edits_dump_ptx(gg_edits *edits, const gg_edit *edit, const gg_binary *ptx) {
  write_file(edits, edit->kernel.name, "ptx", ptx->data, ptx->size);
}
