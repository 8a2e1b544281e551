/* gemmgen atoms: the atom tables, as text or JSON.
 *
 * A family (wgmma over N, a copy over widths) is one line; --all gives each member its own. */
#include <stdio.h>
#include <string.h>

#include "atom/copy_atom.h"
#include "atom/dtype.h"
#include "atom/mma_atom.h"
#include "cli/cli.h"
#include "spec/keys.h"

typedef struct atoms_options {
  const char *arch, *type;
  bool json, all, wrapper;
} atoms_options;

static const cli_option atoms_option_rows[] = {
    {"arch", 0, CLI_STRING, offsetof(atoms_options, arch), "ARCH", "only what runs on it: sm_80"},
    {"type", 0, CLI_STRING, offsetof(atoms_options, type), "TYPE",
     "only MMAs with an operand of it"},
    {"all", 0, CLI_FLAG, offsetof(atoms_options, all), NULL, "every member of a family"},
    {"wrapper", 0, CLI_FLAG, offsetof(atoms_options, wrapper), NULL,
     "the CUDA C++ functions that execute them"},
    {"json", 0, CLI_FLAG, offsetof(atoms_options, json), NULL,
     "as JSON, with layouts and registers"},
    {0},
};

/* The user's options, parsed, and the state of the output. */
typedef struct listing {
  const atoms_options *options;
  gg_arch arch;  /* number 0: any */
  gg_dtype type; /* GG_DTYPE_COUNT: any */
  int words;
  char **word;  /* each must occur in an atom's name */
  size_t count; /* atoms so far */
  size_t wrappers;
  gg_str out;
} listing;

/* ---- Filters ------------------------------------------------------------------------------ */

static bool has_words(const listing *list, const char *ptx, const char *cute) {
  for (int i = 0; i < list->words; i++) {
    if (!strstr(ptx, list->word[i]) && !strstr(cute, list->word[i])) return false;
  }
  return true;
}

static bool has_arch(const listing *list, gg_arch need) {
  return list->arch.number == 0 || gg_arch_runs(list->arch, need);
}

static bool has_type(const listing *list, const gg_mma_row *row) {
  return list->type == GG_DTYPE_COUNT || list->type == row->b || list->type == row->c ||
         gg_mma_row_takes(row, list->type);
}

/* ---- MMA atoms ---------------------------------------------------------------------------- */

static void put_json_layout(gg_str *out, const char *key, gg_layout layout) {
  gg_str text = GG_STR_INIT;
  gg_layout_print(&text, &layout, GG_NOTATION_PLAIN);
  gg_str_printf(out, ",\"%s\":", key);
  gg_str_json(out, gg_str_text(&text));
  out->failed = out->failed || text.failed;
  gg_str_free(&text);
}

/* Architecture, PTX ISA and CUDA release as texts. They are "any" and "-" where the compiler
 * chooses the instruction. */
typedef struct isa_text {
  char arch[GG_ARCH_NAME_MAX], ptx[8], cuda[8];
} isa_text;

static isa_text isa_of(gg_arch arch, int ptx_isa) {
  isa_text text = {"any", "-", "-"};
  int cuda = gg_cuda_of_ptx(ptx_isa);
  if (!arch.number) return text;
  gg_arch_name(text.arch, arch);
  snprintf(text.ptx, sizeof text.ptx, "%d.%d", ptx_isa / 10 % 100, ptx_isa % 10);
  snprintf(text.cuda, sizeof text.cuda, "%d.%d", cuda / 10 % 100, cuda % 10);
  return text;
}

static void put_json_isa(gg_str *out, gg_arch arch, int ptx_isa) {
  isa_text isa = isa_of(arch, ptx_isa);
  if (!arch.number) return;
  gg_str_printf(out, ",\"arch\":\"%s\",\"ptx_isa\":\"%s\",\"cuda\":\"%s\"", isa.arch, isa.ptx,
                isa.cuda);
}

/* Writes the extents. For a family, an extent that varies is the list of its values, or null. */
static void put_json_extents(gg_str *out, const gg_mma_row *row, const gg_mma_atom *atom) {
  const char *comma = "";
  if (atom) {
    gg_str_printf(out, ",\"m\":%d,\"n\":%d,\"k\":%d", atom->m, atom->n, atom->k);
    return;
  }
  if (!row->m) {
    gg_str_printf(out, ",\"m\":null,\"n\":null,\"k\":%d", row->k);
    return;
  }
  gg_str_printf(out, ",\"m\":%d,\"n\":[", row->m);
  for (int n = gg_mma_row_next_n(row, 0); n; n = gg_mma_row_next_n(row, n)) {
    gg_str_printf(out, "%s%d", comma, n);
    comma = ",";
  }
  gg_str_printf(out, "],\"k\":%d", row->k);
}

static void put_json_mma(listing *list, const gg_mma_row *row, const gg_mma_atom *atom,
                         const char *ptx, const char *cute) {
  static const char *const operands[] = {"a", "b", "c"};
  gg_str *out = &list->out;
  gg_str_puts(out, list->count ? ",\n{\"cute\":" : "\n{\"cute\":");
  gg_str_json(out, cute);
  gg_str_puts(out, ",\"ptx\":");
  gg_str_json(out, ptx);
  put_json_extents(out, row, atom);
  gg_str_printf(out, ",\"a\":\"%s\",\"b\":\"%s\",\"c\":\"%s\",\"sparse\":%s",
                gg_dtype_info_of(row->a)->name, gg_dtype_info_of(row->b)->name,
                gg_dtype_info_of(row->c)->name, row->sparse ? "true" : "false");
  if (row->block) gg_str_printf(out, ",\"block\":%d", row->block);
  put_json_isa(out, row->arch, row->ptx_isa);
  if (atom) {
    put_json_layout(out, "threads", gg_mma_atom_threads(atom));
    for (int i = 0; i < 3; i++) {
      const char *type;
      char key[16];
      snprintf(key, sizeof key, "layout_%s", operands[i]);
      put_json_layout(out, key, gg_mma_atom_layout(atom, (gg_mma_operand)i));
      gg_str_printf(out, ",\"registers_%s\":%d", operands[i],
                    gg_mma_atom_registers(atom, (gg_mma_operand)i, &type));
    }
  }
  gg_str_putc(out, '}');
}

static void put_extents(char *out, size_t size, const gg_mma_row *row, const gg_mma_atom *atom) {
  if (atom || row->n) {
    snprintf(out, size, "%dx%dx%d", row->m, atom ? atom->n : row->n, row->k);
  } else {
    snprintf(out, size, "%sxNx%d", row->m ? "64" : "M", row->k);
  }
}

static void put_line(gg_str *out, const char *cute, const char *extents, const char *types,
                     gg_arch arch, int ptx_isa, const char *ptx) {
  isa_text isa = isa_of(arch, ptx_isa);
  gg_str_printf(out, "%-56s %-9s %-14s %-8s %-4s %-5s %s\n", cute, extents, types, isa.arch,
                isa.ptx, isa.cuda, *ptx ? ptx : "-");
}

static void put_text_mma(listing *list, const gg_mma_row *row, const gg_mma_atom *atom,
                         const char *ptx, const char *cute) {
  char extents[32], types[32];
  put_extents(extents, sizeof extents, row, atom);
  snprintf(types, sizeof types, "%s %s %s", gg_dtype_info_of(row->a)->name,
           gg_dtype_info_of(row->b)->name, gg_dtype_info_of(row->c)->name);
  put_line(&list->out, cute, extents, types, row->arch, row->ptx_isa, ptx);
}

/* Writes the wrapper of an atom, a function named after it. An atom that needs none is left out. */
static void put_wrapper_mma(listing *list, const gg_mma_atom *atom) {
  char name[32];
  gg_str text = GG_STR_INIT;
  snprintf(name, sizeof name, "mma_%dx%dx%d", atom->m, atom->n, atom->k);
  if (gg_mma_atom_wrapper(&text, atom, name, NULL) == GG_OK) {
    gg_str_puts(&list->out, "// ");
    gg_mma_atom_cute(&list->out, atom);
    gg_str_putc(&list->out, '\n');
    gg_str_add(&list->out, &text);
    gg_str_putc(&list->out, '\n');
    list->wrappers++;
  }
  list->out.failed = list->out.failed || text.failed;
  gg_str_free(&text);
}

/* Writes one line: a row of the table (`atom` is NULL where the row is a family), or one member of
 * a family. */
static void put_mma(listing *list, const gg_mma_row *row, const gg_mma_atom *atom) {
  gg_str ptx = GG_STR_INIT, cute = GG_STR_INIT;
  gg_str_puts(&ptx, row->ptx);
  gg_str_puts(&cute, row->cute);
  if (atom) {
    gg_str_free(&ptx);
    gg_str_free(&cute);
    gg_mma_atom_ptx(&ptx, atom);
    gg_mma_atom_cute(&cute, atom);
  }
  if (has_words(list, gg_str_text(&ptx), gg_str_text(&cute))) {
    if (list->options->json) {
      put_json_mma(list, row, atom, gg_str_text(&ptx), gg_str_text(&cute));
    } else if (!list->options->wrapper) {
      put_text_mma(list, row, atom, gg_str_text(&ptx), gg_str_text(&cute));
    } else if (atom) {
      put_wrapper_mma(list, atom);
    }
    list->count++;
  }
  list->out.failed = list->out.failed || ptx.failed || cute.failed;
  gg_str_free(&ptx);
  gg_str_free(&cute);
}

static void list_mma(listing *list) {
  size_t count;
  const gg_mma_row *rows = gg_mma_table(&count);
  for (const gg_mma_row *row = rows; row < rows + count; row++) {
    gg_mma_atom atom;
    if (!has_arch(list, row->arch) || !has_type(list, row)) continue;
    bool expand =
        row->n_step && row->kind == GG_MMA_wgmma && (list->options->all || list->options->wrapper);
    if (!expand) {
      put_mma(list, row, row->n && gg_mma_row_atom(&atom, row, row->n) ? &atom : NULL);
      continue;
    }
    for (int n = gg_mma_row_next_n(row, 0); n; n = gg_mma_row_next_n(row, n)) {
      if (gg_mma_row_atom(&atom, row, n)) put_mma(list, row, &atom);
    }
  }
}

/* ---- Copy atoms --------------------------------------------------------------------------- */

static void put_json_copy(listing *list, const gg_copy_atom *atom, const char *cute,
                          const char *ptx) {
  const gg_copy_row *row = atom->row;
  gg_str *out = &list->out;
  gg_str_puts(out, list->count ? ",\n{\"cute\":" : "\n{\"cute\":");
  gg_str_json(out, cute);
  gg_str_puts(out, ",\"ptx\":");
  gg_str_json(out, ptx);
  put_json_isa(out, row->arch, row->ptx_isa);
  put_json_layout(out, "threads", gg_copy_atom_threads(atom));
  put_json_layout(out, "src", gg_copy_atom_layout(atom, GG_COPY_SRC));
  put_json_layout(out, "dst", gg_copy_atom_layout(atom, GG_COPY_DST));
  put_json_layout(out, "ref", gg_copy_atom_layout(atom, GG_COPY_REF));
  gg_str_putc(out, '}');
}

static void put_wrapper_copy(listing *list, const gg_copy_atom *atom) {
  gg_str text = GG_STR_INIT;
  if (gg_copy_atom_wrapper(&text, atom, "copy", NULL) == GG_OK) {
    gg_str_puts(&list->out, "// ");
    gg_copy_atom_cute(&list->out, atom);
    gg_str_putc(&list->out, '\n');
    gg_str_add(&list->out, &text);
    gg_str_putc(&list->out, '\n');
    list->wrappers++;
  }
  list->out.failed = list->out.failed || text.failed;
  gg_str_free(&text);
}

static void put_copy(listing *list, const gg_copy_atom *atom) {
  const gg_copy_row *row = atom->row;
  char bytes[16];
  gg_str cute = GG_STR_INIT, name = GG_STR_INIT;
  gg_copy_atom_cute(&cute, atom);
  gg_copy_atom_ptx(&name, atom);
  const char *ptx = gg_str_text(&name);
  if (has_words(list, ptx, gg_str_text(&cute))) {
    gg_layout src = gg_copy_atom_layout(atom, GG_COPY_SRC);
    int64_t size = gg_layout_cosize(&src) / 8;
    bytes[0] = '\0';
    if (size) snprintf(bytes, sizeof bytes, "%d B", (int)size);
    if (list->options->json) {
      put_json_copy(list, atom, gg_str_text(&cute), ptx);
    } else if (list->options->wrapper) {
      put_wrapper_copy(list, atom);
    } else {
      put_line(&list->out, gg_str_text(&cute), bytes, "copy", row->arch, row->ptx_isa, ptx);
    }
    list->count++;
  }
  list->out.failed = list->out.failed || cute.failed || name.failed;
  gg_str_free(&cute);
  gg_str_free(&name);
}

static void list_copies(listing *list) {
  size_t count;
  const gg_copy_row *rows = gg_copy_table(&count);
  if (list->type != GG_DTYPE_COUNT) return;
  for (const gg_copy_row *row = rows; row < rows + count; row++) {
    gg_copy_atom atom = {.row = NULL};
    if (!has_arch(list, row->arch)) continue;
    while (gg_copy_row_next(&atom, row))
      put_copy(list, &atom);
  }
}

/* ---- The command -------------------------------------------------------------------------- */

static int read_filters(listing *list) {
  const atoms_options *options = list->options;
  list->type = GG_DTYPE_COUNT;
  if (options->arch) {
    int code = cli_arch_read(&list->arch, options->arch);
    if (code) return code;
  }
  if (options->type && !gg_dtype_find(&list->type, options->type)) {
    gg_near near;
    gg_near_word(&near, options->type, gg_key_find("a.type", strlen("a.type")));
    return cli_usage("no type '%s'%s%s", options->type, near.best[0] ? "; did you mean " : "",
                     near.best);
  }
  return CLI_OK;
}

/* Lists the atoms that are asked for; returns how many there are. */
static size_t list_atoms(listing *list) {
  bool json = list->options->json;
  if (!json && !list->options->wrapper) {
    gg_str_printf(&list->out, "%-56s %-9s %-14s %-8s %-4s %-5s %s\n", "CuTe's name", "MxNxK",
                  "A B C", "arch", "PTX", "CUDA", "PTX name");
  }
  if (json) gg_str_puts(&list->out, "{\"mma\":[");
  list_mma(list);
  size_t mma = list->count;
  list->count = 0; /* copy atoms have a JSON list of their own */
  if (json) gg_str_puts(&list->out, "],\n\"copy\":[");
  list_copies(list);
  if (json) gg_str_puts(&list->out, "]}\n");
  return mma + list->count;
}

/* Reports why there is nothing to print. */
static int fail_empty(const listing *list, size_t found) {
  const atoms_options *options = list->options;
  if (found) {
    fprintf(stderr, "gemmgen: none of the %zu atoms", found);
  } else {
    fputs("gemmgen: no atom", stderr);
  }
  if (options->arch) fprintf(stderr, " for %s", options->arch);
  if (options->type) fprintf(stderr, " with an operand of %s", options->type);
  for (int i = 0; i < list->words; i++)
    fprintf(stderr, "%s '%s'", i ? " and" : " whose name has", list->word[i]);
  fputs(found ? " has a wrapper\n" : "; `gemmgen atoms` lists them all\n", stderr);
  return CLI_FAILED;
}

static int run(const void *options, int argc, char **argv) {
  listing list = {.options = options, .words = argc, .word = argv, .out = GG_STR_INIT};
  gg_error err = GG_ERROR_INIT;
  int status = read_filters(&list);
  if (status) return status;
  size_t found = list_atoms(&list);
  if (!list.out.failed && (list.options->wrapper ? list.wrappers : found) == 0) {
    status = fail_empty(&list, found);
  } else if (cli_print(&list.out, &err)) {
    status = cli_report(&err, NULL);
  }
  gg_str_free(&list.out);
  return status;
}

const cli_command cmd_atoms = {
    .name = "atoms",
    .operands = "[WORD...]",
    .summary = "List the MMA and copy atoms: PTX name, CuTe's name, shape, types, architecture",
    .details =
        "Lists the atoms whose PTX or CuTe name contains every WORD. An asterisk in a name\n"
        "stands for N, a parameter of a wgmma family. The architecture is the least that\n"
        "has the instruction, PTX the first PTX ISA and CUDA the first release.\n"
        "\n"
        "The exit status is 1 where no atom matches, or with --wrapper none that does has one.",
    .options = atoms_option_rows,
    .options_size = sizeof(atoms_options),
    .run = run,
};
