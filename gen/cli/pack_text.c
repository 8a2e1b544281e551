/* Both files are readable C11. They have a section for each kernel: the spec that it was made from,
 * the facts that a launch needs (each a designated member, left out where it is 0), and its images
 * as bytes. No path or time is in them, so the same specs give the same bytes. */
#include "cli/pack_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "atom/dtype.h"
#include "facts.h"
#include "packer.h"
#include "spec/print.h"

enum { end_of_line = 100 };

/* ---- Functions -------------------------------------------------------------------------- */

void cli_pack_function(gg_str *out, const cli_pack *pack, int part, const char *kernel) {
  static const char *const parts[CLI_PACK_FUNCTIONS] = {"", "kernel_", "module_"};
  gg_str_printf(out, "%s_%s%s", pack->name, parts[part], kernel);
}

const char *cli_pack_whole_function(const cli_pack *pack, size_t index) {
  static const char *const names[] = {"open", "close", "pack", "pack_scales"};
  size_t count = sizeof names / sizeof *names;
  if (pack->packer.count == 0) count--;
  return index < count ? names[index] : NULL;
}

/* ---- Facts ------------------------------------------------------------------------------ */

#define NAMED(enumerator) [enumerator] = #enumerator
static const char *const majors[] = {NAMED(GG_MAJOR_K), NAMED(GG_MAJOR_M), NAMED(GG_MAJOR_N)};
static const char *const op_kinds[] = {
    NAMED(GG_OP_LINEAR),    NAMED(GG_OP_BIAS),     NAMED(GG_OP_SCALE), NAMED(GG_OP_RESIDUAL),
    NAMED(GG_OP_AUX),       NAMED(GG_OP_RELU),     NAMED(GG_OP_GELU),  NAMED(GG_OP_SILU),
    NAMED(GG_OP_SIGMOID),   NAMED(GG_OP_TANH),     NAMED(GG_OP_CLAMP), NAMED(GG_OP_LEAKY_RELU),
    NAMED(GG_OP_HARDSWISH), NAMED(GG_OP_MULTIPLY), NAMED(GG_OP_EXPR),  NAMED(GG_OP_DRELU),
    NAMED(GG_OP_DGELU),     NAMED(GG_OP_DSILU),    NAMED(GG_OP_AMAX),  NAMED(GG_OP_SUM),
    NAMED(GG_OP_GATED),     NAMED(GG_OP_OPERAND),
};
static const char *const alongs[] = {NAMED(GG_ALONG_M), NAMED(GG_ALONG_N), NAMED(GG_ALONG_ALL),
                                     NAMED(GG_ALONG_ELEMENTS), NAMED(GG_ALONG_NONE)};
static const char *const gelus[] = {NAMED(GG_GELU_ERF), NAMED(GG_GELU_TANH),
                                    NAMED(GG_GELU_TANH_APPROX)};
static const char *const scalars[] = {NAMED(GG_SCALARS_HOST), NAMED(GG_SCALARS_DEVICE)};
static const char *const operands[] = {NAMED(GG_OPERAND_NONE),    NAMED(GG_OPERAND_A),
                                       NAMED(GG_OPERAND_B),       NAMED(GG_OPERAND_C),
                                       NAMED(GG_OPERAND_D),       NAMED(GG_OPERAND_EXTRA),
                                       NAMED(GG_OPERAND_SCALE_A), NAMED(GG_OPERAND_SCALE_B),
                                       NAMED(GG_OPERAND_SCALE_D), NAMED(GG_OPERAND_METADATA)};
static const char *const param_kinds[] = {NAMED(GG_PARAM_ADDRESS),
                                          NAMED(GG_PARAM_LD),
                                          NAMED(GG_PARAM_BATCH_STRIDE),
                                          NAMED(GG_PARAM_MAP),
                                          NAMED(GG_PARAM_M),
                                          NAMED(GG_PARAM_N),
                                          NAMED(GG_PARAM_K),
                                          NAMED(GG_PARAM_BATCH),
                                          NAMED(GG_PARAM_ALPHA),
                                          NAMED(GG_PARAM_BETA),
                                          NAMED(GG_PARAM_WORKSPACE),
                                          NAMED(GG_PARAM_SHARED_TILES),
                                          NAMED(GG_PARAM_GROUP_TILES),
                                          NAMED(GG_PARAM_GROUP_SHARES),
                                          NAMED(GG_PARAM_NEXT_BESIDE),
                                          NAMED(GG_PARAM_SUM_PARTS),
                                          NAMED(GG_PARAM_MAP_END),
                                          NAMED(GG_PARAM_EVICT_FIRST),
                                          NAMED(GG_PARAM_MAP_SETS),
                                          NAMED(GG_PARAM_GPCS)};
static const char *const map_modes[] = {
    NAMED(GG_MAP_LINE),           NAMED(GG_MAP_LINES),         NAMED(GG_MAP_BATCH),
    NAMED(GG_MAP_SCALE_ATOM),     NAMED(GG_MAP_SCALE_ROWS),    NAMED(GG_MAP_SCALE_K),
    NAMED(GG_MAP_METADATA_TILE),  NAMED(GG_MAP_METADATA_ROWS), NAMED(GG_MAP_METADATA_K),
    NAMED(GG_MAP_METADATA_BLOCK), NAMED(GG_MAP_METADATA_GAP),  NAMED(GG_MAP_METADATA_BLOCKS),
    NAMED(GG_MAP_HALF),           NAMED(GG_MAP_HALF_LINES)};
static const char *const grids[] = {NAMED(GG_GRID_TILES), NAMED(GG_GRID_PERSISTENT),
                                    NAMED(GG_GRID_SPLIT_K), NAMED(GG_GRID_STREAM_K)};

#define NAMES(list)                                                                                \
  { list, sizeof(list) / sizeof *(list) }
static const struct {
  const char *const *list;
  size_t count;
} enumerators[] = {
    [GG_FACT_MAJOR] = NAMES(majors),
    [GG_FACT_OP_KIND] = NAMES(op_kinds),
    [GG_FACT_ALONG] = NAMES(alongs),
    [GG_FACT_GELU] = NAMES(gelus),
    [GG_FACT_SCALARS] = NAMES(scalars),
    [GG_FACT_OPERAND_ID] = NAMES(operands),
    [GG_FACT_PARAM_KIND] = NAMES(param_kinds),
    [GG_FACT_MAP_MODE] = NAMES(map_modes),
    [GG_FACT_GRID] = NAMES(grids),
};

/* Writes an enumerator's name where the number has one, else the number. */
static void write_number(gg_str *out, const gg_fact *fact) {
  size_t number = (size_t)fact->number;
  bool listed = number < enumerators[fact->kind].count && enumerators[fact->kind].list[number];
  if (fact->kind == GG_FACT_EXTENT && fact->number == GG_FIXED_NONE) {
    gg_str_puts(out, "GG_FIXED_NONE");
  } else if (fact->kind == GG_FACT_DTYPE) {
    gg_str_printf(out, "GG_DTYPE_%s", gg_dtype_info_of((gg_dtype)fact->number)->name);
  } else if (listed) {
    gg_str_puts(out, enumerators[fact->kind].list[number]);
  } else {
    gg_str_printf(out, "%lld", (long long)fact->number);
  }
}

static void write_fact(gg_str *out, const gg_fact *fact) {
  gg_str_printf(out, ".%s = ", fact->name);
  if (fact->text) {
    gg_str_printf(out, "\"%s\"", fact->text);
  } else if (fact->kind == GG_FACT_REAL && isinf(fact->real)) {
    gg_str_puts(out, fact->real < 0 ? "-INFINITY" : "INFINITY");
  } else if (fact->kind == GG_FACT_REAL) {
    gg_str_printf(out, "%af", (double)fact->real);
  } else {
    write_number(out, fact);
  }
}

/* Where facts are being written: into the list of that name, or (NULL) into the kernel itself. */
typedef struct writer {
  gg_str *out;
  const char *list;
  size_t number; /* the kernel's index in the pack */
  bool open;     /* an element's brace is open */
  size_t index;  /* index of that element */
  size_t begin;  /* where the line begins in `out` */
} writer;

static void close_element(writer *w) {
  if (w->open) gg_str_puts(w->out, "},\n");
  w->open = false;
}

/* Begins an element of a list. The list of the kernel's parameters is an array of its own; the
 * others lie within the kernel. */
static void open_element(writer *w, size_t index) {
  close_element(w);
  w->begin = w->out->length;
  bool apart = strcmp(w->list, "params") == 0;
  gg_str_printf(w->out, "    %s%s[%zu] = {", apart ? "" : ".", apart ? "" : w->list, index);
  w->open = true;
  w->index = index;
}

static void put_element_fact(writer *w, const gg_fact *fact) {
  bool first = !w->open || w->index != fact->index;
  if (first) open_element(w, fact->index);
  gg_str text = GG_STR_INIT;
  write_fact(&text, fact);
  bool fits = w->out->length - w->begin + text.length + 4 <= end_of_line;
  if (!first) gg_str_puts(w->out, fits ? ", " : ",\n        ");
  if (!first && !fits) w->begin = w->out->length - 8;
  gg_str_add(w->out, &text);
  gg_str_free(&text);
}

static void put_fact(void *user, const gg_fact *fact) {
  writer *w = user;
  bool mine = fact->list ? w->list && strcmp(w->list, fact->list) == 0 : !w->list;
  if (!mine) return;
  if (w->list) {
    put_element_fact(w, fact);
  } else if (strcmp(fact->name, "param_count") == 0) {
    gg_str_printf(w->out, "    .params = params_%zu,\n", w->number);
    gg_str_printf(w->out, "    .param_count = sizeof params_%zu / sizeof *params_%zu,\n", w->number,
                  w->number);
  } else {
    gg_str_puts(w->out, "    ");
    write_fact(w->out, fact);
    gg_str_puts(w->out, ",\n");
  }
}

static void write_list(gg_str *out, const gg_kernel *kernel, size_t number, const char *list) {
  writer w = {.out = out, .list = list, .number = number};
  gg_kernel_facts(kernel, put_fact, &w);
  close_element(&w);
}

static void write_kernel(gg_str *out, const gg_kernel *kernel, size_t number) {
  gg_str_printf(out, "static const gg_param params_%zu[%zu] = {\n", number, kernel->param_count);
  write_list(out, kernel, number, "params");
  gg_str_printf(out, "};\n\nstatic const gg_kernel kernel_%zu = {\n", number);
  write_list(out, kernel, number, NULL);
  write_list(out, kernel, number, "operations");
  write_list(out, kernel, number, "maps");
  gg_str_puts(out, "};\n\n");
}

/* ---- Images ----------------------------------------------------------------------------- */

static void write_byte(gg_str *out, unsigned char byte) {
  char digits[5], *at = digits + sizeof digits;
  *--at = ',';
  do {
    *--at = (char)('0' + byte % 10);
  } while (byte /= 10);
  gg_str_append(out, at, (size_t)(digits + sizeof digits - at));
}

/* Writes the name of an image's array, such as cubin_0_sm_90a. */
static void write_array_name(gg_str *out, const gg_binary *binary, size_t number) {
  bool ptx = binary->format == GG_FORMAT_PTX;
  gg_str_printf(out, "%s_%zu_%s", ptx ? "ptx" : "cubin", number, binary->arch);
}

static void write_bytes(gg_str *out, const gg_binary *binary, size_t number) {
  enum { most = 4 }; /* digits and a comma */
  gg_str_puts(out, "static _Alignas(64) const unsigned char ");
  write_array_name(out, binary, number);
  gg_str_puts(out, "[] = {");
  size_t column = end_of_line, count = binary->size + (binary->format == GG_FORMAT_PTX);
  for (size_t i = 0; i < count; i++) { /* PTX with its NUL */
    if (column + most > end_of_line) {
      gg_str_puts(out, "\n    ");
      column = 4;
    }
    size_t before = out->length;
    write_byte(out, ((const unsigned char *)binary->data)[i]);
    column += out->length - before;
  }
  gg_str_puts(out, "\n};\n\n");
}

static void write_image(gg_str *out, const gg_binary *binary, size_t number) {
  bool ptx = binary->format == GG_FORMAT_PTX;
  gg_str name = GG_STR_INIT;
  write_array_name(&name, binary, number);
  gg_str_printf(out, "    {GG_FORMAT_%s, \"%s\", %s, sizeof %s%s,\n", ptx ? "PTX" : "CUBIN",
                binary->arch, gg_str_text(&name), gg_str_text(&name), ptx ? " - 1" : "");
  gg_str_printf(out, "     UINT64_C(0x%016llx)},\n",
                (unsigned long long)gg_checksum(binary->data, binary->size));
  if (name.failed) out->failed = true;
  gg_str_free(&name);
}

static void write_images(gg_str *out, const cli_images *images, size_t number) {
  for (size_t i = 0; i < images->count; i++)
    write_bytes(out, images->list[i], number);
  gg_str_printf(out, "static const gg_image images_%zu[] = {\n", number);
  for (size_t i = 0; i < images->count; i++)
    write_image(out, images->list[i], number);
  gg_str_puts(out, "};\n");
}

/* Writes, for example, "cubins for sm_80, sm_90; PTX for sm_90". */
static void write_archs(gg_str *out, const cli_images *images) {
  static const char *const formats[] = {
      [GG_FORMAT_CUBIN] = "cubins for", [GG_FORMAT_PTX] = "PTX for"};
  const char *between = "";
  for (int format = GG_FORMAT_CUBIN; format <= GG_FORMAT_PTX; format++) {
    bool first = true;
    for (size_t i = 0; i < images->count; i++) {
      if ((int)images->list[i]->format != format) continue;
      gg_str_printf(out, "%s%s %s", first ? between : ",", first ? formats[format] : "",
                    images->list[i]->arch);
      first = false;
      between = "; ";
    }
  }
}

/* ---- The header ------------------------------------------------------------------------- */

static void write_operand(gg_str *out, const char *name, const gg_operand *operand) {
  static const char letters[] = {[GG_MAJOR_K] = 'K', [GG_MAJOR_M] = 'M', [GG_MAJOR_N] = 'N'};
  gg_str_printf(out, "%s %s %c-major", name, gg_dtype_info_of(operand->type)->name,
                letters[operand->major]);
}

static bool has_c(const gg_kernel *kernel) {
  for (size_t i = 0; i < kernel->operation_count; i++)
    if (kernel->operations[i].kind == GG_OP_LINEAR && kernel->operations[i].beta) return true;
  return false;
}

/* Writes the type and parameters of a kernel's launch function. */
static void write_launch(gg_str *out, const cli_pack *pack, const char *kernel) {
  gg_str_printf(out, "gg_status %s_%s(\n    const %s *of, const gg_problem *problem, ", pack->name,
                kernel, pack->name);
  gg_str_puts(out, "struct CUstream_st *stream, gg_error *err)");
}

static void declare_kernel(gg_str *out, const cli_pack *pack, const cli_packed *packed) {
  const gg_kernel *kernel = packed->kernel;
  gg_str_puts(out, "/* ");
  write_operand(out, "A", &kernel->a);
  write_operand(out, ", B", &kernel->b);
  if (has_c(kernel)) write_operand(out, ", C", &kernel->c);
  write_operand(out, ", D", &kernel->d);
  gg_str_puts(out, ".\n * ");
  write_archs(out, &packed->images);
  gg_str_puts(out, " */\n");
  write_launch(out, pack, kernel->name);
  gg_str_puts(out, ";\n");
  gg_str_printf(out, "const gg_kernel *%s_kernel_%s(void);\n", pack->name, kernel->name);
  gg_str_printf(out, "const gg_module *%s_module_%s(const %s *of);\n\n", pack->name, kernel->name,
                pack->name);
}

static void write_banner(gg_str *out, const cli_pack *pack, const char *ending) {
  gg_str_printf(out, "/* %s.%s: %zu kernel%s, compiled and packed by gemmgen %s.\n", pack->name,
                ending, pack->count, pack->count == 1 ? "" : "s", gg_version());
}

static const char whole[] =
    " *\n"
    " *     $ kernels;\n"
    " *     $_open(&kernels, context, &err);               loads what the device can run\n"
    " *     $_NAME(&kernels, &problem, stream, &err);      as often as there is a product\n"
    " *     $_close(&kernels);\n"
    " *\n"
    " * $_NAME is gg_launch of that kernel (gemmgen_launch.h). $_kernel_NAME is what the\n"
    " * kernel is made for, which gg_problem_pack asks; $_module_NAME what was loaded, for\n"
    " * gg_prepare and gg_workspace_bytes: NULL where the device cannot run it, and launching tells\n"
    " * why. Link libgemmgen-launch. */\n";

static const char opening[] = "typedef struct $ {\n"
                              "  gg_packed *packed;\n"
                              "} $;\n"
                              "\n"
                              "extern const gg_pack $_pack;\n"
                              "\n"
                              "gg_status $_open($ *out, gg_context *context, gg_error *err);\n"
                              "void $_close($ *of);\n"
                              "\n";

static const char opening_text[] =
    "gg_status $_open($ *out, gg_context *context, gg_error *err) {\n"
    "  return gg_pack_open(&out->packed, context, &$_pack, err);\n"
    "}\n"
    "\n"
    "void $_close($ *of) {\n"
    "  gg_packed_close(of->packed);\n"
    "  of->packed = NULL;\n"
    "}\n";

static const char packer[] =
    "/* Scale factors in rows, brought to where the kernels read them, on the device. */\n"
    "gg_status $_pack_scales(const $ *of, const gg_packing *packing,\n"
    "    struct CUstream_st *stream, gg_error *err);\n"
    "\n";

static const char packer_text[] =
    "\n"
    "gg_status $_pack_scales(const $ *of, const gg_packing *packing,\n"
    "    struct CUstream_st *stream, gg_error *err) {\n"
    "  return gg_packer_launch(gg_packed_packer(of->packed), packing, stream, err);\n"
    "}\n";

/* Writes a text in which $ stands for the pack's name. */
static void write_named(gg_str *out, const char *text, const char *name) {
  for (; *text; text++) {
    if (*text == '$') {
      gg_str_puts(out, name);
    } else {
      gg_str_putc(out, *text);
    }
  }
}

void cli_pack_write_header(gg_str *out, const cli_pack *pack) {
  write_banner(out, pack, "h");
  write_named(out, whole, pack->name);
  gg_str_printf(out, "#ifndef GEMMGEN_PACK_%s_H\n#define GEMMGEN_PACK_%s_H\n\n", pack->name,
                pack->name);
  gg_str_puts(out, "#include <gemmgen/gemmgen_launch.h>\n\n"
                   "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
  write_named(out, opening, pack->name);
  if (pack->packer.count) write_named(out, packer, pack->name);
  for (size_t i = 0; i < pack->count; i++)
    declare_kernel(out, pack, &pack->kernels[i]);
  gg_str_puts(out, "#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}

/* ---- The source ------------------------------------------------------------------------- */

static void begin_section(gg_str *out, const char *name) {
  enum { width = 88 };
  int rest = width - (int)strlen(name);
  gg_str_printf(out, "\n/* ---- %s ", name);
  while (rest-- > 0)
    gg_str_putc(out, '-');
  gg_str_puts(out, " */\n\n");
}

static void write_packed(gg_str *out, const cli_packed *packed, size_t number) {
  begin_section(out, packed->kernel->name);
  gg_str_puts(out, "// From this spec:\n//\n");
  gg_spec_print(out, packed->spec, "//   ");
  gg_str_putc(out, '\n');
  write_kernel(out, packed->kernel, number);
  write_images(out, &packed->images, number);
}

/* Writes the table of all kernels, and the pack itself. */
static void write_pack(gg_str *out, const cli_pack *pack) {
  gg_str_puts(out, "static const gg_packed_kernel packed_0[] = {\n");
  for (size_t i = 0; i < pack->count; i++) {
    gg_str_printf(out, "    {.kernel = &kernel_%zu,\n     .images = images_%zu,\n", i, i);
    gg_str_printf(out, "     .image_count = sizeof images_%zu / sizeof *images_%zu,\n", i, i);
    gg_str_printf(out, "     .checksum = UINT64_C(0x%016llx)},\n",
                  (unsigned long long)gg_kernel_checksum(pack->kernels[i].kernel));
  }
  gg_str_printf(out, "};\n\nconst gg_pack %s_pack = {\n", pack->name);
  gg_str_printf(out, "    .size = sizeof(gg_pack),\n    .format = %d,\n", GG_PACK_FORMAT);
  gg_str_printf(out, "    .name = \"%s\",\n    .version = \"%s\",\n", pack->name, gg_version());
  gg_str_puts(out, "    .kernel_size = sizeof(gg_kernel),\n    .kernels = packed_0,\n"
                   "    .kernel_count = sizeof packed_0 / sizeof *packed_0,\n");
  if (pack->packer.count) {
    gg_str_printf(out, "    .packer = images_%zu,\n", pack->count);
    gg_str_printf(out, "    .packer_count = sizeof images_%zu / sizeof *images_%zu,\n", pack->count,
                  pack->count);
  }
  gg_str_puts(out, "};\n\n");
}

static void define_kernel(gg_str *out, const cli_pack *pack, size_t index) {
  const char *name = pack->kernels[index].kernel->name;
  gg_str_putc(out, '\n');
  write_launch(out, pack, name);
  gg_str_printf(out, " {\n  return gg_packed_launch(of->packed, %zu, problem, stream, err);\n}\n\n",
                index);
  gg_str_printf(out, "const gg_kernel *%s_kernel_%s(void) {\n  return &kernel_%zu;\n}\n\n",
                pack->name, name, index);
  gg_str_printf(out, "const gg_module *%s_module_%s(const %s *of) {\n", pack->name, name,
                pack->name);
  gg_str_printf(out, "  return gg_packed_module(of->packed, %zu);\n}\n", index);
}

void cli_pack_write_source(gg_str *out, const cli_pack *pack) {
  write_banner(out, pack, "c");
  gg_str_puts(
      out,
      " *\n * What is 0 is not said. Images are bytes; checksums find what has changed.\n *\n");
  for (size_t i = 0; i < pack->count; i++)
    gg_str_printf(out, " *     %s\n", pack->kernels[i].kernel->name);
  gg_str_printf(out, " */\n#include \"%s.h\"\n\n#include <math.h>\n", pack->name);
  for (size_t i = 0; i < pack->count; i++)
    write_packed(out, &pack->kernels[i], i);
  if (pack->packer.count) {
    begin_section(out, GG_PACKER_NAME);
    write_images(out, &pack->packer, pack->count);
  }
  begin_section(out, "The pack");
  write_pack(out, pack);
  write_named(out, opening_text, pack->name);
  if (pack->packer.count) write_named(out, packer_text, pack->name);
  for (size_t i = 0; i < pack->count; i++)
    define_kernel(out, pack, i);
}
