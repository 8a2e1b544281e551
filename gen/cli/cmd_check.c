/* gemmgen check: is a spec legal, and does it fit? */
#include <stdio.h>

#include "cli/specs.h"

typedef struct check_options {
  bool quiet;
} check_options;

static const cli_option options[] = {
    {"quiet", 'q', CLI_FLAG, offsetof(check_options, quiet), NULL,
     "say nothing of specs that are well"},
    {0},
};

static gg_status check(void *user, const gg_spec *spec, gg_error *err) {
  const check_options *given = user;
  gg_kernel *kernel = NULL;
  gg_status st = gg_kernel_generate(&kernel, spec, err);
  if (st == GG_OK && !given->quiet) {
    printf("%s: ok, %d threads, %lld B of shared memory\n", kernel->name, kernel->threads,
           (long long)kernel->smem_bytes);
  }
  gg_kernel_free(kernel);
  return st;
}

static int run(const void *values, int argc, char **argv) {
  check_options given = *(const check_options *)values;
  int status = CLI_OK;
  if (argc == 0) return cli_usage("check needs a spec");
  for (int i = 0; i < argc; i++) {
    int one = cli_each_spec(argv[i], false, NULL, check, &given);
    if (one) status = one;
  }
  return status;
}

const cli_command cmd_check = {
    .name = "check",
    .operands = "SPEC...",
    .summary = "Check specs without writing anything",
    .details =
        "Every stage runs: the spec, the plan, the layouts, the text. All specs are looked at;\n"
        "the exit status is 1 if any was refused.",
    .options = options,
    .options_size = sizeof(check_options),
    .run = run,
};
