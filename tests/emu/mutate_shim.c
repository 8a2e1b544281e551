/* Preloaded by tests/emu/mutate into the program that it runs: PTX that the program loads is kept
 * in the file that MUTATE_KEEP names, or that of the file MUTATE_PTX is loaded in its place. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((visibility("default"))) int cuModuleLoadData(void **module, const void *image);

static char *read_text(const char *path) {
  FILE *file = fopen(path, "r");
  char *text = NULL;
  size_t size = 0;
  if (!file) return NULL;
  if (getdelim(&text, &size, 0, file) < 0) {
    free(text);
    text = NULL;
  }
  fclose(file);
  return text;
}

int cuModuleLoadData(void **module, const void *image) {
  int (*next)(void **, const void *);
  const char *keep = getenv("MUTATE_KEEP"), *instead = getenv("MUTATE_PTX");
  *(void **)&next = dlsym(RTLD_NEXT, "cuModuleLoadData");
  FILE *file = keep ? fopen(keep, "w") : NULL;
  if (file) {
    fputs(image, file);
    fclose(file);
  }
  char *text = instead ? read_text(instead) : NULL;
  int result = next(module, text ? text : image);
  free(text);
  return result;
}
