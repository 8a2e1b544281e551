/* gemmgen gen: specs to files. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "cli/cli.h"
#include "cli/specs.h"
#include "emit/report.h"
#include "gemmgen_runtime.h"

typedef struct gen_options {
  const char *emit, *out, *depfile, *arch;
} gen_options;

static const cli_option options[] = {
    {"emit", 0, CLI_STRING, offsetof(gen_options, emit), "LIST",
     "what to write, parted by commas: cu (default), ptx, cubin, plan"},
    {"output", 'o', CLI_STRING, offsetof(gen_options, out), "PATH",
     "a file, or a directory for NAME.EXT of each kernel; default: standard output"},
    {"depfile", 0, CLI_STRING, offsetof(gen_options, depfile), "FILE",
     "write a Makefile rule: the outputs depend on the specs"},
    {"arch", 0, CLI_STRING, offsetof(gen_options, arch), "sm_NN",
     "compile ptx and cubin for this architecture (default: the spec's)"},
    {0},
};

typedef enum emit_kind { EMIT_CU, EMIT_PTX, EMIT_CUBIN, EMIT_PLAN, EMIT_COUNT } emit_kind;

static const char *const extensions[EMIT_COUNT] = {"cu", "ptx", "cubin", "plan"};

/* One run of the command. */
typedef struct generation {
  const gen_options *given;
  bool wanted[EMIT_COUNT];
  bool to_directory;
  gg_compiler *compiler;  /* opened on first use */
  gg_str outputs, inputs; /* of the depfile */
} generation;

static int parse_emit(generation *gen) {
  const char *list = gen->given->emit ? gen->given->emit : "cu";
  while (*list) {
    size_t length = strcspn(list, ",");
    int kind = 0;
    while (kind < EMIT_COUNT &&
           (strlen(extensions[kind]) != length || memcmp(extensions[kind], list, length) != 0)) {
      kind++;
    }
    if (kind == EMIT_COUNT) {
      return cli_usage("--emit takes cu, ptx, cubin and plan, not '%.*s'", (int)length, list);
    }
    gen->wanted[kind] = true;
    list += length + (list[length] == ',');
  }
  return CLI_OK;
}

/* ---- Outputs ---------------------------------------------------------------------------- */

static void add_path(gg_str *list, const char *path) {
  gg_str_putc(list, ' ');
  for (; *path; path++) {
    if (*path == ' ' || *path == '#' || *path == '\\') gg_str_putc(list, '\\');
    if (*path == '$') gg_str_putc(list, '$');
    gg_str_putc(list, *path);
  }
}

static gg_status write_output(generation *gen, const char *name, emit_kind kind, const char *text,
                              size_t length, gg_error *err) {
  const char *out = gen->given->out;
  gg_str path = GG_STR_INIT;
  if (gen->to_directory) {
    gg_str_printf(&path, "%s/%s.%s", out, name, extensions[kind]);
  } else if (out) {
    gg_str_puts(&path, out);
  }
  if (path.length) add_path(&gen->outputs, gg_str_text(&path));
  gg_status st = path.failed
                     ? gg_fail(err, MEMORY, NULL, "")
                     : cli_write(path.length ? gg_str_text(&path) : NULL, text, length, err);
  gg_str_free(&path);
  return st;
}

static gg_status write_plan(generation *gen, const gg_spec *spec, const char *name, gg_error *err) {
  gg_report report = {.arena = GG_ARENA_INIT};
  gg_str text = GG_STR_INIT;
  gg_status st = cli_report_of(&report, spec, err);
  if (st == GG_OK) gg_report_json(&text, &report);
  if (st == GG_OK && text.failed) st = gg_fail(err, MEMORY, NULL, "");
  if (st == GG_OK) st = write_output(gen, name, EMIT_PLAN, gg_str_text(&text), text.length, err);
  gg_str_free(&text);
  gg_report_free(&report);
  return st;
}

static gg_status write_compiled(generation *gen, const gg_kernel *kernel, emit_kind kind,
                                gg_error *err) {
  gg_status st = GG_OK;
  gg_compiler_options opt = {.warn = cli_warn};
  if (!gen->compiler && (st = gg_compiler_open(&gen->compiler, &opt, err))) return st;
  gg_binary *binary = NULL;
  gg_format format = kind == EMIT_PTX ? GG_FORMAT_PTX : GG_FORMAT_CUBIN;
  st = gg_compile(&binary, gen->compiler, kernel, gen->given->arch, format, err);
  if (st == GG_OK && binary->log[0]) fprintf(stderr, "%s\n", binary->log);
  if (st == GG_OK) st = write_output(gen, kernel->name, kind, binary->data, binary->size, err);
  gg_binary_free(binary);
  return st;
}

static gg_status generate(void *user, const gg_spec *spec, gg_error *err) {
  generation *gen = user;
  gg_kernel *kernel = NULL;
  gg_status st = gg_kernel_generate(&kernel, spec, err);
  for (int kind = 0; kind < EMIT_COUNT && st == GG_OK; kind++) {
    if (!gen->wanted[kind]) continue;
    if (kind == EMIT_CU) {
      st = write_output(gen, kernel->name, EMIT_CU, kernel->source, kernel->source_length, err);
    } else if (kind == EMIT_PLAN) {
      st = write_plan(gen, spec, kernel->name, err);
    } else {
      st = write_compiled(gen, kernel, (emit_kind)kind, err);
    }
  }
  gg_kernel_free(kernel);
  return st;
}

/* ---- The command ------------------------------------------------------------------------ */

static bool is_directory(const char *path) {
  struct stat info;
  size_t length = strlen(path);
  return (length && path[length - 1] == '/') || (stat(path, &info) == 0 && S_ISDIR(info.st_mode));
}

static int count_wanted(const generation *gen) {
  int count = 0;
  for (int kind = 0; kind < EMIT_COUNT; kind++)
    count += gen->wanted[kind];
  return count;
}

static int write_depfile(generation *gen, gg_error *err) {
  if (!gen->given->depfile) return CLI_OK;
  gg_str text = GG_STR_INIT;
  const char *outputs = gg_str_text(&gen->outputs);
  gg_str_printf(&text, "%s:%s\n", outputs[0] ? outputs + 1 : "", gg_str_text(&gen->inputs));
  text.failed = text.failed || gen->outputs.failed || gen->inputs.failed;
  gg_status st = cli_write_text(gen->given->depfile, &text, err);
  gg_str_free(&text);
  return st ? cli_report(err, NULL) : CLI_OK;
}

static int run(const void *values, int argc, char **argv) {
  generation gen = {.given = values};
  gg_error err = GG_ERROR_INIT;
  if (argc == 0) return cli_usage("gen needs a spec");
  int status = parse_emit(&gen);
  if (status) return status;
  gen.to_directory = gen.given->out && is_directory(gen.given->out);
  if (gen.given->depfile && !gen.given->out) return cli_usage("--depfile needs -o");
  if (!gen.to_directory && count_wanted(&gen) > 1) {
    return cli_usage("several kinds of output need a directory: -o DIR/");
  }
  if (gen.to_directory) mkdir(gen.given->out, 0777);
  for (int i = 0; i < argc && status == CLI_OK; i++) {
    add_path(&gen.inputs, argv[i]);
    status = cli_each_spec(argv[i], gen.given->out && !gen.to_directory,
                           gen.to_directory ? "gen" : NULL, generate, &gen);
  }
  if (status == CLI_OK) status = write_depfile(&gen, &err);
  gg_compiler_close(gen.compiler);
  gg_str_free(&gen.outputs);
  gg_str_free(&gen.inputs);
  return status;
}

const cli_command cmd_gen = {
    .name = "gen",
    .operands = "SPEC...",
    .summary = "Write kernels: CUDA C++, PTX, cubin",
    .details =
        "Each SPEC is a YAML file (- for standard input); one with a sweep gives several\n"
        "kernels, which need a directory. Output is the same from run to run, byte for byte;\n"
        "a file is written in full or not at all.",
    .options = options,
    .options_size = sizeof(gen_options),
    .run = run,
};
