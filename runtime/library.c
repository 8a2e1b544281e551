/* Loads shared libraries. libcuda belongs to the driver, and lies where the loader finds it;
 * toolkit.c looks for what belongs to a toolkit. */
#include "library.h"

#include <dlfcn.h>
#include <string.h>

#include "base/alloc.h"

bool gg_library_open(gg_library *out, const char *name, gg_str *why) {
  *out = (gg_library){0};
  /* The library is never unmapped, because CUDA's libraries leave thread-local data and memory of
   * their C++ runtime behind. A second context also finds it ready. */
  void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!handle) {
    const char *reason = dlerror();
    gg_str_printf(why, "%s%s", why->length ? "; " : "", reason ? reason : name);
    return false;
  }
  gg_str path = GG_STR_INIT;
  gg_str_puts(&path, name);
  out->path = gg_str_take(&path);
  if (!out->path) {
    dlclose(handle);
    return false;
  }
  out->handle = handle;
  return true;
}

bool gg_library_bind(const gg_library *library, void *table, const gg_symbol *symbols, size_t count,
                     gg_str *why) {
  for (size_t i = 0; i < count; i++) {
    void *address = dlsym(library->handle, symbols[i].name);
    if (!address) {
      gg_str_printf(why, "%s has no %s", library->path, symbols[i].name);
      return false;
    }
    memcpy((char *)table + symbols[i].offset, &address, sizeof address);
  }
  return true;
}

void gg_library_close(gg_library *library) {
  if (library->handle) dlclose(library->handle);
  gg_free(library->path);
  *library = (gg_library){0};
}
