/* For each form, a pack holds the kernels that the model chooses: for the products that the user
 * asks for, or for a net of products of many sizes, with and without a workspace. No kernel of the
 * catalogue has a fixed extent, so a kernel that was chosen for one product computes every other
 * one of its form: a product that is not in the net gets the fastest kernel of the pack.
 *
 * One form of types is packed as several forms: with different alignments, and with and without a
 * C. Where the user names no products, the alignments are these. A and B are aligned to as many
 * bytes as is of any use, to the 4 bytes that a copy has at least, and to an element; D to 16
 * bytes, and to an element. A product with other alignments takes kernels that ask for less. */
#include "cli/pack_catalogue.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "atom/dtype.h"
#include "base/alloc.h"
#include "choice/form.h"
#include "cli/cubin.h"
#include "cli/products.h"
#include "gemmgen_gemm.h"
#include "jit.h"

/* A kernel to compile, for a device and perhaps for the emulator. */
typedef struct packed_kernel {
  gg_kernel *kernel;
  gg_binary *binaries[2]; /* the cubin; PTX, where it is asked for */
} packed_kernel;

typedef struct packed_form {
  gg_packed_form row;
  char *name;
  gg_packed_place *places;
  size_t *kernels; /* index in the run's kernels of the one at each place */
} packed_form;

typedef struct run {
  const cli_catalogue_pack *given;
  gg_arch arch;
  gg_device_model device;
  gg_catalogue *catalogue;
  gg_compiler *compiler;
  packed_form *forms;
  size_t form_count;
  packed_kernel *kernels;
  size_t kernel_count;
  gg_pack_contents contents;
  pthread_mutex_t lock; /* guards what follows while kernels are compiled */
  size_t next, done;
  gg_error err;
} run;

/* ---- Which kernels ---------------------------------------------------------------------- */

/* The state of choosing the kernels for one form. */
typedef struct choosing {
  gg_lineup *lineup;
  gg_model *models;
  gg_ranked *ranked;
  bool *chosen; /* one for each candidate */
} choosing;

/* Chooses a kernel for a product, unless one that is chosen already will do. `slack`: the share by
 * which that one may take longer than the fastest. */
static void choose(choosing *c, gg_extents extents, double slack) {
  static const int64_t workspaces[] = {0, GG_GEMM_WORKSPACE};
  for (size_t i = 0; i < sizeof workspaces / sizeof *workspaces; i++) {
    gg_models_rank(c->ranked, c->models, c->lineup->count, extents, (gg_room){workspaces[i], 0});
    double nearest = INFINITY;
    for (size_t j = 0; j < c->lineup->count; j++)
      if (c->chosen[j] && c->ranked[j].seconds < nearest) nearest = c->ranked[j].seconds;
    gg_ranked_first(c->ranked, c->lineup->count);
    if (nearest > c->ranked[0].seconds * (1 + slack)) c->chosen[c->ranked[0].index] = true;
  }
}

/* How many elements beyond whole 128-byte lines an operand may have in the net. It is one step of
 * the operand's alignment, so that also operands with the highest alignment get such lines. */
static int64_t beyond(gg_operand operand) {
  int bits = gg_dtype_info_of(operand.type)->bits;
  int64_t elements = (int64_t)operand.align * 8 / bits;
  return elements > 0 ? elements : 1;
}

/* Chooses for a net of sizes, both with lines that are whole cache lines and with others. A slack
 * of one hundredth is less than the model can tell apart, and saves a quarter of the kernels. */
static void choose_net(choosing *c, const gg_form *form) {
  static const int64_t rows[] = {1,   16,   32,   64,   128,  256,  512,
                                 768, 1024, 2048, 3072, 4096, 8192, 16384};
  static const int64_t lines[] = {64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384};
  enum { row_count = sizeof rows / sizeof *rows, line_count = sizeof lines / sizeof *lines };
  const double slack = 0.01;
  int64_t more_k = beyond(form->a), more_n = beyond(form->d);
  for (int i = 0; i < row_count * line_count * line_count; i++) {
    int64_t m = rows[i % row_count], n = lines[i / row_count % line_count];
    int64_t k = lines[i / row_count / line_count];
    choose(c, (gg_extents){m, n, k, 1}, slack);
    choose(c, (gg_extents){m, n + more_n, k + more_k, 1}, slack);
    if (m * n <= 1 << 18) choose(c, (gg_extents){m, n, k, 32}, slack);
  }
}

static gg_status open_choosing(choosing *c, const run *r, const gg_form *form, gg_error *err) {
  *c = (choosing){0};
  gg_status st = gg_lineup_make(&c->lineup, r->catalogue, form, r->arch.number, err);
  size_t count = st ? 0 : c->lineup->count;
  if (count == 0) return st;
  st = gg_lineup_model(&c->models, c->lineup, &r->device, err);
  c->ranked = gg_malloc(count * sizeof *c->ranked);
  c->chosen = gg_calloc(count, sizeof *c->chosen);
  return st ? st : c->ranked && c->chosen ? GG_OK : gg_fail(err, MEMORY, NULL, "");
}

static void close_choosing(choosing *c) {
  gg_free(c->chosen);
  gg_free(c->ranked);
  gg_free(c->models);
  gg_lineup_free(c->lineup);
}

/* ---- Forms ------------------------------------------------------------------------------ */

/* The index of the kernel in the run's list; kernel_count: it is not there. Several forms may have
 * the same kernel. */
static size_t find_kernel(const run *r, const gg_kernel *kernel) {
  size_t i = 0;
  for (; i < r->kernel_count; i++) {
    const gg_kernel *other = r->kernels[i].kernel;
    if (strcmp(other->name, kernel->name) == 0 && strcmp(other->source, kernel->source) == 0) break;
  }
  return i;
}

static gg_status add_kernel(size_t *index, run *r, const gg_candidate *candidate, gg_error *err) {
  gg_kernel *kernel;
  gg_status st = gg_kernel_generate(&kernel, &candidate->spec, err);
  if (st) return st;
  packed_kernel *list = NULL;
  *index = find_kernel(r, kernel);
  if (*index == r->kernel_count &&
      !(list = gg_realloc(r->kernels, (r->kernel_count + 1) * sizeof *list)))
    st = gg_fail(err, MEMORY, NULL, "");
  if (!list) {
    gg_kernel_free(kernel);
    return st;
  }
  r->kernels = list;
  list[r->kernel_count++] = (packed_kernel){.kernel = kernel};
  return GG_OK;
}

static bool has_place(const packed_form *form, gg_catalogue_place place) {
  for (size_t i = 0; i < form->row.place_count; i++)
    if (gg_same_place(form->places[i].place, place)) return true;
  return false;
}

static gg_status make_room(packed_form *form, size_t more, gg_error *err) {
  size_t most = form->row.place_count + more;
  gg_packed_place *places = gg_realloc(form->places, most * sizeof *places);
  if (places) form->row.places = form->places = places;
  size_t *kernels = gg_realloc(form->kernels, most * sizeof *kernels);
  if (kernels) form->kernels = kernels;
  return places && kernels ? GG_OK : gg_fail(err, MEMORY, NULL, "");
}

static gg_status add_chosen(run *r, packed_form *to, const choosing *c, gg_error *err) {
  gg_status st = make_room(to, c->lineup->count, err);
  for (size_t i = 0; i < c->lineup->count && !st; i++) {
    const gg_candidate *candidate = &c->lineup->list[i];
    if (!c->chosen[i] || has_place(to, candidate->place)) continue;
    size_t at = to->row.place_count++;
    to->places[at] = (gg_packed_place){.place = candidate->place, .terms = c->models[i].terms};
    st = add_kernel(&to->kernels[at], r, candidate, err);
  }
  return st;
}

static void free_form(packed_form *form) {
  gg_free(form->kernels);
  gg_free(form->places);
  gg_free(form->name);
}

static packed_form *find_form(const run *r, const packed_form *like) {
  for (size_t i = 0; i < r->form_count; i++) {
    const gg_packed_form *row = &r->forms[i].row;
    if (strcmp(row->name, like->name) == 0 && row->align_a == like->row.align_a &&
        row->align_b == like->row.align_b && row->align_c == like->row.align_c &&
        row->align_d == like->row.align_d)
      return &r->forms[i];
  }
  return NULL;
}

/* Finds the run's form of this name and alignments, or adds an empty one; *is_new tells which. */
static gg_status open_form(packed_form **out, bool *is_new, run *r, const gg_form *form,
                           gg_error *err) {
  gg_str name = GG_STR_INIT;
  gg_status st = gg_pack_form_name(&name, form, err);
  packed_form own = {.name = st ? NULL : gg_str_take(&name)};
  gg_str_free(&name);
  if (st) return st;
  own.row = (gg_packed_form){.name = own.name,
                             .align_a = form->a.align,
                             .align_b = form->b.align,
                             .align_c = form->has_c ? form->c.align : 0,
                             .align_d = form->d.align};
  *out = own.name ? find_form(r, &own) : NULL;
  *is_new = !*out;
  if (*out) free_form(&own);
  if (*out) return GG_OK;
  packed_form *list = own.name ? gg_realloc(r->forms, (r->form_count + 1) * sizeof *list) : NULL;
  if (!list) {
    free_form(&own);
    return gg_fail(err, MEMORY, NULL, "");
  }
  r->forms = list;
  *out = &list[r->form_count++];
  **out = own;
  return GG_OK;
}

/* Adds one form with its alignments. `product`: the product whose kernels to choose; NULL: those of
 * all sizes. A form that no kernel computes on the device is left out; *found becomes true for any
 * other. */
static gg_status add_form(bool *found, run *r, const gg_form *form, const cli_case *product,
                          gg_error *err) {
  choosing c;
  packed_form *own;
  bool is_new;
  gg_status st = open_choosing(&c, r, form, err);
  size_t count = st ? 0 : c.lineup->count;
  if (count > 0) st = open_form(&own, &is_new, r, form, err);
  if (count > 0) *found = true;
  if (count > 0 && !st && (product || is_new)) {
    if (r->given->all) {
      memset(c.chosen, true, count * sizeof *c.chosen);
    } else if (product) {
      choose(&c, cli_case_extents(product), 0);
    } else {
      choose_net(&c, form);
    }
    st = add_chosen(r, own, &c, err);
  }
  close_choosing(&c);
  return st;
}

static gg_status add_with_c(bool *found, run *r, gg_form form, const cli_case *product,
                            gg_error *err) {
  form.c = form.d;
  form.has_c = false;
  gg_status st = add_form(found, r, &form, product, err);
  form.has_c = true;
  return st ? st : add_form(found, r, &form, product, err);
}

static int element(gg_dtype type) {
  int bytes = gg_dtype_info_of(type)->bits / 8;
  return bytes > 0 ? bytes : 1;
}

static int at_least(int align, int least) {
  return align > least ? align : least;
}

/* Adds a form of types with every alignment that it is packed with. */
static gg_status add_alignments(bool *found, run *r, gg_form form, gg_error *err) {
  enum { least_copy = 4 /* bytes, of cp.async */, widest = 16 };
  int a = element(form.a.type), b = element(form.b.type), d = element(form.d.type);
  const int of_a[] = {gg_form_align_most(&form, form.a.type), at_least(least_copy, a), a};
  const int of_b[] = {gg_form_align_most(&form, form.b.type), at_least(least_copy, b), b};
  gg_status st = GG_OK;
  for (int i = 0; i < 6 && !st; i++) {
    form.a.align = of_a[i / 2];
    form.b.align = of_b[i / 2];
    form.d.align = i % 2 ? d : widest;
    st = add_with_c(found, r, form, NULL, err);
  }
  return st;
}

/* Adds one product of the user's. `problem`: "M N K [BATCH]", `length` bytes of it. */
static int add_problem(bool *found, run *r, const char *types, const char *problem, size_t length) {
  gg_error err = GG_ERROR_INIT;
  char text[128];
  cli_cases cases;
  if (length >= sizeof text)
    return cli_usage("--problem takes \"M N K [BATCH]\", not '%s'", problem);
  snprintf(text, sizeof text, "%.*s", (int)length, problem);
  int code = cli_product_read_of(&cases, text, types, "--form");
  if (code) return code;
  gg_form form = cli_case_form(&cases.list[0]);
  form.epilogue = r->given->epilogue;
  gg_status st = add_with_c(found, r, form, &cases.list[0], &err);
  cli_cases_free(&cases);
  return st ? cli_report(&err, NULL) : CLI_OK;
}

static int add_types(run *r, const char *types) {
  gg_error err = GG_ERROR_INIT;
  bool found = false;
  const char *problem = r->given->problem;
  cli_cases cases;
  int code = cli_product_read_of(&cases, "1 1 1", types, "--form");
  if (code) return code;
  gg_form form = cli_case_form(&cases.list[0]);
  form.epilogue = r->given->epilogue;
  cli_cases_free(&cases);
  if (!problem) {
    gg_status st = add_alignments(&found, r, form, &err);
    if (st) return cli_report(&err, NULL);
  }
  for (const char *at = problem; at && *at && !code; at += *at == ';') {
    size_t length = strcspn(at, ";");
    code = add_problem(&found, r, types, at, length);
    at += length;
  }
  if (code || found) return code;
  char name[GG_ARCH_NAME_MAX];
  fprintf(stderr, "gemmgen: no kernel of the catalogue computes %s on %s\n", types,
          gg_arch_name(name, r->arch));
  return CLI_FAILED;
}

/* ---- Compiling -------------------------------------------------------------------------- */

static gg_status compile(run *r, packed_kernel *kernel, gg_error *err) {
  gg_device_facts facts = {.arch = r->arch.number};
  gg_status st = GG_OK;
  for (int i = 0; i < 1 + r->given->ptx && !st; i++) {
    facts.emulated = i > 0;
    st =
        gg_compile_for_device(&kernel->binaries[i], r->compiler, NULL, kernel->kernel, &facts, err);
  }
  return st;
}

/* Compiles kernels in one thread, until all are done or one has failed. */
static void *compile_some(void *argument) {
  run *r = argument;
  pthread_mutex_lock(&r->lock);
  while (r->next < r->kernel_count && r->err.code == GG_OK) {
    packed_kernel *kernel = &r->kernels[r->next++];
    gg_error err = GG_ERROR_INIT;
    pthread_mutex_unlock(&r->lock);
    gg_status st = compile(r, kernel, &err);
    pthread_mutex_lock(&r->lock);
    if (st && r->err.code == GG_OK) r->err = err, err = (gg_error)GG_ERROR_INIT;
    gg_error_clear(&err);
    cli_progress("compiling", ++r->done, r->kernel_count);
  }
  pthread_mutex_unlock(&r->lock);
  return NULL;
}

static int compile_all(run *r) {
  enum { most = 256 };
  pthread_t threads[most];
  int64_t count = r->given->threads ? r->given->threads : sysconf(_SC_NPROCESSORS_ONLN);
  int64_t started = 0;
  if (count > most) count = most;
  if (pthread_mutex_init(&r->lock, NULL)) return cli_out_of_memory();
  while (started + 1 < count && pthread_create(&threads[started], NULL, compile_some, r) == 0)
    started++;
  compile_some(r); /* this thread takes part */
  for (int64_t i = 0; i < started; i++)
    pthread_join(threads[i], NULL);
  pthread_mutex_destroy(&r->lock);
  return r->err.code ? cli_report(&r->err, NULL) : CLI_OK;
}

/* Opens the compiler. Fails where NVRTC does not know the target: it would compile for another one,
 * and nothing would ever find the kernels. */
static int open_compiler(run *r) {
  gg_error err = GG_ERROR_INIT;
  gg_compiler_options opt = {.size = sizeof(gg_compiler_options), .warn = cli_warn};
  if (gg_compiler_open(&r->compiler, &opt, &err)) return cli_report(&err, NULL);
  const gg_compiler_facts *facts = gg_compiler_facts_of(r->compiler);
  gg_status st = facts->nvrtc ? GG_OK : gg_fail(&err, NO_NVRTC, NULL, facts->why_not);
  if (st) return cli_report(&err, NULL);
  for (size_t i = 0; i < facts->arch_count; i++)
    if (facts->archs[i] == r->arch.number) return CLI_OK;
  fprintf(stderr, "gemmgen: NVRTC %d.%d does not compile for sm_%d: it does for sm_%d to sm_%d\n",
          facts->nvrtc_version / 100, facts->nvrtc_version / 10 % 10, r->arch.number,
          facts->archs[0], facts->archs[facts->arch_count - 1]);
  return CLI_FAILED;
}

/* ---- The file --------------------------------------------------------------------------- */

/* Notes for the form's compiled kernels whether they spill registers to local memory. */
static void note_local_bytes(const run *r, packed_form *form) {
  for (size_t i = 0; i < form->row.place_count; i++) {
    const gg_binary *cubin = r->kernels[form->kernels[i]].binaries[0];
    form->places[i].local_bytes = cli_cubin_local_bytes(cubin->data, cubin->size);
  }
}

static gg_status gather(run *r, gg_error *err) {
  gg_pack_contents *contents = &r->contents;
  gg_packed_form *forms = gg_calloc(r->form_count, sizeof *forms);
  contents->forms = forms;
  contents->binaries = gg_calloc(2 * r->kernel_count, sizeof *contents->binaries);
  if (!forms || !contents->binaries) return gg_fail(err, MEMORY, NULL, "");
  contents->device = r->arch.number;
  contents->has_ptx = r->given->ptx;
  contents->nvrtc_major = r->compiler->nvrtc.major;
  contents->nvrtc_minor = r->compiler->nvrtc.minor;
  for (size_t i = 0; i < r->form_count; i++) {
    note_local_bytes(r, &r->forms[i]);
    forms[contents->form_count++] = r->forms[i].row;
  }
  for (size_t i = 0; i < 2 * r->kernel_count; i++) {
    const packed_kernel *kernel = &r->kernels[i / 2];
    const gg_binary *binary = kernel->binaries[i % 2];
    if (!binary) continue;
    contents->binaries[contents->binary_count++] =
        (gg_packed_binary){.key = gg_compiled_key(r->compiler, kernel->kernel, binary),
                           .data = binary->data,
                           .size = binary->size};
  }
  return GG_OK;
}

static int write_pack(run *r) {
  gg_error err = GG_ERROR_INIT;
  gg_str text = GG_STR_INIT;
  char arch[GG_ARCH_NAME_MAX];
  gg_status st = gather(r, &err);
  if (!st) gg_pack_file_build(&text, &r->contents);
  if (!st) st = cli_write_text(r->given->out, &text, &err);
  if (!st)
    printf("%s: %zu kernels of %zu forms for %s, %.1f MiB\n", r->given->out, r->kernel_count,
           r->form_count, gg_arch_name(arch, r->arch), (double)text.length / (1 << 20));
  gg_str_free(&text);
  return st ? cli_report(&err, NULL) : CLI_OK;
}

static void close_run(run *r) {
  for (size_t i = 0; i < r->kernel_count; i++) {
    gg_kernel_free(r->kernels[i].kernel);
    gg_binary_free(r->kernels[i].binaries[0]);
    gg_binary_free(r->kernels[i].binaries[1]);
  }
  for (size_t i = 0; i < r->form_count; i++)
    free_form(&r->forms[i]);
  gg_free(r->kernels);
  gg_free(r->forms);
  gg_free((void *)r->contents.forms);
  gg_free(r->contents.binaries);
  gg_compiler_close(r->compiler);
  gg_catalogue_close(r->catalogue);
}

static int check(run *r) {
  const cli_catalogue_pack *given = r->given;
  if (!given->form) return cli_usage("pack --catalogue needs --form A,B,D, the types of a product");
  if (!given->out) return cli_usage("pack --catalogue needs -o FILE");
  if (!given->arch || strchr(given->arch, ','))
    return cli_usage("pack --catalogue needs --arch with one architecture: a pack is for one");
  if (given->problem && given->all) return cli_usage("--problem and --all exclude each other");
  int code = cli_arch_read(&r->arch, given->arch);
  return code ? code : cli_check_writable(given->out);
}

int cli_pack_catalogue(const cli_catalogue_pack *given, int argc, char **argv) {
  gg_error err = GG_ERROR_INIT;
  run r = {.given = given, .err = GG_ERROR_INIT};
  int code = check(&r);
  if (code) return code;
  r.device = gg_device_model_of(NULL, r.arch.number, 0);
  if (gg_catalogue_open(&r.catalogue, &err)) code = cli_report(&err, NULL);
  if (!code) code = open_compiler(&r);
  if (!code) code = add_types(&r, given->form);
  for (int i = 0; i < argc && !code; i++)
    code = add_types(&r, argv[i]);
  if (!code) code = compile_all(&r);
  if (!code) code = write_pack(&r);
  close_run(&r);
  return code;
}
