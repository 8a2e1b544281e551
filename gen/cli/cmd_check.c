/* gemmgen check: is a spec legal, and does it fit? */
#include <stdio.h>

#include "cli/specs.h"

typedef struct check_options {
  bool quiet, keep_going;
} check_options;

static const cli_option options[] = {
    {"quiet", 'q', CLI_FLAG, offsetof(check_options, quiet), NULL,
     "say nothing of specs that are well"},
    CLI_KEEP_GOING_OPTION(check_options, keep_going),
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
  if (st == GG_OK) cli_note(spec, kernel->note);
  gg_kernel_free(kernel);
  return st;
}

static int run(const void *values, int argc, char **argv) {
  check_options given = *(const check_options *)values;
  if (argc == 0) return cli_usage("check needs a spec");
  return cli_each_spec(argc, argv, given.keep_going, check, &given);
}

const cli_command cmd_check = {
    .name = "check",
    .operands = "SPEC...",
    .summary = "Check specs without writing anything",
    .details =
        "Every stage runs: the spec, the plan, the layouts, the text. All files are looked at, a\n"
        "sweep up to its first combination that is refused, or with --keep-going all of it. The\n"
        "exit status is 1 if any was refused.",
    .options = options,
    .options_size = sizeof(check_options),
    .run = run,
};
