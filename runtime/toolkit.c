/* The search for the CUDA Toolkit, to which NVRTC and cuBLASLt belong and which may lie anywhere.
 * What the user has chosen (CUDA_HOME, then CUDA_PATH) comes before what is merely there. */
#define _XOPEN_SOURCE 700 /* realpath */

#include "library.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/paths.h"

/* Appends the directory above that of the nvcc on the PATH, after it has followed links. */
static bool root_of_nvcc(gg_str *out) {
  const char *list = getenv("PATH");
  gg_path path;
  while (gg_next_path(&path, &list)) {
    char name[PATH_MAX], real[PATH_MAX];
    if (path.length + sizeof "/nvcc" > sizeof name) continue;
    memcpy(name, path.text, path.length);
    strcpy(name + path.length, "/nvcc");
    if (access(name, X_OK) != 0 || !realpath(name, real)) continue;
    for (int up = 0; up < 2; up++) {
      char *slash = strrchr(real, '/');
      if (slash) *slash = '\0';
    }
    gg_str_puts(out, real);
    return true;
  }
  return false;
}

enum { root_count = 4, asked_count = 2 };

static const char *const variables[asked_count] = {"CUDA_HOME", "CUDA_PATH"};

/* The n-th place to look for a toolkit, appended to `out`, the user's own choices first; false when
 * there is none. */
static bool root_candidate(gg_str *out, int n) {
  if (n < asked_count) {
    const char *value = getenv(variables[n]);
    if (!value || !*value) return false;
    gg_str_puts(out, value);
    return true;
  }
  if (n == asked_count) return root_of_nvcc(out);
  gg_str_puts(out, "/usr/local/cuda");
  return true;
}

bool gg_toolkit_root(gg_str *out) {
  for (int n = 0; n < root_count; n++) {
    gg_str root = GG_STR_INIT, nvcc = GG_STR_INIT;
    bool found = root_candidate(&root, n);
    gg_str_printf(&nvcc, "%s/bin/nvcc", gg_str_text(&root));
    out->failed = out->failed || root.failed || nvcc.failed;
    found = found && access(gg_str_text(&nvcc), X_OK) == 0;
    if (found) gg_str_puts(out, gg_str_text(&root));
    gg_str_free(&root);
    gg_str_free(&nvcc);
    if (found) return true;
  }
  return false;
}

static bool open_under(gg_library *out, const char *root, const char *soname) {
  static const char *const folders[] = {"lib64", "lib", "targets/x86_64-linux/lib"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    gg_str path = GG_STR_INIT, ignored = GG_STR_INIT;
    gg_str_printf(&path, "%s/%s/%s", root, folders[i], soname);
    bool found = !path.failed && access(path.text, R_OK) == 0 &&
                 gg_library_open(out, gg_str_text(&path), &ignored);
    gg_str_free(&path);
    gg_str_free(&ignored);
    if (found) return true;
  }
  return false;
}

static bool open_in_root(gg_library *out, const char *const *sonames, int n, gg_str *why) {
  gg_str root = GG_STR_INIT;
  bool found = false, there = root_candidate(&root, n);
  for (size_t i = 0; there && sonames[i] && !found; i++)
    found = open_under(out, gg_str_text(&root), sonames[i]);
  if (there && !found) {
    gg_str_printf(why, "%snot in ", why->length ? "; " : "");
    if (n < asked_count) gg_str_printf(why, "%s, ", variables[n]);
    gg_str_puts(why, gg_str_shown(&root));
  }
  gg_str_free(&root);
  return found;
}

bool gg_library_open_toolkit(gg_library *out, const char *const *sonames, gg_str *why) {
  size_t asked = 0; /* the length of what `why` says about the user's own choices */
  for (int n = 0; n < root_count; n++) {
    bool found = open_in_root(out, sonames, n, why);
    if (n < asked_count) asked = why->length;
    if (found) goto done;
  }
  for (size_t i = 0; sonames[i]; i++) {
    if (gg_library_open(out, sonames[i], why)) goto done;
  }
  return false;
done:
  why->length = asked;
  if (why->text) why->text[asked] = '\0';
  return true;
}
