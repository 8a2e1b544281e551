/* gemmgen gen: specs to files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "annotate/annotate.h"
#include "base/alloc.h"
#include "base/file.h"
#include "cli/cli.h"
#include "cli/outputs.h"
#include "cli/specs.h"
#include "emit/report.h"
#include "gemmgen_runtime.h"
#include "jit.h"
#include "pipeline.h"
#include "plan/plan.h"

typedef struct gen_options {
  const char *emit, *out, *depfile, *arch;
  bool annotate, keep_going;
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
    {"annotate", 0, CLI_FLAG, offsetof(gen_options, annotate), NULL,
     "ptx with comments: parts, source lines, registers, who waits for what"},
    CLI_KEEP_GOING_OPTION(gen_options, keep_going),
    {0},
};

typedef enum emit_kind { EMIT_CU, EMIT_PTX, EMIT_CUBIN, EMIT_PLAN, EMIT_COUNT } emit_kind;

static const char *const extensions[EMIT_COUNT] = {"cu", "ptx", "cubin", "plan"};

/* The name of a kernel, and its spec. */
typedef struct named {
  char *name;
  const gg_spec *spec;
} named;

/* One run of the command. */
typedef struct generation {
  const gen_options *given;
  cli_specs specs;
  bool wanted[EMIT_COUNT];
  gg_str out; /* path of -o, a directory without its last slash; empty: stdout */
  bool to_directory;
  gg_compiler *compiler; /* opened on first use */
  cli_rule rule;         /* of the depfile */
  gg_arena arena;        /* of the names */
  named *named;
  size_t named_count;
} generation;

static int parse_emit(generation *gen) {
  const char *list = gen->given->emit ? gen->given->emit : "cu";
  for (;;) {
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
    if (!list[length]) break;
    list += length + 1;
  }
  if (gen->given->annotate && !gen->wanted[EMIT_PTX])
    return cli_usage("--annotate is of PTX: it needs --emit ptx");
  return CLI_OK;
}

static int count_wanted(const generation *gen) {
  int count = 0;
  for (int kind = 0; kind < EMIT_COUNT; kind++)
    count += gen->wanted[kind];
  return count;
}

/* ---- Where ------------------------------------------------------------------------------ */

/* Decides whether -o is a directory. It is if one of that name exists, if the path ends with a
 * slash, or if nothing is there yet and the outputs need more than one file. */
static int choose_output(generation *gen) {
  const char *out = gen->given->out;
  struct stat info;
  if (!out || strcmp(out, "-") == 0) {
    if (gen->given->depfile) return cli_usage("--depfile needs -o FILE or -o DIR");
    return count_wanted(gen) > 1 ? cli_usage("several kinds of output need a directory: -o DIR")
                                 : CLI_OK;
  }
  size_t length = strlen(out);
  bool there = stat(out, &info) == 0, slash = length > 0 && out[length - 1] == '/';
  bool several = count_wanted(gen) > 1 || gen->specs.count > 1;
  gen->to_directory = slash || (there ? S_ISDIR(info.st_mode) : several);
  while (gen->to_directory && length > 1 && out[length - 1] == '/')
    length--;
  gg_str_append(&gen->out, out, length);
  if (gen->to_directory || !several) return CLI_OK;
  return cli_usage("%zu kernels in %d kinds of output need a directory, and %s is none",
                   gen->specs.count, count_wanted(gen), out);
}

static int make_directories(const generation *gen) {
  gg_error err = GG_ERROR_INIT;
  gg_status st = GG_OK;
  if (gen->out.failed) st = gg_fail(&err, MEMORY, NULL, "");
  if (!st && gen->out.length)
    st = cli_make_directory(gg_str_text(&gen->out), !gen->to_directory, &err);
  if (!st && gen->given->depfile) st = cli_make_directory(gen->given->depfile, true, &err);
  return st ? cli_report(&err, NULL) : CLI_OK;
}

/* ---- Names ------------------------------------------------------------------------------ */

/* Notes the name of a spec's kernel. A spec that cannot be planned gets none; generating it will
 * report why. */
static gg_status note_name(void *user, const gg_spec *spec, gg_error *err) {
  generation *gen = user;
  gg_arena arena = GG_ARENA_INIT;
  gg_plan plan;
  gg_status st = gg_plan_choose(&plan, spec, &arena, err);
  char *name = st ? NULL : gg_arena_strndup(&gen->arena, plan.name, strlen(plan.name));
  gg_arena_free(&arena);
  if (st && gen->given->keep_going) {
    gg_error_clear(err);
    return GG_OK;
  }
  if (!st && !name) st = gg_fail(err, MEMORY, NULL, "");
  if (!st) gen->named[gen->named_count++] = (named){name, spec};
  return st;
}

static int by_name(const void *left, const void *right) {
  const named *a = left, *b = right;
  int order = strcmp(a->name, b->name);
  return order ? order : (a->spec > b->spec) - (a->spec < b->spec);
}

/* Two kernels may share a name only where they are the same kernel. */
static gg_status check_pair(const named *first, const named *second, gg_error *err) {
  gg_kernel *a = NULL, *b = NULL;
  gg_status st = gg_kernel_generate(&a, first->spec, err);
  if (!st) st = gg_kernel_generate(&b, second->spec, err);
  if (!st && strcmp(a->source, b->source) != 0) {
    const gg_mark *other = cli_name_mark(first->spec);
    st = gg_fail(err, GEN_NAME, cli_name_mark(second->spec), second->name, other->file, other->line,
                 other->column);
  }
  gg_kernel_free(a);
  gg_kernel_free(b);
  return st;
}

/* Checks, before anything is written, that no two kernels would be written to one file. */
static int check_names(generation *gen) {
  gg_error err = GG_ERROR_INIT;
  if (!gen->to_directory || gen->specs.count < 2) return CLI_OK;
  gen->named = GG_ARENA_ARRAY(&gen->arena, named, gen->specs.count);
  if (!gen->named) return cli_out_of_memory();
  int code = cli_specs_each(&gen->specs, gen->given->keep_going, NULL, note_name, gen);
  if (code) return code;
  qsort(gen->named, gen->named_count, sizeof *gen->named, by_name);
  for (size_t i = 1; i < gen->named_count; i++) {
    const named *first = &gen->named[i - 1], *second = &gen->named[i];
    if (strcmp(first->name, second->name) != 0) continue;
    if (check_pair(first, second, &err)) return cli_report(&err, NULL);
  }
  return CLI_OK;
}

/* ---- Outputs ---------------------------------------------------------------------------- */

static gg_status write_output(generation *gen, const char *name, emit_kind kind, const char *text,
                              size_t length, gg_error *err) {
  gg_str path = GG_STR_INIT;
  gg_str_add(&path, &gen->out);
  if (gen->to_directory) {
    bool root = strcmp(gg_str_text(&gen->out), "/") == 0;
    gg_str_printf(&path, "%s%s.%s", root ? "" : "/", name, extensions[kind]);
  }
  if (path.length) cli_rule_add_output(&gen->rule, gg_str_text(&path));
  gg_status st = path.failed
                     ? gg_fail(err, MEMORY, NULL, "")
                     : cli_write(path.length ? gg_str_text(&path) : NULL, text, length, err);
  gg_str_free(&path);
  return st;
}

static gg_status write_plan(generation *gen, const gg_spec *spec, const char *name, gg_error *err) {
  gg_report report = {.arena = GG_ARENA_INIT};
  gg_str text = GG_STR_INIT;
  gg_status st = gg_report_of_spec(&report, spec, err);
  if (st == GG_OK) gg_report_json(&text, &report);
  if (st == GG_OK && text.failed) st = gg_fail(err, MEMORY, NULL, "");
  if (st == GG_OK) st = write_output(gen, name, EMIT_PLAN, gg_str_text(&text), text.length, err);
  gg_str_free(&text);
  gg_report_free(&report);
  return st;
}

/* Writes the PTX with comments. */
static gg_status write_annotated(generation *gen, const gg_spec *spec, const gg_kernel *kernel,
                                 const gg_binary *ptx, gg_error *err) {
  gg_compilation compilation = GG_COMPILATION_INIT;
  gg_binary *lined = NULL;
  gg_str source = GG_STR_INIT, text = GG_STR_INIT;
  gg_status st = gg_compilation_run(&compilation, spec, err);
  if (!st) st = gg_compile_lined(&lined, &source, gen->compiler, kernel, gen->given->arch, err);
  if (!st && source.failed) st = gg_fail(err, MEMORY, NULL, "");
  const gg_annotated_text given = {.plan = compilation.plan,
                                   .layouts = compilation.layouts,
                                   .ptx = ptx->data,
                                   .lined = lined ? lined->data : NULL,
                                   .cuda = lined ? gg_str_text(&source) : NULL};
  if (!st) st = gg_annotate(&text, &given, err);
  if (!st) st = write_output(gen, kernel->name, EMIT_PTX, gg_str_text(&text), text.length, err);
  gg_str_free(&text);
  gg_str_free(&source);
  gg_binary_free(lined);
  gg_compilation_free(&compilation);
  return st;
}

static gg_status write_compiled(generation *gen, const gg_spec *spec, const gg_kernel *kernel,
                                emit_kind kind, gg_error *err) {
  gg_status st = GG_OK;
  gg_compiler_options opt = {.size = sizeof(gg_compiler_options), .warn = cli_warn};
  if (!gen->compiler && (st = gg_compiler_open(&gen->compiler, &opt, err))) return st;
  gg_binary *binary = NULL;
  gg_format format = kind == EMIT_PTX ? GG_FORMAT_PTX : GG_FORMAT_CUBIN;
  st = gg_compile(&binary, gen->compiler, kernel, gen->given->arch, format, err);
  if (st == GG_OK && binary->log[0]) fprintf(stderr, "%s\n", binary->log);
  if (st == GG_OK && gen->given->annotate && kind == EMIT_PTX)
    st = write_annotated(gen, spec, kernel, binary, err);
  else if (st == GG_OK)
    st = write_output(gen, kernel->name, kind, binary->data, binary->size, err);
  gg_binary_free(binary);
  return st;
}

/* Writes the PTX. Where NVRTC has to make it, since another target is asked for or the plan has no
 * template, a note says so. */
static gg_status write_ptx(generation *gen, const gg_spec *spec, const gg_kernel *kernel,
                           gg_error *err) {
  gg_kernel *ptx = NULL;
  gg_str why = GG_STR_INIT;
  bool other = gen->given->arch && strcmp(gen->given->arch, kernel->arch) != 0;
  gg_status st = other ? GG_OK : gg_kernel_generate_ptx(&ptx, spec, err);
  if (!other && st == GG_OK) {
    st = write_compiled(gen, spec, ptx, EMIT_PTX, err); /* or the annotated text, in its place */
  } else if (other || st == GG_E_EMIT_PTX) {
    gg_str_puts(&why, "NVRTC made this PTX: ");
    if (other)
      gg_str_printf(&why, "templates have it for %s alone", kernel->arch);
    else
      gg_str_puts(&why, err->message);
    gg_error_clear(err);
    st = write_compiled(gen, spec, kernel, EMIT_PTX, err);
    const gg_mark *mark = cli_name_mark(spec);
    if (st == GG_OK)
      fprintf(stderr, "%s:%d:%d: note: %s\n", mark->file, mark->line, mark->column,
              gg_str_shown(&why));
  }
  gg_str_free(&why);
  gg_kernel_free(ptx);
  return st;
}

static gg_status generate(void *user, const gg_spec *spec, gg_error *err) {
  generation *gen = user;
  gg_kernel *kernel = NULL;
  gg_status st = gg_kernel_generate(&kernel, spec, err);
  if (st == GG_OK) cli_note(spec, kernel->note);
  for (int kind = 0; kind < EMIT_COUNT && st == GG_OK; kind++) {
    if (!gen->wanted[kind]) continue;
    if (kind == EMIT_CU) {
      st = write_output(gen, kernel->name, EMIT_CU, kernel->source, kernel->source_length, err);
    } else if (kind == EMIT_PLAN) {
      st = write_plan(gen, spec, kernel->name, err);
    } else if (kind == EMIT_PTX) {
      st = write_ptx(gen, spec, kernel, err);
    } else {
      st = write_compiled(gen, spec, kernel, (emit_kind)kind, err);
    }
  }
  gg_kernel_free(kernel);
  return st;
}

/* ---- The command ------------------------------------------------------------------------ */

static int generate_all(generation *gen, int argc, char **argv) {
  const gen_options *given = gen->given;
  int refused = cli_specs_load(&gen->specs, argc, argv);
  if (refused && !given->keep_going) return refused;
  int code = choose_output(gen);
  if (!code) code = check_names(gen);
  if (!code) code = make_directories(gen);
  if (code) return code;
  cli_rule_add_inputs(&gen->rule, argc, argv);
  code = cli_specs_each(&gen->specs, given->keep_going, "gen", generate, gen);
  if (!code || given->keep_going) {
    int unwritten = cli_rule_write(&gen->rule, given->depfile);
    if (unwritten) code = unwritten;
  }
  return code ? code : refused;
}

static int run(const void *values, int argc, char **argv) {
  generation gen = {.given = values, .arena = GG_ARENA_INIT};
  if (argc == 0) return cli_usage("gen needs a spec");
  gg_arch arch;
  int code = parse_emit(&gen);
  if (!code && gen.given->arch) code = cli_arch_read(&arch, gen.given->arch);
  if (!code) code = generate_all(&gen, argc, argv);
  gg_compiler_close(gen.compiler);
  cli_specs_free(&gen.specs);
  gg_arena_free(&gen.arena);
  gg_str_free(&gen.out);
  cli_rule_free(&gen.rule);
  return code;
}

const cli_command cmd_gen = {
    .name = "gen",
    .operands = "SPEC...",
    .summary = "Write kernels: CUDA C++, PTX, cubin",
    .details =
        "Each SPEC is a YAML file (- for standard input); one with a sweep gives several\n"
        "kernels. Several kernels, or several kinds of output, go to a directory, which is made\n"
        "where it is not there, and are named by the kernels; two kernels of one name are\n"
        "refused. Output is the same from run to run, byte for byte; a file is written in full or\n"
        "not at all.\n"
        "\n"
        "PTX is of a template where a kernel's plan has one: to be read, and without NVRTC. Else, or\n"
        "for another --arch, NVRTC makes it, and a note says so. --annotate puts comments into it, in\n"
        "lines of their own: which part of the template and which line of CUDA C++ follows, what\n"
        "registers are for, and at each asynchronous instruction which stage of which ring it is about\n"
        "and who waits for it. ptxas makes the same of it (docs/annotated-ptx.md).",
    .options = options,
    .options_size = sizeof(gen_options),
    .run = run,
};
