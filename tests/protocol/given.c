#include "given.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline.h"

void die_of(const gg_error *err) {
  fprintf(stderr, "%s\n", err->message);
  exit(EXIT_FAILURE);
}

static void read_file(const char *path, take_plan *take) {
  gg_error err = GG_ERROR_INIT;
  gg_spec_file *file;
  if (gg_spec_file_load(&file, path, &err)) die_of(&err);
  for (size_t i = 0; i < gg_spec_file_count(file); i++) {
    gg_compilation compilation = GG_COMPILATION_INIT;
    if (gg_compilation_run(&compilation, gg_spec_file_get(file, i), &err)) die_of(&err);
    take(compilation.plan, compilation.layouts);
    gg_compilation_free(&compilation);
  }
  gg_spec_file_free(file);
}

given read_given(int argc, char **argv, take_plan *take) {
  given out = {.seed = 1, .walks = 80};
  int i = 1;
  for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
    if (strcmp(argv[i], "--seed") == 0) out.seed = strtoull(argv[i + 1], NULL, 10);
    if (strcmp(argv[i], "--walks") == 0) out.walks = atoi(argv[i + 1]);
  }
  for (; i < argc; i++)
    read_file(argv[i], take);
  return out;
}

int failures(const protocol *p, uint64_t seed, int walks, uint64_t *first,
             char what[PROTOCOL_WHAT_MAX]) {
  char this_one[PROTOCOL_WHAT_MAX] = "";
  int failed = 0;
  for (int i = 0; i < walks; i++) {
    if (protocol_walk(p, seed + (uint64_t)i, this_one)) continue;
    if (failed++ > 0) continue;
    *first = seed + (uint64_t)i;
    memcpy(what, this_one, sizeof this_one);
  }
  return failed;
}
