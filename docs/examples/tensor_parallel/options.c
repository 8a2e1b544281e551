#include "options.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: tensor_parallel [OPTION...] SHAPE...\n"
    "  SHAPE              gather:MxNxK (all-gather + GEMM) or scatter:MxNxK (GEMM +\n"
    "                     reduce-scatter), the extents of all ranks together\n"
    "  --spawn N          makes N processes, where neither mpirun nor torchrun does\n"
    "  --nccl PATH        of libnccl.so.2\n"
    "  --cublaslt PATH    of libcublasLt; none: nothing is compared\n"
    "  --transport host   in place of NCCL, for machines without: slow\n"
    "  --device N         the GPU of every rank (its local rank)\n"
    "  --chunks LIST      that are tried (1,2,4,8)\n"
    "  --ctas LIST        CTAs of NCCL beside products that are tried; 0: as it chooses (0,8,16)\n"
    "  --pieces LIST      of each rank's rows that are tried by windows (1,2,4); 0: no windows\n"
    "  --rounds N         in which all contenders take turns; medians are reported (15)\n"
    "  --iterations N     of each, in a round (10)\n"
    "  --verify-only      measures nothing\n"
    "  --tsv FILE         appends a line for each shape\n";

#if defined(__GNUC__)
__attribute__((format(printf, 1, 2), noreturn))
#endif
static void
refuse(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "tensor_parallel: ");
  vfprintf(stderr, format, arguments);
  fprintf(stderr, "\n%s", usage);
  va_end(arguments);
  exit(2);
}

static int read_number(const char *option, const char *text, int least, int most, char **end) {
  long value = strtol(text, end, 10);
  if (*end == text || value < least || value > most)
    refuse("%s is \"%s\"; numbers are from %d to %d", option, text, least, most);
  return (int)value;
}

static int number(const char *option, const char *text, int least, int most) {
  char *end;
  int value = read_number(option, text, least, most, &end);
  if (*end) refuse("%s is \"%s\", which is not one number", option, text);
  return value;
}

static list numbers(const char *option, const char *text, int least, int most) {
  list out = {.count = 0};
  for (;;) {
    char *end;
    if (out.count == LIST_MOST) refuse("%s has more than %d numbers", option, LIST_MOST);
    out.values[out.count++] = read_number(option, text, least, most, &end);
    if (!*end) return out;
    if (*end != ',') refuse("%s has \"%s\" behind a number", option, end);
    text = end + 1;
  }
}

/* One option with its value. False: there is none of that name. */
static int take(options *out, const char *name, const char *value) {
  enum { processes_most = 64, devices_most = 64, ctas_most = 128, times_most = 10000 };
  if (!strcmp(name, "--spawn")) {
    out->spawn = number(name, value, 1, processes_most);
  } else if (!strcmp(name, "--nccl")) {
    out->nccl = value;
  } else if (!strcmp(name, "--cublaslt")) {
    out->cublaslt = value;
  } else if (!strcmp(name, "--transport")) {
    out->over_host = !strcmp(value, "host");
    if (!out->over_host && strcmp(value, "nccl"))
      refuse("--transport is \"%s\"; it is nccl or host", value);
  } else if (!strcmp(name, "--device")) {
    out->device = number(name, value, 0, devices_most);
  } else if (!strcmp(name, "--chunks")) {
    out->chunks = numbers(name, value, 1, CHUNKS_MOST);
  } else if (!strcmp(name, "--ctas")) {
    out->ctas = numbers(name, value, 0, ctas_most);
  } else if (!strcmp(name, "--pieces")) {
    out->pieces = numbers(name, value, 0, CHUNKS_MOST);
  } else if (!strcmp(name, "--rounds")) {
    out->rounds = number(name, value, 1, times_most);
  } else if (!strcmp(name, "--iterations")) {
    out->iterations = number(name, value, 1, times_most);
  } else if (!strcmp(name, "--tsv")) {
    out->tsv = value;
  } else {
    return 0;
  }
  return 1;
}

void options_read(options *out, int argc, char **argv) {
  *out = (options){.device = -1,
                   .chunks = {{1, 2, 4, 8}, 4},
                   .ctas = {{0, 8, 16}, 3},
                   .pieces = {{1, 2, 4}, 3},
                   .rounds = 15,
                   .iterations = 10};
  int i = 1;
  for (; i < argc && argv[i][0] == '-'; i++) {
    if (!strcmp(argv[i], "--help")) {
      fputs(usage, stdout);
      exit(EXIT_SUCCESS);
    }
    if (!strcmp(argv[i], "--verify-only")) {
      out->verify_only = 1;
      continue;
    }
    if (i + 1 == argc) refuse("%s is no option, or lacks its value", argv[i]);
    if (!take(out, argv[i], argv[i + 1])) refuse("no option %s", argv[i]);
    i++;
  }
  out->shapes = argv + i;
  out->shape_count = argc - i;
  if (out->shape_count == 0) refuse("there is no shape");
  for (int s = 0; s < out->shape_count; s++) {
    shape ignored;
    shape_read(&ignored, out->shapes[s]);
  }
}

void shape_read(shape *out, const char *text) {
  enum { extent_most = 1 << 24 };
  long long extents[3];
  int used = 0;
  const char *colon = strchr(text, ':');
  int gathers = !strncmp(text, "gather:", 7), scatters = !strncmp(text, "scatter:", 8);
  if (!gathers && !scatters) refuse("shape \"%s\" begins with neither gather: nor scatter:", text);
  int found = sscanf(colon + 1, "%lldx%lldx%lld%n", &extents[0], &extents[1], &extents[2], &used);
  if (found != 3 || colon[1 + used])
    refuse("shape \"%s\" has no extents MxNxK behind the colon", text);
  for (int i = 0; i < 3; i++) {
    if (extents[i] < 1 || extents[i] > extent_most)
      refuse("shape \"%s\": %lld is not from 1 to %d", text, extents[i], extent_most);
  }
  *out = (shape){gathers ? ALL_GATHER : REDUCE_SCATTER, extents[0], extents[1], extents[2]};
}
