/* gemmgen pack: compiles kernels at build time into C source that a program links. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "cli/cli.h"
#include "cli/outputs.h"
#include "cli/pack_catalogue.h"
#include "cli/pack_text.h"
#include "cli/specs.h"
#include "packer.h"

typedef struct pack_options {
  const char *archs, *out, *depfile;
  bool ptx;
  bool catalogue, all;
  const char *form, *problem, *epilogue;
  int64_t threads;
} pack_options;

static const cli_option options[] = {
    {"arch", 0, CLI_STRING, offsetof(pack_options, archs), "ARCHS",
     "architectures to compile for, parted by commas: sm_80,sm_90a (default: each spec's own)"},
    {"output", 'o', CLI_STRING, offsetof(pack_options, out), "PREFIX",
     "write PREFIX.c and PREFIX.h; the last part of it is what every name in them begins with"},
    {"ptx", 0, CLI_FLAG, offsetof(pack_options, ptx), NULL,
     "pack PTX beside each cubin, which the emulator runs, not of the newest alone"},
    {"depfile", 0, CLI_STRING, offsetof(pack_options, depfile), "FILE",
     "write a Makefile rule: both files depend on the specs"},
    {"catalogue", 0, CLI_FLAG, offsetof(pack_options, catalogue), NULL,
     "write a file of gg_gemm's kernels for --form, which GEMMGEN_PACKS names to programs"},
    {"form", 0, CLI_STRING, offsetof(pack_options, form), "TYPES",
     "with --catalogue: A,B,D[,ACCUMULATOR[,MAJORS]], as bf16,bf16,bf16; operands are more of them"},
    {"epilogue", 0, CLI_STRING, offsetof(pack_options, epilogue), "TEXT",
     "with --catalogue: gg_form's epilogue, as \"[linear, relu]\""},
    {"problem", 0, CLI_STRING, offsetof(pack_options, problem), "\"M N K [BATCH]\"",
     "with --catalogue: what this product gets alone; several are parted by semicolons (default: "
     "what products of all sizes get)"},
    {"all", 0, CLI_FLAG, offsetof(pack_options, all), NULL,
     "with --catalogue: every kernel that computes the form, also those that none would get"},
    {"threads", 0, CLI_COUNT, offsetof(pack_options, threads), "COUNT",
     "with --catalogue: compile so many kernels at a time (default: one a core)"},
    {0},
};

enum { archs_max = 32 };

/* One run of the command. */
typedef struct packing_run {
  const pack_options *given;
  gg_arch archs[archs_max];
  size_t arch_count;
  gg_compiler *compiler;
  cli_pack pack;
} packing_run;

/* ---- What is asked for ------------------------------------------------------------------ */

static int read_archs(packing_run *run) {
  const char *list = run->given->archs;
  while (list) {
    size_t length = strcspn(list, ",");
    char name[GG_ARCH_NAME_MAX];
    snprintf(name, sizeof name, "%.*s", (int)length, list);
    if (run->arch_count == archs_max)
      return cli_usage("--arch takes up to %d architectures", (int)archs_max);
    int code = cli_arch_read(&run->archs[run->arch_count++], length < sizeof name ? name : list);
    if (code) return code;
    list = list[length] ? list + length + 1 : NULL;
  }
  return CLI_OK;
}

/* Whether a name is a word of C or C++, or begins as the names of libgemmgen do. */
static bool is_taken(const char *name) {
  static const char *const words[] = {
      "alignas", "auto",     "bool",     "break",    "case",    "catch",     "char",     "class",
      "const",   "delete",   "do",       "double",   "else",    "enum",      "explicit", "export",
      "extern",  "false",    "float",    "for",      "friend",  "gg",        "goto",     "if",
      "inline",  "int",      "long",     "main",     "mutable", "namespace", "new",      "operator",
      "private", "public",   "register", "restrict", "return",  "short",     "signed",   "sizeof",
      "static",  "struct",   "switch",   "template", "this",    "throw",     "true",     "try",
      "typedef", "typename", "union",    "unsigned", "using",   "virtual",   "void",     "volatile",
      "while",   "default",  "continue", "protected"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(name, words[i]) == 0) return true;
  return strncmp(name, "gg_", 3) == 0;
}

/* Reads the pack's name, from which identifiers are made: the last part of -o. */
static int read_name(packing_run *run) {
  const char *out = run->given->out;
  if (!out) return cli_usage("pack needs -o PREFIX: it writes PREFIX.c and PREFIX.h");
  const char *slash = strrchr(out, '/'), *name = slash ? slash + 1 : out;
  bool legal = isalpha((unsigned char)name[0]) || name[0] == '_';
  for (const char *at = name; *at; at++)
    legal = legal && (isalnum((unsigned char)*at) || *at == '_');
  run->pack.name = name;
  if (legal && !is_taken(name)) return CLI_OK;
  if (legal)
    return cli_usage("pack -o: the name '%s' is taken, by the language or by libgemmgen", name);
  return cli_usage("pack -o: functions and files are named by '%s', which is no C identifier",
                   name);
}

/* ---- Compiling -------------------------------------------------------------------------- */

static gg_status add_image(packing_run *run, cli_images *images, const gg_kernel *kernel,
                           gg_arch arch, gg_format format, gg_error *err) {
  char name[GG_ARCH_NAME_MAX];
  gg_binary **list = gg_realloc(images->list, (images->count + 1) * sizeof *list);
  if (!list) return gg_fail(err, MEMORY, NULL, "");
  images->list = list;
  gg_status st = gg_compile(&list[images->count], run->compiler, kernel, gg_arch_name(name, arch),
                            format, err);
  if (st) return st;
  if (list[images->count]->log[0]) fprintf(stderr, "%s\n", list[images->count]->log);
  images->count++;
  return GG_OK;
}

/* The target that a kernel is compiled for on devices of `arch`. It has only the suffix that the
 * kernel needs. */
static gg_arch target_of(gg_arch arch, gg_arch least) {
  return (gg_arch){.number = arch.number, .suffix = least.suffix};
}

static int by_number(const void *left, const void *right) {
  return ((const gg_arch *)left)->number - ((const gg_arch *)right)->number;
}

/* Adds an architecture, unless its number is there already. */
static void add_arch(gg_arch out[archs_max], size_t *count, gg_arch arch) {
  for (size_t i = 0; i < *count; i++)
    if (out[i].number == arch.number) return;
  if (*count < archs_max) out[(*count)++] = arch;
}

/* The architectures that are asked for and can run a kernel that needs `least`, each once,
 * ascending. */
static size_t targets_of(gg_arch out[archs_max], const packing_run *run, gg_arch least) {
  size_t count = 0;
  for (size_t i = 0; i < run->arch_count; i++) {
    if (gg_arch_runs(run->archs[i], least)) add_arch(out, &count, target_of(run->archs[i], least));
  }
  qsort(out, count, sizeof *out, by_number);
  return count;
}

/* Compiles a kernel to its images. PTX of an `a` target is left out: it runs only on the devices
 * that the cubin runs on. */
static gg_status compile(packing_run *run, cli_images *images, const gg_kernel *kernel,
                         const gg_arch *targets, size_t count, gg_error *err) {
  gg_status st = GG_OK;
  for (size_t i = 0; i < count && !st; i++)
    st = add_image(run, images, kernel, targets[i], GG_FORMAT_CUBIN, err);
  for (size_t i = 0; i < count && !st; i++) {
    bool later = i + 1 == count && targets[i].suffix != 'a';
    if (later || run->given->ptx)
      st = add_image(run, images, kernel, targets[i], GG_FORMAT_PTX, err);
  }
  return st;
}

/* ---- Kernels ---------------------------------------------------------------------------- */

/* Fails where two functions have the same name. `kernel`: the kernel that the other function
 * belongs to; NULL: the pack's own. */
static gg_status check_function(const cli_packed *packed, const gg_str *own, const gg_str *other,
                                const char *kernel, gg_error *err) {
  char text[160];
  if (strcmp(gg_str_text(own), gg_str_text(other)) != 0) return GG_OK;
  snprintf(text, sizeof text, "%s%s", kernel ? "a function of kernel " : "the pack's own",
           kernel ? kernel : "");
  return gg_fail(err, PACK_NAME, cli_name_mark(packed->spec), gg_str_text(own), text);
}

/* Checks that no function of the kernel has the name of one of an earlier kernel, or of the pack.
 */
static gg_status check_functions(const packing_run *run, const cli_packed *packed, int part,
                                 gg_error *err) {
  gg_str own = GG_STR_INIT, other = GG_STR_INIT;
  const char *whole;
  gg_status st = GG_OK;
  cli_pack_function(&own, &run->pack, part, packed->kernel->name);
  for (size_t i = 0; (whole = cli_pack_whole_function(&run->pack, i)) && !st; i++) {
    other.length = 0;
    cli_pack_function(&other, &run->pack, 0, whole);
    st = check_function(packed, &own, &other, NULL, err);
  }
  for (size_t i = 0; i < run->pack.count * CLI_PACK_FUNCTIONS && !st; i++) {
    const char *name = run->pack.kernels[i / CLI_PACK_FUNCTIONS].kernel->name;
    other.length = 0;
    cli_pack_function(&other, &run->pack, (int)(i % CLI_PACK_FUNCTIONS), name);
    st = check_function(packed, &own, &other, name, err);
  }
  if (!st && (own.failed || other.failed)) st = gg_fail(err, MEMORY, NULL, "");
  gg_str_free(&own);
  gg_str_free(&other);
  return st;
}

/* Tells in *found whether the same kernel is in the pack already. It is an error if a different one
 * has the same name. */
static gg_status find_same(bool *found, const packing_run *run, const cli_packed *packed,
                           gg_error *err) {
  *found = false;
  for (size_t i = 0; i < run->pack.count; i++) {
    const cli_packed *other = &run->pack.kernels[i];
    if (strcmp(other->kernel->name, packed->kernel->name) != 0) continue;
    *found = strcmp(other->kernel->source, packed->kernel->source) == 0;
    if (*found) return GG_OK;
    const gg_mark *mark = cli_name_mark(other->spec);
    return gg_fail(err, GEN_NAME, cli_name_mark(packed->spec), packed->kernel->name, mark->file,
                   mark->line, mark->column);
  }
  return GG_OK;
}

static gg_status compile_kernel(packing_run *run, cli_packed *packed, gg_error *err) {
  gg_arch least, targets[archs_max];
  const gg_kernel *kernel = packed->kernel;
  if (!gg_arch_parse(&least, kernel->arch)) return gg_fail(err, ARCH_NAME, NULL, kernel->arch);
  targets[0] = least;
  size_t count = run->given->archs ? targets_of(targets, run, least) : 1;
  if (count) return compile(run, &packed->images, kernel, targets, count, err);
  return gg_fail(err, PACK_ARCH, &packed->spec->arch.mark, kernel->name, kernel->arch,
                 run->given->archs, kernel->arch);
}

static void free_images(cli_images *images) {
  for (size_t i = 0; i < images->count; i++)
    gg_binary_free(images->list[i]);
  gg_free(images->list);
}

static void free_packed(cli_packed *packed) {
  gg_kernel_free(packed->kernel);
  free_images(&packed->images);
}

static gg_status keep(packing_run *run, const cli_packed *packed, gg_error *err) {
  cli_packed *list = gg_realloc(run->pack.kernels, (run->pack.count + 1) * sizeof *list);
  if (!list) return gg_fail(err, MEMORY, NULL, "");
  run->pack.kernels = list;
  list[run->pack.count++] = *packed;
  return GG_OK;
}

static gg_status add_spec(void *user, const gg_spec *spec, gg_error *err) {
  packing_run *run = user;
  cli_packed packed = {.spec = spec};
  bool found = false;
  gg_status st = gg_kernel_generate(&packed.kernel, spec, err);
  if (!st) cli_note(spec, packed.kernel->note);
  if (!st) st = find_same(&found, run, &packed, err);
  for (int part = 0; part < CLI_PACK_FUNCTIONS && !st && !found; part++)
    st = check_functions(run, &packed, part, err);
  if (!st && !found) st = compile_kernel(run, &packed, err);
  if (!st && !found) st = keep(run, &packed, err);
  if (st || found) free_packed(&packed);
  return st;
}

/* ---- Scale factors ---------------------------------------------------------------------- */

/* The architectures of all cubins. The kernel that packs scale factors is compiled for these as
 * well. */
static size_t archs_of_pack(gg_arch out[archs_max], const cli_pack *pack) {
  size_t count = 0;
  for (size_t i = 0; i < pack->count; i++) {
    for (size_t j = 0; j < pack->kernels[i].images.count; j++) {
      gg_arch arch;
      if (gg_arch_parse(&arch, pack->kernels[i].images.list[j]->arch))
        add_arch(out, &count, (gg_arch){.number = arch.number});
    }
  }
  qsort(out, count, sizeof *out, by_number);
  return count;
}

static bool has_scales(const cli_pack *pack) {
  for (size_t i = 0; i < pack->count; i++) {
    const gg_kernel *kernel = pack->kernels[i].kernel;
    if (kernel->scale_a.block || kernel->scale_b.block) return true;
  }
  return false;
}

static int add_packer(packing_run *run) {
  gg_error err = GG_ERROR_INIT;
  gg_arch targets[archs_max];
  if (!has_scales(&run->pack)) return CLI_OK;
  const gg_kernel kernel = {
      .name = GG_PACKER_NAME, .arch = GG_PACKER_ARCH, .source = gg_packer_source()};
  size_t count = archs_of_pack(targets, &run->pack);
  gg_status st = compile(run, &run->pack.packer, &kernel, targets, count, &err);
  return st ? cli_report(&err, NULL) : CLI_OK;
}

/* ---- Files ------------------------------------------------------------------------------ */

typedef struct output {
  gg_str path, text;
  char *old; /* the file's old content; NULL: there was none */
  size_t old_length;
} output;

static gg_status prepare(output *out, const packing_run *run, const char *ending, gg_error *err) {
  enum { most = 1 << 30 };
  gg_str_printf(&out->path, "%s.%s", run->given->out, ending);
  if (out->path.failed || out->text.failed) return gg_fail(err, MEMORY, NULL, "");
  gg_error none = GG_ERROR_INIT;
  if (gg_file_read_plain(&out->old, &out->old_length, gg_str_text(&out->path), most, &none))
    out->old = NULL;
  gg_error_clear(&none);
  return GG_OK;
}

static void put_back(const output *out) {
  const char *path = gg_str_text(&out->path);
  if (out->old) {
    gg_file_write(path, out->old, out->old_length);
  } else {
    remove(path);
  }
}

static void free_output(output *out) {
  gg_str_free(&out->path);
  gg_str_free(&out->text);
  gg_free(out->old);
}

/* Writes both files. If one fails, both are left as they were before. */
static int write_files(const packing_run *run) {
  gg_error err = GG_ERROR_INIT;
  output header = {.path = GG_STR_INIT}, source = {.path = GG_STR_INIT};
  cli_pack_write_header(&header.text, &run->pack);
  cli_pack_write_source(&source.text, &run->pack);
  gg_status st = cli_make_directory(run->given->out, true, &err);
  if (!st) st = prepare(&header, run, "h", &err);
  if (!st) st = prepare(&source, run, "c", &err);
  if (!st) st = cli_write_text(gg_str_text(&header.path), &header.text, &err);
  if (!st && (st = cli_write_text(gg_str_text(&source.path), &source.text, &err)))
    put_back(&header);
  free_output(&header);
  free_output(&source);
  return st ? cli_report(&err, NULL) : CLI_OK;
}

static int write_rule(const packing_run *run, int argc, char **argv) {
  gg_error err = GG_ERROR_INIT;
  cli_rule rule = {.outputs = GG_STR_INIT};
  if (!run->given->depfile) return CLI_OK;
  static const char *const endings[] = {"c", "h"};
  for (int i = 0; i < 2; i++) {
    gg_str path = GG_STR_INIT;
    gg_str_printf(&path, "%s.%s", run->given->out, endings[i]);
    rule.outputs.failed = rule.outputs.failed || path.failed;
    cli_rule_add_output(&rule, gg_str_text(&path));
    gg_str_free(&path);
  }
  cli_rule_add_inputs(&rule, argc, argv);
  int code = cli_make_directory(run->given->depfile, true, &err)
                 ? cli_report(&err, NULL)
                 : cli_rule_write(&rule, run->given->depfile);
  cli_rule_free(&rule);
  return code;
}

/* ---- The command ------------------------------------------------------------------------ */

static int open_compiler(packing_run *run) {
  gg_error err = GG_ERROR_INIT;
  gg_compiler_options opt = {.size = sizeof(gg_compiler_options), .warn = cli_warn};
  return gg_compiler_open(&run->compiler, &opt, &err) ? cli_report(&err, NULL) : CLI_OK;
}

static int pack_all(packing_run *run, int argc, char **argv) {
  cli_specs specs;
  int code = cli_specs_load(&specs, argc, argv);
  if (!code) code = open_compiler(run);
  if (!code) code = cli_specs_each(&specs, false, "pack", add_spec, run);
  if (!code) code = add_packer(run);
  if (!code) code = write_files(run);
  if (!code) code = write_rule(run, argc, argv);
  cli_specs_free(&specs);
  return code;
}

/* Rejects options that are only for --catalogue where that is not given. */
static int check_apart(const pack_options *given) {
  const bool without[] = {given->form, given->problem, given->epilogue, given->all,
                          given->threads != 0};
  static const char *const names[] = {"form", "problem", "epilogue", "all", "threads"};
  for (size_t i = 0; i < sizeof without / sizeof *without; i++)
    if (without[i]) return cli_usage("pack --%s goes with --catalogue", names[i]);
  return CLI_OK;
}

static int run_catalogue(const pack_options *given, int argc, char **argv) {
  if (given->depfile) return cli_usage("pack --catalogue has no specs for a --depfile");
  const cli_catalogue_pack pack = {.form = given->form,
                                   .problem = given->problem,
                                   .epilogue = given->epilogue,
                                   .arch = given->archs,
                                   .out = given->out,
                                   .all = given->all,
                                   .ptx = given->ptx,
                                   .threads = given->threads};
  return cli_pack_catalogue(&pack, argc, argv);
}

static int run(const void *values, int argc, char **argv) {
  packing_run run = {.given = values};
  if (run.given->catalogue) return run_catalogue(values, argc, argv);
  if (check_apart(run.given)) return CLI_USAGE;
  if (argc == 0) return cli_usage("pack needs a spec");
  int code = read_name(&run);
  if (!code) code = read_archs(&run);
  if (!code) code = pack_all(&run, argc, argv);
  for (size_t i = 0; i < run.pack.count; i++)
    free_packed(&run.pack.kernels[i]);
  gg_free(run.pack.kernels);
  free_images(&run.pack.packer);
  gg_compiler_close(run.compiler);
  return code;
}

const cli_command cmd_pack = {
    .name = "pack",
    .operands = "SPEC...",
    .summary = "Compile kernels into C files for a program, or into a file for gg_gemm",
    .details =
        "Writes PREFIX.c and PREFIX.h: cubins, what a launch knows of each kernel, and a typed\n"
        "function a kernel. A program that is made of them links libgemmgen-launch, which has no\n"
        "generator and no compiler. Each kernel is compiled for those architectures of the list\n"
        "that run it, and to PTX of the newest for later devices, where PTX runs on those. Output\n"
        "is the same from run to run, byte for byte; both files are written, or neither.\n"
        "\n"
        "With --catalogue, --form, --arch and -o FILE it packs kernels for gg_gemm, of its catalogue: those\n"
        "that the model chooses for products of all sizes, of any alignment, with and without a C. A\n"
        "program that finds FILE in GEMMGEN_PACKS, or names it itself, compiles nothing for such\n"
        "products. The pack is of one architecture, and of the library of this very version.",
    .options = options,
    .options_size = sizeof(pack_options),
    .run = run,
};
