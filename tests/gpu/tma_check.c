/* Holds the emulator's TMA to the hardware: random tensor maps, boxes and coordinates, the verdict
 * of cuTensorMapEncodeTiled, how the launch ended, and every byte that was moved.
 *
 *     tma_check                     both machines; needs a GPU
 *     tma_check --golden FILE       the emulator, against what the hardware gave
 *     tma_check --write FILE        what the hardware gives, as golden data
 *     tma_check --dump FILE         the bytes too; with --emu those of the emulator
 *
 * A case that the hardware refuses kills its context and with it the process: cases run in child
 * processes, and a new one goes on after such a case. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "tma.h"

enum { SHARDS = 8, EXAMPLES = 20, CHILD_FAILED = 3 };

typedef struct settings {
  const char *golden, *write, *dump;
  bool emulator;
} settings;

/* ---- Running ---------------------------------------------------------------------------- */

/* The results of all cases, shared with child processes; NULL where there is no memory. */
static tma_result *results_open(void) {
  size_t bytes = tma_case_count() * sizeof(tma_result);
  FILE *file = tmpfile();
  if (!file) return NULL;
  void *results = MAP_FAILED;
  if (!ftruncate(fileno(file), (off_t)bytes)) {
    results = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
  }
  fclose(file);
  return results == MAP_FAILED ? NULL : results;
}

static void results_close(tma_result *results) {
  if (results) munmap(results, tma_case_count() * sizeof(tma_result));
}

static int child(tma_result *results, gg_provider provider, unsigned next, unsigned step) {
  gg_error err = GG_ERROR_INIT;
  gg_status st = tma_run(results, provider, next, step, &err);
  if (st) fprintf(stderr, "tma_check: from case %u: %s\n", next, err.message);
  gg_error_clear(&err);
  return st ? CHILD_FAILED : EXIT_SUCCESS;
}

/* One shard's cases, a child process after the other. */
static int run_shard(tma_result *results, gg_provider provider, unsigned shard, unsigned shards) {
  for (unsigned next = shard; next < tma_case_count();) {
    int status = 0;
    pid_t pid = fork();
    if (pid < 0) return CHILD_FAILED;
    if (!pid) _exit(child(results, provider, next, shards));
    if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status)) {
      return CHILD_FAILED;
    }
    while (next < tma_case_count() && results[next].done)
      next += shards;
  }
  return EXIT_SUCCESS;
}

static bool run_all(tma_result *results, gg_provider provider) {
  pid_t pids[SHARDS];
  bool ok = true;
  fflush(NULL);
  for (unsigned i = 0; i < SHARDS; i++) {
    pids[i] = fork();
    if (!pids[i]) _exit(run_shard(results, provider, i, SHARDS));
  }
  for (unsigned i = 0; i < SHARDS; i++) {
    int status = 0;
    ok = pids[i] > 0 && waitpid(pids[i], &status, 0) == pids[i] && !status && ok;
  }
  return ok;
}

/* ---- Golden data ------------------------------------------------------------------------ */

/* FNV-1a. */
static uint32_t hash_of(const tma_result *r) {
  uint32_t hash = 0x811c9dc5u;
  for (size_t i = 0; i < sizeof r->bytes; i++)
    hash = (hash ^ r->bytes[i]) * 0x01000193u;
  return hash;
}

/* A line a case: the map's verdict; for copies how the launch ended; a hash. */
static void put_line(gg_str *out, unsigned index, const tma_result *r) {
  tma_case c;
  tma_case_at(&c, index);
  gg_str_printf(out, "%d", r->encode);
  if (!r->encode && c.kind != TMA_ENCODE) {
    gg_str_printf(out, " %d", r->run);
    if (!r->run) gg_str_printf(out, " %08" PRIx32, hash_of(r));
  }
  gg_str_putc(out, '\n');
}

static void put_list(const char *name, const uint64_t *wide, const uint32_t *narrow, uint32_t n) {
  printf(" %s", name);
  for (uint32_t i = 0; i < n; i++) {
    printf("%c%" PRIu64, i ? ',' : ' ', wide ? wide[i] : narrow[i]);
  }
}

static void print_case(unsigned index) {
  tma_case c;
  tma_case_at(&c, index);
  const tma_map *map = &c.map;
  static const char *const kinds[] = {
      "encode",       "load",     "store",       "reduce",      "prefetch",
      "bulk in",      "bulk out", "bulk reduce", "bulk across", "bulk reduce across",
      "bulk prefetch"};
  uint32_t rank = map->rank <= TMA_RANK ? map->rank : TMA_RANK;
  printf("%u %s type %d rank %u", index, kinds[c.kind], map->type, map->rank);
  put_list("dims", map->dims, NULL, rank);
  put_list("strides", map->strides, NULL, rank ? rank - 1 : 0);
  put_list("box", NULL, map->box, rank);
  put_list("steps", NULL, map->element_strides, rank);
  printf(" interleave %d swizzle %d promotion %d fill %d displacement %u", map->interleave,
         map->swizzle, map->promotion, map->fill, map->displacement);
  const tma_words *w = &c.words;
  printf(
      " at %d,%d,%d,%d,%d offset %u from %u bytes %u expect %u reduction %d type %s ctas %u%s%s%s",
      w->at[0], w->at[1], w->at[2], w->at[3], w->at[4], w->offset, w->from, w->bytes, w->expect,
      c.reduction, tma_bulk_types[c.type], c.ctas, c.clustered ? " clustered" : "",
      c.multicast ? " multicast" : "", c.own ? " own" : "");
  printf(" issuer %u target %u mask %u\n", w->issuer, w->target, w->mask);
}

static unsigned compare(const tma_result *results, const char *golden) {
  unsigned bad = 0, count = tma_case_count();
  for (unsigned i = 0; i < count; i++) {
    gg_str line = GG_STR_INIT;
    put_line(&line, i, &results[i]);
    size_t length = strcspn(golden, "\n");
    if (length + 1 != line.length || strncmp(golden, gg_str_text(&line), length) != 0) {
      if (bad++ < EXAMPLES) {
        printf("DIFFERS: hardware %.*s, emulator %s    ", (int)length, golden, gg_str_text(&line));
        print_case(i);
      }
    }
    gg_str_free(&line);
    golden += length + (golden[length] == '\n');
  }
  printf("%u cases, %u differ\n", count, bad);
  return bad;
}

static void put_lines(gg_str *out, const tma_result *results) {
  for (unsigned i = 0; i < tma_case_count(); i++)
    put_line(out, i, &results[i]);
}

/* ---- The command line ------------------------------------------------------------------- */

static bool save(const char *path, const void *bytes, size_t count) {
  if (!path || gg_file_replace(path, bytes, count, 0644, false)) return true;
  fprintf(stderr, "tma_check: cannot write %s\n", path);
  return false;
}

static bool read_golden(gg_str *out, const char *path) {
  char *text = NULL;
  size_t length = 0;
  gg_error err = GG_ERROR_INIT;
  gg_status st = gg_file_read(&text, &length, path, SIZE_MAX - 1, &err);
  if (st) fprintf(stderr, "tma_check: %s\n", err.message);
  if (!st) gg_str_puts(out, text);
  gg_free(text);
  gg_error_clear(&err);
  return !st;
}

static bool check(const settings *s, gg_str *golden) {
  tma_result *results = results_open();
  bool ok = results != NULL;
  if (ok && s->golden) {
    ok = read_golden(golden, s->golden);
  } else if (ok && !s->emulator) {
    ok = run_all(results, GG_PROVIDER_CUDA);
    put_lines(golden, results);
    ok = save(s->write, gg_str_text(golden), golden->length) && ok;
    ok = save(s->dump, results, tma_case_count() * sizeof *results) && ok;
    memset(results, 0, tma_case_count() * sizeof *results);
    if (s->write || s->dump || !ok) goto done;
  }
  ok = ok && run_all(results, GG_PROVIDER_EMU);
  if (ok && s->emulator) ok = save(s->dump, results, tma_case_count() * sizeof *results);
  if (ok && golden->length) ok = !compare(results, gg_str_text(golden));
done:
  results_close(results);
  return ok;
}

static bool parse(settings *s, int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    const char **value = !strcmp(argv[i], "--golden")  ? &s->golden
                         : !strcmp(argv[i], "--write") ? &s->write
                         : !strcmp(argv[i], "--dump")  ? &s->dump
                                                       : NULL;
    if (!strcmp(argv[i], "--emu")) {
      s->emulator = true;
    } else if (value && i + 1 < argc) {
      *value = argv[++i];
    } else {
      return false;
    }
  }
  return true;
}

int main(int argc, char **argv) {
  settings s = {0};
  gg_str golden = GG_STR_INIT;
  if (!parse(&s, argc, argv)) {
    fprintf(stderr, "usage: tma_check [--golden FILE | --write FILE | --dump FILE | --emu]\n");
    return 2;
  }
  bool ok = check(&s, &golden);
  gg_str_free(&golden);
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
